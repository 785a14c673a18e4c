//! Savings: cents computed from quarter-hours, on days of 23, 24 and 25 hours, and null if unknown.
#![allow(clippy::unwrap_used)]
use domain::Sample;
use domain::clock::{HOUR, MINUTE};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::home::{home, reading, start_of};
use testkit::{NOON, Person, TestApp, with_app};

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn savings(app: &TestApp, person: &Person, sn: &str, days: &str) -> Vec<Value> {
    let path = format!("/api/auth/savings/?sn={sn}&days={days}");
    let rows = get(app, person, &path).await;
    rows.as_array().unwrap().clone()
}

/// 31.90 ct for import and 7.94 ct for feed-in, from a day on, or from the beginning with `null`.
async fn prices(app: &TestApp, person: &Person, sn: &str, from: &str) {
    let fields = [
        ("sn", sn),
        ("import_price", "31.90"),
        ("feed_in_price", "7.94"),
        ("from", from),
    ];
    let call = app.post("/api/auth/tariff/", &fields);
    call.bearer(&person.access).send().await.expect(200);
}

/// The sum of a column without missing values.
fn sum(rows: &[Value], name: &str) -> i64 {
    rows.iter().map(|row| row[name].as_i64().unwrap()).sum()
}

/// The row of a day that cannot be computed.
fn unknown(day: &str) -> Value {
    json!({
        "day": day, "cost": null, "income": null, "actual": null, "without_plan": null, "without_battery": null,
        "counted": false,
    })
}

/// Whole cents for this many Wh, half a cent rounded up.
fn cents(wh: i64, hundredths: i64) -> i64 {
    (wh * hundredths + 50_000) / 100_000
}

/// The simplest computation of a day from the charts: Wh by Wh through every quarter-hour, plus the rest.
async fn reckoned(app: &TestApp, person: &Person, sn: &str, day: &str) -> Value {
    let path =
        format!("/api/auth/graph/?sn={sn}&interval=Day&from_date={day}&series=m2,m2N,m5,m5N");
    let quarters = get(app, person, &path).await;
    let path = format!("/api/auth/energy_chart/?sn={sn}&days={day}_{day}");
    let row = get(app, person, &path).await[0]["rows"][0].clone();
    let mut parts = Vec::new();
    for n in 0..quarters["time"].as_array().unwrap().len() {
        parts.push(["m2", "m2N", "m5", "m5N"].map(|code| {
            let wh = &quarters["series"][code][n];
            wh.as_i64().unwrap_or(0).abs()
        }));
    }
    parts
        .push(["m2", "m2N", "m5", "m5N"].map(|code| row["unplaced"][code].as_i64().unwrap().abs()));
    let (mut import, mut feed_in) = (0, 0);
    let (mut import_alone, mut feed_in_alone) = (0, 0);
    for [i, f, discharge, charge] in parts {
        (import, feed_in) = (import + i, feed_in + f);
        let (mut i, mut f) = (i, f);
        for _ in charge..discharge {
            if f > 0 { f -= 1 } else { i += 1 }
        }
        for _ in discharge..charge {
            if i > 0 { i -= 1 } else { f += 1 }
        }
        (import_alone, feed_in_alone) = (import_alone + i, feed_in_alone + f);
    }
    let (cost, income) = (cents(import, 3190), cents(feed_in, 794));
    json!({
        "day": day, "cost": cost, "income": income, "actual": cost - income, "without_plan": null,
        "without_battery": cents(import_alone, 3190) - cents(feed_in_alone, 794), "counted": true,
    })
}

with_app!(
    days_of_23_24_and_25_hours_cost_what_their_quarters_say,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        prices(app, &anna, "SC000001", "null").await;
        for (first, last, lost) in [
            ("2026-03-28", "2026-03-30", "2026-03-30"),
            ("2026-10-24", "2026-10-26", "2026-10-25"),
        ] {
            // These hours are lost for good: their energy cannot be assigned to a time of day.
            let lost = start_of(lost) + 5 * HOUR..start_of(lost) + 8 * HOUR;
            let span = start_of(first)..start_of(last) + 24 * HOUR;
            app.feed("SC000001", &home(span, 5 * MINUTE, lost)).await;
            let rows = savings(app, &anna, "SC000001", &format!("{first}_{last}")).await;
            assert_eq!(rows.len(), 3);
            for row in rows {
                let day = row["day"].as_str().unwrap();
                assert_eq!(row, reckoned(app, &anna, "SC000001", day).await, "{day}");
                let [actual, without] = ["actual", "without_battery"].map(|name| &row[name]);
                assert_ne!(actual, without, "{day}");
            }
        }
    }
);

