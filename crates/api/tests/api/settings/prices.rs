//! Prices are settings and tariffs at once.
use super::{SN, connect, read, save};
use domain::clock::DAY;
use serde_json::json;
use testkit::with_app;

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
        // A battery that uses the fixed price gets the new one.
        let mut battery = connect(app, 1).await;
        enter("25").await.expect(200);
        let told = battery.next_message_on("des").await;
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
            app.service.apply_due_tariffs().await.unwrap();
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
