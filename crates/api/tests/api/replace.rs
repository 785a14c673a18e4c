//! Replacement of a unit: the site continues under the new serial number for everyone, exact to the Wh.
#![allow(clippy::unwrap_used)]
use domain::Sample;
use domain::clock::{DAY, HOUR, MINUTE};
use domain::firmware::Part;
use domain::shard::ShardSet;
use serde_json::{Value, json};
use testkit::battery::merge;
use testkit::firmware::{IMAGE, manifest};
use testkit::home::{home, reading, start_of};
use testkit::{
    MqttBattery, NOON, PASSWORD, Person, TestApp, TestDb, TestResponse, eventually, with_app,
};

const OLD: &str = "SC000001";
const NEW: &str = "SC000002";

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn post(app: &TestApp, person: &Person, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    app.post(path, fields).bearer(&person.access).send().await
}

async fn replace(app: &TestApp, person: &Person, sn: &str, key: &str) -> TestResponse {
    let path = format!("/api/auth/system/{sn}/replace/");
    post(app, person, &path, &[("key", key)]).await
}

/// A new unit with the code from its box.
async fn spare(app: &TestApp, sn: &str) -> String {
    let device = app.device(sn).await;
    app.code(&[&device]).await
}

async fn systems(app: &TestApp, person: &Person) -> Vec<String> {
    let systems = get(app, person, "/api/auth/usr_sn/").await;
    let systems = systems.as_array().unwrap().iter();
    systems
        .map(|system| system["sn"].as_str().unwrap().to_owned())
        .collect()
}

/// The energies of some days, without the serial number.
async fn energies(app: &TestApp, person: &Person, sn: &str, days: &str) -> Value {
    let path = format!("/api/auth/energy_chart/?sn={sn}&days={days}");
    let mut chart = get(app, person, &path).await;
    chart[0].as_object_mut().unwrap().remove("sn");
    chart[0].take()
}

/// The live entry of a system.
async fn live(app: &TestApp, person: &Person, sn: &str) -> Value {
    let data = get(app, person, "/api/auth/data/").await;
    let mut entries = data["data"].as_array().unwrap().iter();
    let found = entries.find_map(|entry| entry.get(sn));
    found.unwrap_or_else(|| panic!("no {sn} in {data}")).clone()
}

async fn events(app: &TestApp, person: &Person, sn: &str) -> Vec<String> {
    let page = get(app, person, &format!("/api/auth/journal/?sn={sn}")).await;
    let lines = page["lines"].as_array().unwrap().iter();
    lines
        .map(|line| line["event"].as_str().unwrap().to_owned())
        .collect()
}

