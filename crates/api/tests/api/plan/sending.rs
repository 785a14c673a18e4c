//! When a plan is made out of turn, and what is sent to the battery.
use super::{SN, anna, blocks, change, get, later, plan, reports};
use domain::clock::{HOUR, MINUTE, SECOND};
use serde_json::{Value, json};
use testkit::{MqttBattery, NOON, with_app};

with_app!(
    a_charge_that_is_far_off_is_planned_anew_out_of_turn,
    |app| {
        anna(app).await;
        app.run_planners().await;
        // Its turn comes within a quarter-hour, and the next one a quarter-hour later.
        let mut first = json!(NOON);
        let mut anna = later(app, MINUTE).await;
        while first == json!(NOON) && app.clock.now() <= NOON + 16 * MINUTE {
            reports(app, 310).await;
            app.run_planners().await;
            first = plan(app, &anna).await["issued"].clone();
            anna = later(app, MINUTE).await;
        }
        assert_ne!(first, json!(NOON));
        let anna = later(app, 5 * MINUTE).await;
        reports(app, 310).await;
        app.run_planners().await;
        assert_eq!(
            plan(app, &anna).await["issued"],
            first,
            "it is not its turn"
        );
        // The next turn is still two minutes away, and a quarter-hour of the plan is over.
        let anna = later(app, 7 * MINUTE).await;
        reports(app, 900).await;
        app.run_planners().await;
        let second = plan(app, &anna).await;
        assert_eq!(second["issued"], json!(app.clock.now()));
    }
);

with_app!(saved_settings_are_planned_with_at_once, |app| {
    let anna = anna(app).await;
    app.run_planners().await;
    app.clock.advance(SECOND);
    app.run_planners().await;
    assert_eq!(
        plan(app, &anna).await["issued"],
        json!(NOON),
        "it is not its turn"
    );
    app.save_settings(&anna, SN, &[("reserve_soc", "50")]).await;
    app.run_planners().await;
    let seen = plan(app, &anna).await;
    assert_eq!(seen["issued"], json!(NOON + SECOND));
    let steps = seen["steps"].as_array().unwrap();
    let lowest = steps
        .iter()
        .map(|step| step["soc"].as_f64().unwrap())
        .fold(100.0, f64::min);
    // It has 30 %, less than the reserve; the plan does not discharge it further.
    assert!(lowest >= 29.9, "{lowest}");
});

with_app!(the_battery_hears_the_plan_and_that_it_is_off, |app| {
    let anna = anna(app).await;
    let mut battery = MqttBattery::connect(app.devices, SN).await;
    battery.boot = 3;
    battery.subscribe_and_say_hello(app.clock.now(), 9).await;
    app.run_planners().await;
    let told = battery.next_message_on("plan").await;
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
    // A battery that reconnects gets the plan again.
    drop(battery);
    let mut again = MqttBattery::connect(app.devices, SN).await;
    again.boot = 4;
    again.subscribe_and_say_hello(app.clock.now(), 9).await;
    assert_eq!(again.next_message_on("plan").await["ver"], json!(NOON));
    let off = change(app, &anna, &[("on", "false")])
        .await
        .expect(200)
        .json();
    assert_eq!((&off["on"], &off["blocks"]), (&json!(false), &json!([])));
    let settings = again.next_message_on("des").await;
    assert_eq!(settings["state"]["dynamic_tariff"], json!("off"));
    app.run_planners().await;
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
        let target = [("soc", "90"), ("by", "14:00")];
        change(app, &anna, &target).await.expect(200);
        let mut list = json!([]);
        while list == json!([]) && app.clock.now() < NOON + 2 * HOUR {
            reports(app, 300).await;
            app.run_planners().await;
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
