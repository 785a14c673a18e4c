//! Tariffs: what a kWh costs and earns according to the owner, from which day on, and who may see it.
#![allow(clippy::unwrap_used)]
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::{Person, TestApp, TestResponse, with_app};

const TARIFF: &str = "/api/auth/tariff/";

async fn set(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> TestResponse {
    let call = app.post(TARIFF, fields).bearer(&person.access);
    call.send().await
}

/// Enters prices for SC000001; an empty `from` is omitted.
async fn prices(app: &TestApp, person: &Person, import: &str, from: &str) -> TestResponse {
    let fields = [
        ("sn", "SC000001"),
        ("import_price", import),
        ("feed_in_price", "7,94"),
        ("from", from),
    ];
    set(app, person, &fields).await
}

async fn get(app: &TestApp, person: &Person, sn: &str) -> Value {
    let call = app.get(&format!("{TARIFF}?sn={sn}"));
    call.bearer(&person.access).send().await.expect(200).json()
}

/// The import prices of SC000001, with the day that each begins.
async fn steps(app: &TestApp, person: &Person) -> Value {
    let answer = get(app, person, "SC000001").await;
    let tariffs = answer[0]["tariffs"].as_array().unwrap().iter();
    tariffs
        .map(|tariff| json!([tariff["from"], tariff["import_price"]]))
        .collect()
}

/// Anna with two systems.
async fn anna(app: &TestApp) -> Person {
    let units = [app.device("SC000001").await, app.device("SC000002").await];
    let code = app.code(&units.each_ref()).await;
    let form = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    app.log_in("anna@example.com", false).await
}

with_app!(a_system_without_prices_has_an_empty_list, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let want = json!([{"sn": "SC000001", "currency": "EUR", "tariffs": []}]);
    assert_eq!(get(app, &anna, "SC000001").await, want);
});

with_app!(prices_are_answered_as_they_were_entered, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (typed, shown) in [
        ("31,90", "31.90"),
        ("31.99", "31.99"),
        (" 32 ", "32"),
        ("0,05", "0.05"),
        ("0", "0"),
        ("500.00", "500"),
    ] {
        let answer = prices(app, &anna, typed, "2026-01-01").await.expect(200);
        let want = format!(
            r#"[{{"sn":"SC000001","currency":"EUR","tariffs":[{{"from":"2026-01-01","import_price":{shown},"feed_in_price":7.94}}]}}]"#
        );
        assert_eq!(answer.text, want, "{typed}");
        let again = app.get(&format!("{TARIFF}?sn=SC000001"));
        let again = again.bearer(&anna.access).send().await.expect(200);
        assert_eq!(again.text, want);
    }
});

with_app!(
    the_first_prices_hold_for_the_past_and_later_ones_from_today,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        prices(app, &anna, "31", "").await.expect(200);
        assert_eq!(steps(app, &anna).await, json!([[null, 31]]));
        prices(app, &anna, "32", "").await.expect(200);
        assert_eq!(
            steps(app, &anna).await,
            json!([[null, 31], ["2026-11-15", 32]])
        );
        // Entering the same day again corrects it.
        prices(app, &anna, "33", "").await.expect(200);
        prices(app, &anna, "30", "null").await.expect(200);
        prices(app, &anna, "35", "2027-01-01").await.expect(200);
        prices(app, &anna, "29", "2025-01-01").await.expect(200);
        assert_eq!(
            steps(app, &anna).await,
            json!([
                [null, 30],
                ["2025-01-01", 29],
                ["2026-11-15", 33],
                ["2027-01-01", 35]
            ])
        );
    }
);

with_app!(a_first_tariff_with_a_day_says_nothing_of_the_past, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "31", "2026-06-01").await.expect(200);
    assert_eq!(steps(app, &anna).await, json!([["2026-06-01", 31]]));
});

with_app!(today_is_the_sites_day, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    let zone = "Pacific/Auckland".parse().unwrap();
    battery.hello(|hello| hello.zone = zone).await;
    prices(app, &anna, "31", "").await.expect(200);
    prices(app, &anna, "32", "").await.expect(200);
    assert_eq!(
        steps(app, &anna).await,
        json!([[null, 31], ["2026-11-16", 32]])
    );
    prices(app, &anna, "33", "2027-11-16").await.expect(200);
});

