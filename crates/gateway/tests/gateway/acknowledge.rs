//! An acknowledgement means that the message is stored: never before the commit, and once however often it is sent.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use domain::sample::MessageId;
use domain::{Event, EventCode, Serial};
use serde_json::json;
use std::time::Duration;
use store::report::{Report, ReportBody};
use testkit::battery::{deflated, merge};
use testkit::{MqttBattery, NOON, TestApp, TestDb, eventually, on_both};

on_both!(an_acknowledgement_waits_for_the_commit, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.say_hello(NOON).await;
    let held = db.lock_writes().await;
    let sample = battery.sample(NOON);
    let packet = battery.publish("tele", sample.to_string()).await;
    assert!(
        !battery
            .receives_any_within(Duration::from_millis(700))
            .await
    );
    assert_eq!(db.samples("SC000001").await, []);
    held.release().await;
    battery.wait_for_ack(packet).await;
    assert_eq!(db.samples("SC000001").await, [(NOON, 1, 2)]);
    app.stop().await;
});

on_both!(a_repeat_is_acknowledged_and_changes_nothing, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let sample = battery.sample(NOON).to_string();
    battery.report("tele", sample.clone()).await;
    app.clock.advance(20 * SECOND);
    battery.report("tele", sample.clone()).await;
    battery.disconnect().await;
    let mut again = MqttBattery::connect(app.devices, "SC000001").await;
    again.report("tele", sample).await;
    assert_eq!(db.samples("SC000001").await, [(NOON, 1, 1)]);
    app.stop().await;
});

on_both!(many_messages_in_flight_are_acknowledged_in_order, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let mut packets = Vec::new();
    for n in 0..200 {
        let sample = battery.sample(NOON + n);
        packets.push(battery.publish("tele", sample.to_string()).await);
    }
    for packet in packets {
        battery.wait_for_ack(packet).await;
    }
    assert_eq!(db.samples("SC000001").await.len(), 200);
    app.stop().await;
});

on_both!(
    a_stop_still_commits_and_acknowledges_what_was_taken_in,
    |db| {
        let app = TestApp::start(db).await;
        app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        battery.say_hello(NOON).await;
        let held = db.lock_writes().await;
        let sample = battery.sample(NOON);
        let packet = battery.publish("tele", sample.to_string()).await;
        // The answer to the next packet shows that the message was read.
        battery.send(rmqtt_codec::v3::Packet::PingRequest).await;
        assert!(battery.next().await.is_some());
        let stopping = tokio::spawn(app.stop());
        held.release().await;
        battery.wait_for_ack(packet).await;
        battery.wait_until_closed().await;
        stopping.await.unwrap();
        assert_eq!(db.samples("SC000001").await.len(), 1);
    }
);

on_both!(messages_without_an_acknowledgement_are_stored_too, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let body = battery.sample(NOON).to_string();
    let publish = rmqtt_codec::types::Publish {
        dup: false,
        retain: false,
        qos: rmqtt_codec::types::QoS::AtMostOnce,
        topic: "v1/d/SC000001/up/tele".into(),
        packet_id: None,
        payload: body.into(),
        properties: None,
    };
    let packet = rmqtt_codec::v3::Packet::Publish(Box::new(publish));
    battery.send(packet).await;
    battery.measure(NOON + 1).await;
    assert_eq!(db.samples("SC000001").await.len(), 2);
    app.stop().await;
});

on_both!(
    back_fill_is_stored_once_and_leaves_the_present_alone,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        battery.started = NOON - 20 * DAY;
        let old: Vec<_> = (1..=60).map(|n| battery.sample(NOON - n * HOUR)).collect();
        // Before anything live: back-fill changes neither presence nor the live sample.
        battery.report("hist", deflated(&old)).await;
        // Only at a start the newest stored sample, back-fill or not, becomes the last known value.
        let before = app.portal.live.get(&sn).unwrap();
        assert!(!before.online && before.sample.is_none());
        battery.measure(NOON).await;
        battery.report("hist", deflated(&old)).await;
        let newer = battery.sample(NOON + SECOND);
        battery.report("hist", deflated(&[newer])).await;
        let live = app.portal.live.get(&sn).unwrap();
        assert_eq!(live.sample.unwrap().at, NOON);
        assert_eq!(db.samples("SC000001").await.len(), 62);
        app.stop().await;
    }
);

on_both!(thirty_days_of_back_fill_add_up_whatever_their_order, |db| {
    const EVERY: i64 = 10 * MINUTE;
    const COUNT: i64 = 30 * DAY / EVERY;
    let app = TestApp::start(db).await;
    let systems: [Serial; 2] = ["SC000001", "SC000002"].map(|sn| sn.parse().unwrap());
    let anna = app.owner_of("anna", &systems).await;
    let mut years = Vec::new();
    for (sn, shuffled) in [("SC000001", false), ("SC000002", true)] {
        let mut battery = MqttBattery::connect(app.devices, sn).await;
        battery.started = NOON - 31 * DAY;
        let samples: Vec<_> = (0..COUNT)
            .map(|n| {
                let counters =
                    json!({"ei": 1_000 + 11 * n, "ee": 2_000 + 7 * (n / 3), "ep": 3_000 + 13 * n});
                merge(battery.sample(NOON - (COUNT - n) * EVERY), counters)
            })
            .collect();
        let mut messages: Vec<_> = samples.chunks(60).map(deflated).collect();
        if shuffled {
            // From the newest to the oldest, then the oldest half once more, then everything.
            let sorted = messages.clone();
            messages.reverse();
            messages.extend_from_within(messages.len() / 2..);
            messages.extend(sorted);
        }
        for message in messages {
            battery.report("hist", message).await;
        }
        let path = format!("/api/auth/energy_chart/?sn={sn}&days=year_2026-11-15");
        let year = app.get(&path).bearer(&anna.access).send().await.expect(200);
        years.push(year.json()[0].clone());
    }
    for year in &mut years {
        let year = year.as_object_mut().unwrap();
        year.retain(|name, _| name.starts_with("total_") || name == "rows");
    }
    assert_eq!(years[0], years[1]);
    assert_eq!(years[0]["total_m2"], 11 * (COUNT - 1), "{}", years[0]);
    app.stop().await;
});

