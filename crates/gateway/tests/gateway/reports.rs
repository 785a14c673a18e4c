//! From messages to rows: times, facts, presence, events, rejects.
#![allow(clippy::unwrap_used)]
use bus::Liveness;
use domain::Serial;
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use serde_json::{Value, json};
use std::time::Duration;
use store::reject::Reject;
use testkit::battery::{MqttLogin, deflated, merge};
use testkit::{MqttBattery, NOON, TestApp, TestDb, eventually, on_both, service_at};

async fn reasons(db: &TestDb, sn: &Serial) -> Vec<String> {
    let rejects: Vec<Reject> = db.rejects(sn).await.unwrap();
    rejects.into_iter().map(|reject| reject.reason).collect()
}

on_both!(
    a_battery_whose_clock_is_an_hour_off_is_placed_by_its_uptime,
    |db| {
        let app = TestApp::start(db).await;
        for (sn, off, quality) in [
            ("SC000001", HOUR, 2),
            ("SC000002", -HOUR, 2),
            ("SC000003", -30 * DAY, 0),
        ] {
            app.device(sn).await;
            let mut battery = MqttBattery::connect(app.devices, sn).await;
            let wrong = |body: Value| {
                let shown = body["t"].as_i64().unwrap() + off;
                merge(body, json!({"t": shown, "q": quality}))
            };
            let now = app.clock.now();
            let hello = wrong(battery.hello(now));
            battery.report("hello", hello.to_string()).await;
            let sample = wrong(battery.sample(now));
            battery.report("tele", sample.to_string()).await;
            let kept = wrong(battery.sample(now - 10 * MINUTE));
            battery.report("hist", deflated(&[kept])).await;
            let times: Vec<i64> = db.samples(sn).await.iter().map(|row| row.0).collect();
            assert_eq!(times, [now - 10 * MINUTE, now], "{sn}");
        }
        app.stop().await;
    }
);

on_both!(a_start_is_remembered_over_a_restart_of_the_endpoint, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.say_hello(NOON).await;
    let kept = merge(battery.sample(NOON), json!({"t": 0, "q": 0}));
    drop(battery);
    app.stop().await;

    let app = TestApp::start(db).await;
    app.clock.advance(HOUR);
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    // The device restarted meanwhile; its back-fill is of the start before.
    battery.boot = 2;
    battery.started = NOON + 30 * MINUTE;
    battery.say_hello(NOON + HOUR).await;
    battery.report("hist", deflated(&[kept])).await;
    assert_eq!(db.samples("SC000001").await, [(NOON, 1, 2)]);
    app.stop().await;
});

on_both!(what_cannot_be_placed_in_time_is_kept_and_hidden, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.boot = 7;
    let lost = merge(battery.sample(NOON), json!({"t": 1000, "q": 0}));
    battery.boot = 8;
    battery.say_hello(NOON).await;
    battery
        .report("hist", deflated(std::slice::from_ref(&lost)))
        .await;
    battery.report("hist", deflated(&[lost])).await;
    assert_eq!(db.samples("SC000001").await, []);
    assert_eq!(db.undated_sample_count(&sn).await.unwrap(), 1);
    app.stop().await;
});

on_both!(a_hello_tells_what_the_system_is, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let hello = merge(
        battery.hello(NOON),
        json!({"phase": 2, "tz": "Atlantic/Canary", "fw": {"m": "5.0", "g": "3.1", "sl": "1.2"}}),
    );
    battery.report("hello", hello.to_string()).await;
    let facts = db.facts(&sn).await.unwrap().unwrap();
    assert_eq!(facts.phase, 2);
    assert_eq!(facts.zone.name(), "Atlantic/Canary");
    assert_eq!(facts.capacity, Some(5200));
    assert_eq!(facts.versions.slave.as_deref(), Some("1.2"));
    assert_eq!(*app.portal.live.get(&sn).unwrap().facts, facts);
    app.stop().await;
});

on_both!(a_time_zone_is_fixed_with_the_first_sample, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.say_hello(NOON).await;
    battery.measure(NOON).await;
    let moved = merge(
        battery.hello(NOON),
        json!({"tz": "Asia/Tokyo", "cap": 9000}),
    );
    battery.report("hello", moved.to_string()).await;
    let facts = db.facts(&sn).await.unwrap().unwrap();
    assert_eq!(
        (facts.zone.name(), facts.capacity),
        ("Europe/Berlin", Some(9000))
    );
    app.stop().await;
});