with_app!(the_site_goes_on_for_everybody_under_the_new_number, |app| {
    let anna = app.owner("anna", OLD).await;
    let paul = app.member(&anna, "paul", OLD, "owner").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, OLD, "service").await;
    let ben = app.owner("ben", "SC000009").await;
    app.battery(OLD).hello(|_| {}).await;
    // Sealed days, and today.
    let first = start_of("2026-10-30");
    app.feed(OLD, &home(first..NOON, 5 * MINUTE, 0..0)).await;
    app.store
        .telemetry
        .seal_due(ShardSet::ALL, NOON)
        .await
        .unwrap();
    let names = [("first_name", "Anna"), ("last_name", "Berg")];
    let path = format!("/api/auth/system/{OLD}/");
    let named = app.call("PATCH", &path).form(&names).bearer(&anna.access);
    named.send().await.expect(204);
    post(
        app,
        &anna,
        "/api/auth/group/",
        &[("name", "Keller"), ("sn", OLD)],
    )
    .await
    .expect(201);
    post(
        app,
        &eva,
        "/api/auth/group/",
        &[("name", "Tour 3"), ("sn", OLD)],
    )
    .await
    .expect(201);
    let prices = [("sn", OLD), ("import_price", "30"), ("feed_in_price", "8")];
    post(app, &anna, "/api/auth/tariff/", &prices)
        .await
        .expect(200);
    let set = [("version", "0"), ("reserve_soc", "35")];
    post(app, &anna, &format!("/api/auth/settings/?sn={OLD}"), &set)
        .await
        .expect(200);
    let months = [
        "month_2026-10-01",
        "month_2026-11-01",
        "2026-10-30_2026-11-15",
    ];
    let mut before = Vec::new();
    for days in months {
        before.push(energies(app, &anna, OLD, days).await);
    }
    let lines = events(app, &anna, OLD).await;

    let code = spare(app, NEW).await;
    app.battery(NEW)
        .hello(|hello| hello.hardware = "SC-10".into())
        .await;
    // First a dry run shows which unit it is; this changes nothing.
    let path = format!("/api/auth/system/{OLD}/replace/");
    for person in [&anna, &eva] {
        let ask = [("key", code.as_str()), ("dry_run", "true")];
        let asked = post(app, person, &path, &ask).await.expect(200).json();
        assert_eq!(
            (&asked["status"], &asked["sn"], &asked["hardware"]),
            (&json!("fits"), &json!(NEW), &json!("SC-10"))
        );
        assert_eq!(systems(app, person).await, [OLD]);
    }
    // A bare serial number is not enough proof from an electrician; the dry run already says so.
    let bare = [("key", NEW), ("dry_run", "true")];
    let bare = post(app, &eva, &path, &bare).await.expect(400);
    assert_eq!(bare.code(), "key:replace_needs_code");
    let done = replace(app, &anna, OLD, &code).await.expect(200).json();
    assert_eq!(
        (&done["status"], &done["sn"]),
        (&json!("replaced"), &json!(NEW))
    );

    for (days, before) in months.into_iter().zip(before) {
        assert_eq!(energies(app, &anna, NEW, days).await, before, "{days}");
        assert_eq!(energies(app, &eva, NEW, days).await, before, "{days}");
    }
    for person in [&anna, &paul, &eva] {
        assert_eq!(systems(app, person).await, [NEW], "{}", person.email);
        let old = app.get(&format!(
            "/api/auth/graph/?sn={OLD}&interval=Day&from_date=2026-11-14"
        ));
        old.bearer(&person.access).send().await.expect(404);
    }
    let system = get(app, &anna, "/api/auth/usr_sn/").await[0].clone();
    assert_eq!(system["first_name"], "Anna");
    assert_eq!(system["group_name"], "Keller");
    assert_eq!(system["access"], "owner");
    assert_eq!(system["installer"]["email"], eva.email.as_str());
    assert_eq!(
        get(app, &eva, "/api/auth/usr_sn/").await[0]["group_name"],
        "Tour 3"
    );
    let settings = get(app, &paul, &format!("/api/auth/settings/?sn={NEW}")).await;
    assert_eq!(settings["desired"]["reserve_soc"], 35);
    let tariffs = get(app, &anna, "/api/auth/tariff/").await;
    assert_eq!(tariffs[0]["sn"], NEW);
    assert_eq!(tariffs[0]["tariffs"].as_array().unwrap().len(), 1);
    let now = events(app, &anna, NEW).await;
    assert_eq!(now[0], "unit_replaced");
    assert_eq!(now[1..], lines[..lines.len().min(9)]);
    // No one else sees anything of it, and the code is used up.
    assert_eq!(systems(app, &ben).await, ["SC000009"]);
    assert_eq!(
        replace(app, &ben, "SC000009", &code).await.code(),
        "key:code_unknown"
    );
});

/// The energy imported on a day, in Wh.
async fn imported(app: &TestApp, person: &Person, sn: &str, day: &str) -> Option<i64> {
    let chart = energies(app, person, sn, &format!("{day}_{day}")).await;
    chart["rows"][0]["m2"].as_i64()
}

fn import(at: i64, wh: i64) -> Sample {
    reading(at, [wh, 0, 0, 0, 0])
}

