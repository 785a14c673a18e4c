//! Settings of many systems at once: tried, changed with a result for each, and undone where no one has changed them since.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use testkit::{Person, TestApp, TestResponse, on_both, with_app};

const BATCH: &str = "/api/auth/settings/batch/";
const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let answer = app.get(path).bearer(&person.access).send().await;
    answer.expect(200).json()
}

async fn post(app: &TestApp, person: &Person, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    app.post(path, fields).bearer(&person.access).send().await
}

/// The result of a dry run with these fields.
async fn dry_run(app: &TestApp, person: &Person, sn: &str, fields: &[(&str, &str)]) -> Value {
    let fields = [fields, &[("dry_run", "true")]].concat();
    let answer = post(app, person, &format!("{BATCH}?sn={sn}"), &fields).await;
    answer.expect(200).json()
}

fn versions(outcome: &Value) -> String {
    let systems = outcome["systems"].as_array().unwrap().iter();
    let versions: Vec<String> = systems
        .map(|system| system["version"].to_string())
        .collect();
    versions.join(",")
}

/// Applies the change of a dry run.
async fn apply(
    app: &TestApp,
    person: &Person,
    sn: &str,
    tried: &Value,
    fields: &[(&str, &str)],
) -> Value {
    let versions = versions(tried);
    let fields = [fields, &[("version", versions.as_str())]].concat();
    let answer = post(app, person, &format!("{BATCH}?sn={sn}"), &fields).await;
    answer.expect(200).json()
}

async fn change(app: &TestApp, person: &Person, sn: &str, fields: &[(&str, &str)]) -> Value {
    let tried = dry_run(app, person, sn, fields).await;
    apply(app, person, sn, &tried, fields).await
}

async fn undo(app: &TestApp, person: &Person, id: &Value) -> Value {
    let path = format!("{BATCH}{}/undo/", id.as_str().unwrap());
    post(app, person, &path, &[]).await.expect(200).json()
}

async fn desired(app: &TestApp, person: &Person, sn: &str) -> Value {
    get(app, person, &format!("/api/auth/settings/?sn={sn}")).await["desired"].clone()
}

/// By serial number: the result, and the error codes.
fn results(outcome: &Value) -> Vec<(String, String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let systems = outcome["systems"].as_array().unwrap().iter();
    let result = |system: &Value| {
        let problems = system["problems"].as_array().unwrap().iter();
        let problem = |it: &Value| format!("{}: {}", text(&it["field"]), text(&it["code"]));
        let problems = problems.map(problem).collect();
        (text(&system["sn"]), text(&system["result"]), problems)
    };
    systems.map(result).collect()
}

fn result(sn: &str, result: &str, problems: &[&str]) -> (String, String, Vec<String>) {
    let problems = problems.iter().map(|text| (*text).to_owned());
    (sn.to_owned(), result.to_owned(), problems.collect())
}

/// Anna's system is large, Ben's is small, and at Carla's the electrician only sees measurements.
struct Village {
    anna: Person,
    ben: Person,
    eva: Person,
}

const ALL: &str = "SC000001,SC000002,SC000003";

impl Village {
    async fn build(app: &TestApp) -> Self {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let carla = app.owner("carla", "SC000003").await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, "SC000001", "service").await;
        app.grant(&ben, &eva, "SC000002", "service").await;
        app.grant(&carla, &eva, "SC000003", "monitor").await;
        app.battery("SC000001").hello(|_| {}).await;
        let small = app.battery("SC000002");
        small
            .hello(|hello| {
                hello.charge_max = 2_500;
                hello.discharge_max = 2_500;
            })
            .await;
        small.goes_offline().await;
        Self { anna, ben, eva }
    }
}

