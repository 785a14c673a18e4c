//! "No electrician sees your prices": neither in the settings nor in anything derived from them, and no electrician sets one.
use super::{get, post};
use serde_json::{Value, json};
use testkit::{Person, TestApp, on_both};

const SN: &str = "SC000001";
const SETTINGS: &str = "/api/auth/settings/?sn=SC000001";
const BATCH: &str = "/api/auth/settings/batch/?sn=SC000001";
/// What the owner pays and earns; each value is searchable as text.
const PRICES: [(&str, &str); 5] = [
    ("import_price", "31.93"),
    ("feed_in_price", "7.91"),
    ("import_adder", "15.17"),
    ("vat", "18.3"),
    ("charge_price", "12.57"),
];

async fn save(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> testkit::TestResponse {
    let settings = get(app, person, SETTINGS).await.expect(200).json();
    let version = settings["version"].to_string();
    let fields = [&[("version", version.as_str())], fields].concat();
    post(app, person, SETTINGS, &fields).await
}

/// No price of the owner occurs in a text, in any notation of a number.
fn assert_no_price(text: &str, place: &str) {
    for (field, price) in PRICES {
        let comma = price.replace('.', ",");
        assert!(
            !text.contains(price) && !text.contains(&comma),
            "{field} in {place}: {text}"
        );
    }
}

on_both!(no_electrician_sees_or_sets_a_price, |db| {
    let started = TestApp::start(db).await;
    let app = &started;
    let anna = app.owner("anna", SN).await;
    let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
    app.grant(&anna, &eva, SN, "configure").await;
    app.grant(&anna, &max, SN, "service").await;
    let provider = [("provider", "fixed"), ("dynamic_tariff", "price")];
    save(app, &anna, &[&provider[..], &PRICES].concat())
        .await
        .expect(200);
    let own = get(app, &anna, SETTINGS).await.expect(200).json();
    assert_eq!(own["desired"]["import_price"], json!(31.93));
    let mut all = serde_json::Map::clone(own["desired"].as_object().unwrap());
    all.retain(|_, value| !value.is_null());
    let applied = domain::Settings::from_json(&all).unwrap();
    app.battery(SN).applied(1, applied).await;
    for person in [&eva, &max] {
        // Reading.
        let seen = get(app, person, SETTINGS).await.expect(200);
        assert_no_price(&seen.text, "settings");
        let seen = seen.json();
        for (field, _) in PRICES {
            for part in ["desired", "reported", "fields"] {
                assert_eq!(seen[part].get(field), None, "{field} in {part}");
            }
        }
        assert_eq!(seen["reported"]["provider"], "fixed");
        for path in ["tariff", "price", "savings", "plan"] {
            let path = format!("/api/auth/{path}/?sn={SN}");
            get(app, person, &path).await.expect(403);
        }
        // Setting: even the current price is refused, so it cannot be found by trying.
        for (field, price) in PRICES {
            for text in [price, "1", "much"] {
                let refused = save(app, person, &[(field, text)]).await.expect(400);
                assert_eq!(refused.json()["codes"][SN][field][0], "price_owners_only");
                assert_no_price(&refused.text, "a refused save");
                let tried = [("dry_run", "true"), (field, text)];
                let tried = post(app, person, BATCH, &tried).await.expect(200);
                let system = tried.json()["systems"][0].clone();
                assert_eq!(system["problems"][0]["code"], "price_owners_only");
                assert_eq!(system["changes"], json!([]));
            }
            let template = [("name", "Preise"), (field, price)];
            let template = post(app, person, "/api/auth/settings/template/", &template).await;
            assert_eq!(
                template.expect(400).json()["codes"][field][0],
                "price_owners_only"
            );
        }
        // All other settings still work.
        save(app, person, &[("reserve_soc", "20")])
            .await
            .expect(200);
        let version = get(app, person, SETTINGS).await.json()["version"].to_string();
        let reset = [("version", version.as_str())];
        post(app, person, "/api/auth/settings/reset/?sn=SC000001", &reset)
            .await
            .expect(200);
        let kept = get(app, &anna, SETTINGS).await.expect(200).json();
        for (field, price) in PRICES {
            assert_eq!(kept["desired"][field].to_string(), price, "after a reset");
        }
        save(app, &anna, &provider).await.expect(200);
        // A conflict with the owner's changes names no price.
        let old = [("version", "0"), ("reserve_soc", "30")];
        let conflict = post(app, person, SETTINGS, &old).await.expect(409);
        assert_no_price(&conflict.text, "a conflict");
        for path in [
            "/api/auth/journal/?sn=SC000001",
            "/api/auth/settings/batch/",
            "/api/auth/settings/template/",
            "/api/auth/account/export/",
            "/api/auth/data/",
            "/api/auth/usr_sn/",
        ] {
            assert_no_price(&get(app, person, path).await.expect(200).text, path);
        }
    }
    // If the owner has no price, an electrician who may not enter one cannot select the fixed price.
    let ben = app.owner("ben", "SC000002").await;
    app.grant(&ben, &max, "SC000002", "service").await;
    let fixed = [("version", "0"), ("provider", "fixed")];
    let refused = post(app, &max, "/api/auth/settings/?sn=SC000002", &fixed).await;
    assert_eq!(
        refused.expect(400).json()["codes"]["SC000002"]["provider"][0],
        "price_owners_only"
    );
    started.stop().await;
});

on_both!(
    what_electricians_knew_of_prices_before_is_not_shown_any_more,
    |db| {
        let started = TestApp::start(db).await;
        let app = &started;
        let anna = app.owner("anna", SN).await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, SN, "configure").await;
        let line = |event: &str, detail: Value| {
            let at = app.clock.now();
            format!(
                "INSERT INTO journal (at, account_id, actor, sn, event, detail)
                 SELECT {at}, id, 'person', '{SN}', '{event}', '{detail}' FROM accounts WHERE email = '{}'",
                eva.email
            )
        };
        let price = json!({"version": 1, "field": "import_price", "from": 31.93, "to": 31.93});
        db.execute(&line("setting_changed", price)).await;
        let tariff =
            json!({"from": null, "to": {"import_price": "31.93", "feed_in_price": "7.91"}});
        db.execute(&line("tariff_set", tariff)).await;
        for path in [
            "/api/auth/journal/?sn=SC000001",
            "/api/auth/journal/?sn=SC000001&format=csv",
            "/api/auth/account/export/",
        ] {
            let seen = get(app, &eva, path).await.expect(200).text;
            assert_no_price(&seen, path);
        }
        let journal = get(app, &eva, "/api/auth/journal/?sn=SC000001")
            .await
            .json();
        let texts = journal["lines"].as_array().unwrap().iter();
        let texts: Vec<&str> = texts.filter_map(|line| line["text"].as_str()).collect();
        assert_eq!(texts[..2], ["Eine Einstellung wurde geändert."; 2]);
        let own = get(app, &anna, "/api/auth/journal/?sn=SC000001").await.text;
        assert!(own.contains("31,93"), "{own}");
        started.stop().await;
    }
);
