//! When a plan is made out of turn, and what the battery hears of it.
use super::{SN, anna, blocks, change, get, later, plan, reports};
use domain::clock::{HOUR, MINUTE, SECOND};
use serde_json::{Value, json};
use testkit::{Battery, NOON, with_app};

with_app!(
    a_charge_that_is_far_off_is_planned_anew_out_of_turn,
    |app| {
        anna(app).await;
        app.plan().await;
        // Its turn comes within a quarter-hour, and then not for another.
        let mut first = json!(NOON);
        let mut anna = later(app, MINUTE).await;
        while first == json!(NOON) && app.clock.now() <= NOON + 16 * MINUTE {
            reports(app, 310).await;
            app.plan().await;
            first = plan(app, &anna).await["issued"].clone();
            anna = later(app, MINUTE).await;
        }
        assert_ne!(first, json!(NOON));
        let anna = later(app, 5 * MINUTE).await;
        reports(app, 310).await;
        app.plan().await;
        assert_eq!(
            plan(app, &anna).await["issued"],
            first,
            "it is not its turn"
        );
        // The next turn is still two minutes away, and a quarter-hour of the plan is over.
        let anna = later(app, 7 * MINUTE).await;
        reports(app, 900).await;
        app.plan().await;
        let second = plan(app, &anna).await;
        assert_eq!(second["issued"], json!(app.clock.now()));
    }
);

with_app!(saved_settings_are_planned_with_at_once, |app| {
    let anna = anna(app).await;
    app.plan().await;
    app.clock.advance(SECOND);
    app.plan().await;
    assert_eq!(
        plan(app, &anna).await["issued"],
        json!(NOON),
        "it is not its turn"
    );
    app.set(&anna, SN, &[("reserve_soc", "50")]).await;
    app.plan().await;
    let seen = plan(app, &anna).await;
    assert_eq!(seen["issued"], json!(NOON + SECOND));
    let steps = seen["steps"].as_array().unwrap();
    let lowest = steps
        .iter()
        .map(|step| step["soc"].as_f64().unwrap())
        .fold(100.0, f64::min);
    // It has 30 %, and is not planned below that to reach the reserve.
    assert!(lowest >= 29.9, "{lowest}");
});

with_app!(the_battery_hears_the_plan_and_that_it_is_off, |app| {
    let anna = anna(app).await;
    let mut battery = Battery::connect(app.devices, SN).await;
    battery.boot = 3;
    battery.greet(app.clock.now(), 9).await;
    app.plan().await;
    let told = battery.told_on("plan").await;
    assert_eq!(
        (&told["ver"], &told["exp"]),
        (&json!(NOON), &json!(NOON + HOUR))
    );
    let steps = told["steps"].as_array().unwrap();
    assert_eq!(steps[0]["from"], json!(NOON));
    for step in steps {
        assert!(["self", "hold", "charge"].contains(&step["mode"].as_str().unwrap()));
        assert!(step["from"].as_i64() < step["until"].as_i64());
    }
    // Whoever connects again hears it again.
    drop(battery);
    let mut again = Battery::connect(app.devices, SN).await;
    again.boot = 4;
    again.greet(app.clock.now(), 9).await;
    assert_eq!(again.told_on("plan").await["ver"], json!(NOON));
    let off = change(app, &anna, &[("on", "false")])
        .await
        .expect(200)
        .json();
    assert_eq!((&off["on"], &off["blocks"]), (&json!(false), &json!([])));
    let settings = again.told_on("des").await;
    assert_eq!(settings["state"]["dynamic_tariff"], json!("off"));
    app.plan().await;
    let on = change(app, &anna, &[("on", "true")])
        .await
        .expect(200)
        .json();
    assert_eq!((&on["on"], &on["issued"]), (&json!(true), &Value::Null));
});

with_app!(
    a_block_of_the_plan_is_in_force_until_it_is_turned_off,
    |app| {
        let mut anna = anna(app).await;
        let wish = [("soc", "90"), ("by", "14:00")];
        change(app, &anna, &wish).await.expect(200);
        let mut list = json!([]);
        while list == json!([]) && app.clock.now() < NOON + 2 * HOUR {
            reports(app, 300).await;
            app.plan().await;
            let data = get(app, &anna, "/api/auth/data/").await;
            list = data["data"][0][SN]["in_force"].clone();
            if list == json!([]) {
                anna = later(app, 5 * MINUTE).await;
            }
        }
        let block = blocks(&plan(app, &anna).await, "charge")[0].clone();
        assert_eq!(
            list,
            json!([{
                "kind": "plan", "since": block["start"], "until": block["end"], "by": "plan", "end": null, "mode": "charge",
            }])
        );
        change(app, &anna, &[("on", "false")]).await.expect(200);
        let data = get(app, &anna, "/api/auth/data/").await;
        assert_eq!(data["data"][0][SN]["in_force"], json!([]));
    }
);
