//! The database is unavailable for a while: reports are held, none is lost, and everything recovers by itself.
#![allow(clippy::unwrap_used)]
use domain::clock::SECOND;
use std::time::Duration;
use testkit::{MqttBattery, NOON, TestApp, TestDb, eventually, on_both};

on_both!(
    while_the_database_is_locked_reports_are_held_and_then_stored,
    |db| {
        let app = TestApp::start(db).await;
        app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        battery.say_hello(NOON).await;
        let held = db.lock_writes().await;
        let mut packets = Vec::new();
        for n in 0..40 {
            let sample = battery.sample(NOON + n);
            packets.push(battery.publish("tele", sample.to_string()).await);
        }
        assert!(!battery.receives_any_within(Duration::from_secs(2)).await);
        held.release().await;
        for packet in packets {
            battery.wait_for_ack(packet).await;
        }
        assert_eq!(db.samples("SC000001").await.len(), 40);
        app.stop().await;
    }
);

/// `false` cuts every connection to the test's database and refuses new ones, `true` allows them again.
async fn allow(db: &TestDb, allowed: bool) {
    let (cluster, name) = db.url().rsplit_once('/').unwrap();
    let admin = format!("{cluster}/postgres");
    let mut statements = vec![format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")];
    if !allowed {
        statements.push(format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        ));
    }
    testkit::database::execute(&admin, &statements).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_goes_away_and_comes_back() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.say_hello(NOON).await;
    battery.measure(NOON).await;
    allow(&db, false).await;
    let sample = battery.sample(NOON + SECOND);
    let packet = battery.publish("tele", sample.to_string()).await;
    eventually("it says that it is not ready", async || {
        app.get("/readyz").send().await.status == 503
    })
    .await;
    assert!(
        !battery
            .receives_any_within(Duration::from_millis(500))
            .await
    );
    allow(&db, true).await;
    battery.wait_for_ack(packet).await;
    assert_eq!(db.samples("SC000001").await.len(), 2);
    eventually("it is ready again", async || {
        app.get("/readyz").send().await.status == 200
    })
    .await;
    assert_eq!(
        app.portal.live.get(&sn).unwrap().sample.unwrap().at,
        NOON + SECOND
    );
    app.stop().await;
    db.close().await;
}

on_both!(a_commit_is_durable_whatever_the_server_is_set_to, |db| {
    if let Some((cluster, name)) = db
        .url()
        .strip_prefix("postgres")
        .and_then(|_| db.url().rsplit_once('/'))
    {
        let lax = format!("ALTER DATABASE {name} SET synchronous_commit = off");
        testkit::database::execute(&format!("{cluster}/postgres"), &[lax]).await;
    }
    let opened = testkit::database::open(db.url()).await;
    let store = opened.unwrap();
    assert!(store.db().is_durable().await.unwrap());
    store.db().close().await;
});
