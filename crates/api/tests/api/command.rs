//! Commands: executed once per key, over the real link to the battery and back, and never executed late.
#![allow(clippy::unwrap_used)]
use domain::clock::{MINUTE, SECOND};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::{MqttBattery, NOON, Person, TestApp, TestResponse, eventually, on_both, with_app};

const SN: &str = "SC000001";

async fn give(
    app: &TestApp,
    person: &Person,
    command: &str,
    more: &[(&str, &str)],
) -> TestResponse {
    let mut fields = vec![("sn", SN), ("command", command), ("key", "the-first-key")];
    fields.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
    fields.extend(more);
    let call = app.post("/api/auth/command/", &fields);
    call.bearer(&person.access).send().await
}

async fn read_command(app: &TestApp, person: &Person, id: &Value) -> Value {
    let call = app.get(&format!("/api/auth/command/{}/", id.as_str().unwrap()));
    call.bearer(&person.access).send().await.expect(200).json()
}

async fn connect(app: &TestApp) -> MqttBattery {
    let mut battery = MqttBattery::connect(app.devices, SN).await;
    battery.subscribe_and_say_hello(app.clock.now(), 0).await;
    battery.next_message_on("time").await;
    battery
}

async fn answer(battery: &mut MqttBattery, id: &Value, ok: Value, code: &str, data: Value) {
    let answer = battery.answer(id.as_str().unwrap(), ok, code, data);
    battery.report("res", answer.to_string()).await;
}

with_app!(a_command_is_queued_sent_and_done, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app).await;
    let arguments = [("soc", "80"), ("power", "1500")];
    let given = give(app, &anna, "charge_to", &arguments)
        .await
        .expect(201)
        .json();
    assert_eq!(given["state"], "queued");
    assert_eq!(given["expires_at"], NOON + 5 * MINUTE);
    let told = battery.next_message_on("cmd").await;
    assert_eq!(
        told,
        json!({"id": given["id"], "cmd": "charge_to", "args": {"soc": 80, "power": 1500}, "exp": NOON + 5 * MINUTE})
    );
    let id = &given["id"];
    eventually("it is sent", async || {
        read_command(app, &anna, id).await["state"] == "sent"
    })
    .await;
    answer(&mut battery, id, json!(1), "ok", json!({})).await;
    let seen = read_command(app, &anna, id).await;
    assert_eq!(
        (&seen["state"], &seen["code"], &seen["ended_at"]),
        (&json!("done"), &json!("ok"), &json!(NOON))
    );
    assert_eq!(seen["text"], "Erledigt.");
    // A later answer does not change a command that has ended.
    answer(&mut battery, id, json!(0), "faulty", json!({})).await;
    assert_eq!(read_command(app, &anna, id).await["state"], "done");
});

with_app!(a_meter_test_tells_while_it_runs_and_how_it_ended, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app).await;
    let id = give(app, &anna, "meter_test", &[]).await.expect(201).json()["id"].clone();
    battery.next_message_on("cmd").await;
    let phases = json!([{"voltage": 231.2, "power": 410, "ok": true}, null, null]);
    let data = json!({"step": 2, "steps": 5, "phases": phases});
    answer(&mut battery, &id, Value::Null, "running", data.clone()).await;
    let seen = read_command(app, &anna, &id).await;
    assert_eq!(
        (&seen["state"], &seen["data"], &seen["code"]),
        (&json!("sent"), &data, &Value::Null)
    );
    answer(
        &mut battery,
        &id,
        json!(false),
        "meter_silent",
        json!({"step": 5}),
    )
    .await;
    let seen = read_command(app, &anna, &id).await;
    assert_eq!(
        (&seen["state"], &seen["code"]),
        (&json!("failed"), &json!("meter_silent"))
    );
    assert!(seen["text"].as_str().unwrap().contains("Adresse"));
});

on_both!(a_hundred_repeats_of_a_key_are_one_command, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(&app).await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let fields = [
            ("sn", SN),
            ("command", "calibrate"),
            ("key", "one-and-the-same"),
        ];
        let call = app.post("/api/auth/command/", &fields);
        requests.spawn(call.bearer(&anna.access).send());
    }
    let answers = requests.join_all().await;
    let new = answers.iter().filter(|answer| answer.status == 201).count();
    let again = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!((new, again), (1, 99));
    let ids: BTreeSet<String> = answers
        .iter()
        .map(|answer| answer.json()["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 1);
    let told = battery.next_message_on("cmd").await;
    assert_eq!(ids.first(), Some(&told["id"].to_string()));
    // The answer to a hello may repeat the command; the battery recognises it by its id.
    let mut more =
        async || tokio::time::timeout(Duration::from_millis(400), battery.next_message()).await;
    if let Ok((_, again)) = more().await {
        assert_eq!(ids.first(), Some(&again["id"].to_string()));
        assert!(more().await.is_err(), "one device command");
    }
    let rows = db
        .dump()
        .await
        .into_iter()
        .find(|(name, _)| name == "commands");
    assert_eq!(rows.unwrap().1.len(), 1);
    app.stop().await;
});