with_app!(neither_the_gap_nor_a_jump_is_counted, |app| {
    let anna = app.owner("anna", OLD).await;
    let (old, day) = (app.battery(OLD), "2026-11-15");
    old.hello(|_| {}).await;
    let midnight = start_of(day);
    old.history(vec![
        import(midnight - HOUR, 900),
        import(midnight + 8 * HOUR, 1_000),
        import(midnight + 8 * HOUR + 5 * MINUTE, 1_040),
    ])
    .await;
    let code = spare(app, NEW).await;
    let new = app.battery(NEW);
    new.hello(|_| {}).await;
    // The unit was tested in the workshop the day before, and has been in the cellar since ten. Its messages have the same
    // sequence numbers as the old unit's, and its counter is slightly higher.
    new.history(vec![
        import(midnight - 2 * HOUR, 1_044),
        import(midnight + 10 * HOUR, 1_050),
        import(midnight + 10 * HOUR + 5 * MINUTE, 1_057),
    ])
    .await;
    replace(app, &anna, OLD, &code).await.expect(200);
    // The energy until eight is the old unit's; it cannot be assigned to hours.
    assert_eq!(imported(app, &anna, NEW, day).await, Some(100 + 40 + 7));
    assert_eq!(imported(app, &anna, NEW, "2026-11-14").await, None);

    // Live from here on; earlier readings are not counted twice.
    new.sample(|sample| sample.counters = [Some(1_060), Some(0), Some(0), Some(0), Some(0)])
        .await;
    app.clock.advance(MINUTE);
    new.sample(|sample| sample.counters = [Some(1_072), Some(0), Some(0), Some(0), Some(0)])
        .await;
    assert_eq!(imported(app, &anna, NEW, day).await, Some(147 + 3 + 12));
    eventually("the live view counts the same", async || {
        live(app, &anna, NEW).await["import_energy"] == 162
    })
    .await;

    // The old unit gets online once more and sends its back-fill; what it measured since the replacement belongs to no one.
    let late = vec![
        import(midnight + 8 * HOUR + 10 * MINUTE, 1_100),
        import(NOON + MINUTE, 5_000),
    ];
    old.history(late).await;
    assert_eq!(imported(app, &anna, NEW, day).await, Some(162 + 60));
    app.clock.advance(2 * DAY);
    app.store
        .telemetry
        .seal_due(ShardSet::ALL, app.clock.now())
        .await
        .unwrap();
    let anna = app.log_in(&anna.email, false).await;
    assert_eq!(imported(app, &anna, NEW, day).await, Some(222));
    let chart = format!("/api/auth/graph/?sn={NEW}&interval=Day&from_date={day}&series=m2");
    let chart = get(app, &anna, &chart).await;
    let quarters = chart["series"]["m2"].as_array().unwrap().iter();
    let placed: i64 = quarters.filter_map(Value::as_i64).sum();
    assert_eq!(placed, 40 + 60 + 7 + 12);
});

with_app!(a_unit_that_was_added_first_brings_its_days_along, |app| {
    let anna = app.owner("anna", OLD).await;
    let old = app.battery(OLD);
    let midnight = start_of("2026-11-15");
    old.history(vec![import(midnight, 100), import(midnight + HOUR, 150)])
        .await;
    let code = spare(app, NEW).await;
    post(app, &anna, "/api/auth/usr_sn/", &[("keys", &code)])
        .await
        .expect(200);
    app.clock.advance(DAY);
    let new = app.battery(NEW);
    new.history(vec![
        import(NOON + HOUR, 7_000),
        import(NOON + HOUR + 5 * MINUTE, 7_010),
        import(NOON + 14 * HOUR, 7_030),
    ])
    .await;
    // Its days are sealed as a separate system before the replacement is known.
    app.clock.advance(DAY);
    app.store
        .telemetry
        .seal_due(ShardSet::ALL, app.clock.now())
        .await
        .unwrap();
    let anna = app.log_in(&anna.email, false).await;
    let done = replace(app, &anna, OLD, NEW).await.expect(200).json();
    assert_eq!(done["status"], "replaced");
    for _ in 0..2 {
        assert_eq!(imported(app, &anna, NEW, "2026-11-15").await, Some(50 + 10));
        assert_eq!(imported(app, &anna, NEW, "2026-11-16").await, Some(20));
        app.store
            .telemetry
            .seal_due(ShardSet::ALL, app.clock.now())
            .await
            .unwrap();
    }
    // By now it is a system with its own history.
    let other = spare(app, "SC000003").await;
    post(app, &anna, "/api/auth/usr_sn/", &[("keys", &other)])
        .await
        .expect(200);
    app.clock.advance(15 * DAY);
    let anna = app.log_in(&anna.email, false).await;
    let refused = replace(app, &anna, NEW, "SC000003").await.expect(400);
    assert_eq!(refused.code(), "key:replace_in_use");
});