on_both!(an_older_hello_that_comes_late_overwrites_nothing, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let older = merge(battery.hello(NOON), json!({"fw": {"m": "1.0"}}));
    battery.say_hello(NOON).await;
    battery.report("hello", older.to_string()).await;
    let facts = db.facts(&sn).await.unwrap().unwrap();
    assert_eq!(facts.versions.master.as_deref(), Some("4.1.0"));
    app.stop().await;
});

on_both!(
    a_boot_counter_that_began_anew_counts_once_the_operator_says_so,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let version = async || db.facts(&sn).await.unwrap().unwrap().versions.master;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        battery.measure(NOON).await;
        battery.boot = u32::MAX;
        battery.say_hello(NOON).await;
        assert_eq!(version().await.as_deref(), Some("4.1.0"));

        let news = json!({"fw": {"m": "5.0"}});
        let begin_anew = async || {
            app.clock.advance(SECOND);
            let now = app.clock.now();
            let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
            // The same boot and sequence number as the very first sample.
            battery.measure(now).await;
            let hello = merge(battery.hello(now), news.clone());
            battery.report("hello", hello.to_string()).await;
        };
        begin_anew().await;
        assert_eq!(version().await.as_deref(), Some("4.1.0"), "never by itself");
        assert_eq!(db.samples("SC000001").await.len(), 1);

        let now = app.clock.now();
        assert!(service_at(db, now).restart_boot_counter(&sn).await.unwrap());
        begin_anew().await;
        assert_eq!(version().await.as_deref(), Some("5.0"));
        assert_eq!(db.samples("SC000001").await.len(), 2);
        let live = app.portal.live.get(&sn).unwrap();
        assert_eq!(live.sample.unwrap().at, app.clock.now());
        let nobody = "SC000009".parse().unwrap();
        assert!(
            !service_at(db, now)
                .restart_boot_counter(&nobody)
                .await
                .unwrap()
        );
        app.stop().await;
    }
);

on_both!(
    a_battery_is_online_from_its_first_word_and_offline_after_90_s_of_silence,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        battery.measure(NOON).await;
        let live = app.portal.live.get(&sn).unwrap();
        assert_eq!((live.online, live.since), (true, Some(NOON)));
        app.clock.advance(60 * SECOND);
        battery.measure(NOON + 60 * SECOND).await;
        app.clock.advance(91 * SECOND);
        eventually("offline", async || {
            !app.portal.live.get(&sn).unwrap().online
        })
        .await;
        let gone = NOON + 60 * SECOND; // its last contact
        assert_eq!(app.portal.live.get(&sn).unwrap().since, Some(gone));
        assert_eq!(db.presence(&sn).await.unwrap().unwrap().since, gone);
        app.clock.advance(HOUR);
        battery.measure(app.clock.now()).await;
        let back = app.portal.live.get(&sn).unwrap();
        assert_eq!((back.online, back.since), (true, Some(app.clock.now())));
        app.stop().await;
    }
);

on_both!(since_when_it_is_online_survives_a_restart, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.say_hello(NOON).await;
    battery.measure(NOON).await;
    app.stop().await;
    // On PostgreSQL another process finds that the gateway died: its heartbeat in the database does not move.
    let at_once = Liveness {
        gateway_limit: Duration::ZERO,
        ..Liveness::default()
    };
    let app = TestApp::start_with_liveness(db, at_once).await;
    app.portal
        .live
        .hold(std::slice::from_ref(&sn))
        .await
        .unwrap();
    let live = app.portal.live.get(&sn).unwrap();
    assert_eq!((live.online, live.since), (true, Some(NOON)));
    assert_eq!(live.sample.unwrap().at, NOON);
    // It did not reconnect: offline since its last contact, not since the start of the process.
    app.clock.advance(91 * SECOND);
    eventually("offline", async || {
        !app.portal.live.get(&sn).unwrap().online
    })
    .await;
    assert_eq!(app.portal.live.get(&sn).unwrap().since, Some(NOON));
    app.stop().await;
});