with_app!(wrong_prices_and_days_are_told_at_their_field, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (import, code) in [
        ("", "required"),
        ("teuer", "price_invalid"),
        ("31,905", "price_invalid"),
        ("500,01", "price_range"),
        ("-1", "price_range"),
    ] {
        let answer = prices(app, &anna, import, "").await.expect(400);
        assert_eq!(answer.code(), format!("import_price:{code}"), "{import}");
    }
    for (from, code) in [
        ("15.11.2026", "date_invalid"),
        ("2026-02-30", "date_invalid"),
        ("0001-01-01", "date_invalid"),
        ("2027-11-16", "date_too_late"),
    ] {
        let answer = prices(app, &anna, "31", from).await.expect(400);
        assert_eq!(answer.code(), format!("from:{code}"), "{from}");
    }
    assert_eq!(steps(app, &anna).await, json!([]));
    prices(app, &anna, "31", "2027-11-15").await.expect(200);
    // All missing fields are reported at once.
    let answer = set(app, &anna, &[("sn", "SC000001")]).await.expect(400);
    let codes = &answer.json()["codes"];
    let want = json!({"import_price": ["required"], "feed_in_price": ["required"]});
    assert_eq!(*codes, want);
    let nobody = [("import_price", "31"), ("feed_in_price", "8")];
    let answer = set(app, &anna, &nobody).await.expect(400);
    assert_eq!(answer.code(), "sn:required");
});

with_app!(
    several_systems_get_their_prices_at_once_and_all_or_none,
    |app| {
        let anna = anna(app).await;
        app.owner("ben", "SC000009").await;
        let both = [("sn", "-1"), ("import_price", "31"), ("feed_in_price", "8")];
        let answer = set(app, &anna, &both).await.expect(200).json();
        let tariffs = json!([{"from": null, "import_price": 31, "feed_in_price": 8}]);
        let want = json!([
            {"sn": "SC000001", "currency": "EUR", "tariffs": tariffs},
            {"sn": "SC000002", "currency": "EUR", "tariffs": tariffs},
        ]);
        assert_eq!(answer, want);
        for sn in ["", "-1", "SC000001,SC000002"] {
            assert_eq!(get(app, &anna, sn).await, want, "{sn}");
        }
        let mut refused = BTreeSet::new();
        for foreign in ["SC000009", "SC999999", "rubbish", "sc000001"] {
            let sn = format!("SC000001,{foreign}");
            let fields = [
                ("sn", sn.as_str()),
                ("import_price", "99"),
                ("feed_in_price", "9"),
            ];
            refused.insert(set(app, &anna, &fields).await.expect(404).text);
            let call = app.get(&format!("{TARIFF}?sn={sn}"));
            let answer = call.bearer(&anna.access).send().await;
            refused.insert(answer.expect(404).text);
        }
        assert_eq!(refused.len(), 1);
        assert_eq!(get(app, &anna, "-1").await, want);
    }
);

with_app!(the_currency_is_that_of_the_owners_country, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (country, currency) in [("PL", "PLN"), ("CH", "CHF"), ("HR", "EUR"), ("DE", "EUR")] {
        let call = app.call("PATCH", "/api/auth/account/");
        let call = call.form(&[("country", country)]).bearer(&anna.access);
        call.send().await.expect(200);
        let answer = get(app, &anna, "SC000001").await;
        assert_eq!(answer[0]["currency"], currency, "{country}");
    }
});

with_app!(every_price_stands_in_the_journal, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "31", "").await.expect(200);
    prices(app, &anna, "31,905", "").await.expect(400);
    prices(app, &anna, "32,5", "null").await.expect(200);
    prices(app, &anna, "33", "2026-01-01").await.expect(200);
    let account = app.account_id(&anna.email).await;
    let journal = app.store.journal_of(account).await.unwrap();
    let lines: Vec<(Option<&str>, Value)> = journal
        .iter()
        .filter(|line| line.event == "tariff_set")
        .map(|line| {
            (
                line.sn.as_deref(),
                serde_json::from_str(&line.detail).unwrap(),
            )
        })
        .collect();
    let of = |import: &str| json!({"import_price": import, "feed_in_price": "7.94"});
    let sn = Some("SC000001");
    assert_eq!(
        lines,
        [
            (sn, json!({"from": null, "to": of("31.00"), "was": null})),
            (
                sn,
                json!({"from": null, "to": of("32.50"), "was": of("31.00")})
            ),
            (
                sn,
                json!({"from": "2026-01-01", "to": of("33.00"), "was": null})
            ),
        ]
    );
});

with_app!(the_next_owner_has_prices_of_the_own, |app| {
    let anna = anna(app).await;
    prices(app, &anna, "31", "").await.expect(200);
    let call = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
    let call = call.form(&[("password", testkit::PASSWORD)]);
    call.bearer(&anna.access).send().await.expect(204);
    let code = app.code(&[&"SC000001".parse().unwrap()]).await;
    let form = app.owner_form("ben@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    let ben = app.log_in("ben@example.com", false).await;
    assert_eq!(steps(app, &ben).await, json!([]));
});
