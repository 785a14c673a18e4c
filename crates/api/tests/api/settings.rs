//! Settings: read, saved against a version, told to the battery over the real link, reported and refused.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    Answer, Battery, NOON, PASSWORD, Person, TestApp, TestDb, eventually, on_both, with_app,
};

const SN: &str = "SC000001";
const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

async fn read(app: &TestApp, person: &Person, sn: &str) -> Value {
    let call = app.get(&format!("/api/auth/settings/?sn={sn}"));
    call.bearer(&person.access).send().await.expect(200).json()
}

async fn save(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> Answer {
    let path = format!("/api/auth/settings/?sn={SN}");
    app.post(&path, fields).bearer(&person.access).send().await
}

/// The codes of what is wrong with the one system.
fn codes(answer: &Answer) -> Value {
    answer.json()["codes"][SN].clone()
}

/// A battery that listens and has said hello.
async fn connect(app: &TestApp, version: i64) -> Battery {
    let mut battery = Battery::connect(app.devices, SN).await;
    battery.greet(app.clock.now(), version).await;
    battery
}

async fn report(battery: &mut Battery, version: i64, state: Value, err: Value) {
    let report = battery.applied(version, state, err);
    battery.report("rep", report.to_string()).await;
}

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
        // Every system of the caller is a list.
        assert_eq!(read(app, &anna, "-1").await.as_array().unwrap().len(), 1);
    }
);

with_app!(a_save_is_sent_until_the_battery_reports_it, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app, 0).await;
    eventually("its ratings are known", async || {
        read(app, &anna, SN).await["fields"]["charge_limit"]["max"] == 2_500
    })
    .await;
    let saved = save(app, &anna, &[("version", "0"), ("reserve_soc", "30")]).await;
    assert_eq!(saved.expect(200).json()["versions"][SN], 1);
    let told = battery.told_on("des").await;
    assert_eq!(
        (&told["ver"], &told["state"]["reserve_soc"]),
        (&json!(1), &json!(30))
    );
    // The whole document, without what is none of its business.
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
        let told = battery.told_on("des").await;
        assert_eq!(
            (&told["ver"], &told["state"]["reserve_soc"]),
            (&json!(2), &json!(40))
        );
        report(&mut battery, 2, told["state"].clone(), json!({})).await;
        battery.disconnect().await;
        let mut battery = Battery::connect(app.devices, SN).await;
        battery.seq = 10;
        battery.greet(NOON, 2).await;
        battery.told_on("time").await;
        assert!(!says_more(&mut battery).await, "it holds the newest");
        // One that has forgotten everything gets it again.
        battery.disconnect().await;
        let mut battery = Battery::connect(app.devices, SN).await;
        battery.boot = 2;
        battery.greet(NOON, 0).await;
        assert_eq!(battery.told_on("des").await["ver"], 2);
    }
);

/// Whether anything but acknowledgements comes within a moment.
async fn says_more(battery: &mut Battery) -> bool {
    let more = tokio::time::timeout(Duration::from_millis(400), battery.told());
    more.await.is_ok()
}

with_app!(a_field_that_the_battery_refuses_shows_why, |app| {
    let anna = app.owner("anna", SN).await;
    let mut battery = connect(app, 0).await;
    let fields = [
        ("version", "0"),
        ("charge_limit", "2400"),
        ("password", PASSWORD),
    ];
    save(app, &anna, &fields).await.expect(200);
    let told = battery.told_on("des").await;
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
    // What was set in the cellar is what is wanted until somebody saves.
    assert_eq!(
        (&seen["desired"]["reserve_soc"], &seen["state"]),
        (&json!(25), &json!("applied"))
    );
});

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

