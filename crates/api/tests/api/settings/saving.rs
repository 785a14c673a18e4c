//! What a person may save: against a version, within ranges, for one system or several.
use super::{SN, TOKEN, codes, connect, read, report, save};
use domain::clock::MINUTE;
use serde_json::{Value, json};
use testkit::{MqttBattery, NOON, PASSWORD, with_app};

with_app!(
    a_system_begins_with_the_defaults_and_the_table_says_what_may_be_set,
    |app| {
        let anna = app.owner("anna", SN).await;
        let seen = read(app, &anna, SN).await;
        assert_eq!(
            (&seen["version"], &seen["state"]),
            (&json!(0), &json!("unknown"))
        );
        assert_eq!(seen["desired"]["reserve_soc"], 10);
        assert_eq!(seen["desired"]["charge_end"], "24:00");
        assert_eq!(seen["desired"]["provider_token"], Value::Null);
        assert_eq!(seen["reported"], json!({}));
        let fields = seen["fields"].as_object().unwrap();
        assert_eq!(fields.len(), 24);
        assert_eq!(
            fields["meter_address"],
            json!({"kind": "address", "min": 1, "max": 250, "default": 1, "wiring": true, "optional": false})
        );
        app.battery(SN).hello(|_| {}).await;
        let seen = read(app, &anna, SN).await;
        assert_eq!(seen["fields"]["charge_limit"]["max"], 4_600);
        assert_eq!(seen["desired"]["charge_limit"], 4_200);
        assert_eq!(seen["desired"]["discharge_limit"], 5_000);
        // All systems of the caller are returned as a list.
        assert_eq!(read(app, &anna, "-1").await.as_array().unwrap().len(), 1);
    }
);

with_app!(
    of_two_who_edit_at_once_the_second_is_told_what_changed,
    |app| {
        let anna = app.owner("anna", SN).await;
        save(app, &anna, &[("version", "0"), ("reserve_soc", "30")])
            .await
            .expect(200);
        let late = save(app, &anna, &[("version", "0"), ("reserve_soc", "50")])
            .await
            .expect(409);
        let body = late.json();
        assert_eq!(body["codes"][SN]["version"], json!(["version_conflict"]));
        assert_eq!(
            body["conflicts"][SN],
            json!({"version": 1, "changes": [
            {"field": "reserve_soc", "from": 10, "to": 30, "at": NOON, "by": "you"}]})
        );
        assert_eq!(read(app, &anna, SN).await["desired"]["reserve_soc"], 30);
        let again = save(app, &anna, &[("version", "1"), ("reserve_soc", "50")]).await;
        assert_eq!(again.expect(200).json()["versions"][SN], 2);
    }
);

with_app!(of_many_saves_of_one_version_at_once_one_counts, |app| {
    let anna = app.owner("anna", SN).await;
    let mut saves = tokio::task::JoinSet::new();
    for soc in 20..40 {
        let path = format!("/api/auth/settings/?sn={SN}");
        let soc = soc.to_string();
        let fields = [("version", "0"), ("reserve_soc", soc.as_str())];
        saves.spawn(app.post(&path, &fields).bearer(&anna.access).send());
    }
    let answers = saves.join_all().await;
    let taken = answers.iter().filter(|answer| answer.status == 200).count();
    let told = answers.iter().filter(|answer| answer.status == 409).count();
    assert_eq!((taken, told), (1, 19));
    assert_eq!(read(app, &anna, SN).await["version"], 1);
});

with_app!(every_range_is_held_by_the_server, |app| {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    for (field, value, code) in [
        ("reserve_soc", "", "required"),
        ("reserve_soc", "101", "soc_range"),
        ("charge_start", "", "required"),
        ("charge_end", "24:30", "time_invalid"),
        ("discharge_end", "00:00", "window_empty"),
        ("provider", "neighbour", "choice_unknown"),
        ("dynamic_tariff", "price", "provider_required"),
        ("charge_power", "4601", "power_range"),
        ("charge_price", "cheap", "price_invalid"),
        ("import_price", "501", "price_range"),
        ("vat", "101", "rate_range"),
        ("charge_limit", "4601", "power_range"),
        ("charge_limit", "4600", "acknowledge_14a"),
        ("discharge_limit", "5001", "power_range"),
        ("meter_type", "", "required"),
        ("meter_address", "0", "address_range"),
        ("meter_address", "251", "address_range"),
        ("ups", "maybe", "switch_invalid"),
    ] {
        let fields = [("version", "0"), (field, value), ("password", PASSWORD)];
        let answer = save(app, &anna, &fields).await.expect(400);
        let wrong = match code {
            "provider_required" => "provider",
            _ => field,
        };
        assert_eq!(codes(&answer), json!({wrong: [code]}), "{field} {value:?}");
    }
    assert_eq!(read(app, &anna, SN).await["version"], 0);
});

with_app!(a_meter_address_above_247_is_taken_with_a_warning, |app| {
    let anna = app.owner("anna", SN).await;
    let fields = [
        ("version", "0"),
        ("meter_address", "248"),
        ("password", PASSWORD),
    ];
    let answer = save(app, &anna, &fields).await.expect(200).json();
    assert!(
        answer["warnings"][SN]["meter_address"][0]
            .as_str()
            .unwrap()
            .contains("247")
    );
});

