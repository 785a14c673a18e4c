//! Forecasts, the plan with its reasons and wishes, what it saved, and who gets to see it.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use domain::{Serial, Zone};
use serde_json::{Value, json};
use store::planning::{Notice, PlanDay, Told};
use testkit::planning::household;
use testkit::{Answer, Battery, NOON, Person, TestApp, with_app};

const SN: &str = "SC000001";

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn plan(app: &TestApp, person: &Person) -> Value {
    get(app, person, &format!("/api/auth/plan/?sn={SN}")).await
}

async fn change(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> Answer {
    let mut all = vec![("sn", SN)];
    all.extend(fields);
    let call = app.post("/api/auth/plan/", &all);
    call.bearer(&person.access).send().await
}

/// Anna, whose system reports 30 % and is planned for.
async fn anna(app: &TestApp) -> Person {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    app.planned_home(&anna, SN).await;
    reports(app, 300).await;
    anna
}

/// Time goes by; she logs in again where it was long.
async fn later(app: &TestApp, by: i64) -> Person {
    app.clock.advance(by);
    app.log_in("anna@example.com", false).await
}

async fn reports(app: &TestApp, soc: i32) {
    let last = household(NOON - 14 * DAY..NOON).last().unwrap().counters;
    app.battery(SN)
        .sample(|sample| {
            sample.id.seq = u32::try_from((app.clock.now() - NOON) / 1_000 + 10).unwrap();
            sample.soc = Some(soc);
            sample.counters = last;
        })
        .await;
}

fn blocks<'v>(plan: &'v Value, mode: &str) -> Vec<&'v Value> {
    let blocks = plan["blocks"].as_array().unwrap().iter();
    blocks.filter(|block| block["mode"] == mode).collect()
}

async fn journal(app: &TestApp, person: &Person) -> Vec<String> {
    let page = get(app, person, &format!("/api/auth/journal/?sn={SN}")).await;
    let lines = page["lines"].as_array().unwrap().iter();
    lines
        .map(|line| line["text"].as_str().unwrap().replace('\u{a0}', " "))
        .collect()
}