with_app!(wiring_asks_an_owner_for_the_password_again, |app| {
    let anna = app.owner("anna", SN).await;
    let change = ("meter_address", "7");
    let answer = save(app, &anna, &[("version", "0"), change])
        .await
        .expect(400);
    assert_eq!(answer.code(), "password:required");
    let wrong = [("version", "0"), change, ("password", "Wrong-Password-1!")];
    assert_eq!(
        save(app, &anna, &wrong).await.expect(400).code(),
        "password:password_wrong"
    );
    assert_eq!(read(app, &anna, SN).await["version"], 0);
    // A value that stays as it is needs no proof.
    let same = [
        ("version", "0"),
        ("meter_address", "1"),
        ("reserve_soc", "20"),
    ];
    save(app, &anna, &same).await.expect(200);
    let right = [("version", "1"), change, ("password", PASSWORD)];
    save(app, &anna, &right).await.expect(200);
    // Guessing is as slow as at the login.
    let guess = [
        ("version", "2"),
        ("meter_address", "8"),
        ("password", "Wrong-Password-1!"),
    ];
    let mut answer = save(app, &anna, &guess).await;
    for _ in 0..10 {
        answer = save(app, &anna, &guess).await;
    }
    assert_eq!(answer.expect(429).code(), "too_many_attempts");
});

with_app!(
    charging_above_4200_watts_is_acknowledged_and_that_is_kept,
    |app| {
        let anna = app.owner("anna", SN).await;
        app.battery(SN).hello(|_| {}).await;
        let raise = [
            ("version", "0"),
            ("charge_limit", "4500"),
            ("password", PASSWORD),
        ];
        let answer = save(app, &anna, &raise).await.expect(400);
        assert_eq!(codes(&answer), json!({"charge_limit": ["acknowledge_14a"]}));
        assert!(answer.text.contains("§14a EnWG"));
        app.clock.advance(MINUTE);
        let mut acknowledged = raise.to_vec();
        acknowledged.push(("acknowledge_14a", "true"));
        save(app, &anna, &acknowledged).await.expect(200);
        assert_eq!(read(app, &anna, SN).await["acknowledged_at"], NOON + MINUTE);
        // Going back below takes it back.
        let lower = [
            ("version", "1"),
            ("charge_limit", "4200"),
            ("password", PASSWORD),
        ];
        save(app, &anna, &lower).await.expect(200);
        assert_eq!(read(app, &anna, SN).await["acknowledged_at"], Value::Null);
    }
);

on_both!(
    a_providers_token_is_sealed_and_only_its_end_is_seen_again,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        let mut battery = connect(&app, 0).await;
        for (token, code) in [("", "required"), ("too-short", "token_too_short")] {
            let fields = [
                ("version", "0"),
                ("provider", "tibber"),
                ("provider_token", token),
            ];
            let answer = save(&app, &anna, &fields).await.expect(400);
            assert_eq!(codes(&answer), json!({"provider_token": [code]}));
        }
        let fields = [
            ("version", "0"),
            ("provider", "tibber"),
            ("provider_token", TOKEN),
        ];
        let saved = save(&app, &anna, &fields).await.expect(200);
        let seen = read(&app, &anna, SN).await;
        assert_eq!(seen["desired"]["provider_token"], "…ebAE");
        let told = battery.told_on("des").await;
        let call = app.get("/api/auth/journal/").bearer(&anna.access);
        let journal = call.send().await.expect(200);
        let dump = format!("{:?}", db.dump().await);
        for text in [
            saved.text,
            seen.to_string(),
            told.to_string(),
            journal.text,
            dump,
        ] {
            assert!(
                !text.contains(TOKEN) && !text.contains(&TOKEN[..20]),
                "{text}"
            );
        }
        // Another provider does not get it.
        let none = save(&app, &anna, &[("version", "1"), ("provider", "awattar")]).await;
        none.expect(200);
        assert_eq!(
            read(&app, &anna, SN).await["desired"]["provider_token"],
            Value::Null
        );
        assert!(sealed_tokens(db).await.is_empty());
        app.stop().await;
    }
);

async fn sealed_tokens(db: &TestDb) -> Vec<String> {
    let tables = db.dump().await.into_iter();
    let rows = tables
        .filter(|(name, _)| name == "settings")
        .flat_map(|(_, rows)| rows);
    rows.filter(|row| {
        let row: Value = serde_json::from_str(row).unwrap();
        !row["provider_token"].is_null()
    })
    .collect()
}