with_app!(the_old_unit_is_nobodys_until_it_has_a_new_code, |app| {
    let device = app.device(OLD).await;
    let both = app.device("SC000007").await;
    let anna = app.unlinked("anna", "SC000008").await;
    let added = post(app, &anna, "/api/auth/usr_sn/", &[("keys", OLD)]).await;
    assert_eq!(added.expect(200).json()["keys"][0]["status"], "waiting");
    let old = app.battery(OLD);
    old.perform_pattern().await;
    let anna = app.log_in(&anna.email, false).await;
    // A code for two units, of which the owner claimed only one, by its switch.
    let shared = app.code(&[&device, &both]).await;
    old.sample(|_| {}).await;
    let code = spare(app, NEW).await;
    replace(app, &anna, OLD, &code).await.expect(200);

    let ben = app.owner("ben", "SC000009").await;
    let tried = post(app, &ben, "/api/auth/usr_sn/", &[("keys", OLD)]).await;
    assert_eq!(tried.expect(200).json()["keys"][0]["status"], "used");
    old.perform_pattern().await;
    assert_eq!(systems(app, &ben).await, ["SC000009"]);
    // The code still works for the other unit.
    let rest = post(app, &ben, "/api/auth/usr_sn/", &[("keys", &shared)]).await;
    assert_eq!(
        rest.expect(200).json()["keys"][0]["sns"],
        json!(["SC000007"])
    );
    // Refurbished and with a new code, the old unit starts afresh.
    let fresh = app.code(&[&device]).await;
    app.clock.advance(MINUTE);
    post(app, &ben, "/api/auth/usr_sn/", &[("keys", &fresh)])
        .await
        .expect(200);
    assert!(systems(app, &ben).await.contains(&OLD.to_owned()));
    assert_eq!(imported(app, &ben, OLD, "2026-11-15").await, None);
    // From before, there is only what the unit did while it had no owner.
    let lines = events(app, &ben, OLD).await;
    assert_eq!(lines, ["system_linked", "battery"]);
    old.sample(|_| {}).await;
    let measured_at = live(app, &ben, OLD).await["measured_at"].clone();
    assert_eq!(measured_at, app.clock.now());
});