with_app!(a_plan_buys_before_the_price_rises_and_says_why, |app| {
    let anna = anna(app).await;
    let before = plan(app, &anna).await;
    assert_eq!(
        (&before["on"], &before["issued"]),
        (&json!(true), &Value::Null)
    );
    app.plan().await;
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
        // Never planned below the reserve.
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

with_app!(forecasts_are_kept_shown_live_and_in_charts, |app| {
    let anna = anna(app).await;
    let path = format!("/api/auth/forecast/?sn={SN}");
    assert_eq!(get(app, &anna, &path).await["issued"], Value::Null);
    app.plan().await;
    let forecast = get(app, &anna, &path).await;
    assert_eq!(forecast["issued"], json!(NOON));
    for name in ["load", "pv"] {
        let points = forecast[name].as_array().unwrap();
        assert_eq!(points.len(), 192);
        assert_eq!(points[0]["start"], json!(NOON));
        for point in points {
            let of = |name: &str| point[name].as_i64().unwrap();
            assert!(of("p10") <= of("p50") && of("p50") <= of("p90"), "{point}");
        }
    }
    let data = get(app, &anna, "/api/auth/data/").await;
    let live = &data["data"][0][SN];
    assert_eq!(live["load_forecast"], forecast["load"][0]["p50"]);
    assert_eq!(live["energy_forecast"], forecast["pv"][0]["p50"]);
    let chart = get(
        app,
        &anna,
        &format!("/api/auth/graph/?sn={SN}&interval=Day&series=ef,lf"),
    )
    .await;
    let at = |time: i64| {
        let times = chart["time"].as_array().unwrap();
        times
            .iter()
            .position(|point| *point == json!(time))
            .unwrap()
    };
    assert_eq!(chart["series"]["lf"][at(NOON)], forecast["load"][0]["p50"]);
    assert_eq!(
        chart["series"]["ef"][at(NOON + HOUR)],
        forecast["pv"][4]["p50"]
    );
    assert_eq!(chart["series"]["ef"][0], Value::Null);
    // Once a quarter-hour, however often somebody looks.
    app.plan().await;
    let count = async || {
        let access = app.household(SN).await;
        app.store
            .forecasts(&access, 0..i64::MAX)
            .await
            .unwrap()
            .len()
    };
    assert_eq!(count().await, 1);
    app.clock.advance(15 * MINUTE);
    reports(app, 300).await;
    app.plan().await;
    assert_eq!(count().await, 2);
    // What came meanwhile is held against what was said.
    app.feed(SN, &household(NOON..NOON + 3 * HOUR)).await;
    let anna = later(app, 3 * HOUR).await;
    let accuracy = &get(app, &anna, &path).await["accuracy"];
    assert!(
        accuracy["load"]["error"].as_f64().unwrap() < 100.0,
        "{accuracy}"
    );
});

with_app!(nothing_is_bought_on_a_price_that_nobody_knows, |app| {
    let anna = anna(app).await;
    app.set(&anna, SN, &[("provider", "awattar")]).await;
    app.plan().await;
    let plan = plan(app, &anna).await;
    assert_eq!(plan["on"], json!(true));
    assert!(blocks(&plan, "charge").is_empty(), "{plan}");
});

with_app!(
    a_system_of_which_little_is_known_is_not_planned_for,
    |app| {
        let anna = app.owner("anna", SN).await;
        app.battery(SN).hello(|_| {}).await;
        app.plan().await;
        app.clock.advance(2 * MINUTE);
        app.price(&anna, SN, "10", "null").await;
        app.set(
            &anna,
            SN,
            &[("provider", "fixed"), ("dynamic_tariff", "plan")],
        )
        .await;
        app.feed(SN, &household(NOON - 3 * DAY..NOON)).await;
        reports(app, 300).await;
        app.plan().await;
        let forecast = get(app, &anna, &format!("/api/auth/forecast/?sn={SN}")).await;
        assert_eq!(forecast["load"].as_array().unwrap().len(), 192);
        assert_eq!(plan(app, &anna).await["issued"], Value::Null);
    }
);

with_app!(a_wish_is_met_and_taken_back, |app| {
    let anna = anna(app).await;
    for (fields, field, code) in [
        ([("soc", "101"), ("by", "18:00")], "soc", "soc_range"),
        ([("soc", "70"), ("by", "25:00")], "by", "time_invalid"),
        ([("soc", ""), ("by", "18:00")], "soc", "soc_range"),
    ] {
        let answer = change(app, &anna, &fields).await.expect(400).json();
        assert_eq!(answer["codes"][field], json!([code]));
    }
    // Before the sun is gone, and cheap only later: without the wish nobody would buy now.
    let wished = change(app, &anna, &[("soc", "90"), ("by", "14:00")])
        .await
        .expect(200)
        .json();
    assert_eq!(wished["wish"], json!({"soc": 90, "by": NOON + 2 * HOUR}));
    app.plan().await;
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
    // A new plan at once, out of turn.
    app.clock.advance(MINUTE);
    reports(app, 300).await;
    app.plan().await;
    assert_eq!(plan(app, &anna).await["issued"], json!(NOON + MINUTE));
});

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

with_app!(no_block_is_shown_that_saves_nothing, |app| {
    let mut anna = anna(app).await;
    for _ in 0..8 {
        app.plan().await;
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

with_app!(a_plan_needs_prices, |app| {
    let anna = app.owner("anna", SN).await;
    let answer = change(app, &anna, &[("on", "true")]).await.expect(400);
    assert_eq!(
        answer.json()["codes"]["provider"],
        json!(["provider_required"])
    );
    change(app, &anna, &[]).await.expect(200);
});

with_app!(what_a_block_did_is_in_the_journal_afterwards, |app| {
    let anna = anna(app).await;
    change(app, &anna, &[("soc", "90"), ("by", "13:00")])
        .await
        .expect(200);
    app.plan().await;
    assert_eq!(
        blocks(&plan(app, &anna).await, "charge")[0]["start"],
        json!(NOON)
    );
    // It takes 1,050 Wh in half an hour.
    let mut samples = household(NOON..NOON + 30 * MINUTE);
    let start = household(NOON - 14 * DAY..NOON).last().unwrap().counters;
    for (sample, n) in samples.iter_mut().zip(1..) {
        sample.counters = start;
        sample.counters[3] = start[3].map(|wh| wh + 175 * n);
        sample.soc = Some(400);
    }
    app.feed(SN, &samples).await;
    let anna = later(app, 30 * MINUTE).await;
    change(app, &anna, &[("on", "false")]).await.expect(200);
    app.plan().await;
    let lines = journal(app, &anna).await;
    let done = lines
        .iter()
        .find(|line| line.starts_with("Plan ausgeführt: von 12:00 bis 12:30 "))
        .unwrap();
    assert!(
        done.contains("kWh geladen, zu 10 ct je kWh. Ladestand danach: 40 %."),
        "{done}"
    );
});

with_app!(
    savings_are_those_of_measured_days_and_losses_are_shown,
    |app| {
        anna(app).await;
        app.plan().await;
        // A whole day later the first planned day is over: dear energy, and the battery rested instead of giving.
        app.feed(SN, &household(NOON..NOON + 2 * DAY)).await;
        let anna = later(app, 2 * DAY).await;
        reports(app, 300).await;
        app.plan().await;
        let days = "2026-11-15_2026-11-17";
        let rows = get(
            app,
            &anna,
            &format!("/api/auth/savings/?sn={SN}&days={days}"),
        )
        .await;
        // The day on which it was turned on is nobody's.
        assert_eq!(rows[0]["without_plan"], Value::Null);
        let saved = rows[1]["without_plan"].as_i64().unwrap() - rows[1]["actual"].as_i64().unwrap();
        assert!(saved < -50, "{rows}");
        assert_eq!(rows[1]["counted"], json!(true));
        assert_eq!(rows[2]["without_plan"], Value::Null);
        assert_eq!(plan(app, &anna).await["saved"], json!(saved));
    }
);

with_app!(
    a_plan_that_lost_money_for_30_days_is_turned_off_and_the_owner_is_told,
    |app| {
        anna(app).await;
        app.plan().await;
        let access = app.household(SN).await;
        let first = Zone::default().day_of(NOON).next();
        for day in 0..25 {
            let day = PlanDay {
                day: first.plus(day),
                actual: 300,
                without_plan: 295,
                without_battery: 500,
                counted: true,
                stored: 3_000,
            };
            app.store.keep_plan_day(&access, &day).await.unwrap();
        }
        let anna = later(app, 26 * DAY).await;
        reports(app, 300).await;
        app.plan().await;
        let seen = plan(app, &anna).await;
        assert_eq!(seen["on"], json!(false));
        let letters = app.letters().await;
        let letter = letters
            .iter()
            .find(|letter| letter.text.contains("1,25"))
            .unwrap();
        assert_eq!(letter.to, "anna@example.com");
        assert!(
            letter.text.contains("https://portal.test/plan"),
            "{}",
            letter.text
        );
        let said =
            "Der Ladeplan wurde ausgeschaltet: Er hat in 30 Tagen 1,25 € gekostet statt gespart.";
        assert!(journal(app, &anna).await.contains(&said.to_owned()));
        // The owner may try again, and begins anew; what was lost stays in plain sight.
        change(app, &anna, &[("on", "true")]).await.expect(200);
        assert_eq!(plan(app, &anna).await["saved"], json!(-125));
        let anna = later(app, 16 * MINUTE).await;
        reports(app, 300).await;
        app.plan().await;
        app.plan().await;
        assert_eq!(plan(app, &anna).await["on"], json!(true));
    }
);

with_app!(the_bad_weather_notice_reaches_the_owner_and_counts, |app| {
    let anna = anna(app).await;
    app.plan().await;
    let access = app.household(SN).await;
    let raised = Notice {
        since: Some(NOON),
        hits: 3,
        false_alarms: 1,
        ..Notice::default()
    };
    let keep = async |notice, told| {
        let kept = app
            .store
            .keep_notice(&access, notice, told, testkit::desk(), NOON);
        kept.await.unwrap();
    };
    keep(raised, Told::Raised).await;
    keep(raised, Told::Raised).await;
    assert_eq!(
        plan(app, &anna).await["weather"],
        json!({"since": NOON, "hits": 3, "false_alarms": 1})
    );
    let letters = app.letters().await;
    let told: Vec<_> = letters
        .iter()
        .filter(|letter| letter.text.contains("3 von 4 Mal"))
        .collect();
    assert_eq!(told.len(), 1);
    // The next two issues see a usual sun: it is taken back, and was wrong.
    for _ in 0..2 {
        app.clock.advance(16 * MINUTE);
        reports(app, 300).await;
        app.plan().await;
    }
    let anna = later(app, 0).await;
    assert_eq!(
        plan(app, &anna).await["weather"],
        json!({"since": null, "hits": 3, "false_alarms": 2})
    );
    let lines = journal(app, &anna).await;
    assert!(
        lines
            .iter()
            .any(|line| line.contains("zurückgenommen") && line.contains("3 von 5 Mal")),
        "{lines:?}"
    );
});

with_app!(nobody_sees_or_changes_the_plan_of_somebody_else, |app| {
    let anna = anna(app).await;
    app.plan().await;
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
    // Bob's own is empty, whatever Anna's says.
    let own = get(app, &bob, "/api/auth/forecast/").await;
    assert_eq!((&own["issued"], &own["load"]), (&Value::Null, &json!([])));
    // When Anna's household leaves, nothing of it is left.
    let sn: Serial = SN.parse().unwrap();
    let call = app.call("DELETE", &format!("/api/auth/usr_sn/{SN}/"));
    call.form(&[("password", testkit::PASSWORD)])
        .bearer(&anna.access)
        .send()
        .await;
    if app.store.household(&sn).await.unwrap().is_none() {
        assert!(app.store.forecasts_since(0).await.unwrap().is_empty());
    }
});
