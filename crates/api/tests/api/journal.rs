//! The journal: every write has an entry, batteries report why they acted, and people can search and export it.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use domain::{EventCode, Lang};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::{MqttBattery, NOON, PASSWORD, Person, TestApp, with_app};

const SN: &str = "SC000001";

async fn read(app: &TestApp, person: &Person, query: &str) -> Value {
    let call = app.get(&format!("/api/auth/journal/?{query}"));
    call.bearer(&person.access).send().await.expect(200).json()
}

async fn save(app: &TestApp, person: &Person, fields: &[(&str, &str)]) {
    let path = format!("/api/auth/settings/?sn={SN}");
    let call = app.post(&path, fields).bearer(&person.access);
    call.send().await.expect(200);
}

fn events(body: &Value) -> Vec<&str> {
    let lines = body["lines"].as_array().unwrap();
    lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect()
}

with_app!(
    every_changed_setting_has_its_line_from_which_value_to_which,
    |app| {
        let anna = app.owner("anna", SN).await;
        let fields = [
            ("version", "0"),
            ("reserve_soc", "30"),
            ("charge_start", "22:00"),
            ("meter_address", "1"),
        ];
        save(app, &anna, &fields).await;
        let body = read(app, &anna, &format!("sn={SN}&kind=settings")).await;
        assert_eq!(
            (&body["total"], &body["pages"], &body["page"]),
            (&json!(2), &json!(1), &json!(1))
        );
        let line = &body["lines"][1];
        assert_eq!(
            line,
            &json!({
                "id": line["id"], "at": NOON, "time": "2026-11-15 12:00:00", "sn": SN, "kind": "settings",
                "event": "setting_changed", "actor": "you", "who": "Sie", "field": "reserve_soc", "from": 10, "to": 30,
                "text": "Die Einstellung „Reserve“ wurde von 10\u{a0}% auf 30\u{a0}% geändert.",
            })
        );
        let english = app.get(&format!("/api/auth/journal/?sn={SN}&kind=settings"));
        let english = english.header("accept-language", "en").bearer(&anna.access);
        let body = english.send().await.expect(200).json();
        assert_eq!(
            body["lines"][0]["text"],
            "The setting “Charge from” was changed from 00:00 to 22:00."
        );
    }
);

with_app!(a_random_life_leaves_a_line_for_every_write, |app| {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    let before = read(app, &anna, "").await["total"].as_u64().unwrap();
    let (mut version, mut written) = (0, 0);
    // Deterministic: the values of the form are derived from the turn's number.
    for turn in 0..40_u32 {
        let fields = [
            ("version", version.to_string()),
            ("reserve_soc", (turn * 7 % 120).to_string()),
            ("charge_price", format!("{}.5", turn % 3)),
            ("discharge_limit", (turn * 311 % 5_400).to_string()),
            ("password", PASSWORD.to_owned()),
        ];
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let path = format!("/api/auth/settings/?sn={SN}");
        let seen = app.get(&path).bearer(&anna.access).send().await.json();
        // The password may be tried ten times a minute.
        app.clock.advance(MINUTE / 4);
        let answer = app.post(&path, &fields).bearer(&anna.access).send().await;
        if answer.status == 200 {
            let after = app.get(&path).bearer(&anna.access).send().await.json();
            let changed = after["desired"].as_object().unwrap().iter();
            written += changed
                .filter(|(name, value)| seen["desired"][*name] != **value)
                .count();
            version = after["version"].as_i64().unwrap();
        } else {
            assert_eq!(answer.status, 400);
        }
    }
    assert!(written > 20, "{written}");
    let after = read(app, &anna, "").await["total"].as_u64().unwrap();
    assert_eq!(after - before, written as u64);
});

