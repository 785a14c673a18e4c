//! Several processes on one PostgreSQL: each sees what another commits, and reaches batteries wherever they are connected, whether
//! they inform each other by the database or by NATS.
#![allow(clippy::unwrap_used)]
use bus::Liveness;
use domain::Serial;
use domain::clock::{HOUR, MINUTE, SECOND};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::battery::MqttLogin;
use testkit::{MqttBattery, NOON, Person, TestApp, TestDb, between_processes, eventually};

/// Two portals with an endpoint each on one database.
async fn two(db: &TestDb) -> (TestApp, TestApp) {
    let (here, there) = (TestApp::start(db).await, TestApp::start(db).await);
    here.device("SC000001").await;
    let sn = "SC000001".parse().unwrap();
    // Listening begins a moment after the start; earlier changes are read from the database.
    eventually("both hear each other", async || {
        for app in [&here, &there] {
            app.portal
                .live
                .hold(std::slice::from_ref(&sn))
                .await
                .unwrap();
        }
        here.portal.live.watch(&sn, here.clock.now() + MINUTE);
        there.portal.live.watch(&sn, there.clock.now() + MINUTE);
        here.clock.advance(10_000);
        there.clock.advance(10_000);
        let heard = |app: &TestApp, other: &TestApp| {
            app.portal.live.watched_until(&sn) >= other.portal.live.watched_until(&sn)
        };
        heard(&here, &there) && heard(&there, &here) && here.clock.now() > NOON + 60_000
    })
    .await;
    (here, there)
}

async fn end(here: TestApp, there: TestApp) {
    here.stop().await;
    there.stop().await;
}

between_processes!(what_one_process_commits_the_other_shows, |db| {
    let (here, there) = two(db).await;
    let sn = "SC000001".parse().unwrap();
    let now = here.clock.now();
    let mut changes = there.portal.live.subscribe([sn]);
    let sn = "SC000001".parse().unwrap();
    let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
    battery.say_hello(now).await;
    battery.measure(now).await;
    let event = battery.event(now, "meter_lost");
    battery.report("ev", event.to_string()).await;
    let told = tokio::time::timeout(Duration::from_secs(30), changes.next()).await;
    assert_eq!(told.unwrap().sn, sn);
    eventually("the other process shows all of it", async || {
        there.portal.live.get(&sn).is_some_and(|live| {
            live.online
                && live.since == Some(now)
                && live.sample.is_some_and(|sample| sample.at == now)
                && live.events.len() == 1
                && live.facts.capacity == Some(5200)
        })
    })
    .await;
    let (ours, theirs) = (
        here.portal.live.get(&sn).unwrap(),
        there.portal.live.get(&sn).unwrap(),
    );
    assert_eq!(ours.sample, theirs.sample);
    end(here, there).await;
});

between_processes!(a_battery_is_told_what_another_process_has_for_it, |db| {
    let (here, there) = two(db).await;
    let sn = "SC000002".parse().unwrap();
    let anna = there.owner("anna", "SC000002").await;
    let mut battery = MqttBattery::connect(here.devices, "SC000002").await;
    battery.subscribe_and_say_hello(here.clock.now(), 0).await;
    there
        .portal
        .live
        .hold(std::slice::from_ref(&sn))
        .await
        .unwrap();
    eventually("the other process knows it is there", async || {
        there.portal.live.get(&sn).is_some_and(|live| live.online)
    })
    .await;
    there
        .save_settings(&anna, "SC000002", &[("reserve_soc", "25")])
        .await;
    assert_eq!(
        battery.next_message_on("des").await["state"]["reserve_soc"],
        25
    );
    // Somebody watches, in the other process.
    there.clock.advance(5 * MINUTE);
    here.clock.advance(5 * MINUTE);
    let until = there.clock.now() + MINUTE;
    there.portal.live.watch(&sn, until);
    eventually("told that somebody looks", async || {
        battery.next_message_on("watch").await == json!({"until": until})
    })
    .await;
    end(here, there).await;
});

between_processes!(
    a_battery_that_connects_to_another_process_leaves_the_first,
    |db| {
        let (here, there) = two(db).await;
        let mut first = MqttBattery::connect(here.devices, "SC000001").await;
        first.say_hello(here.clock.now()).await;
        let sn = "SC000001".parse().unwrap();
        // Its connection was announced before.
        eventually("the other process knows it is there", async || {
            there.portal.live.get(&sn).is_some_and(|live| live.online)
        })
        .await;
        let mut second = MqttBattery::connect(there.devices, "SC000001").await;
        first.wait_until_closed().await;
        second.seq = 1;
        second.measure(there.clock.now()).await;
        assert_eq!(db.samples("SC000001").await.len(), 1);
        end(here, there).await;
    }
);