on_both!(
    an_older_sample_that_comes_late_does_not_move_the_live_value,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        let late = merge(battery.sample(NOON - 10 * SECOND), json!({"pg": 999}));
        battery.measure(NOON).await;
        battery.report("tele", late.to_string()).await;
        let live = app.portal.live.get(&sn).unwrap();
        assert_eq!(live.sample.unwrap().grid_power, Some(110));
        assert_eq!(db.samples("SC000001").await.len(), 2);
        app.stop().await;
    }
);

on_both!(
    a_sample_does_not_wait_for_the_last_wills_of_a_thousand,
    |db| {
        let app = TestApp::start(db).await;
        let systems: Vec<Serial> = (1..=1_000)
            .map(|n| format!("GONE{n:04}").parse().unwrap())
            .collect();
        app.register_devices(&systems).await;
        let will = |sn: &Serial| Report {
            sn: sn.clone(),
            received_at: NOON,
            body: ReportBody::Offline {
                boot: 1,
                since: NOON,
            },
        };
        let held = db.lock_writes().await;
        let mut wills = Vec::new();
        for sn in &systems[1..] {
            wills.push(app.bus.uplink.submit(will(sn)).await.unwrap());
        }
        let sample = Report {
            sn: systems[0].clone(),
            received_at: NOON,
            body: ReportBody::Sample(testkit::sample(NOON, 1)),
        };
        let sample = app.bus.uplink.submit(sample).await.unwrap();
        held.release().await;
        sample.await.unwrap();
        wills.retain_mut(|will| will.try_recv().is_err());
        assert!(wills.len() > 500, "{} still wait", wills.len());
        // None is lost, also when the process stops meanwhile.
        app.stop().await;
        for will in wills {
            will.await.unwrap();
        }
    }
);

/// PostgreSQL refuses U+0000. The endpoint lets no topic with it pass, but a report that the database refuses for any reason must
/// not cost the others a transaction each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_the_database_refuses_takes_few_transactions_from_the_others() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let sn = app.device("SC000001").await;
    let report = |body: ReportBody| Report {
        sn: sn.clone(),
        received_at: NOON,
        body,
    };
    let poison = ReportBody::Reject {
        topic: "\0".into(),
        reason: "a test",
        payload: Vec::new(),
    };
    let samples = (0..128).map(|n| ReportBody::Sample(testkit::sample(NOON + i64::from(n), n)));
    let mut bodies: Vec<ReportBody> = samples.collect();
    bodies.insert(40, poison);
    let held = db.lock_writes().await;
    let mut receipts = Vec::new();
    for body in bodies {
        receipts.push(app.bus.uplink.submit(report(body)).await.unwrap());
    }
    held.release().await;
    for (place, receipt) in receipts.into_iter().enumerate() {
        assert_eq!(receipt.await.is_ok(), place != 40, "report {place}");
    }
    assert_eq!(db.samples("SC000001").await.len(), 128);
    // The first may have been committed alone; after that each of the eight steps halves what is left.
    let transactions = db.transactions_of_samples().await;
    assert!(transactions <= 12, "{transactions}");
    app.stop().await;
    db.close().await;
}

/// Whoever opens a large fleet reads thousands of systems into the live view.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_acknowledgement_waits_for_no_reads_of_others() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let held = app.device("SC000001").await;
    let (read, new) = (app.device("SC000002").await, app.device("SC000003").await);
    let hello = app.battery(held.as_str());
    hello.hello(|_| {}).await;
    let lock = db.lock_reads("alarms").await;
    let live = app.bus.live.clone();
    let reading = tokio::spawn(async move { live.hold(&[read]).await });
    eventually("somebody reads", async || db.waiting_for_locks().await > 0).await;
    let event = Event {
        id: MessageId::new(1, 900),
        at: Some(NOON),
        code: EventCode::GridLimit,
        on: true,
        args: Some(r#"{"limit":4200}"#.to_owned()),
    };
    let bodies = [
        (held, ReportBody::Event(event)),
        (new.clone(), ReportBody::Sample(testkit::sample(NOON, 1))),
    ];
    for (sn, body) in bodies {
        let received_at = NOON;
        let report = Report {
            sn,
            received_at,
            body,
        };
        app.bus.uplink.store(report).await.unwrap();
    }
    assert!(!reading.is_finished(), "they were acknowledged meanwhile");
    lock.release().await;
    reading.await.unwrap().unwrap();
    app.view_is_up_to_date().await;
    assert!(app.bus.live.get(&new).is_some_and(|one| one.online));
    let held = "SC000001".parse().unwrap();
    assert_eq!(app.bus.live.get(&held).unwrap().effects.len(), 1);
    app.stop().await;
    db.close().await;
}
