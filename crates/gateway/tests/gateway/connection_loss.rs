//! A process loses its database, NATS or the other processes, without an error: it is not ready, declares no battery offline, and
//! catches up by itself.
#![allow(clippy::unwrap_used)]
use crate::several_processes::{end, two};
use bus::Liveness;
use domain::Serial;
use domain::clock::{HOUR, MINUTE, SECOND};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::{MqttBattery, NOON, TestApp, TestDb, between_processes, eventually};

const QUICK: Liveness = Liveness {
    heartbeat_interval: Duration::from_millis(100),
    heartbeat_limit: Duration::from_secs(2),
    gateway_limit: Duration::from_secs(90),
};

/// A process and NATS servers that come and go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batteries_are_served_while_nats_is_gone() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let db = db.with_nats();
    let (here, there) = two(&db).await;
    let sn = "SC000001".parse().unwrap();
    let now = here.clock.now();
    let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
    battery.say_hello(now).await;
    let newest = || there.portal.live.get(&sn)?.sample.map(|sample| sample.at);
    battery.measure(now).await;
    eventually("the other process shows it", async || newest() == Some(now)).await;

    let nats = db.nats_server().unwrap();
    nats.kill();
    for second in 1..=3 {
        battery.measure(now + second * SECOND).await;
    }
    nats.start_again();
    eventually("the other process has caught up", async || {
        newest() == Some(now + 3 * SECOND)
    })
    .await;
    battery.measure(now + 4 * SECOND).await;
    eventually("it hears again", async || {
        newest() == Some(now + 4 * SECOND)
    })
    .await;
    assert_eq!(db.samples("SC000001").await.len(), 5);
    end_all(db, here, there).await;
}

/// For two minutes, one process or both are without their database: their connections stay open, and nothing passes. Returns how
/// long it took afterwards until each was ready and had heard of the other's battery.
async fn without_database(db: &TestDb, both: bool, liveness: Liveness) -> Duration {
    let (first_proxy, behind_first) = db.behind_proxy().await;
    let (second_proxy, behind_second) = db.behind_proxy().await;
    let here = TestApp::start_with_liveness(&behind_first, liveness).await;
    let there = TestApp::start_with_liveness(&behind_second, liveness).await;
    let apps = [&here, &there];
    let mut batteries = Vec::new();
    for (app, sn) in [(&here, "SC000001"), (&there, "SC000002")] {
        here.owner(&sn.to_lowercase(), sn).await;
        let mut battery = MqttBattery::connect(app.devices, sn).await;
        battery.say_hello(NOON).await;
        battery.measure(NOON).await;
        batteries.push(battery);
    }
    let systems: [Serial; 2] = ["SC000001", "SC000002"].map(|sn| sn.parse().unwrap());
    for app in apps {
        app.portal.live.hold(&systems).await.unwrap();
    }
    let mails = here.sent_mails().await.len();

    second_proxy.stop_forwarding();
    if both {
        first_proxy.stop_forwarding();
    }
    let ready = async |app: &TestApp| app.get("/readyz").send().await.status == 200;
    eventually("it says that it is not ready", async || {
        !ready(&there).await && (!both || !ready(&here).await)
    })
    .await;
    // Before that the database does not answer, but what it said last is recent enough to decide by.
    let hears_nobody = |app: &TestApp| !app.portal.live.receives_peer_messages();
    eventually("it knows that it hears nobody", async || {
        hears_nobody(&there) && (!both || hears_nobody(&here))
    })
    .await;
    for app in apps {
        app.clock.advance(2 * MINUTE);
    }
    let mut packets = Vec::new();
    for battery in &mut batteries {
        let sample = battery.sample(NOON + 2 * MINUTE).to_string();
        packets.push(battery.publish("tele", sample).await);
    }
    if !both {
        batteries[0].wait_for_ack(packets[0]).await;
        here.check_alarms().await;
    }

    let begun = Instant::now();
    for proxy in [&first_proxy, &second_proxy] {
        proxy.forward_again();
    }
    let newest = |app: &TestApp, sn: &Serial| app.portal.live.get(sn)?.sample.map(|s| s.at);
    for (app, other) in [(&here, &systems[1]), (&there, &systems[0])] {
        eventually("each hears the other again", async || {
            ready(app).await && newest(app, other) == Some(NOON + 2 * MINUTE)
        })
        .await;
    }
    let took = begun.elapsed();
    eprintln!("heard again after {took:?}");
    for (n, battery) in batteries.iter_mut().enumerate() {
        if both || n == 1 {
            battery.wait_for_ack(packets[n]).await;
        }
    }
    for app in apps {
        app.check_alarms().await;
    }
    for sn in &systems {
        let presence = db.presence(sn).await.unwrap().unwrap();
        assert_eq!((presence.online, presence.since), (true, NOON), "{sn}");
    }
    assert!(db.open_alarms_of(&systems).await.unwrap().is_empty());
    assert_eq!(here.sent_mails().await.len(), mails);
    end(here, there).await;
    for behind in [behind_first, behind_second] {
        behind.close().await;
    }
    took
}