with_app!(a_battery_says_why_it_acted, |app| {
    let anna = app.owner("anna", SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    let told = [
        (EventCode::ReserveHeld, r#"{"soc":30}"#),
        (EventCode::WindowClosed, r#"{"until":"22:00"}"#),
        (EventCode::PriceCharge, r#"{"price":12.5}"#),
        (EventCode::GridLimit, r#"{"limit":4200}"#),
        (EventCode::CalibrationDone, "{}"),
        (EventCode::FloatCharge, "{}"),
        (EventCode::NaULow, "{}"),
    ];
    for (minutes, (code, args)) in (0..).zip(told) {
        let at = NOON - MINUTE * minutes;
        battery.event(Some(at), code, true, Some(args)).await;
    }
    // An event with unknown time is stored but not shown.
    battery.event(None, EventCode::MeterLost, true, None).await;
    let body = read(app, &anna, &format!("sn={SN}&kind=battery")).await;
    assert_eq!(body["total"], told.len());
    let texts: Vec<&str> = body["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    assert!(texts[0].ends_with("(30\u{a0}%)"), "{texts:?}");
    assert!(texts[2].ends_with("(12,5\u{a0}ct/kWh)"));
    assert!(texts[3].contains("§14a") && texts[3].ends_with("(4.200\u{a0}W)"));
    assert_eq!(
        body["lines"][0]["who"],
        domain::message::text(Lang::De, "word", "battery")
    );
    // Reasons are not messages that people have to see.
    let data = app
        .get("/api/auth/data/")
        .bearer(&anna.access)
        .send()
        .await
        .json();
    let messages = data["data"][0][SN]["last_messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
});

with_app!(what_the_battery_took_and_refused_is_written_once, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = MqttBattery::connect(app.devices, SN).await;
    battery.subscribe_and_say_hello(NOON, 0).await;
    let fields = [
        ("version", "0"),
        ("charge_limit", "2000"),
        ("password", PASSWORD),
    ];
    save(app, &anna, &fields).await;
    let state = battery.next_message_on("des").await["state"].clone();
    for _ in 0..3 {
        let report = battery.applied(1, state.clone(), json!({"charge_limit": "above_rated"}));
        battery.report("rep", report.to_string()).await;
    }
    let body = read(app, &anna, &format!("sn={SN}&kind=settings")).await;
    assert_eq!(
        events(&body),
        ["setting_refused", "settings_reported", "setting_changed"]
    );
    let refused = &body["lines"][0];
    assert_eq!(
        (&refused["actor"], &refused["field"]),
        (&json!("battery"), &json!("charge_limit"))
    );
    assert!(
        refused["text"]
            .as_str()
            .unwrap()
            .contains("Höchste Ladeleistung")
    );
});

with_app!(lines_are_found_by_kind_actor_day_and_page, |app| {
    let anna = app.owner("anna", SN).await;
    for soc in 20..45 {
        let (version, soc) = ((soc - 20).to_string(), soc.to_string());
        save(app, &anna, &[("version", &version), ("reserve_soc", &soc)]).await;
    }
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    battery
        .event(Some(NOON - DAY), EventCode::FloatCharge, true, None)
        .await;
    let first = read(app, &anna, "kind=settings").await;
    assert_eq!((&first["total"], &first["pages"]), (&json!(25), &json!(3)));
    assert_eq!(first["lines"].as_array().unwrap().len(), 10);
    let last = read(app, &anna, "kind=settings&page=3").await;
    assert_eq!(last["lines"].as_array().unwrap().len(), 5);
    let ids: BTreeSet<i64> = [
        &first,
        &read(app, &anna, "kind=settings&page=2").await,
        &last,
    ]
    .into_iter()
    .flat_map(|body| body["lines"].as_array().unwrap().iter())
    .map(|line| line["id"].as_i64().unwrap())
    .collect();
    assert_eq!(ids.len(), 25);
    assert_eq!(
        events(&read(app, &anna, "actor=battery").await),
        ["battery"]
    );
    assert_eq!(
        events(&read(app, &anna, "to=2026-11-14").await),
        ["battery"]
    );
    assert_eq!(
        read(app, &anna, "from=2026-11-15&kind=battery").await["total"],
        0
    );
    assert_eq!(read(app, &anna, "kind=battery,settings").await["total"], 26);
    // Without a system, the journal also contains entries about the account itself.
    assert!(events(&read(app, &anna, "kind=account").await).contains(&"registered"));
    assert_eq!(
        read(app, &anna, &format!("sn={SN}&kind=account")).await["total"],
        0
    );
    for (query, code) in [
        ("page=x", "page:number_invalid"),
        ("kind=gossip", "kind:choice_unknown"),
        ("actor=ghost", "actor:choice_unknown"),
        ("from=yesterday", "from:date_invalid"),
    ] {
        let call = app.get(&format!("/api/auth/journal/?{query}"));
        let answer = call.bearer(&anna.access).send().await.expect(400);
        assert_eq!(answer.code(), code);
    }
});

with_app!(nobody_reads_somebody_elses_lines, |app| {
    let anna = app.owner("anna", SN).await;
    let ben = app.owner("ben", "SC000002").await;
    let eva = app.electrician("eva").await;
    save(app, &anna, &[("version", "0"), ("reserve_soc", "30")]).await;
    for other in [&ben, &eva] {
        let body = read(app, other, "").await;
        assert!(!body.to_string().contains(SN));
        assert_eq!(read(app, other, "kind=settings").await["total"], 0);
    }
});

with_app!(the_file_has_every_line_and_starts_no_formula, |app| {
    let anna = app.owner("anna", SN).await;
    for soc in 20..35 {
        let (version, soc) = ((soc - 20).to_string(), soc.to_string());
        save(app, &anna, &[("version", &version), ("reserve_soc", &soc)]).await;
    }
    let call = app.get("/api/auth/journal/?kind=settings&format=csv");
    let answer = call.bearer(&anna.access).send().await.expect(200);
    assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
    let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
    let head: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        head,
        ["Ortszeit", "Zeit (UTC)", "Seriennummer", "Wer", "Was"]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 15);
    assert_eq!(
        (&rows[0][0], &rows[0][2], &rows[0][3]),
        ("2026-11-15 12:00:00", SN, "Sie")
    );
    let formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']);
    assert!(!rows.iter().flat_map(csv::StringRecord::iter).any(formula));
});
