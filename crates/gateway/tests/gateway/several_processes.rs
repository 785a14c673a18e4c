//! Several processes on one PostgreSQL: each sees what another commits, and reaches batteries wherever they are connected.
#![allow(clippy::unwrap_used)]
use bus::Liveness;
use domain::clock::{HOUR, MINUTE, SECOND};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::{MqttBattery, NOON, TestApp, TestDb, eventually};

/// Two portals with an endpoint each on one database; `None` where there is no PostgreSQL.
async fn two() -> Option<(TestDb, TestApp, TestApp)> {
    let db = TestDb::postgres().await?;
    let (here, there) = (TestApp::start(&db).await, TestApp::start(&db).await);
    here.device("SC000001").await;
    let sn = "SC000001".parse().unwrap();
    // LISTEN begins a moment after the start; earlier changes are read from the database.
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
    Some((db, here, there))
}

async fn end(db: TestDb, here: TestApp, there: TestApp) {
    here.stop().await;
    there.stop().await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_process_commits_the_other_shows() {
    let Some((db, here, there)) = two().await else {
        return;
    };
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
    end(db, here, there).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_battery_is_told_what_another_process_has_for_it() {
    let Some((db, here, there)) = two().await else {
        return;
    };
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
    end(db, here, there).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_battery_that_connects_to_another_process_leaves_the_first() {
    let Some((db, here, there)) = two().await else {
        return;
    };
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
    end(db, here, there).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_battery_that_is_blocked_by_one_process_leaves_the_other() {
    let Some((db, here, there)) = two().await else {
        return;
    };
    let sn = "SC000001".parse().unwrap();
    let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
    battery.say_hello(here.clock.now()).await;
    there.service.block_device(&sn, true).await.unwrap();
    battery.wait_until_closed().await;
    end(db, here, there).await;
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
        return end(db, here, there).await;
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
    end(db, here, there).await;
}