with_app!(
    a_dry_run_tells_what_would_change_where_and_changes_nothing,
    |app| {
        let Village { anna, eva, .. } = Village::build(app).await;
        let fields = [("charge_limit", "3000"), ("reserve_soc", "10")];
        let tried = dry_run(app, &eva, ALL, &fields).await;
        assert_eq!(tried["dry_run"], true);
        assert_eq!(tried["id"], Value::Null);
        assert_eq!(
            results(&tried),
            [
                result("SC000001", "changed", &[]),
                result("SC000002", "refused", &["charge_limit: power_range"]),
                result("SC000003", "refused", &["sn: scope_too_small"]),
            ]
        );
        let first = &tried["systems"][0];
        assert_eq!(
            first["changes"],
            json!([{"field": "charge_limit", "from": 4200, "to": 3000}])
        );
        assert_eq!(first["online"], true);
        assert_eq!(tried["systems"][1]["online"], false);
        // The refused unit's own limit, to choose another value.
        assert_eq!(tried["systems"][1]["problems"][0]["max"], 2_500);
        assert!(tried["systems"][2]["problems"][0].get("max").is_none());
        assert_eq!(desired(app, &anna, "SC000001").await["charge_limit"], 4200);
        assert_eq!(get(app, &eva, BATCH).await, json!([]));
        let same = dry_run(app, &eva, "SC000001", &[("reserve_soc", "10")]).await;
        assert_eq!(results(&same), [result("SC000001", "unchanged", &[])]);
    }
);

with_app!(
    a_batch_changes_each_system_for_itself_and_is_undone,
    |app| {
        let Village { anna, ben, eva } = Village::build(app).await;
        let fields = [("charge_limit", "3000"), ("reserve_soc", "35")];
        let done = change(app, &eva, ALL, &fields).await;
        assert_eq!(results(&done)[0], result("SC000001", "changed", &[]));
        assert_eq!(results(&done)[1].1, "refused");
        assert_eq!(results(&done)[2].1, "refused");
        assert_eq!(desired(app, &anna, "SC000001").await["charge_limit"], 3000);
        assert_eq!(desired(app, &ben, "SC000002").await["reserve_soc"], 10);
        // The owner can read who changed what.
        let journal = get(app, &anna, "/api/auth/journal/?sn=SC000001").await;
        assert!(
            journal.to_string().contains("Elektro Sonnenberg"),
            "{journal}"
        );

        let kept = get(app, &eva, BATCH).await;
        assert_eq!(kept[0]["id"], done["id"]);
        assert_eq!(kept[0]["systems"].as_array().unwrap().len(), 1);
        assert_eq!(kept[0]["systems"][0]["undone_at"], Value::Null);
        let undone = undo(app, &eva, &done["id"]).await;
        assert_eq!(results(&undone), [result("SC000001", "changed", &[])]);
        let after = desired(app, &anna, "SC000001").await;
        assert_eq!(
            (&after["charge_limit"], &after["reserve_soc"]),
            (&json!(4200), &json!(10))
        );
        let kept = get(app, &eva, BATCH).await;
        assert!(kept[0]["systems"][0]["undone_at"].is_i64());
        // There is nothing left to undo.
        let again = undo(app, &eva, &done["id"]).await;
        assert_eq!(again["systems"], json!([]));
    }
);

with_app!(undoing_leaves_what_was_changed_since, |app| {
    let Village { anna, ben, eva } = Village::build(app).await;
    let fields = [("charge_start", "22:00"), ("reserve_soc", "35")];
    let done = change(app, &eva, "SC000001,SC000002", &fields).await;
    // Anna changes one of them; Ben changes his and then changes it back.
    for (person, sn, version, soc) in [
        (&anna, "SC000001", "1", "50"),
        (&ben, "SC000002", "1", "50"),
        (&ben, "SC000002", "2", "35"),
    ] {
        let fields = [("version", version), ("reserve_soc", soc)];
        post(
            app,
            person,
            &format!("/api/auth/settings/?sn={sn}"),
            &fields,
        )
        .await
        .expect(200);
    }
    let path = format!("{BATCH}{}/undo/", done["id"].as_str().unwrap());
    let tried = post(app, &eva, &path, &[("dry_run", "true")]).await;
    let undone = undo(app, &eva, &done["id"]).await;
    for (place, soc) in [(0, 50), (1, 35)] {
        let system = &undone["systems"][place];
        assert_eq!(
            system["changes"],
            json!([{"field": "charge_start", "from": "22:00", "to": "00:00"}])
        );
        assert_eq!(
            system["left"],
            json!([{"field": "reserve_soc", "to": 35, "now": soc, "why": "changed_since"}])
        );
        assert_eq!(tried.json()["systems"][place]["left"], system["left"]);
    }
    assert_eq!(desired(app, &anna, "SC000001").await["reserve_soc"], 50);
});