with_app!(
    a_key_stands_for_one_command_of_one_account_at_one_system,
    |app| {
        let anna = app.owner("anna", SN).await;
        let ben = app.owner("ben", "SC000002").await;
        give(app, &anna, "calibrate", &[]).await.expect(201);
        let other = give(app, &anna, "auto", &[]).await.expect(409);
        assert_eq!(other.code(), "key_reused");
        give(app, &ben, "auto", &[("sn", "SC000002")])
            .await
            .expect(201);
        give(app, &anna, "auto", &[("key", "another-key")])
            .await
            .expect(201);
    }
);

with_app!(
    what_waits_for_an_offline_battery_is_told_on_its_hello,
    |app| {
        let anna = app.owner("anna", SN).await;
        let first = give(app, &anna, "switch_off", &[]).await.expect(201).json();
        app.clock.advance(SECOND);
        give(app, &anna, "switch_on", &[("key", "the-second-key")])
            .await
            .expect(201);
        let mut battery = MqttBattery::connect(app.devices, SN).await;
        battery.subscribe_and_say_hello(app.clock.now(), 0).await;
        assert_eq!(battery.next_message_on("cmd").await["id"], first["id"]);
        assert_eq!(battery.next_message_on("cmd").await["cmd"], "switch_on");
        // It is not answered, so it is sent again; the battery recognises the id.
        battery.disconnect().await;
        let mut battery = MqttBattery::connect(app.devices, SN).await;
        battery.seq = 5;
        battery.subscribe_and_say_hello(app.clock.now(), 0).await;
        assert_eq!(battery.next_message_on("cmd").await["id"], first["id"]);
    }
);

with_app!(a_command_never_acts_after_its_time, |app| {
    let anna = app.owner("anna", SN).await;
    let id = give(app, &anna, "switch_off", &[]).await.expect(201).json()["id"].clone();
    app.clock.advance(5 * MINUTE + 1);
    assert_eq!(read_command(app, &anna, &id).await["state"], "expired");
    let mut battery = connect(app).await;
    let more = tokio::time::timeout(Duration::from_millis(400), battery.next_message());
    assert!(more.await.is_err(), "it is not told any more");
    app.service.expire_commands().await.unwrap();
    let call = app
        .get("/api/auth/journal/?kind=command")
        .bearer(&anna.access);
    let journal = call.send().await.expect(200).json();
    assert_eq!(journal["lines"][0]["event"], "command_expired");
    // The battery acted in time and only its answer was late: the answer counts.
    answer(&mut battery, &id, json!(1), "ok", json!({})).await;
    assert_eq!(read_command(app, &anna, &id).await["state"], "done");
});

with_app!(wrong_commands_are_told_what_is_wrong, |app| {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    type Wrong<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);
    let cases: [Wrong<'_>; 9] = [
        ("", &[], "command:required"),
        ("explode", &[], "command:choice_unknown"),
        ("auto", &[("key", "")], "key:required"),
        ("auto", &[("key", "short")], "key:key_invalid"),
        ("charge_to", &[], "soc:required"),
        ("charge_to", &[("soc", "101")], "soc:soc_range"),
        (
            "charge_to",
            &[("soc", "50"), ("power", "4601")],
            "power:power_range",
        ),
        ("hold", &[("until", "0")], "until:until_range"),
        ("auto", &[("sn", "-1")], "sn:required"),
    ];
    for (command, more, code) in cases {
        let answer = give(app, &anna, command, more).await.expect(400);
        assert_eq!(answer.code(), code);
    }
    // Restarting needs the service scope.
    assert_eq!(
        give(app, &anna, "restart", &[]).await.expect(403).code(),
        "forbidden"
    );
});

with_app!(sixteen_commands_may_be_open_at_a_time, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app).await;
    for number in 0..16 {
        let key = format!("key-number-{number}");
        give(app, &anna, "auto", &[("key", &key)]).await.expect(201);
    }
    let more = give(app, &anna, "auto", &[("key", "one-too-many")])
        .await
        .expect(429);
    assert_eq!(more.code(), "too_many_commands");
    assert_eq!(more.headers["retry-after"], "30");
    let id = battery.next_message_on("cmd").await["id"].clone();
    answer(&mut battery, &id, json!(1), "ok", json!({})).await;
    give(app, &anna, "auto", &[("key", "one-too-many")])
        .await
        .expect(201);
});

with_app!(an_answer_to_somebody_elses_command_changes_nothing, |app| {
    let anna = app.owner("anna", SN).await;
    app.device("SC000002").await;
    let id = give(app, &anna, "auto", &[]).await.expect(201).json()["id"].clone();
    let mut other = MqttBattery::connect(app.devices, "SC000002").await;
    answer(&mut other, &id, json!(1), "ok", json!({})).await;
    assert_eq!(read_command(app, &anna, &id).await["state"], "queued");
});
