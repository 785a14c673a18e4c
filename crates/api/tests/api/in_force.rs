//! What is in force at a system: in its live data, as far as each reader may know, until it ends.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, MINUTE, SECOND};
use domain::firmware::Part;
use domain::flags::{self, Flags};
use domain::sample::{BatteryStatus, MessageId};
use domain::{EventCode, Hello};
use serde_json::{Value, json};
use testkit::battery::HARDWARE;
use testkit::firmware::{IMAGE, manifest};
use testkit::{NOON, Person, TestApp, eventually, with_app};

const SN: &str = "SC000001";

async fn in_force_at(app: &TestApp, person: &Person, sn: &str) -> Value {
    let call = app.get("/api/auth/data/").bearer(&person.access);
    let data = call.send().await.expect(200).json();
    let entries = data["data"].as_array().unwrap();
    let entry = entries.iter().find_map(|entry| entry.get(sn)).unwrap();
    entry["in_force"].clone()
}

async fn in_force(app: &TestApp, person: &Person) -> Value {
    in_force_at(app, person, SN).await
}

/// Gives a command, and the battery reports that it is done.
async fn done(app: &TestApp, person: &Person, command: &str, more: &[(&str, &str)]) {
    let key = format!("key-{}", app.clock.now());
    let mut fields = vec![("sn", SN), ("command", command), ("key", &key)];
    fields.extend(more);
    let call = app.post("/api/auth/command/", &fields);
    let given = call.bearer(&person.access).send().await.expect(201).json();
    let battery = app.battery(SN);
    let id = given["id"].as_str().unwrap();
    battery.answer_command(id, true, "ok").await;
    app.clock.advance(SECOND);
}

async fn pause(app: &TestApp, person: &Person) {
    let until = (NOON + HOUR).to_string();
    done(app, person, "hold", &[("until", &until)]).await;
}

with_app!(a_pause_is_in_force_until_somebody_ends_it, |app| {
    let anna = app.owner("anna", SN).await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, SN, "monitor").await;
    app.battery(SN).hello(|_| {}).await;
    assert_eq!(in_force(app, &anna).await, json!([]));
    pause(app, &anna).await;
    let mut want = json!({
        "kind": "pause", "since": NOON, "until": NOON + HOUR, "by": "you", "end": "auto",
    });
    assert_eq!(in_force(app, &anna).await, json!([want]));
    // An electrician with monitor sees it but cannot end it.
    (want["by"], want["end"]) = (json!("owner"), Value::Null);
    assert_eq!(in_force(app, &eva).await, json!([want]));
    // It is stored in the database, not only in this process.
    app.bus.live.reload_all().await.unwrap();
    assert_eq!(in_force(app, &eva).await, json!([want]));
    done(app, &anna, "auto", &[]).await;
    assert_eq!(in_force(app, &anna).await, json!([]));
});