on_both!(
    a_last_will_makes_it_offline_unless_it_is_of_an_earlier_start,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let online = || app.portal.live.get(&sn).unwrap().online;
        let mut battery = MqttBattery::log_in(app.devices, MqttLogin::with_will("SC000001", 1))
            .await
            .unwrap();
        battery.say_hello(NOON).await;
        assert!(online());
        app.clock.advance(30 * SECOND);
        drop(battery);
        eventually("offline by its will", async || !online()).await;
        let since = app.portal.live.get(&sn).unwrap().since;
        assert_eq!(since, Some(NOON), "its last contact");

        // The last will of an earlier start of the device does not concern this one.
        let mut battery = MqttBattery::log_in(app.devices, MqttLogin::with_will("SC000001", 1))
            .await
            .unwrap();
        battery.boot = 2;
        battery.say_hello(NOON).await;
        drop(battery);
        let mut other = MqttBattery::connect(app.devices, "SC000001").await;
        other.seq = 5;
        let will = json!({"on": 0, "b": 1});
        other.report("pres", will.to_string()).await;
        assert!(online());
        // A DISCONNECT cancels the last will.
        other.disconnect().await;
        let battery = MqttBattery::log_in(app.devices, MqttLogin::with_will("SC000001", 2))
            .await
            .unwrap();
        battery.disconnect().await;
        assert!(online());
        app.stop().await;
    }
);

on_both!(
    a_second_connection_ends_the_first_and_the_battery_stays_online,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let mut first = MqttBattery::log_in(app.devices, MqttLogin::with_will("SC000001", 1))
            .await
            .unwrap();
        first.say_hello(NOON).await;
        let mut second = MqttBattery::log_in(app.devices, MqttLogin::with_will("SC000001", 1))
            .await
            .unwrap();
        first.wait_until_closed().await;
        second.seq = 1;
        second.measure(NOON).await;
        assert!(app.portal.live.get(&sn).unwrap().online);
        assert_eq!(db.samples("SC000001").await.len(), 1);
        app.stop().await;
    }
);

on_both!(the_pattern_at_the_switch_completes_a_waiting_claim, |db| {
    let app = TestApp::start(db).await;
    app.unlinked("anna", "SC000001").await;
    let sn: Serial = "SC000001".parse().unwrap();
    let anna = app.account_id("anna@example.com").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let pattern = json!({"args": {"off": [5_000, 5_000], "on": [4_000]}});
    // A switch cycle before the claim proves nothing, nor does one whose time is unknown.
    let before = merge(
        battery.event(NOON - MINUTE, "switch_cycled"),
        pattern.clone(),
    );
    battery.report("ev", before.to_string()).await;
    battery.boot = 9;
    let lost = merge(
        battery.event(NOON, "switch_cycled"),
        merge(pattern.clone(), json!({"t": 5, "q": 0})),
    );
    battery.report("ev", lost.to_string()).await;
    assert!(db.access(anna, &sn).await.unwrap().is_none());
    battery.boot = 10;
    app.clock.advance(MINUTE);
    // Off and on once is not the pattern.
    let once = battery.event(NOON + MINUTE, "switch_cycled");
    let once = merge(once, json!({"args": {"off": [90_000], "on": []}}));
    battery.report("ev", once.to_string()).await;
    assert!(db.access(anna, &sn).await.unwrap().is_none());
    let turned = merge(battery.event(NOON + MINUTE, "switch_cycled"), pattern);
    battery.report("ev", turned.to_string()).await;
    assert!(db.access(anna, &sn).await.unwrap().is_some());
    app.stop().await;
});

on_both!(the_newest_fifty_events_are_served_each_once, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let mut last = Value::Null;
    for n in 0..60 {
        last = battery.event(NOON - MINUTE + n, "meter_lost");
        last["args"] = json!({"address": n});
        battery.report("ev", last.to_string()).await;
    }
    battery.report("ev", last.to_string()).await;
    let live = app.portal.live.get(&sn).unwrap();
    assert_eq!(live.events.len(), 50);
    assert_eq!(live.events[0].args.as_deref(), Some("{\"address\":59}"));
    assert!(live.events.is_sorted_by(|a, b| a.at > b.at));
    assert_eq!(app.newest_events(&sn).await, live.events.to_vec());
    app.stop().await;
});

