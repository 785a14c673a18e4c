//! Limits on changes to batteries: devices per minute, and the operator's brake.
#![allow(clippy::unwrap_used)]
use api::PortalConfig;
use domain::clock::MINUTE;
use serde_json::json;
use std::time::Duration;
use testkit::{MqttBattery, NOON, Person, TestApp, TestResponse, on_both, with_app};

const FLEET: [&str; 4] = ["SC000001", "SC000002", "SC000003", "SC000004"];

/// An owner with four systems.
async fn collector(app: &TestApp) -> Person {
    let anna = app.owner("anna", FLEET[0]).await;
    for sn in &FLEET[1..] {
        let code = app.code(&[&app.device(sn).await]).await;
        let add = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
        add.bearer(&anna.access).send().await.expect(200);
    }
    anna
}

async fn command(app: &TestApp, person: &Person, sn: &str, key: &str) -> TestResponse {
    let fields = [("sn", sn), ("command", "auto"), ("key", key)];
    let call = app.post("/api/auth/command/", &fields);
    call.bearer(&person.access).send().await
}

async fn save(app: &TestApp, person: &Person, sn: &str, fields: &[(&str, &str)]) -> TestResponse {
    let path = format!("/api/auth/settings/?sn={sn}");
    app.post(&path, fields).bearer(&person.access).send().await
}

fn two_a_minute(settings: &mut PortalConfig) {
    settings.devices_a_minute = 2;
}

on_both!(
    one_account_touches_so_many_devices_a_minute_and_no_more,
    |db| {
        let app = TestApp::start_with(db, two_a_minute).await;
        let anna = collector(&app).await;
        command(&app, &anna, FLEET[0], "key-number-1")
            .await
            .expect(201);
        save(
            &app,
            &anna,
            FLEET[1],
            &[("version", "0"), ("reserve_soc", "20")],
        )
        .await
        .expect(200);
        let third = command(&app, &anna, FLEET[2], "key-number-2")
            .await
            .expect(429);
        assert_eq!(third.code(), "too_many_devices");
        assert_eq!(third.headers["retry-after"], "61");
        let third = save(
            &app,
            &anna,
            FLEET[2],
            &[("version", "0"), ("reserve_soc", "20")],
        )
        .await;
        assert_eq!(third.expect(429).code(), "too_many_devices");
        // The same devices do not count again, and other accounts are not affected.
        command(&app, &anna, FLEET[0], "key-number-3")
            .await
            .expect(201);
        let ben = app.owner("ben", "SC000009").await;
        command(&app, &ben, "SC000009", "key-number-1")
            .await
            .expect(201);
        app.clock.advance(MINUTE + 1);
        command(&app, &anna, FLEET[2], "key-number-2")
            .await
            .expect(201);
        app.stop().await;
    }
);

on_both!(
    of_several_systems_at_once_the_first_are_saved_and_the_rest_said,
    |db| {
        let app = TestApp::start_with(db, two_a_minute).await;
        let anna = collector(&app).await;
        let fields = [("version", "0,0,0,0"), ("reserve_soc", "20")];
        let answer = save(&app, &anna, &FLEET.join(","), &fields)
            .await
            .expect(200)
            .json();
        assert_eq!(answer["success"], json!(FLEET[..2]));
        assert_eq!(
            answer["codes"][FLEET[3]],
            json!({"sn": ["too_many_devices"]})
        );
        app.stop().await;
    }
);

on_both!(requests_at_once_do_not_slip_through, |db| {
    let app = TestApp::start_with(db, two_a_minute).await;
    let anna = collector(&app).await;
    let mut requests = tokio::task::JoinSet::new();
    for sn in FLEET {
        let fields = [("sn", sn), ("command", "auto"), ("key", "key-at-once")];
        let call = app.post("/api/auth/command/", &fields);
        requests.spawn(call.bearer(&anna.access).send());
    }
    let answers = requests.join_all().await;
    let taken = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(taken, 2);
    app.stop().await;
});

with_app!(whoever_looks_first_finds_the_brake_on, |app| {
    let sn = app.device(FLEET[0]).await;
    assert!(app.service.put_brake_on("a bad update").await.unwrap());
    let live = &app.portal.live;
    assert_eq!(live.braked_since(), None, "nobody looks at anything");
    live.hold(&[sn]).await.unwrap();
    assert_eq!(live.braked_since(), Some(NOON));
});

with_app!(
    the_operators_brake_stops_every_change_and_every_delivery,
    |app| {
        let sn = FLEET[0];
        let anna = app.owner("anna", sn).await;
        save(app, &anna, sn, &[("version", "0"), ("reserve_soc", "20")])
            .await
            .expect(200);
        command(app, &anna, sn, "key-before").await.expect(201);
        assert!(app.service.put_brake_on("a bad update").await.unwrap());
        assert!(!app.service.put_brake_on("again").await.unwrap());
        let refused = save(app, &anna, sn, &[("version", "1"), ("reserve_soc", "30")])
            .await
            .expect(503);
        assert_eq!(refused.code(), "fleet_braked");
        let reset = app.post(
            &format!("/api/auth/settings/reset/?sn={sn}"),
            &[("version", "1")],
        );
        assert_eq!(
            reset.bearer(&anna.access).send().await.expect(503).code(),
            "fleet_braked"
        );
        let refused = command(app, &anna, sn, "key-after").await.expect(503);
        assert!(refused.text.contains("Betreiber"));
        let target = [("sn", sn), ("soc", "70"), ("by", "18:00")];
        let refused = app.post("/api/auth/plan/", &target).bearer(&anna.access);
        assert_eq!(refused.send().await.expect(503).code(), "fleet_braked");
        // Earlier changes wait, and reading still works.
        let mut battery = MqttBattery::connect(app.devices, sn).await;
        battery.subscribe_and_say_hello(NOON, 0).await;
        battery.next_message_on("time").await;
        let more = tokio::time::timeout(Duration::from_millis(400), battery.next_message());
        assert!(more.await.is_err(), "nothing is sent while the brake is on");
        let call = app.get(&format!("/api/auth/settings/?sn={sn}"));
        call.bearer(&anna.access).send().await.expect(200);
        assert!(app.service.release_brake().await.unwrap());
        save(app, &anna, sn, &[("version", "1"), ("reserve_soc", "30")])
            .await
            .expect(200);
        assert_eq!(battery.next_message_on("des").await["ver"], 2);
    }
);

on_both!(a_new_price_is_a_change_where_the_battery_goes_by_it, |db| {
    let app = TestApp::start_with(db, two_a_minute).await;
    let anna = collector(&app).await;
    let enter = |sn: &str, price| {
        let fields = [("sn", sn), ("import_price", price), ("feed_in_price", "8")];
        let call = app.post("/api/auth/tariff/", &fields);
        call.bearer(&anna.access).send()
    };
    enter(&FLEET.join(","), "30").await.expect(200);
    for sn in &FLEET[..3] {
        let fixed = [("version", "0"), ("provider", "fixed")];
        save(&app, &anna, sn, &fixed).await.expect(200);
        app.clock.advance(MINUTE + 1);
    }
    let refused = enter(&FLEET[..3].join(","), "31").await.expect(429);
    assert_eq!(refused.code(), "too_many_devices");
    enter(&FLEET[..2].join(","), "31").await.expect(200);
    app.service.put_brake_on("a bad update").await.unwrap();
    let refused = enter(FLEET[0], "32").await.expect(503);
    assert_eq!(refused.code(), "fleet_braked");
    // If no battery uses the price, it only affects the bill.
    enter(FLEET[3], "32").await.expect(200);
    app.stop().await;
});
