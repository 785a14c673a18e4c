//! What a plan does and explains, and for whom.
use super::{SN, anna, blocks, change, get, journal, later, plan, reports};
use domain::Zone;
use domain::clock::{DAY, HOUR, MINUTE};
use serde_json::{Value, json};
use testkit::planning::household;
use testkit::{NOON, with_app};

with_app!(a_plan_buys_before_the_price_rises_and_says_why, |app| {
    let anna = anna(app).await;
    let before = plan(app, &anna).await;
    assert_eq!(
        (&before["on"], &before["issued"]),
        (&json!(true), &Value::Null)
    );
    app.run_planners().await;
    let plan = plan(app, &anna).await;
    assert_eq!(plan["issued"], json!(NOON));
    assert_eq!(plan["until"], json!(NOON + HOUR));
    let bought = blocks(&plan, "charge");
    assert!(!bought.is_empty(), "{plan}");
    let midnight = Zone::default().start_of("2026-11-16".parse().unwrap());
    for block in &bought {
        assert!(block["end"].as_i64().unwrap() <= midnight, "{block}");
        assert_eq!(block["price"], json!(10));
        let reason = block["reason"].as_str().unwrap().replace('\u{a0}', " ");
        assert!(
            reason.starts_with("Lädt ") && reason.contains("für 10 ct statt 60 ct um "),
            "{reason}"
        );
        assert!(block["kw"].as_f64().unwrap() <= 4.2);
    }
    let steps = plan["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 144);
    for step in steps {
        let of = |name: &str| step[name].as_f64().unwrap();
        assert!(of("low") <= of("soc") && of("soc") <= of("high"), "{step}");
        // A plan never goes below the reserve.
        assert!(of("soc") >= 9.9, "{step}");
    }
    let full = steps[47]["soc"].as_f64().unwrap();
    assert!(full > 90.0, "at midnight: {full}");
    let english = app
        .get(&format!("/api/auth/plan/?sn={SN}"))
        .header("accept-language", "en");
    let english = english.bearer(&anna.access).send().await.expect(200).json();
    assert!(
        blocks(&english, "charge")[0]["reason"]
            .as_str()
            .unwrap()
            .starts_with("Charges ")
    );
});

with_app!(nothing_is_bought_on_a_price_that_nobody_knows, |app| {
    let anna = anna(app).await;
    app.save_settings(&anna, SN, &[("provider", "awattar")])
        .await;
    app.run_planners().await;
    let plan = plan(app, &anna).await;
    assert_eq!(plan["on"], json!(true));
    assert!(blocks(&plan, "charge").is_empty(), "{plan}");
});

with_app!(
    a_system_of_which_little_is_known_is_not_planned_for,
    |app| {
        let anna = app.owner("anna", SN).await;
        app.battery(SN).hello(|_| {}).await;
        app.run_planners().await;
        app.clock.advance(2 * MINUTE);
        app.set_price(&anna, SN, "10", "null").await;
        app.save_settings(
            &anna,
            SN,
            &[("provider", "fixed"), ("dynamic_tariff", "plan")],
        )
        .await;
        app.feed(SN, &household(NOON - 3 * DAY..NOON)).await;
        reports(app, 300).await;
        app.run_planners().await;
        let forecast = get(app, &anna, &format!("/api/auth/forecast/?sn={SN}")).await;
        assert_eq!(forecast["load"].as_array().unwrap().len(), 192);
        assert_eq!(plan(app, &anna).await["issued"], Value::Null);
    }
);

with_app!(a_charge_target_is_met_and_taken_back, |app| {
    let anna = anna(app).await;
    for (fields, field, code) in [
        ([("soc", "101"), ("by", "18:00")], "soc", "soc_range"),
        ([("soc", "70"), ("by", "25:00")], "by", "time_invalid"),
        ([("soc", ""), ("by", "18:00")], "soc", "soc_range"),
    ] {
        let answer = change(app, &anna, &fields).await.expect(400).json();
        assert_eq!(answer["codes"][field], json!([code]));
    }
    // The sun still shines and prices fall only later: without the charge target, buying now would make no sense.
    let changed = change(app, &anna, &[("soc", "90"), ("by", "14:00")])
        .await
        .expect(200)
        .json();
    assert_eq!(changed["wish"], json!({"soc": 90, "by": NOON + 2 * HOUR}));
    app.run_planners().await;
    let seen = plan(app, &anna).await;
    let at_two = seen["steps"][7]["soc"].as_f64().unwrap();
    assert!(at_two > 85.0, "{at_two}");
    let bought = blocks(&seen, "charge");
    assert!(bought[0]["start"].as_i64().unwrap() < NOON + 2 * HOUR);
    assert!(
        journal(app, &anna)
            .await
            .contains(&"Wunsch an den Ladeplan: 90 % um 14:00.".to_owned())
    );
    change(app, &anna, &[("soc", ""), ("by", "")])
        .await
        .expect(200);
    assert_eq!(plan(app, &anna).await["wish"], Value::Null);
    // A new plan is made at once, out of turn.
    app.clock.advance(MINUTE);
    reports(app, 300).await;
    app.run_planners().await;
    assert_eq!(plan(app, &anna).await["issued"], json!(NOON + MINUTE));
});

with_app!(no_block_is_shown_that_saves_nothing, |app| {
    let mut anna = anna(app).await;
    for _ in 0..8 {
        app.run_planners().await;
        let shown = plan(app, &anna).await;
        let blocks = shown["blocks"].as_array().unwrap();
        for pair in blocks.windows(2) {
            assert_ne!(pair[0]["mode"], pair[1]["mode"], "{pair:?}");
        }
        for block in blocks {
            let reason = block["reason"].as_str().unwrap().replace('\u{a0}', " ");
            for nothing in ["−0,", "-0,", " 0,0 kWh", " 0,00 €"] {
                assert!(!reason.contains(nothing), "{reason}");
            }
        }
        anna = later(app, 16 * MINUTE).await;
        reports(app, 300).await;
    }
});

with_app!(a_plan_needs_prices, |app| {
    let anna = app.owner("anna", SN).await;
    let answer = change(app, &anna, &[("on", "true")]).await.expect(400);
    assert_eq!(
        answer.json()["codes"]["provider"],
        json!(["provider_required"])
    );
    change(app, &anna, &[]).await.expect(200);
});

with_app!(nobody_sees_or_changes_the_plan_of_somebody_else, |app| {
    let anna = anna(app).await;
    app.run_planners().await;
    let bob = app.owner("bob", "SC000002").await;
    for sn in [SN, "SC999999"] {
        for name in ["plan", "forecast"] {
            let call = app.get(&format!("/api/auth/{name}/?sn={sn}"));
            call.bearer(&bob.access).send().await.expect(404);
        }
        let form = [("sn", sn), ("on", "false")];
        let call = app.post("/api/auth/plan/", &form);
        call.bearer(&bob.access).send().await.expect(404);
    }
    assert_eq!(plan(app, &anna).await["on"], json!(true));
    // Bob's own forecast is empty, whatever Anna's contains.
    let own = get(app, &bob, "/api/auth/forecast/").await;
    assert_eq!((&own["issued"], &own["load"]), (&Value::Null, &json!([])));
    // When Anna's household leaves, nothing of it is left.
    let sn = [SN.parse().unwrap()];
    let issued = async || app.store.newest_forecasts_of(&sn, 0).await.unwrap().len();
    assert_eq!(issued().await, 1);
    let leave = app.call("DELETE", &format!("/api/auth/usr_sn/{SN}/"));
    let leave = leave.form(&[("password", testkit::PASSWORD)]);
    leave.bearer(&anna.access).send().await.expect(204);
    assert_eq!(issued().await, 0);
});
