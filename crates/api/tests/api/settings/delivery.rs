//! Delivery to the battery and back: sent until reported, refused with a reason, and an older version never replaces a newer one.
use super::{SN, connect, read, report, save};
use domain::clock::MINUTE;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{MqttBattery, NOON, PASSWORD, eventually, with_app};

/// Whether anything but acknowledgements arrives within a moment.
async fn says_more(battery: &mut MqttBattery) -> bool {
    let more = tokio::time::timeout(Duration::from_millis(400), battery.next_message());
    more.await.is_ok()
}

with_app!(a_save_is_sent_until_the_battery_reports_it, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app, 0).await;
    eventually("its ratings are known", async || {
        read(app, &anna, SN).await["fields"]["charge_limit"]["max"] == 2_500
    })
    .await;
    let saved = save(app, &anna, &[("version", "0"), ("reserve_soc", "30")]).await;
    assert_eq!(saved.expect(200).json()["versions"][SN], 1);
    let told = battery.next_message_on("des").await;
    assert_eq!(
        (&told["ver"], &told["state"]["reserve_soc"]),
        (&json!(1), &json!(30))
    );
    // The whole document, without the fields that the battery does not need.
    assert_eq!(told["state"].as_object().unwrap().len(), 20);
    assert!(told["state"].get("provider_token").is_none());
    assert_eq!(read(app, &anna, SN).await["state"], "sent");
    report(&mut battery, 1, told["state"].clone(), json!({})).await;
    let seen = read(app, &anna, SN).await;
    assert_eq!(
        (&seen["state"], &seen["reported"]["reserve_soc"]),
        (&json!("applied"), &json!(30))
    );
    assert_eq!(
        (&seen["reported_at"], &seen["changed_by"]),
        (&json!(NOON), &json!("you"))
    );
});

with_app!(
    a_battery_that_was_offline_gets_it_on_its_next_hello_and_only_while_it_is_behind,
    |app| {
        let anna = app.owner("anna", SN).await;
        save(app, &anna, &[("version", "0"), ("reserve_soc", "30")])
            .await
            .expect(200);
        save(app, &anna, &[("version", "1"), ("reserve_soc", "40")])
            .await
            .expect(200);
        assert_eq!(read(app, &anna, SN).await["state"], "waiting");
        let mut battery = connect(app, 0).await;
        let told = battery.next_message_on("des").await;
        assert_eq!(
            (&told["ver"], &told["state"]["reserve_soc"]),
            (&json!(2), &json!(40))
        );
        report(&mut battery, 2, told["state"].clone(), json!({})).await;
        battery.disconnect().await;
        let mut battery = MqttBattery::connect(app.devices, SN).await;
        battery.seq = 10;
        battery.subscribe_and_say_hello(NOON, 2).await;
        battery.next_message_on("time").await;
        assert!(!says_more(&mut battery).await, "it holds the newest");
        // A battery that has lost everything gets it again.
        battery.disconnect().await;
        let mut battery = MqttBattery::connect(app.devices, SN).await;
        battery.boot = 2;
        battery.subscribe_and_say_hello(NOON, 0).await;
        assert_eq!(battery.next_message_on("des").await["ver"], 2);
    }
);

with_app!(a_field_that_the_battery_refuses_shows_why, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app, 0).await;
    let fields = [
        ("version", "0"),
        ("charge_limit", "2400"),
        ("password", PASSWORD),
    ];
    save(app, &anna, &fields).await.expect(200);
    let told = battery.next_message_on("des").await;
    let mut state = told["state"].clone();
    state["charge_limit"] = json!(2_000);
    report(
        &mut battery,
        1,
        state,
        json!({"charge_limit": "above_rated", "disco": "no"}),
    )
    .await;
    let seen = read(app, &anna, SN).await;
    assert_eq!(seen["state"], "refused");
    assert_eq!(seen["errors"], json!({"charge_limit": "above_rated"}));
    assert!(
        seen["error_texts"]["charge_limit"]
            .as_str()
            .unwrap()
            .contains("Speicher")
    );
    assert_eq!(
        (
            &seen["desired"]["charge_limit"],
            &seen["reported"]["charge_limit"]
        ),
        (&json!(2_400), &json!(2_000))
    );
});

with_app!(an_older_report_that_comes_late_changes_nothing, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app, 0).await;
    let early = battery.applied(0, json!({"reserve_soc": 15}), json!({}));
    report(&mut battery, 0, json!({"reserve_soc": 25}), json!({})).await;
    battery.report("rep", early.to_string()).await;
    let seen = read(app, &anna, SN).await;
    assert_eq!(seen["reported"]["reserve_soc"], 25);
    // Values set at the battery itself are the desired ones until someone saves.
    assert_eq!(
        (&seen["desired"]["reserve_soc"], &seen["state"]),
        (&json!(25), &json!("applied"))
    );
});

with_app!(the_grid_operators_limit_is_shown_while_it_holds, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app, 0).await;
    let mut limit = battery.event(NOON, "grid_limit");
    limit["args"] = json!({"limit": 4_200});
    battery.report("ev", limit.to_string()).await;
    let seen = read(app, &anna, SN).await;
    assert_eq!(seen["grid_limit"], json!({"limit": 4_200, "since": NOON}));
    app.clock.advance(MINUTE);
    let mut over = battery.event(NOON + MINUTE, "grid_limit");
    over["on"] = json!(0);
    battery.report("ev", over.to_string()).await;
    assert_eq!(read(app, &anna, SN).await["grid_limit"], Value::Null);
    // The event says why the battery acts; it is not a message that people have to see.
    let data = app
        .get("/api/auth/data/")
        .bearer(&anna.access)
        .send()
        .await
        .expect(200)
        .json();
    assert_eq!(data["data"][0][SN]["last_messages"], json!([]));
});

with_app!(
    a_battery_that_holds_more_than_the_portal_knows_makes_the_next_save_newer,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = connect(app, 9).await;
        battery.next_message_on("time").await;
        eventually("the version is known", async || {
            read(app, &anna, SN).await["version"] == 9
        })
        .await;
        save(app, &anna, &[("version", "9"), ("reserve_soc", "30")])
            .await
            .expect(200);
        assert_eq!(battery.next_message_on("des").await["ver"], 10);
    }
);