with_app!(
    what_somebody_else_saves_between_dry_run_and_change_is_not_overwritten,
    |app| {
        let Village { anna, ben, eva } = Village::build(app).await;
        let fields = [("reserve_soc", "35")];
        let two = "SC000001,SC000002";
        let tried = dry_run(app, &eva, two, &fields).await;
        let annas = [("version", "0"), ("reserve_soc", "60")];
        post(app, &anna, "/api/auth/settings/?sn=SC000001", &annas)
            .await
            .expect(200);
        let done = apply(app, &eva, two, &tried, &fields).await;
        assert_eq!(
            results(&done),
            [
                result("SC000001", "refused", &["version: version_conflict"]),
                result("SC000002", "changed", &[]),
            ]
        );
        let conflict = &done["systems"][0]["conflict"][0];
        assert_eq!(
            (&conflict["to"], &conflict["by"]),
            (&json!(60), &json!("person"))
        );
        assert_eq!(desired(app, &anna, "SC000001").await["reserve_soc"], 60);
        assert_eq!(desired(app, &ben, "SC000002").await["reserve_soc"], 35);
    }
);

with_app!(each_field_takes_the_right_that_it_takes_alone, |app| {
    let Village { anna, eva, .. } = Village::build(app).await;
    let max = app.electrician("max").await;
    app.grant(&anna, &max, "SC000001", "configure").await;
    let wiring = dry_run(app, &max, "SC000001", &[("meter_type", "em24")]).await;
    assert_eq!(
        results(&wiring),
        [result(
            "SC000001",
            "refused",
            &["meter_type: scope_too_small"]
        )]
    );
    let fine = dry_run(app, &max, "SC000001", &[("reserve_soc", "20")]).await;
    assert_eq!(results(&fine), [result("SC000001", "changed", &[])]);
    // Above 4.2 kW the notice must be acknowledged.
    let limit = [("charge_limit", "4600")];
    let refused = dry_run(app, &eva, "SC000001", &limit).await;
    assert_eq!(
        results(&refused),
        [result(
            "SC000001",
            "refused",
            &["charge_limit: acknowledge_14a"]
        )]
    );
    let read = [("charge_limit", "4600"), ("acknowledge_14a", "true")];
    let done = change(app, &eva, "SC000001", &read).await;
    assert_eq!(results(&done)[0].1, "changed");
    // Undoing a later batch restores the value that the notice was acknowledged for.
    let down = change(app, &eva, "SC000001", &[("charge_limit", "4000")]).await;
    let undone = undo(app, &eva, &down["id"]).await;
    assert_eq!(results(&undone), [result("SC000001", "changed", &[])]);
    assert_eq!(desired(app, &anna, "SC000001").await["charge_limit"], 4600);
});

