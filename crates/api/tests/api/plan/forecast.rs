//! Forecasts as they are stored, shown and evaluated, and the weather notice that results from them.
use super::{SN, anna, get, journal, later, plan, reports};
use domain::clock::{HOUR, MINUTE};
use serde_json::{Value, json};
use service::weather_notice::NoticeTransition;
use store::planning::WeatherNotice;
use testkit::planning::household;
use testkit::{NOON, with_app};

with_app!(forecasts_are_kept_shown_live_and_in_charts, |app| {
    let anna = anna(app).await;
    let path = format!("/api/auth/forecast/?sn={SN}");
    assert_eq!(get(app, &anna, &path).await["issued"], Value::Null);
    app.run_planners().await;
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
    // Once per quarter-hour, however often the planner runs.
    app.run_planners().await;
    let count = async || {
        let access = app.household_access(SN).await;
        app.store
            .forecasts(&access, 0..i64::MAX)
            .await
            .unwrap()
            .len()
    };
    assert_eq!(count().await, 1);
    app.clock.advance(15 * MINUTE);
    reports(app, 300).await;
    app.run_planners().await;
    assert_eq!(count().await, 2);
    // New measurements are compared with the forecast.
    app.feed(SN, &household(NOON..NOON + 3 * HOUR)).await;
    let anna = later(app, 3 * HOUR).await;
    let accuracy = &get(app, &anna, &path).await["accuracy"];
    assert!(
        accuracy["load"]["error"].as_f64().unwrap() < 100.0,
        "{accuracy}"
    );
});

with_app!(the_bad_weather_notice_reaches_the_owner_and_counts, |app| {
    let anna = anna(app).await;
    app.run_planners().await;
    let access = app.household_access(SN).await;
    let raised = WeatherNotice {
        since: Some(NOON),
        hits: 3,
        false_alarms: 1,
        ..WeatherNotice::default()
    };
    let keep = async |notice, told| {
        let service = testkit::service_at(&app.store, NOON);
        let kept = service.save_weather_notice(&access, notice, told);
        kept.await.unwrap();
    };
    // Before the first notice there is nothing to count.
    let first = WeatherNotice {
        since: Some(NOON - 1),
        ..WeatherNotice::default()
    };
    keep(first, NoticeTransition::Raised).await;
    let mail = app.sent_mails().await.pop().unwrap();
    assert!(mail.text.contains("sehr wenig Sonne") && !mail.text.contains(" von "));
    let line = journal(app, &anna).await.remove(0);
    assert!(line.ends_with("eingeschaltet lassen."), "{line}");
    keep(raised, NoticeTransition::Raised).await;
    keep(raised, NoticeTransition::Raised).await;
    assert_eq!(
        plan(app, &anna).await["weather"],
        json!({"since": NOON, "hits": 3, "false_alarms": 1})
    );
    let mails = app.sent_mails().await;
    let told: Vec<_> = mails
        .iter()
        .filter(|mail| mail.text.contains("3 von 4 Mal"))
        .collect();
    assert_eq!(told.len(), 1);
    // The next two issues expect normal sun: the notice is withdrawn and counts as wrong.
    for _ in 0..2 {
        app.clock.advance(16 * MINUTE);
        reports(app, 300).await;
        app.run_planners().await;
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
            .any(|line| line.contains("gilt nicht mehr") && line.contains("3 von 5 Mal")),
        "{lines:?}"
    );
});
