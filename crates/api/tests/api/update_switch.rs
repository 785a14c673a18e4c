//! Updates of batteries that need their main switch off: held back while it is on, started when it is off, and what people see
//! meanwhile.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, SECOND};
use domain::firmware::Part;
use domain::flags::{MESSAGE2, bit};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::battery::merge;
use testkit::firmware::{IMAGE, manifest};
use testkit::http::Call;
use testkit::{MqttBattery, Person, TestApp, eventually, with_app};

const SN: &str = "SC000001";

async fn has_update(app: &TestApp, person: &Person) -> Value {
    let path = format!("/api/v1/has_update?sn={SN}");
    let call = Call::new(app.updates, "GET".parse().unwrap(), &path);
    call.bearer(&person.access).send().await.expect(200).json()
}

/// Waits until the update shows this state.
async fn shows(app: &TestApp, person: &Person, state: &str, switch: Value) -> Value {
    eventually(&format!("{state} {switch}"), async || {
        let seen = has_update(app, person).await;
        (&seen["state"], &seen["switch"]) == (&json!(state), &switch)
    })
    .await;
    has_update(app, person).await
}

/// A battery with these versions of gateway and master that does not report its kind, like older ones.
async fn greet(app: &TestApp, boot: u32, gateway: &str, master: &str) -> MqttBattery {
    let mut battery = MqttBattery::connect(app.devices, SN).await;
    battery.boot = boot;
    battery.subscribe(&[&format!("v1/d/{SN}/down/#")]).await;
    let hello = battery.hello(app.clock.now());
    let versions = json!({"fw": {"g": gateway, "m": master, "sl": null}});
    let hello = merge(hello, versions);
    battery.report("hello", hello.to_string()).await;
    battery
}

/// The battery sends a sample with its main switch on or off.
async fn switch(app: &TestApp, battery: &mut MqttBattery, on: bool) {
    app.clock.advance(SECOND);
    let name = if on { "ein" } else { "aus" };
    let sample = battery.sample(app.clock.now());
    let sample = merge(sample, json!({"m2": bit(MESSAGE2, name)}));
    battery.report("tele", sample.to_string()).await;
}

async fn says(battery: &mut MqttBattery, job: &Value, part: &str, stage: &str, progress: u8) {
    battery.seq += 1;
    let version = if part == "gateway" { "1.15" } else { "2.7" };
    let report = json!({
        "b": battery.boot, "s": battery.seq, "job": job, "part": part, "ver": version, "st": stage, "pg": progress,
    });
    battery.report("fw", report.to_string()).await;
}

/// The update that was sent to the battery.
async fn assigned_update(battery: &mut MqttBattery) -> Value {
    let told = battery.next_message_on("fw").await;
    let text: Value = serde_json::from_str(told["assignment"].as_str().unwrap()).unwrap();
    text["job"].clone()
}

async fn offer(app: &TestApp, parts: &[(Part, &str)]) {
    for (part, version) in parts {
        app.roll_out(&manifest(*part, version, 5), IMAGE).await;
    }
    eventually("it is offered", async || {
        app.portal.live.offered(&SN.parse().unwrap()).len() == parts.len()
    })
    .await;
}

const BOTH: [(Part, &str); 2] = [(Part::Gateway, "1.15"), (Part::Master, "2.7")];

with_app!(
    an_update_waits_for_the_main_switch_and_says_what_to_do_at_each_step,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, 1, "1.14", "2.6").await;
        switch(app, &mut battery, true).await;
        offer(app, &BOTH).await;
        assert_eq!(has_update(app, &anna).await["checks"]["needs_off"], true);
        app.order_update(&anna, SN, "1").await.expect(200);
        let seen = shows(app, &anna, "waits_for_switch", json!("off")).await;
        assert_eq!(
            (&seen["update_started"], &seen["page"]),
            (&json!(false), &json!(0))
        );
        // Nothing is sent while the switch is on, not even in answer to a hello.
        let mut battery = greet(app, 2, "1.14", "2.6").await;
        switch(app, &mut battery, true).await;
        assert!(
            !battery
                .receives_within("fw", Duration::from_millis(1_500))
                .await
        );

        switch(app, &mut battery, false).await;
        let job = assigned_update(&mut battery).await;
        // Switched on again at once, the battery itself holds the update back: it still waits.
        switch(app, &mut battery, true).await;
        says(&mut battery, &job, "gateway", "waiting", 0).await;
        shows(app, &anna, "waits_for_switch", json!("off")).await;
        switch(app, &mut battery, false).await;
        says(&mut battery, &job, "gateway", "downloading", 30).await;
        shows(app, &anna, "running", Value::Null).await;
        let late = app.order_update(&anna, SN, "0").await.expect(409);
        assert_eq!(late.code(), "update_running");

        let mut battery = greet(app, 3, "1.15", "2.6").await;
        let seen = shows(app, &anna, "waits_for_switch", json!("on_then_off")).await;
        assert_eq!(
            (&seen["update_started"], &seen["total_updates"]),
            (&json!(true), &json!(1))
        );
        says(&mut battery, &job, "master", "downloading", 10).await;
        shows(app, &anna, "running", Value::Null).await;
        let mut battery = greet(app, 4, "1.15", "2.7").await;
        switch(app, &mut battery, false).await;
        shows(app, &anna, "done", json!("on")).await;
        switch(app, &mut battery, true).await;
        shows(app, &anna, "done", Value::Null).await;
    }
);