with_app!(the_owners_token_is_neither_named_nor_taken_away, |app| {
    let Village { anna, eva, .. } = Village::build(app).await;
    let named = [("provider", "tibber"), ("provider_token", TOKEN)];
    let refused = dry_run(app, &eva, "SC000001", &named).await;
    assert_eq!(
        results(&refused),
        [result(
            "SC000001",
            "refused",
            &["provider_token: forbidden"]
        )]
    );
    let without = dry_run(app, &eva, "SC000001", &[("provider", "tibber")]).await;
    let owners = [result(
        "SC000001",
        "refused",
        &["provider: token_owners_only"],
    )];
    assert_eq!(results(&without), owners);
    let hers = [
        ("version", "0"),
        ("provider", "tibber"),
        ("provider_token", TOKEN),
    ];
    let path = "/api/auth/settings/?sn=SC000001";
    post(app, &anna, path, &hers).await.expect(200);
    let away = change(app, &eva, "SC000001", &[("provider", "awattar")]).await;
    assert_eq!(results(&away), owners);
    assert_eq!(
        desired(app, &anna, "SC000001").await["provider_token"],
        "…ebAE"
    );
});

on_both!(the_brake_and_the_limit_hold_for_batches, |db| {
    let started = TestApp::start_with(db, |settings| settings.devices_a_minute = 1).await;
    let app = &started;
    let Village { eva, .. } = Village::build(app).await;
    let fields = [("reserve_soc", "35")];
    let two = "SC000001,SC000002";
    let wanted = [
        result("SC000001", "changed", &[]),
        result("SC000002", "refused", &["sn: too_many_devices"]),
    ];
    let tried = dry_run(app, &eva, two, &fields).await;
    assert_eq!(results(&tried), wanted);
    let done = apply(app, &eva, two, &tried, &fields).await;
    assert_eq!(results(&done), wanted);
    app.clock.advance(2 * MINUTE);
    app.service.put_brake_on("a bad update").await.unwrap();
    let held = dry_run(app, &eva, two, &[("reserve_soc", "40")]).await;
    for (_, result, problems) in results(&held) {
        assert_eq!(
            (result.as_str(), problems),
            ("refused", vec!["sn: fleet_braked".to_owned()])
        );
    }
    let undone = undo(app, &eva, &done["id"]).await;
    assert_eq!(results(&undone)[0].2, ["sn: fleet_braked"]);
    started.stop().await;
});

with_app!(a_batch_is_its_makers_and_ends_with_the_grant, |app| {
    let Village { anna, ben, eva } = Village::build(app).await;
    let max = app.electrician("max").await;
    app.grant(&anna, &max, "SC000001", "service").await;
    let done = change(app, &eva, "SC000001,SC000002", &[("reserve_soc", "35")]).await;
    assert_eq!(get(app, &max, BATCH).await, json!([]));
    let path = format!("{BATCH}{}/undo/", done["id"].as_str().unwrap());
    let foreign = post(app, &max, &path, &[]).await.expect(404).text;
    let missing = format!("{BATCH}0123456789abcdef01234567/undo/");
    assert_eq!(
        post(app, &eva, &missing, &[]).await.expect(404).text,
        foreign
    );
    // With less than configure it is no longer shown. Without a grant it is deleted.
    let grants = get(app, &ben, "/api/auth/grant/").await;
    let id = &grants["given"][0]["id"];
    let call = app.call("DELETE", &format!("/api/auth/grant/{id}/"));
    call.bearer(&ben.access).send().await.expect(204);
    app.grant(&ben, &eva, "SC000002", "service").await;
    let kept = get(app, &eva, BATCH).await;
    let systems = kept[0]["systems"].as_array().unwrap();
    assert_eq!(systems.len(), 1);
    assert_eq!(systems[0]["sn"], "SC000001");
    app.clock.advance(31 * DAY);
    let eva = app.log_in(&eva.email, true).await;
    post(app, &eva, &path, &[]).await.expect(404);
});