with_app!(
    an_electrician_with_service_replaces_and_the_owner_is_told,
    |app| {
        let anna = app.owner("anna", OLD).await;
        let eva = app.electrician("eva").await;
        let grant = app.grant(&anna, &eva, OLD, "configure").await;
        let device = app.device(NEW).await;
        let code = app.installer_code(&[&device]).await;
        replace(app, &eva, OLD, &code).await.expect(403);
        let path = format!("/api/auth/grant/{grant}/");
        let wider = [("scope", "service"), ("password", testkit::PASSWORD)];
        let wider = app.call("PATCH", &path).form(&wider);
        wider.bearer(&anna.access).send().await.expect(200);
        // A serial number proves nothing, whether or not the unit exists.
        for sn in [NEW, "SC777777"] {
            let refused = replace(app, &eva, OLD, sn).await.expect(400);
            assert_eq!(refused.code(), "key:replace_needs_code");
        }
        // An installer code does not work for an owner.
        assert_eq!(
            replace(app, &anna, OLD, &code).await.code(),
            "key:code_unknown"
        );
        replace(app, &eva, OLD, &code).await.expect(200);
        assert_eq!(systems(app, &anna).await, [NEW]);
        let mails = app.sent_mails().await;
        let told = mails.iter().filter(|mail| mail.to == anna.email);
        let told: Vec<_> = told
            .filter(|mail| mail.subject == "Ihr Speicher wurde ausgetauscht")
            .collect();
        assert_eq!(told.len(), 1);
        assert!(told[0].text.contains("Elektro Sonnenberg") && told[0].text.contains(NEW));
        let page = get(app, &anna, &format!("/api/auth/journal/?sn={NEW}")).await;
        assert_eq!(
            page["lines"][0]["text"],
            "Das Gerät SC000001 wurde durch SC000002 ersetzt."
        );
        assert_eq!(page["lines"][0]["actor"], "person");
        // A unit that the electrician opened with its installer code before needs no further proof.
        let next = app.installer_code(&[&app.device("SC000003").await]).await;
        post(app, &eva, "/api/auth/grant/code/", &[("code", &next)])
            .await
            .expect(200);
        replace(app, &eva, NEW, "SC000003").await.expect(200);
        assert_eq!(systems(app, &anna).await, ["SC000003"]);
        let grants = get(app, &anna, "/api/auth/grant/").await;
        let given = grants["given"].as_array().unwrap();
        assert_eq!(given.len(), 1);
        assert_eq!(
            (&given[0]["sn"], &given[0]["state"]),
            (&json!("SC000003"), &json!("active"))
        );
    }
);

with_app!(an_owner_can_prove_the_new_unit_by_its_main_switch, |app| {
    let anna = app.owner("anna", OLD).await;
    app.device(NEW).await;
    let waiting = replace(app, &anna, OLD, NEW).await.expect(200).json();
    assert_eq!(
        (&waiting["status"], &waiting["sn"]),
        (&json!("waiting"), &json!(NEW))
    );
    assert_eq!(systems(app, &anna).await, [OLD]);
    app.clock.advance(MINUTE);
    app.battery(NEW).perform_pattern().await;
    let done = replace(app, &anna, OLD, NEW).await.expect(200).json();
    assert_eq!(done["status"], "replaced");
    assert_eq!(systems(app, &anna).await, [NEW]);
});

with_app!(
    the_code_of_the_new_unit_wins_against_whoever_came_to_it_by_switch,
    |app| {
        let anna = app.owner("anna", OLD).await;
        let mallory = app.unlinked("mallory", NEW).await;
        app.battery(NEW).perform_pattern().await;
        let code = app.code(&[&NEW.parse().unwrap()]).await;
        app.clock.advance(MINUTE);
        replace(app, &anna, OLD, &code).await.expect(200);
        assert_eq!(systems(app, &anna).await, [NEW]);
        let login = app.try_log_in(&mallory.email, PASSWORD, false).await;
        assert_eq!(login.expect(403).code(), "no_systems");
    }
);

with_app!(what_is_wrong_is_said, |app| {
    let anna = app.owner("anna", OLD).await;
    app.owner("ben", "SC000009").await;
    let two = [app.device("SC000003").await, app.device("SC000004").await];
    let several = app.code(&[&two[0], &two[1]]).await;
    for (key, code) in [
        ("", "key:required"),
        ("no number", "key:serial_format"),
        (OLD, "key:replace_same"),
        ("SC000009", "key:serial_used"),
        ("ABCDE-FGHJK-MNPQR-STVWX", "key:code_unknown"),
        (&several, "key:replace_several"),
    ] {
        let refused = replace(app, &anna, OLD, key).await.expect(400);
        assert_eq!(refused.code(), code, "{key}");
    }
    for foreign in ["SC000009", "SC777777"] {
        replace(app, &anna, foreign, NEW).await.expect(404);
    }
    assert_eq!(systems(app, &anna).await, [OLD]);
});