with_app!(a_day_in_plain_numbers, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "SC000001", "null").await;
    // Until noon, 2 kWh of sun go into the battery and 3 to the grid; later 1.9 kWh come out, and 1.5 are imported.
    let readings = [
        (0, [0, 0, 0, 0, 0]),
        (10, [0, 3_000, 5_000, 2_000, 0]),
        (20, [0, 3_000, 5_000, 2_000, 0]),
        (30, [500, 3_000, 5_000, 2_000, 1_900]),
        (40, [1_500, 3_000, 5_000, 2_000, 1_900]),
    ];
    let samples = readings.map(|(minute, counters)| reading(NOON + minute * MINUTE, counters));
    app.feed("SC000001", &samples).await;
    let rows = savings(app, &anna, "SC000001", "2026-11-15_2026-11-15").await;
    // 1.5 kWh × 31.90 ct = 47.85 ct, 3 kWh × 7.94 ct = 23.82 ct;
    // without: 3.4 kWh × 31.90 ct = 108.46 ct, 5 kWh × 7.94 ct = 39.70 ct.
    let want = json!({
        "day": "2026-11-15", "cost": 48, "income": 24, "actual": 24, "without_plan": null, "without_battery": 68,
        "counted": true,
    });
    assert_eq!(rows, [want]);
});

with_app!(a_battery_that_did_nothing_saved_nothing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "SC000001", "null").await;
    let span = start_of("2026-11-10")..start_of("2026-11-15");
    let idle = home(span, 10 * MINUTE, 0..0).into_iter().map(|sample| {
        let [import, feed_in, pv, _, _] = sample.counters;
        Sample {
            counters: [import, feed_in, pv, Some(7), Some(7)],
            ..sample
        }
    });
    app.feed("SC000001", &idle.collect::<Vec<_>>()).await;
    let rows = savings(app, &anna, "SC000001", "2026-11-10_2026-11-14").await;
    for row in &rows {
        assert_eq!(row["counted"], true);
        assert_eq!(row["without_battery"], row["actual"], "{row}");
    }
    assert_ne!(sum(&rows, "actual"), 0);
});

with_app!(each_day_has_the_prices_of_that_day, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "SC000001", "2026-11-11").await;
    let dear = [
        ("sn", "SC000001"),
        ("import_price", "100"),
        ("feed_in_price", "0"),
        ("from", "2026-11-12"),
    ];
    let call = app.post("/api/auth/tariff/", &dear);
    call.bearer(&anna.access).send().await.expect(200);
    // 1 kWh imported and 1 kWh fed in each day at noon.
    for day in 10..14 {
        let noon = start_of(&format!("2026-11-{day}")) + 12 * HOUR;
        let level = 1_000 * day;
        let before = reading(noon, [level, level, 0, 0, 0]);
        let after = reading(noon + 10 * MINUTE, [level + 1_000, level + 1_000, 0, 0, 0]);
        app.feed("SC000001", &[before, after]).await;
    }
    let rows = savings(app, &anna, "SC000001", "2026-11-10_2026-11-13").await;
    assert_eq!(rows[0], unknown("2026-11-10"), "no price yet");
    let told = |row: &Value| (row["cost"].clone(), row["income"].clone());
    assert_eq!(told(&rows[1]), (json!(32), json!(8)));
    assert_eq!(told(&rows[2]), (json!(100), json!(0)));
    assert_eq!(told(&rows[3]), (json!(100), json!(0)));
});

with_app!(what_was_not_measured_is_null, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "SC000001", "null").await;
    // 1 kWh through every counter at noon, except the hidden ones.
    for (day, hidden) in [(10, 0), (11, 1), (12, 3)] {
        let noon = start_of(&format!("2026-11-{day}")) + 12 * HOUR;
        let samples = [(0, day), (10, day + 1)].map(|(minute, kwh)| {
            let mut sample = reading(noon + minute * MINUTE, [1_000 * kwh; 5]);
            sample.counters[hidden] = None;
            sample
        });
        app.feed("SC000001", &samples).await;
    }
    let rows = savings(app, &anna, "SC000001", "2026-11-09_2026-11-16").await;
    for (n, why) in [
        (0, "nothing"),
        (1, "no import"),
        (2, "no feed-in"),
        (7, "the future"),
    ] {
        let day = rows[n]["day"].as_str().unwrap();
        assert_eq!(rows[n], unknown(day), "{why}");
    }
    // The day has a cost even if the battery's energy is unknown.
    assert_eq!(rows[3]["cost"], 32);
    assert_eq!(rows[3]["counted"], true);
    assert_eq!(rows[3]["without_battery"], Value::Null);
});