with_app!(several_systems_succeed_and_fail_each_for_itself, |app| {
    let anna = app.owner("anna", SN).await;
    for sn in ["SC000002", "SC000003"] {
        let code = app.code(&[&app.device(sn).await]).await;
        let add = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
        add.bearer(&anna.access).send().await.expect(200);
    }
    // Only the second one is too small for it.
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
    // It says why the battery acts, and is no message that somebody has to see.
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
        let told = battery.told_on("des").await;
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
        // The wiring is the house's and stays.
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
        // The battery forgets the habits, too.
        let mut battery = Battery::connect(app.devices, SN).await;
        battery.boot = 2;
        battery.greet(app.clock.now(), 1).await;
        let told = battery.told_on("des").await;
        assert_eq!(
            (&told["ver"], &told["state"]["reserve_soc"]),
            (&json!(2), &json!(10))
        );
        assert_eq!(told["state"]["meter_address"], 9);
    }
);

with_app!(
    a_battery_that_holds_more_than_the_portal_knows_makes_the_next_save_newer,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = connect(app, 9).await;
        battery.told_on("time").await;
        eventually("the version is known", async || {
            read(app, &anna, SN).await["version"] == 9
        })
        .await;
        save(app, &anna, &[("version", "9"), ("reserve_soc", "30")])
            .await
            .expect(200);
        assert_eq!(battery.told_on("des").await["ver"], 10);
    }
);

with_app!(
    a_price_is_the_same_whether_it_was_set_or_entered_as_a_tariff,
    |app| {
        let anna = app.owner("anna", SN).await;
        let enter = |import| {
            let fields = [("sn", SN), ("import_price", import), ("feed_in_price", "8")];
            let call = app.post("/api/auth/tariff/", &fields);
            call.bearer(&anna.access).send()
        };
        enter("31,9").await.expect(200);
        let seen = read(app, &anna, SN).await;
        assert_eq!(
            (&seen["version"], &seen["desired"]["import_price"]),
            (&json!(0), &json!(31.9))
        );
        let fixed = [
            ("version", "0"),
            ("provider", "fixed"),
            ("import_price", "28.53"),
        ];
        save(app, &anna, &fixed).await.expect(200);
        let call = app.get(&format!("/api/auth/tariff/?sn={SN}"));
        let tariffs = call.bearer(&anna.access).send().await.expect(200).json();
        assert_eq!(
            tariffs[0]["tariffs"][1],
            json!({"from": "2026-11-15", "import_price": 28.53, "feed_in_price": 8})
        );
        // A battery that goes by the fixed price hears of a new one.
        let mut battery = connect(app, 1).await;
        enter("25").await.expect(200);
        let told = battery.told_on("des").await;
        assert_eq!(
            (&told["ver"], &told["state"]["import_price"]),
            (&json!(2), &json!(25))
        );
    }
);

with_app!(
    prices_that_were_entered_ahead_reach_the_battery_on_their_day,
    |app| {
        let anna = app.owner("anna", SN).await;
        let fixed = [
            ("version", "0"),
            ("provider", "fixed"),
            ("import_price", "30"),
            ("feed_in_price", "8"),
        ];
        save(app, &anna, &fixed).await.expect(200);
        let ahead = [
            ("sn", SN),
            ("from", "2026-11-17"),
            ("import_price", "25"),
            ("feed_in_price", "8"),
        ];
        let call = app.post("/api/auth/tariff/", &ahead);
        call.bearer(&anna.access).send().await.expect(200);
        let known = async || {
            app.portal
                .store
                .begin_tariffs(app.clock.now())
                .await
                .unwrap();
            let anna = app.log_in("anna@example.com", false).await;
            let seen = read(app, &anna, SN).await;
            (
                seen["version"].clone(),
                seen["desired"]["import_price"].clone(),
            )
        };
        assert_eq!(known().await, (json!(1), json!(30)));
        app.clock.advance(DAY);
        assert_eq!(known().await, (json!(1), json!(30)), "one day too early");
        app.clock.advance(DAY);
        assert_eq!(known().await, (json!(2), json!(25)));
        assert_eq!(known().await, (json!(2), json!(25)), "told once");
    }
);