with_app!(several_systems_succeed_and_fail_each_for_itself, |app| {
    let anna = app.owner("anna", SN).await;
    for sn in ["SC000002", "SC000003"] {
        let code = app.code(&[&app.device(sn).await]).await;
        let add = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
        add.bearer(&anna.access).send().await.expect(200);
    }
    // Only the second system is too small for it.
    app.battery("SC000002")
        .hello(|hello| hello.charge_max = 2_000)
        .await;
    let path = "/api/auth/settings/?sn=SC000001,SC000002,SC000003,SC999999";
    let fields = [("version", "0,0,7,0"), ("charge_power", "3000")];
    let answer = app
        .post(path, &fields)
        .bearer(&anna.access)
        .send()
        .await
        .expect(200)
        .json();
    assert_eq!(answer["success"], json!([SN]));
    assert_eq!(
        answer["codes"],
        json!({
            "SC000002": {"charge_power": ["power_range"]}, "SC000003": {"version": ["version_conflict"]},
            "SC999999": {"sn": ["not_found"]},
        })
    );
    let fields = [("version", "0"), ("charge_power", "3000")];
    let wrong = app
        .post(path, &fields)
        .bearer(&anna.access)
        .send()
        .await
        .expect(400);
    assert_eq!(wrong.code(), "version:version_invalid");
    let wrong = app
        .post(path, &fields[1..])
        .bearer(&anna.access)
        .send()
        .await
        .expect(400);
    assert_eq!(wrong.code(), "version:required");
    let seen = read(app, &anna, "SC000003,SC000001").await;
    assert_eq!(
        (&seen[0]["sn"], &seen[1]["sn"]),
        (&json!("SC000003"), &json!(SN))
    );
});

with_app!(
    a_reset_goes_back_to_the_defaults_and_to_the_wiring_only_if_meant,
    |app| {
        let anna = app.owner("anna", SN).await;
        let fields = [
            ("version", "0"),
            ("reserve_soc", "50"),
            ("meter_address", "9"),
            ("provider", "tibber"),
            ("provider_token", TOKEN),
            ("password", PASSWORD),
        ];
        save(app, &anna, &fields).await.expect(200);
        let reset = |fields: &[(&str, &str)]| {
            let path = format!("/api/auth/settings/reset/?sn={SN}");
            app.post(&path, fields).bearer(&anna.access).send()
        };
        reset(&[("version", "0")]).await.expect(409);
        reset(&[("version", "1")]).await.expect(200);
        let seen = read(app, &anna, SN).await;
        let desired = &seen["desired"];
        assert_eq!(
            (&desired["reserve_soc"], &desired["meter_address"]),
            (&json!(10), &json!(9))
        );
        assert_eq!(
            (&desired["provider"], &desired["provider_token"]),
            (&json!("none"), &Value::Null)
        );
        let wiring = [("version", "2"), ("wiring", "true")];
        assert_eq!(reset(&wiring).await.expect(400).code(), "password:required");
        reset(&[("version", "2"), ("wiring", "true"), ("password", PASSWORD)])
            .await
            .expect(200);
        assert_eq!(read(app, &anna, SN).await["desired"]["meter_address"], 1);
    }
);

with_app!(a_save_that_changes_nothing_keeps_the_version, |app| {
    let anna = app.owner("anna", SN).await;
    let answer = save(app, &anna, &[("version", "0"), ("reserve_soc", "10")]).await;
    assert_eq!(answer.expect(200).json()["versions"][SN], 0);
});

with_app!(
    the_next_owner_sees_nothing_of_what_the_last_one_set,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = connect(app, 0).await;
        let fields = [
            ("version", "0"),
            ("reserve_soc", "55"),
            ("meter_address", "9"),
            ("provider", "tibber"),
            ("provider_token", TOKEN),
            ("password", PASSWORD),
        ];
        save(app, &anna, &fields).await.expect(200);
        let told = battery.next_message_on("des").await;
        report(&mut battery, 1, told["state"].clone(), json!({})).await;
        let command = [("sn", SN), ("command", "auto"), ("key", "a-key-of-anna")];
        let call = app
            .post("/api/auth/command/", &command)
            .bearer(&anna.access);
        let id = call.send().await.expect(201).json()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let unlink = app.call("DELETE", &format!("/api/auth/usr_sn/{SN}/"));
        let unlink = unlink.form(&[("password", testkit::PASSWORD)]);
        unlink.bearer(&anna.access).send().await.expect(204);
        app.clock.advance(MINUTE);
        let code = app.code(&[&SN.parse().unwrap()]).await;
        let form = app.owner_form("ben@example.com", &code);
        app.post("/api/auth/register/", &form)
            .send()
            .await
            .expect(201);
        let ben = app.log_in("ben@example.com", false).await;
        let seen = read(app, &ben, SN).await;
        // The wiring belongs to the house and stays.
        let desired = &seen["desired"];
        assert_eq!(
            (&desired["reserve_soc"], &desired["meter_address"]),
            (&json!(10), &json!(9))
        );
        assert_eq!(desired["provider_token"], Value::Null);
        assert_eq!(seen["reported"].get("reserve_soc"), None);
        assert_eq!(
            (&seen["changed_by"], &seen["changed_at"]),
            (&Value::Null, &Value::Null)
        );
        let journal = app.get(&format!("/api/auth/journal/?sn={SN}"));
        let journal = journal.bearer(&ben.access).send().await.expect(200).json();
        assert_eq!(journal["lines"][0]["event"], "system_linked");
        assert_eq!(journal["total"], 1);
        let call = app.get(&format!("/api/auth/command/{id}/"));
        call.bearer(&ben.access).send().await.expect(404);
        // The battery also forgets the habits.
        let mut battery = MqttBattery::connect(app.devices, SN).await;
        battery.boot = 2;
        battery.subscribe_and_say_hello(app.clock.now(), 1).await;
        let told = battery.next_message_on("des").await;
        assert_eq!(
            (&told["ver"], &told["state"]["reserve_soc"]),
            (&json!(2), &json!(10))
        );
        assert_eq!(told["state"]["meter_address"], 9);
    }
);