with_app!(a_batch_needs_something_to_change_and_what_was_read, |app| {
    let Village { eva, .. } = Village::build(app).await;
    let path = format!("{BATCH}?sn=SC000001");
    let nothing = post(app, &eva, &path, &[("dry_run", "true")])
        .await
        .expect(400);
    assert_eq!(nothing.code(), "nothing_to_change");
    let unread = post(app, &eva, &path, &[("reserve_soc", "20")])
        .await
        .expect(400);
    assert_eq!(unread.json()["codes"]["version"][0], "required");
    let fields = [("reserve_soc", "20"), ("dry_run", "true")];
    for sn in ["SC000003", "SC999999"] {
        let status = if sn == "SC000003" { 403 } else { 404 };
        post(app, &eva, &format!("{BATCH}?sn={sn}"), &fields)
            .await
            .expect(status);
    }
});

type Form = Vec<(&'static str, String)>;

/// Any of the fields with valid or invalid values, and whether the change stays.
fn forms() -> impl Strategy<Value = (Form, bool)> {
    let one_of = |name: &'static str, texts: &'static [&'static str]| {
        let text = proptest::sample::select(texts);
        proptest::option::weighted(
            0.3,
            text.prop_map(move |text: &str| (name, text.to_owned())),
        )
    };
    let times = &["00:00", "06:30", "22:00", "24:00", "25:00"];
    let form = (
        one_of("reserve_soc", &["0", "15", "50", "101", "ten"]),
        one_of("charge_start", times),
        one_of("charge_end", times),
        one_of("charge_limit", &["0", "2000", "3000", "4600", "9000"]),
        one_of("provider", &["none", "tibber", "awattar", "fixed"]),
        one_of("dynamic_tariff", &["off", "plan", "price"]),
        one_of("charge_power", &["500", "2500", "40000"]),
        one_of("meter_address", &["3", "248", "251"]),
        proptest::bool::ANY,
    );
    form.prop_map(
        |(soc, start, end, limit, provider, tariff, power, meter, stays)| {
            let fields = [soc, start, end, limit, provider, tariff, power, meter];
            (fields.into_iter().flatten().collect(), stays)
        },
    )
}

with_app!(
    a_dry_run_says_what_the_change_then_does_and_undoing_restores_it,
    |app| {
        let Village { anna, ben, eva } = Village::build(app).await;
        let mut runner = TestRunner::deterministic();
        for _ in 0..40 {
            let (form, stays) = forms().new_tree(&mut runner).unwrap().current();
            if form.is_empty() {
                continue;
            }
            let fields: Vec<(&str, &str)> = form
                .iter()
                .map(|(name, text)| (*name, text.as_str()))
                .collect();
            let before = [
                desired(app, &anna, "SC000001").await,
                desired(app, &ben, "SC000002").await,
            ];
            let tried = dry_run(app, &eva, ALL, &fields).await;
            let done = apply(app, &eva, ALL, &tried, &fields).await;
            for (tried, done) in tried["systems"]
                .as_array()
                .unwrap()
                .iter()
                .zip(done["systems"].as_array().unwrap())
            {
                for part in ["sn", "result", "online", "changes", "problems", "warnings"] {
                    assert_eq!(tried[part], done[part], "{fields:?}");
                }
            }
            // Some changes stay, so the next round starts from other values.
            if done["id"].is_null() || stays {
                continue;
            }
            let undone = undo(app, &eva, &done["id"]).await;
            let after = [
                desired(app, &anna, "SC000001").await,
                desired(app, &ben, "SC000002").await,
            ];
            for (place, (mut before, after)) in before.into_iter().zip(after).enumerate() {
                let sn = ["SC000001", "SC000002"][place];
                let of = |outcome: &Value| {
                    let systems = outcome["systems"].as_array().unwrap().iter();
                    systems.clone().find(|system| system["sn"] == sn).cloned()
                };
                let Some(undone) = of(&undone) else { continue };
                assert_ne!(undone["result"], "refused", "{fields:?}: {undone}");
                for left in undone["left"].as_array().unwrap() {
                    assert_eq!(left["why"], "was_unknown", "{fields:?}");
                    before[left["field"].as_str().unwrap()] = left["now"].clone();
                }
                assert_eq!(after, before, "{fields:?}");
            }
        }
    }
);
