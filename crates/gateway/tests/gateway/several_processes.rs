//! Several processes on one PostgreSQL: what one commits the others see, and a battery is reached wherever it is.
#![allow(clippy::unwrap_used)]
use bus::Delivery;
use domain::clock::MINUTE;
use serde_json::json;
use std::time::Duration;
use testkit::{Battery, NOON, TestApp, TestDb, eventually};

/// Two portals with an endpoint each on one database; `None` where there is no PostgreSQL.
async fn two() -> Option<(TestDb, TestApp, TestApp)> {
    let db = TestDb::postgres().await?;
    let (here, there) = (TestApp::start(&db).await, TestApp::start(&db).await);
    here.device("SC000001").await;
    let sn = "SC000001".parse().unwrap();
    // Listening begins a moment after the start; what was said before is read then.
    eventually("both hear each other", async || {
        here.portal.live.reload(&sn).await.unwrap();
        here.portal.live.watch(&sn, here.clock.now() + MINUTE);
        there.portal.live.watch(&sn, there.clock.now() + MINUTE);
        here.clock.advance(10_000);
        there.clock.advance(10_000);
        let heard = |app: &TestApp, other: &TestApp| {
            app.portal.live.watched(&sn) >= other.portal.live.watched(&sn)
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
    let mut battery = Battery::connect(here.devices, "SC000001").await;
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
                && live.messages.len() == 1
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
    let sn = "SC000001".parse().unwrap();
    let mut battery = Battery::connect(here.devices, "SC000001").await;
    battery.say_hello(here.clock.now()).await;
    battery.subscribe(&["v1/d/SC000001/down/cmd"]).await;
    eventually("the other process knows it is there", async || {
        there.portal.live.get(&sn).is_some_and(|live| live.online)
    })
    .await;
    assert!(there.bus.deliver(&sn, Delivery::new("cmd", r#"{"id":7}"#)));
    let command = ("v1/d/SC000001/down/cmd".to_owned(), json!({"id": 7}));
    assert_eq!(battery.told().await, command);
    // Somebody looks, in the other process.
    battery.subscribe(&["v1/d/SC000001/down/watch"]).await;
    there.clock.advance(5 * MINUTE);
    here.clock.advance(5 * MINUTE);
    let until = there.clock.now() + MINUTE;
    there.portal.live.watch(&sn, until);
    eventually("told that somebody looks", async || {
        battery.told().await.1 == json!({"until": until})
    })
    .await;
    end(db, here, there).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_battery_that_connects_to_another_process_leaves_the_first() {
    let Some((db, here, there)) = two().await else {
        return;
    };
    let mut first = Battery::connect(here.devices, "SC000001").await;
    first.say_hello(here.clock.now()).await;
    let mut second = Battery::connect(there.devices, "SC000001").await;
    first.closed().await;
    second.seq = 1;
    second.measure(there.clock.now()).await;
    assert_eq!(db.samples("SC000001").await.len(), 1);
    end(db, here, there).await;
}