between_processes!(
    a_process_without_its_database_declares_nobody_offline,
    |db| {
        without_database(db, false, QUICK).await;
    }
);

between_processes!(
    all_processes_without_their_database_declare_nobody_offline,
    |db| {
        without_database(db, true, QUICK).await;
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute and measures: make soak"]
async fn soak_processes_hear_each_other_again_within_twenty_seconds() {
    for both in [false, true] {
        let Some(db) = TestDb::postgres().await else {
            return;
        };
        let took = without_database(&db, both, Liveness::default()).await;
        assert!(took <= Duration::from_secs(20), "{took:?}");
        db.close().await;
    }
}

async fn end_all(db: TestDb, here: TestApp, there: TestApp) {
    end(here, there).await;
    db.close().await;
}

/// A stopped process; continues when this is dropped.
struct Frozen(i32);

impl Frozen {
    /// `None` where this user may not stop the database's processes.
    fn stop(pid: i32) -> Option<Self> {
        signal("-STOP", pid).then_some(Self(pid))
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal("-CONT", self.0);
    }
}

fn signal(name: &str, pid: i32) -> bool {
    let mut kill = Command::new("kill");
    kill.args([name, &pid.to_string()]).stderr(Stdio::null());
    kill.status().is_ok_and(|status| status.success())
}

/// To the client, a stopped server process looks like a connection that a firewall has forgotten.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_does_not_hear_the_others_declares_nobody_offline() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let here = TestApp::start(&db).await;
    let listeners = async || -> Vec<i32> {
        let backends = db.backends().await.into_iter();
        let listeners = backends.filter(|(_, query)| query.starts_with("LISTEN"));
        listeners.map(|(pid, _)| pid).collect()
    };
    let others = listeners().await;
    let there = TestApp::start_with_liveness(&db, QUICK).await;
    let mut own = listeners().await;
    own.retain(|pid| !others.contains(pid));
    assert_eq!(own.len(), 1, "one process listens for each");

    here.owner("anna", "SC000001").await;
    let sn = "SC000001".parse().unwrap();
    let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
    battery.say_hello(NOON).await;
    battery.measure(NOON).await;
    there
        .portal
        .live
        .hold(std::slice::from_ref(&sn))
        .await
        .unwrap();
    let newest = |app: &TestApp| app.portal.live.get(&sn)?.sample.map(|sample| sample.at);
    eventually("the other process shows it", async || {
        newest(&there) == Some(NOON)
    })
    .await;

    let Some(frozen) = Frozen::stop(own[0]) else {
        let skipped = "this user may not stop PostgreSQL's processes (be root, or use scripts/with-databases), so nothing shows what a process does that hears nothing";
        let required = std::env::var("SUNCELLAR_REQUIRE_POSTGRES").is_ok();
        assert!(!required, "{skipped}");
        eprintln!("SKIPPED: {skipped}");
        return end_all(db, here, there).await;
    };
    // It cannot listen on another connection either, until connections are allowed again.
    db.allow_new_connections(false).await;
    let ready = async |app: &TestApp| app.get("/readyz").send().await.status;
    eventually("it says that it is not ready", async || {
        ready(&there).await == 503
    })
    .await;
    // By its clock the battery has been silent for an hour.
    there.clock.advance(HOUR);
    there.check_alarms().await;
    db.allow_new_connections(true).await;

    battery.measure(NOON + SECOND).await;
    eventually("it listens again and has caught up", async || {
        ready(&there).await == 200 && newest(&there) == Some(NOON + SECOND)
    })
    .await;
    there.check_alarms().await;
    let presence = db.presence(&sn).await.unwrap().unwrap();
    assert_eq!((presence.online, presence.since), (true, NOON));
    assert!(
        db.open_alarms_of(std::slice::from_ref(&sn))
            .await
            .unwrap()
            .is_empty()
    );

    // Now the whole database is stopped: a request must not wait for the pool.
    let backends = db.backends().await.into_iter();
    db.allow_new_connections(false).await;
    let all: Vec<_> = backends.filter_map(|(pid, _)| Frozen::stop(pid)).collect();
    let answer = tokio::time::timeout(Duration::from_secs(5), ready(&here)).await;
    drop((frozen, all));
    db.allow_new_connections(true).await;
    assert_eq!(answer.expect("long before the pool gives up"), 503);
    end_all(db, here, there).await;
}
