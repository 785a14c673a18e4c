//! Prices per quarter-hour as owners see them, and prices by time of day that they enter.
#![allow(clippy::unwrap_used)]
use domain::Source;
use domain::clock::{DAY, HOUR};
use domain::source::{BiddingZone, PriceSlot, SourceState, SpotPrice};
use serde_json::{Value, json};
use store::source::PriceDemand;
use testkit::{NOON, Person, TestApp, TestResponse, with_app};

const PRICE: &str = "/api/auth/price/";
const STEPS: &str = "workdays/00:00/21,5;workdays/06:00/34;weekend/00:00/20";

async fn get(app: &TestApp, person: &Person, sn: &str) -> TestResponse {
    let call = app.get(&format!("{PRICE}?sn={sn}"));
    call.bearer(&person.access).send().await
}

async fn set(app: &TestApp, person: &Person, sn: &str, steps: &str) -> TestResponse {
    let call = app.post(PRICE, &[("sn", sn), ("steps", steps)]);
    call.bearer(&person.access).send().await
}

async fn settings(app: &TestApp, person: &Person, fields: &[(&str, &str)]) {
    let fields = [&[("version", "0")], fields].concat();
    let call = app.post("/api/auth/settings/?sn=SC000001", &fields);
    call.bearer(&person.access).send().await.expect(200);
}

/// Publishes energy-charts prices for the first hours of today in UTC, one per hour.
async fn publish(app: &TestApp, prices: &[i64]) {
    let start = NOON / DAY * DAY;
    let slots: Vec<PriceSlot> = (0..)
        .zip(prices)
        .map(|(n, price)| PriceSlot {
            start: start + n * HOUR,
            end: start + (n + 1) * HOUR,
            price: SpotPrice::from_thousandths(*price).unwrap(),
        })
        .collect();
    let wanted = PriceDemand {
        source: Source::EnergyCharts,
        zone: BiddingZone::DeLu,
        household: None,
    };
    let state = SourceState {
        success_at: Some(NOON),
        ..SourceState::default()
    };
    app.store
        .save_prices(&wanted, &slots, state, NOON)
        .await
        .unwrap();
}

fn known(answer: &Value) -> Vec<Value> {
    let prices = answer[0]["import_price"].as_array().unwrap().iter();
    prices.filter(|price| !price.is_null()).cloned().collect()
}

with_app!(without_a_provider_and_a_tariff_no_price_is_known, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let answer = get(app, &anna, "SC000001").await.expect(200).json();
    assert_eq!(answer[0]["provider"], "none");
    assert_eq!(answer[0]["time"].as_array().unwrap().len(), 192);
    assert_eq!(known(&answer), [] as [Value; 0]);
    assert_eq!(answer[0]["known_until"], Value::Null);
    assert_eq!(answer[0]["error"], Value::Null);
});

with_app!(
    spot_prices_are_answered_with_adder_and_tax_in_exact_cents,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let spot = [
            ("provider", "energy_charts"),
            ("import_adder", "10.05"),
            ("vat", "19"),
        ];
        settings(app, &anna, &spot).await;
        publish(app, &[5_000, -30_000, 0]).await;
        let text = get(app, &anna, "SC000001").await.expect(200).text;
        let answer: Value = serde_json::from_str(&text).unwrap();
        // (5 + 10.05) × 1.19 = 17.9095, (−30 + 10.05) × 1.19 = −23.7405, 10.05 × 1.19 = 11.9595
        let quarters = |price: f64| vec![json!(price); 4];
        let want = [quarters(17.91), quarters(-23.74), quarters(11.96)].concat();
        assert_eq!(known(&answer), want);
        assert!(
            text.contains("-23.74,"),
            "digits as they are, not a float's"
        );
        let sources = answer[0]["source"].as_array().unwrap();
        let named = sources.iter().filter(|name| !name.is_null()).count();
        assert_eq!(named, 12);
        assert_eq!(answer[0]["success_at"], NOON);
    }
);

with_app!(prices_by_the_time_of_day_follow_the_sites_clock, |app| {
    let anna = app.owner("anna", "SC000001").await;
    settings(app, &anna, &[("provider", "time_of_use")]).await;
    let empty = get(app, &anna, "SC000001").await.expect(200).json();
    assert_eq!(known(&empty), [] as [Value; 0]);
    let answer = set(app, &anna, "SC000001", STEPS).await.expect(200).json();
    // A Sunday, then a Monday.
    let prices = known(&answer);
    assert_eq!(prices.len(), 192);
    let at = |quarter: usize| &prices[quarter];
    assert_eq!((at(0), at(95)), (&json!(20), &json!(20)));
    assert_eq!((at(96), at(119)), (&json!(21.5), &json!(21.5)));
    assert_eq!((at(120), at(191)), (&json!(34), &json!(34)));
    let steps = json!([
        {"days": "workdays", "start": "00:00", "price": 21.5},
        {"days": "workdays", "start": "06:00", "price": 34},
        {"days": "weekend", "start": "00:00", "price": 20},
    ]);
    assert_eq!(answer[0]["steps"], steps);
});

with_app!(
    steps_that_leave_a_moment_without_a_price_are_refused_at_their_field,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        for (steps, code) in [
            ("", "required"),
            ("weekend/00:00/20", "required"),
            ("workdays/06:00/20", "time_invalid"),
            ("workdays/00:00/much", "price_invalid"),
            ("workdays/00:00/501", "price_range"),
            ("sundays/00:00/1", "choice_unknown"),
        ] {
            let refused = set(app, &anna, "SC000001", steps).await.expect(400).json();
            assert_eq!(refused["codes"]["steps"][0], code, "{steps}");
        }
        set(app, &anna, "", STEPS).await.expect(400);
    }
);

with_app!(nobody_sees_or_sets_anothers_prices, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    set(app, &anna, "SC000001", STEPS).await.expect(200);
    let foreign = get(app, &ben, "SC000001").await.expect(404);
    let missing = get(app, &ben, "SC999999").await.expect(404);
    assert_eq!(foreign.text, missing.text);
    set(app, &ben, "SC000001", "workdays/00:00/1")
        .await
        .expect(404);
    let own = get(app, &ben, "-1").await.expect(200).json();
    assert_eq!(own.as_array().unwrap().len(), 1);
    assert_eq!(own[0]["steps"], json!([]));
});

with_app!(a_new_household_has_prices_of_its_own, |app| {
    let anna = app.owner("anna", "SC000001").await;
    set(app, &anna, "SC000001", STEPS).await.expect(200);
    app.call("DELETE", "/api/auth/usr_sn/SC000001/")
        .form(&[("password", testkit::PASSWORD)])
        .bearer(&anna.access)
        .send()
        .await
        .expect(204);
    let sn = "SC000001".parse().unwrap();
    let code = app.code(&[&sn]).await;
    let form = app.owner_form("ben@example.com", &code);
    let call = app.post("/api/auth/register/", &form);
    call.from("10.7.7.7").send().await.expect(201);
    let ben = app.log_in("ben@example.com", false).await;
    let seen = get(app, &ben, "SC000001").await.expect(200).json();
    assert_eq!(seen[0]["steps"], json!([]));
});
