//! A battery that sends as fast as it can is read no faster than its quota allows. Nothing that it sent is lost, and the others
//! do not notice. The clock stands still, so that a bucket holds exactly what the test gives it.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, SECOND};
use gateway::Quota;
use std::num::NonZeroU16;
use store::throttled_device::{MessageKind, ThrottledDevice};
use testkit::battery::deflated;
use testkit::{MqttBattery, NOON, TestApp, TestDb, eventually, on_both};

const SAMPLES_PER_BATCH: usize = 60;
/// The history bucket: 10 seconds of 120 samples.
const BATCHES_AT_ONCE: usize = 20;
/// How long the history bucket takes to fill for one more batch.
const TIME_PER_BATCH: i64 = SECOND / 2;
/// The live bucket: a minute of 5 samples.
const LIVE_SAMPLES_AT_ONCE: usize = 300;

async fn start(db: &TestDb) -> TestApp {
    let app = TestApp::start_with_quota(db, Quota::default()).await;
    for sn in ["SC000001", "SC000002", "SC000003"] {
        app.device(sn).await;
    }
    app
}

async fn connect(app: &TestApp, sn: &str) -> MqttBattery {
    let mut battery = MqttBattery::connect(app.devices, sn).await;
    battery.started = NOON - 20 * DAY;
    battery
}

/// Sends so many full batches of back-fill without waiting for acknowledgements.
async fn flood(battery: &mut MqttBattery, batches: usize) -> Vec<NonZeroU16> {
    let mut packets = Vec::new();
    for _ in 0..batches {
        let samples: Vec<_> = (0..SAMPLES_PER_BATCH)
            .map(|_| battery.sample(NOON - DAY + i64::from(battery.seq) * SECOND))
            .collect();
        packets.push(battery.publish("hist", deflated(&samples)).await);
    }
    packets
}

on_both!(
    a_battery_that_floods_is_read_no_faster_than_its_quota_and_nothing_is_lost,
    |db| {
        let app = start(db).await;
        let stored = async || db.samples("SC000001").await.len();
        let mut hostile = connect(&app, "SC000001").await;
        let packets = flood(&mut hostile, 32).await;
        hostile.wait_for_ack(packets[BATCHES_AT_ONCE - 1]).await;

        // The others are acknowledged as ever: hello, live samples, back-fill.
        let mut others = Vec::new();
        for sn in ["SC000002", "SC000003"] {
            let mut other = connect(&app, sn).await;
            other.say_hello(NOON).await;
            other.measure(NOON).await;
            let packets = flood(&mut other, 2).await;
            other.wait_for_ack(packets[1]).await;
            others.push(other);
        }
        assert_eq!(stored().await, BATCHES_AT_ONCE * SAMPLES_PER_BATCH);

        // With time it gets its rate, on the same connection, and in the end everything.
        for (number, packet) in packets.iter().enumerate().skip(BATCHES_AT_ONCE) {
            app.clock.advance(TIME_PER_BATCH);
            hostile.wait_for_ack(*packet).await;
            others[0].measure(app.clock.now()).await;
            assert_eq!(stored().await, (number + 1) * SAMPLES_PER_BATCH);
        }
        app.stop().await;
    }
);

on_both!(reconnecting_does_not_fill_the_buckets, |db| {
    let app = start(db).await;
    let stored = async || db.samples("SC000001").await.len();
    let mut first = connect(&app, "SC000001").await;
    let mut last = None;
    for n in 0..LIVE_SAMPLES_AT_ONCE {
        let sample = first.sample(NOON + n as i64);
        last = Some(first.publish("tele", sample.to_string()).await);
    }
    first.wait_for_ack(last.unwrap()).await;

    let mut second = connect(&app, "SC000001").await;
    second.seq = first.seq;
    first.wait_until_closed().await;
    let sample = second.sample(NOON + SECOND);
    let packet = second.publish("tele", sample.to_string()).await;
    let mut other = connect(&app, "SC000002").await;
    other.measure(NOON).await;
    assert_eq!(stored().await, LIVE_SAMPLES_AT_ONCE);

    app.clock.advance(SECOND);
    second.wait_for_ack(packet).await;
    assert_eq!(stored().await, LIVE_SAMPLES_AT_ONCE + 1);
    app.stop().await;
});

on_both!(other_messages_and_subscriptions_have_a_bucket_too, |db| {
    let app = start(db).await;
    let mut hostile = connect(&app, "SC000001").await;
    let mut packets = Vec::new();
    for n in 0..350 {
        let event = hostile.event(NOON + n, "meter_lost");
        packets.push(hostile.publish("ev", event.to_string()).await);
    }
    hostile.wait_for_ack(packets[299]).await;
    let mut other = connect(&app, "SC000002").await;
    other.say_hello(NOON).await;
    let of_hostile = async || {
        let dump = db.dump().await;
        let (_, events) = dump.iter().find(|(name, _)| name == "events").unwrap();
        events.len()
    };
    assert_eq!(of_hostile().await, 300);
    for _ in 0..10 {
        app.clock.advance(SECOND);
    }
    hostile.wait_for_ack(packets[349]).await;
    assert_eq!(of_hostile().await, 350);
    app.stop().await;
});

on_both!(the_operator_sees_which_batteries_are_throttled, |db| {
    let app = start(db).await;
    let mut hostile = connect(&app, "SC000001").await;
    flood(&mut hostile, BATCHES_AT_ONCE + 1).await;
    let mut other = connect(&app, "SC000002").await;
    other.measure(NOON).await;
    let row = |since, at| ThrottledDevice {
        sn: "SC000001".parse().unwrap(),
        kind: MessageKind::History,
        since,
        at,
    };
    eventually("it is in the list, and nobody else", async || {
        db.throttled_devices().await.unwrap() == [row(NOON, NOON)]
    })
    .await;
    // It is listed for a week after the last time.
    db.purge_throttled_devices(NOON + 7 * DAY).await.unwrap();
    assert_eq!(db.throttled_devices().await.unwrap().len(), 1);
    db.purge_throttled_devices(NOON + 7 * DAY + 1)
        .await
        .unwrap();
    assert_eq!(db.throttled_devices().await.unwrap(), []);
    app.stop().await;
});