between_processes!(
    a_battery_that_is_blocked_by_one_process_leaves_the_other,
    |db| {
        let (here, there) = two(db).await;
        let sn = "SC000001".parse().unwrap();
        let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
        battery.say_hello(here.clock.now()).await;
        there.service.block_device(&sn, true).await.unwrap();
        battery.wait_until_closed().await;
        end(here, there).await;
    }
);

between_processes!(
    a_battery_that_moves_a_hundred_times_never_counts_as_offline,
    |db| {
        let (here, there) = two(db).await;
        let sn: Serial = "SC000001".parse().unwrap();
        let since = here.clock.now();
        let mut former: Option<MqttBattery> = None;
        for turn in 0..100 {
            let app = if turn % 2 == 0 { &here } else { &there };
            let login = MqttLogin::with_will("SC000001", 1);
            let mut battery = MqttBattery::log_in(app.devices, login).await.unwrap();
            battery.seq = former.as_ref().map_or(0, |former| former.seq);
            battery.say_hello(since).await;
            battery.measure(since + turn).await;
            if let Some(mut former) = former.replace(battery) {
                former.wait_until_closed().await;
            }
            let presence = db.presence(&sn).await.unwrap().unwrap();
            assert!(presence.online && presence.since == since, "turn {turn}");
            for app in [&here, &there] {
                let shown = app.portal.live.get(&sn).unwrap();
                assert!(shown.online || turn == 0, "turn {turn}");
            }
        }
        assert_eq!(db.samples("SC000001").await.len(), 100);
        end(here, there).await;
    }
);

between_processes!(what_is_ended_in_one_process_is_over_in_the_other, |db| {
    let (here, there) = two(db).await;
    let anna = here.owner("anna", "SC000002").await;
    let eva = here.electrician("eva").await;
    let grant = here.grant(&anna, &eva, "SC000002", "service").await;
    let status = async |person: &Person| {
        let asked = there
            .get("/api/auth/system/SC000002/")
            .bearer(&person.access);
        asked.send().await.status
    };
    assert_eq!([status(&anna).await, status(&eva).await], [200, 200]);

    let ended = here.call("DELETE", &format!("/api/auth/grant/{grant}/"));
    ended.bearer(&anna.access).send().await.expect(204);
    assert_eq!([status(&anna).await, status(&eva).await], [200, 404]);

    here.service
        .lock_account(&anna.email.parse().unwrap(), true)
        .await
        .unwrap();
    assert_eq!(status(&anna).await, 401);
    end(here, there).await;
});

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

between_processes!(
    a_process_without_its_database_declares_nobody_offline,
    |db| {
        let quick = Liveness {
            heartbeat_interval: Duration::from_millis(100),
            heartbeat_limit: Duration::from_secs(2),
            ..Liveness::default()
        };
        let here = TestApp::start_with_liveness(db, quick).await;
        let (proxy, behind) = db.behind_proxy().await;
        let there = TestApp::start_with_liveness(&behind, quick).await;
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

        proxy.stop_forwarding();
        let ready = async |app: &TestApp| app.get("/readyz").send().await.status;
        eventually("it says that it is not ready", async || {
            ready(&there).await == 503
        })
        .await;
        for app in apps {
            app.clock.advance(2 * MINUTE);
        }
        let sample = batteries[1].sample(NOON + 2 * MINUTE).to_string();
        let packet = batteries[1].publish("tele", sample).await;
        batteries[0].measure(NOON + 2 * MINUTE).await;
        here.check_alarms().await;
        proxy.forward_again();

        let newest = |app: &TestApp, sn: &Serial| app.portal.live.get(sn)?.sample.map(|s| s.at);
        eventually("it hears the others again", async || {
            ready(&there).await == 200 && newest(&there, &systems[0]) == Some(NOON + 2 * MINUTE)
        })
        .await;
        batteries[1].wait_for_ack(packet).await;
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
        behind.close().await;
    }
);

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
    let quick = Liveness {
        heartbeat_interval: Duration::from_millis(100),
        heartbeat_limit: Duration::from_secs(2),
        ..Liveness::default()
    };
    let there = TestApp::start_with_liveness(&db, quick).await;
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