/// What is in force, as the dashboard reads it.
async fn in_force(app: &TestApp, person: &Person) -> Value {
    let call = app.get("/api/auth/data/").bearer(&person.access);
    let data = call.send().await.expect(200).json();
    let entries = data["data"].as_array().unwrap();
    let entry = entries.iter().find_map(|entry| entry.get(SN)).unwrap();
    entry["in_force"].clone()
}

with_app!(
    a_finished_update_does_not_come_back_when_the_battery_is_switched_off_later,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, 1, "1.14", "2.6").await;
        switch(app, &mut battery, false).await;
        offer(app, &BOTH[..1]).await;
        app.order_update(&anna, SN, "1").await.expect(200);
        let job = assigned_update(&mut battery).await;
        says(&mut battery, &job, "gateway", "downloading", 30).await;
        let mut battery = greet(app, 2, "1.15", "2.6").await;
        switch(app, &mut battery, false).await;
        shows(app, &anna, "done", json!("on")).await;
        assert_eq!(in_force(app, &anna).await[0]["switch"], "on");
        // After reloading, it still waits for its switch.
        app.bus.live.reload_all().await.unwrap();
        assert_eq!(in_force(app, &anna).await[0]["switch"], "on");

        switch(app, &mut battery, true).await;
        shows(app, &anna, "done", Value::Null).await;
        switch(app, &mut battery, false).await;
        eventually("it is off", async || {
            let live = app.portal.live.get(&SN.parse().unwrap()).unwrap();
            live.switched_on() == Some(false)
        })
        .await;
        app.view_is_up_to_date().await;
        assert_eq!(in_force(app, &anna).await, json!([]));
        assert_eq!(has_update(app, &anna).await["switch"], Value::Null);
        app.bus.live.reload_all().await.unwrap();
        assert_eq!(in_force(app, &anna).await, json!([]));
    }
);

with_app!(
    an_update_that_waits_for_the_main_switch_is_withdrawn_or_expires_after_seven_days,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, 1, "1.14", "2.6").await;
        switch(app, &mut battery, true).await;
        offer(app, &BOTH[..1]).await;
        app.order_update(&anna, SN, "1").await.expect(200);
        shows(app, &anna, "waits_for_switch", json!("off")).await;
        app.order_update(&anna, SN, "0").await.expect(200);
        shows(app, &anna, "cancelled", Value::Null).await;

        app.order_update(&anna, SN, "1").await.expect(200);
        app.clock.advance(7 * DAY - SECOND);
        assert!(app.service.expire_updates().await.unwrap().is_empty());
        app.clock.advance(SECOND);
        app.service.expire_updates().await.unwrap();
        let anna = app.log_in("anna@example.com", false).await;
        shows(app, &anna, "expired", Value::Null).await;
        let journal = app.get("/api/auth/journal/?kind=update");
        let journal = journal.bearer(&anna.access).send().await.expect(200).json();
        assert_eq!(journal["lines"][0]["event"], "update_expired");
        // It may be started again.
        app.order_update(&anna, SN, "1").await.expect(200);
    }
);

with_app!(
    one_that_waits_between_two_parts_expires_seven_days_after_the_first,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, 1, "1.14", "2.6").await;
        switch(app, &mut battery, false).await;
        offer(app, &BOTH).await;
        app.order_update(&anna, SN, "1").await.expect(200);
        let job = assigned_update(&mut battery).await;
        says(&mut battery, &job, "gateway", "downloading", 30).await;
        app.clock.advance(6 * DAY);
        let mut battery = greet(app, 2, "1.15", "2.6").await;
        app.clock.advance(6 * DAY);
        says(&mut battery, &job, "master", "waiting", 0).await;
        assert!(app.service.expire_updates().await.unwrap().is_empty());
        app.clock.advance(DAY);
        app.service.expire_updates().await.unwrap();
        says(&mut battery, &job, "master", "waiting", 0).await;
        let anna = app.log_in("anna@example.com", false).await;
        shows(app, &anna, "expired", Value::Null).await;
    }
);

with_app!(
    the_owner_reads_what_to_do_and_by_when_after_an_electrician_has_started_it,
    |app| {
        let (anna, eva) = (app.owner("anna", SN).await, app.electrician("eva").await);
        app.grant(&anna, &eva, SN, "service").await;
        let mut battery = greet(app, 1, "1.14", "2.6").await;
        switch(app, &mut battery, true).await;
        offer(app, &BOTH).await;
        app.order_update(&eva, SN, "1").await.expect(200);
        let seen = shows(app, &eva, "waits_for_switch", json!("off")).await;
        assert_eq!(seen["update_started"], false);
        let mails = app.sent_mails().await;
        let mail = mails.iter().rev().find(|mail| mail.to == anna.email);
        let mail = mail.unwrap();
        assert_eq!(
            mail.subject,
            "Bitte ausschalten: Update für Ihren Speicher SC000001"
        );
        let day = domain::Lang::De.day(domain::Zone::default().day_of(app.clock.now() + 6 * DAY));
        assert!(
            mail.text.contains(&format!("bis zum {day}")),
            "{}",
            mail.text
        );
        assert!(
            mail.text
                .contains("für 5 bis 10 Sekunden ein und dann wieder aus")
        );
        assert!(mail.text.contains("/update?sn=SC000001"));
        assert!(!mail.text.contains("nichts zu tun"));
    }
);