with_app!(a_pause_ends_with_its_time_the_switch_and_a_restart, |app| {
    let anna = app.owner("anna", SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    pause(app, &anna).await;
    app.clock.advance(MINUTE);
    let off = Flags {
        message2: flags::bit(flags::MESSAGE2, "aus"),
        ..Flags::default()
    };
    battery.sample(|sample| sample.flags = off).await;
    app.clock.advance(SECOND);
    battery.sample(|_| {}).await;
    assert_eq!(in_force(app, &anna).await, json!([]), "switched off and on");
    pause(app, &anna).await;
    assert_eq!(in_force(app, &anna).await[0]["kind"], "pause");
    app.clock.advance(MINUTE);
    battery.hello(|hello| hello.id = MessageId::new(2, 1)).await;
    assert_eq!(in_force(app, &anna).await, json!([]), "started again");
    pause(app, &anna).await;
    app.clock.advance(HOUR);
    let anna = app.log_in(&anna.email, false).await;
    assert_eq!(in_force(app, &anna).await, json!([]), "its time is over");
});

with_app!(a_charge_that_was_reached_does_not_come_back, |app| {
    let anna = app.owner("anna", SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    done(app, &anna, "charge_to", &[("soc", "80"), ("power", "2000")]).await;
    battery.sample(|sample| sample.soc = Some(799)).await;
    let list = in_force(app, &anna).await;
    assert_eq!(
        (&list[0]["kind"], &list[0]["soc"], &list[0]["power"]),
        (&json!("charge"), &json!(80), &json!(2000))
    );
    app.clock.advance(SECOND);
    battery.sample(|sample| sample.soc = Some(800)).await;
    app.clock.advance(SECOND);
    battery.sample(|sample| sample.soc = Some(700)).await;
    assert_eq!(in_force(app, &anna).await, json!([]));
    app.bus.live.reload_all().await.unwrap();
    assert_eq!(in_force(app, &anna).await, json!([]));
});

with_app!(
    what_the_battery_reports_is_in_force_as_it_reports_it,
    |app| {
        let anna = app.owner("anna", SN).await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        app.clock.advance(SECOND);
        let begins = |code| (Some(NOON + SECOND), code, true);
        let (at, code, on) = begins(EventCode::GridLimit);
        battery.event(at, code, on, Some(r#"{"limit":4200}"#)).await;
        let (at, code, on) = begins(EventCode::ReserveHeld);
        battery.event(at, code, on, Some(r#"{"soc":20}"#)).await;
        battery
            .sample(|sample| sample.status = BatteryStatus::Calibrating)
            .await;
        let list = json!([
            {"kind": "grid_limit", "since": NOON + SECOND, "until": null, "by": "grid_operator", "end": null, "power": 4200},
            {"kind": "calibration", "since": null, "until": null, "by": "battery", "end": null},
            {"kind": "reserve", "since": NOON + SECOND, "until": null, "by": "battery", "end": null, "soc": 20},
        ]);
        assert_eq!(in_force(app, &anna).await, list);
        app.clock.advance(SECOND);
        let ends = Some(app.clock.now());
        battery.event(ends, EventCode::GridLimit, false, None).await;
        battery
            .event(ends, EventCode::ReserveHeld, false, None)
            .await;
        // A late report changes nothing.
        battery
            .event(Some(NOON), EventCode::ReserveHeld, true, None)
            .await;
        battery.sample(|_| {}).await;
        assert_eq!(in_force(app, &anna).await, json!([]));
    }
);

with_app!(
    what_only_a_silent_battery_could_end_is_not_in_force,
    |app| {
        let anna = app.owner("anna", SN).await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        battery.sample(|_| {}).await;
        let held = (Some(NOON), EventCode::ReserveHeld, Some(r#"{"soc":10}"#));
        battery.event(held.0, held.1, true, held.2).await;
        pause(app, &anna).await;
        let kinds = async || {
            let list = in_force(app, &anna).await;
            let list = list.as_array().unwrap().iter();
            list.map(|one| one["kind"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds().await, ["pause", "reserve"]);
        app.clock.advance(SECOND);
        battery.goes_offline().await;
        assert_eq!(kinds().await, ["pause"], "it has an end of its own");
    }
);

with_app!(an_update_and_the_brake_are_in_force_for_everybody, |app| {
    let anna = app.owner("anna", SN).await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, SN, "service").await;
    let needs_off = |hello: &mut Hello| {
        hello.hardware = HARDWARE.into();
        hello.update_needs_off = true;
    };
    app.battery(SN).hello(needs_off).await;
    app.roll_out(&manifest(Part::Gateway, "2.8", 1), IMAGE)
        .await;
    eventually("it is offered", async || {
        !app.portal.live.offered(&SN.parse().unwrap()).is_empty()
    })
    .await;
    app.order_update(&eva, SN, "1").await.expect(200);
    let list = in_force(app, &anna).await;
    let company = &list[0]["company"];
    assert_eq!(
        list,
        json!([{
            "kind": "update", "since": NOON, "until": null, "by": "electrician", "company": company, "end": "withdraw",
            "state": "waiting", "part": 1, "parts": 1, "progress": 0,
        }])
    );
    assert!(company.as_str().is_some_and(|name| !name.is_empty()));
    assert_eq!(in_force(app, &eva).await[0]["by"], "you");
    // Its main switch is on, and it updates only with the switch off.
    app.battery(SN).sample(|sample| sample.id.seq = 7).await;
    let list = in_force(app, &anna).await;
    assert_eq!(
        (&list[0]["state"], &list[0]["switch"], &list[0]["end"]),
        (
            &json!("waits_for_switch"),
            &json!("off"),
            &json!("withdraw")
        )
    );
    app.service.put_brake_on("a bad release").await.unwrap();
    eventually("the brake is seen", async || {
        in_force(app, &anna).await.as_array().unwrap().len() == 2
    })
    .await;
    let list = in_force(app, &anna).await;
    assert_eq!(
        list[1],
        json!({"kind": "brake", "since": NOON, "until": null, "by": "operator", "end": null})
    );
    app.service.release_brake().await.unwrap();
    app.order_update(&eva, SN, "0").await.expect(200);
    eventually("nothing is in force", async || {
        in_force(app, &anna).await == json!([])
    })
    .await;
});

with_app!(of_all_systems_each_names_its_own, |app| {
    let anna = app.owner("anna", SN).await;
    let other = app.device("SC000002").await;
    let code = app.code(&[&other]).await;
    let key = [("keys", code.as_str())];
    let added = app.post("/api/auth/usr_sn/", &key).bearer(&anna.access);
    added.send().await.expect(200);
    app.battery(SN).hello(|_| {}).await;
    pause(app, &anna).await;
    let together = in_force_at(app, &anna, "-1").await;
    assert_eq!(
        (&together[0]["kind"], &together[0]["sn"], &together[1]),
        (&json!("pause"), &json!(SN), &Value::Null)
    );
});