on_both!(
    what_cannot_be_used_is_kept_with_its_reason_and_acknowledged,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        let bomb = {
            use std::io::Write as _;
            let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            zlib.write_all(&vec![b' '; 20_000_000]).unwrap();
            zlib.finish().unwrap()
        };
        let absurd = merge(battery.sample(NOON), json!({"soc": 101}));
        let many: Vec<_> = (0..61).map(|n| battery.sample(NOON - n)).collect();
        let unknown = battery.event(NOON, "party");
        let nowhere = merge(battery.hello(NOON), json!({"tz": "Mars/Olympus"}));
        for (topic, payload, reason) in [
            ("tele", b"not json".to_vec(), "malformed"),
            ("tele", b"{\"b\":1,\"s\":2}".to_vec(), "malformed"),
            ("tele", absurd.to_string().into_bytes(), "out_of_range"),
            ("hist", b"not deflated".to_vec(), "not_deflated"),
            ("hist", bomb, "too_large"),
            ("hist", deflated(&many), "too_many_samples"),
            ("ev", unknown.to_string().into_bytes(), "unknown_code"),
            (
                "hello",
                nowhere.to_string().into_bytes(),
                "unknown_time_zone",
            ),
            ("rep", b"{}".to_vec(), "malformed"),
            (
                "rep",
                br#"{"b":1,"s":9,"ver":1,"state":{"reserve_soc":101}}"#.to_vec(),
                "out_of_range",
            ),
            ("res", br#"{"id":"drop table"}"#.to_vec(), "malformed"),
            ("fw", b"{}".to_vec(), "malformed"),
            ("news", b"{}".to_vec(), "unknown_topic"),
        ] {
            battery.report(topic, payload).await;
            let newest = db.rejects(&sn).await.unwrap().remove(0);
            assert_eq!(
                (newest.topic.as_str(), newest.reason.as_str()),
                (topic, reason)
            );
        }
        assert_eq!(db.samples("SC000001").await, []);
        app.stop().await;
    }
);

on_both!(one_bad_sample_does_not_take_the_others_with_it, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let good = battery.sample(NOON - 2_004);
    let bad = merge(battery.sample(NOON - 1_000), json!({"bs": 99}));
    battery.report("hist", deflated(&[bad, good])).await;
    // Stored to the tenth of a second.
    assert_eq!(db.samples("SC000001").await, [(NOON - 2_000, 1, 1)]);
    assert_eq!(reasons(db, &sn).await, ["out_of_range"]);
    app.stop().await;
});

on_both!(
    of_each_battery_the_newest_hundred_rejects_are_kept_and_cut,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        let mut packets = Vec::new();
        for n in 0..110 {
            let body = format!("{n:05}{}", "x".repeat(5_000));
            packets.push(battery.publish("tele", body).await);
        }
        for packet in packets {
            battery.wait_for_ack(packet).await;
        }
        let rejects = db.rejects(&sn).await.unwrap();
        assert_eq!(rejects.len(), 100);
        assert!(rejects[0].payload.starts_with(b"00109"));
        assert!(rejects.iter().all(|reject| reject.payload.len() == 4_096));
        app.stop().await;
    }
);

on_both!(a_battery_is_told_the_time_and_that_somebody_looks, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    assert_eq!(battery.subscribe(&["v1/d/SC000001/down/#"]).await, [true]);
    let hello = battery.hello(NOON).to_string();
    battery.publish("hello", hello).await;
    let time = ("v1/d/SC000001/down/time".to_owned(), json!({"now": NOON}));
    assert_eq!(battery.next_message().await, time);
    let until = NOON + MINUTE;
    app.portal.live.watch(&sn, until);
    let watch = (
        "v1/d/SC000001/down/watch".to_owned(),
        json!({"until": until}),
    );
    assert_eq!(battery.next_message().await, watch);
    // After a reconnect it gets the watch again.
    battery.disconnect().await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.seq = 1;
    battery.say_hello(NOON).await;
    battery.send(subscription("v1/d/SC000001/down/watch")).await;
    assert_eq!(
        battery.next().await.map(|packet| packet.packet_type()),
        Some(0x90)
    );
    assert_eq!(battery.next_message().await, watch);
    app.stop().await;
});

fn subscription(filter: &str) -> rmqtt_codec::v3::Packet {
    rmqtt_codec::v3::Packet::Subscribe {
        packet_id: std::num::NonZeroU16::MIN,
        topic_filters: vec![(filter.into(), rmqtt_codec::types::QoS::AtMostOnce)],
    }
}