with_app!(days_add_up_to_months_and_months_to_the_year, |app| {
    let anna = app.owner("anna", "SC000001").await;
    prices(app, &anna, "SC000001", "null").await;
    let span = start_of("2026-09-28")..start_of("2026-11-03");
    app.feed("SC000001", &home(span, 15 * MINUTE, 0..0)).await;
    let year = savings(app, &anna, "SC000001", "year_2026-05-05").await;
    assert_eq!(year.len(), 365);
    let mut months = Vec::new();
    for month in 1..=12 {
        months.extend(savings(app, &anna, "SC000001", &format!("month_2026-{month:02}-15")).await);
    }
    assert_eq!(months, year);
    let counted: Vec<Value> = year
        .into_iter()
        .filter(|row| row["counted"] == true)
        .collect();
    assert_eq!(counted.len(), 36);
    let october = savings(app, &anna, "SC000001", "month_2026-10-01").await;
    let weeks = savings(app, &anna, "SC000001", "2026-10-01_2026-10-31").await;
    for name in ["cost", "income", "actual", "without_battery"] {
        assert_eq!(sum(&october, name), sum(&weeks, name));
    }
    assert_eq!(
        sum(&october, "actual"),
        sum(&october, "cost") - sum(&october, "income")
    );
    // Without parameters: this month, all systems.
    let now = get(app, &anna, "/api/auth/savings/").await;
    assert_eq!(
        now,
        json!(savings(app, &anna, "-1", "month_2026-11-30").await)
    );
});

/// Anna with two systems that measure the same kind of home.
async fn anna(app: &TestApp) -> Person {
    let units = [app.device("SC000001").await, app.device("SC000002").await];
    let code = app.code(&units.each_ref()).await;
    let form = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    let both = start_of("2026-11-10")..start_of("2026-11-12");
    app.feed("SC000001", &home(both.clone(), 5 * MINUTE, 0..0))
        .await;
    app.feed("SC000002", &home(both, 10 * MINUTE, 0..0)).await;
    let one = start_of("2026-11-13")..start_of("2026-11-14");
    app.feed("SC000001", &home(one, 5 * MINUTE, 0..0)).await;
    app.log_in("anna@example.com", false).await
}

with_app!(all_systems_together_are_the_sum_of_each, |app| {
    let anna = anna(app).await;
    prices(app, &anna, "-1", "null").await;
    let days = "2026-11-10_2026-11-13";
    let one = savings(app, &anna, "SC000001", days).await;
    let two = savings(app, &anna, "SC000002", days).await;
    let all = savings(app, &anna, "-1", days).await;
    for name in ["cost", "income", "actual", "without_battery"] {
        for day in 0..2 {
            let of = |rows: &[Value]| rows[day][name].as_i64().unwrap();
            assert_eq!(of(&all), of(&one) + of(&two), "{name}");
        }
    }
    assert_eq!(two[3], unknown("2026-11-13"));
    assert_eq!(all[3], one[3], "a silent system takes no part");
});

with_app!(a_day_with_a_system_without_prices_is_not_known, |app| {
    let anna = anna(app).await;
    prices(app, &anna, "SC000001", "null").await;
    prices(app, &anna, "SC000002", "2026-11-11").await;
    let all = savings(app, &anna, "-1", "2026-11-10_2026-11-13").await;
    assert_eq!(all[0], unknown("2026-11-10"));
    assert_eq!(all[1]["counted"], true);
    assert_eq!(all[3]["counted"], true, "it measured nothing that day");
});

with_app!(somebody_elses_system_does_not_exist, |app| {
    let anna = anna(app).await;
    let ben = app.owner("ben", "SC000009").await;
    prices(app, &anna, "-1", "null").await;
    prices(app, &ben, "-1", "null").await;
    let mut answers = BTreeSet::new();
    for sn in ["SC000009", "SC999999", "rubbish", "SC000001,SC000002"] {
        let call = app.get(&format!("/api/auth/savings/?sn={sn}"));
        let answer = call.bearer(&anna.access).send().await.expect(404);
        answers.insert(answer.text);
    }
    assert_eq!(answers.len(), 1);
    let bens = savings(app, &ben, "-1", "2026-11-10_2026-11-10").await;
    assert_eq!(bens, [unknown("2026-11-10")]);
});

with_app!(wrong_periods_are_told_what_is_wrong, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (days, code) in [
        ("week", "period_invalid"),
        ("_2026-01-01", "period_invalid"),
        ("month_2026-02-30", "date_invalid"),
        ("2026-01-02_2026-01-01", "range_reversed"),
        ("2024-01-01_2025-01-01", "range_too_long"),
        ("total_2026-01-01", "range_too_long"),
    ] {
        let call = app.get(&format!("/api/auth/savings/?days={days}"));
        let answer = call.bearer(&anna.access).send().await.expect(400);
        assert_eq!(answer.code(), format!("days:{code}"), "{days}");
    }
});

with_app!(
    a_new_owner_pays_for_nothing_of_the_household_before,
    |app| {
        let anna = anna(app).await;
        prices(app, &anna, "-1", "null").await;
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
        prices(app, &ben, "SC000001", "null").await;
        let rows = savings(app, &ben, "SC000001", "2026-11-10_2026-11-10").await;
        assert_eq!(rows, [unknown("2026-11-10")]);
    }
);
