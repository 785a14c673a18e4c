//! The outcome of a plan: in the journal, in money, and when it lost money.
use super::{SN, anna, blocks, change, get, journal, later, plan, reports};
use domain::Zone;
use domain::clock::{DAY, MINUTE};
use serde_json::{Value, json};
use store::planning::PlanDay;
use testkit::planning::household;
use testkit::{NOON, with_app};

with_app!(what_a_block_did_is_in_the_journal_afterwards, |app| {
    let anna = anna(app).await;
    change(app, &anna, &[("soc", "90"), ("by", "13:00")])
        .await
        .expect(200);
    app.run_planners().await;
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
    app.run_planners().await;
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
        app.run_planners().await;
        // The first full planned day is over: energy was expensive, and the battery rested instead of discharging.
        app.feed(SN, &household(NOON..NOON + 2 * DAY)).await;
        let anna = later(app, 2 * DAY).await;
        reports(app, 300).await;
        app.run_planners().await;
        let days = "2026-11-15_2026-11-17";
        let rows = get(
            app,
            &anna,
            &format!("/api/auth/savings/?sn={SN}&days={days}"),
        )
        .await;
        // The day on which planning was turned on does not count.
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
        app.run_planners().await;
        let access = app.household_access(SN).await;
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
            app.store.save_plan_day(&access, &day).await.unwrap();
        }
        let anna = later(app, 26 * DAY).await;
        reports(app, 300).await;
        app.run_planners().await;
        let seen = plan(app, &anna).await;
        assert_eq!(seen["on"], json!(false));
        let mails = app.sent_mails().await;
        let mail = mails
            .iter()
            .find(|mail| mail.text.contains("1,25"))
            .unwrap();
        assert_eq!(mail.to, "anna@example.com");
        assert!(
            mail.text.contains("https://portal.test/plan"),
            "{}",
            mail.text
        );
        let said =
            "Der Ladeplan wurde ausgeschaltet: Er hat in 30 Tagen 1,25 € gekostet statt gespart.";
        assert!(journal(app, &anna).await.contains(&said.to_owned()));
        // The owner may turn it on again and starts afresh; the loss remains visible.
        change(app, &anna, &[("on", "true")]).await.expect(200);
        assert_eq!(plan(app, &anna).await["saved"], json!(-125));
        let anna = later(app, 16 * MINUTE).await;
        reports(app, 300).await;
        app.run_planners().await;
        app.run_planners().await;
        assert_eq!(plan(app, &anna).await["on"], json!(true));
    }
);