with_app!(
    a_protocol_goes_on_to_name_the_unit_that_was_checked,
    |app| {
        let anna = app.owner("anna", OLD).await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, OLD, "service").await;
        let id = app.commission(&eva, &app.battery(OLD)).await;
        let path = format!("/api/auth/commissioning/protocol/{id}/");
        let before = get(app, &anna, &path).await;
        let code = spare(app, NEW).await;
        replace(app, &eva, OLD, &code).await.expect(200);
        let list = get(
            app,
            &anna,
            &format!("/api/auth/commissioning/protocol/?sn={NEW}"),
        )
        .await;
        assert!(list.to_string().contains(OLD), "{list}");
        assert_eq!(get(app, &anna, &path).await, before);
        let pdf = app.get(&format!("{path}pdf/")).bearer(&anna.access);
        pdf.send().await.expect(200);
        let export = app.get("/api/auth/account/export/?format=json");
        let export = export.bearer(&anna.access).send().await.expect(200).json();
        assert_eq!(export["commissionings"][0]["sn"], OLD);
    }
);

with_app!(
    the_new_unit_goes_on_over_the_connection_that_it_has,
    |app| {
        let anna = app.owner("anna", OLD).await;
        let now = app.clock.now();
        let mut old = MqttBattery::connect(app.devices, OLD).await;
        old.say_hello(now).await;
        old.measure(now).await;
        let set = [("version", "0"), ("reserve_soc", "35")];
        post(app, &anna, &format!("/api/auth/settings/?sn={OLD}"), &set)
            .await
            .expect(200);
        let code = spare(app, NEW).await;
        let mut new = MqttBattery::connect(app.devices, NEW).await;
        new.subscribe_and_say_hello(now, 0).await;
        new.measure(now).await;
        app.clock.advance(MINUTE);
        replace(app, &anna, OLD, &code).await.expect(200);
        // The household's settings reach the new unit at once.
        let wanted = new.next_message_on("des").await;
        assert_eq!(wanted["state"]["reserve_soc"], 35);
        let now = app.clock.now();
        new.measure(now).await;
        // Repeating the same message changes nothing.
        new.seq -= 1;
        new.measure(now).await;
        let shown = live(app, &anna, NEW).await;
        assert_eq!(
            (&shown["measured_at"], &shown["online"]),
            (&json!(now), &json!(true))
        );
        let samples = app
            .store
            .telemetry
            .latest_sample(&NEW.parse().unwrap(), i64::MAX)
            .await
            .unwrap();
        assert_eq!(samples.unwrap().id.unit, 1);
        // The old unit still reports, but no one sees it.
        old.measure(now).await;
        assert_eq!(systems(app, &anna).await, [NEW]);
    }
);

with_app!(nothing_is_replaced_while_the_old_unit_is_updated, |app| {
    let anna = app.owner("anna", OLD).await;
    app.roll_out(&manifest(Part::Gateway, "3.0", 1), IMAGE)
        .await;
    let mut old = MqttBattery::connect(app.devices, OLD).await;
    let versions = json!({"fw": {"g": "2.0", "m": "4.1", "sl": null, "off": 0}});
    let hello = merge(old.hello(app.clock.now()), versions);
    old.report("hello", hello.to_string()).await;
    // Offers are read every few seconds.
    eventually("the update begins", async || {
        app.order_update(&anna, OLD, "1").await.status == 200
    })
    .await;
    let code = spare(app, NEW).await;
    let refused = replace(app, &anna, OLD, &code).await.expect(409);
    assert_eq!(refused.code(), "replace_updating");
    app.order_update(&anna, OLD, "0").await.expect(200);
    replace(app, &anna, OLD, &code).await.expect(200);
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_code_does_not_stop_the_gateways() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let anna = app.owner("anna", OLD).await;
    // A gateway stores reports, which an exchange waits for.
    let storing = db.lock_exchanges().await;
    let refused = replace(&app, &anna, OLD, "ABCDE-FGHJK-MNPQR-STVWX").await;
    assert!(refused.status.is_client_error(), "{}", refused.text);
    assert_eq!(db.waiting_for_locks().await, 0);
    storing.release().await;
    app.stop().await;
    db.close().await;
}
