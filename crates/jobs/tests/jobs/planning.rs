//! Planning by the clock: new prices and new weather are worked with as soon as they are there, and nobody is left out.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};
use domain::site::{Coordinates, SiteChange};
use domain::source::{Area, BiddingZone, QUARTER, SourceState};
use domain::{Serial, SiteDay, Source, Zone};
use jobs::planning::{Budget, Planners};
use sources::{Addresses, Sources};
use std::time::Duration;
use store::planning::Notice;
use store::source::Weather;
use testkit::planning::{clear_sky, household, household_under};
use testkit::{NOON, Outside, Person, TestApp, with_app};

const SN: &str = "SC000001";
const OTHER: &str = "SC000002";

/// One round of the job that asks sources.
async fn ask(app: &TestApp, outside: &Outside) {
    let sources = Sources::new(Addresses::default().or_all(&outside.url));
    jobs::sources::run(&app.store, &sources, &app.portal.random, app.clock.now()).await;
}

/// Reports 30 %, so that it is not silent.
async fn reports(app: &TestApp, sn: &str) {
    let last = household(NOON - 14 * DAY..NOON).last().unwrap().counters;
    let battery = app.battery(sn);
    let said = battery.sample(|sample| {
        sample.id.seq = u32::try_from((app.clock.now() - NOON) / SECOND + 10).unwrap();
        sample.soc = Some(300);
        sample.counters = last;
    });
    said.await;
}

async fn planned_at(app: &TestApp, sn: &str) -> Option<Millis> {
    let planning = app.store.planning(&app.household(sn).await).await.unwrap();
    planning.planned_at
}

/// Three days of the exchange's prices from the day on that tests begin with, in EUR/MWh.
fn prices(euros: impl Fn(i64) -> i64) -> String {
    let first = Zone::default().start_of(Zone::default().day_of(NOON));
    let seconds = (0..288).map(|n| ((first + n * QUARTER) / 1_000).to_string());
    let prices = (0..288).map(|n| format!("{}.00", euros(n)));
    let join = |items: Vec<String>| items.join(",");
    format!(
        r#"{{"unix_seconds":[{}],"price":[{}],"unit":"EUR / MWh","deprecated":false}}"#,
        join(seconds.collect()),
        join(prices.collect())
    )
}

/// A household with two weeks behind it that pays the exchange's prices and wants a plan.
async fn home(app: &TestApp, name: &str, sn: &str) -> Person {
    let person = app.owner(name, sn).await;
    app.battery(sn).hello(|_| {}).await;
    app.feed(sn, &household(NOON - 14 * DAY..NOON)).await;
    let plan = [("provider", "energy_charts"), ("dynamic_tariff", "plan")];
    app.set(&person, sn, &plan).await;
    reports(app, sn).await;
    person
}

/// A second later the source is asked out of turn, and says this.
async fn prices_come(app: &TestApp, outside: &Outside, said: String) {
    app.clock.advance(SECOND);
    let areas = [Area::Zone(BiddingZone::DeLu)];
    let source = Source::EnergyCharts;
    let state = app.store.source_state(source, &areas[0]).await;
    let due = SourceState {
        next_at: 0,
        ..state.unwrap()
    };
    let set = app.store.set_source_state(source, &areas, due).await;
    set.unwrap();
    outside.asked();
    outside.answers("/price", said);
    ask(app, outside).await;
    assert_eq!(outside.asked().len(), 1);
    let answered = app.store.prices_answered_at().await.unwrap();
    assert_eq!(answered, Some(app.clock.now()));
}

with_app!(new_prices_are_planned_with_out_of_turn, |app| {
    let outside = Outside::start().await;
    outside.answers("/price", prices(|n| 50 + n));
    home(app, "anna", SN).await;
    ask(app, &outside).await;
    app.plan().await;
    assert_eq!(planned_at(app, SN).await, Some(NOON));
    prices_come(app, &outside, prices(|n| 50 + n)).await;
    app.plan().await;
    let nothing_new = "an answer that says the same is no reason for another plan";
    assert_eq!(planned_at(app, SN).await, Some(NOON), "{nothing_new}");
    prices_come(app, &outside, prices(|n| 400 - n)).await;
    app.plan().await;
    assert_eq!(planned_at(app, SN).await, Some(NOON + 2 * SECOND));
});

with_app!(whoever_a_look_does_not_reach_is_still_due, |app| {
    let outside = Outside::start().await;
    outside.answers("/price", prices(|n| 50 + n));
    home(app, "anna", SN).await;
    home(app, "ben", OTHER).await;
    ask(app, &outside).await;
    // One system a look.
    let mut planners = Planners::within(Budget {
        time: Duration::ZERO,
        at_least: 1,
        learning: Duration::ZERO,
    });
    let planned = async || (planned_at(app, SN).await, planned_at(app, OTHER).await);
    planners.look(app.to_plan()).await.unwrap();
    assert_eq!(planned().await, (Some(NOON), None));
    planners.look(app.to_plan()).await.unwrap();
    assert_eq!(planned().await, (Some(NOON), Some(NOON)));
    prices_come(app, &outside, prices(|n| 400 - n)).await;
    let now = app.clock.now();
    planners.look(app.to_plan()).await.unwrap();
    assert_eq!(planned().await, (Some(now), Some(NOON)));
    planners.look(app.to_plan()).await.unwrap();
    assert_eq!(planned().await, (Some(now), Some(now)));
});

with_app!(
    after_a_start_those_are_learned_first_who_want_a_plan,
    |app| {
        let outside = Outside::start().await;
        outside.answers("/price", prices(|n| 50 + n));
        let anna = home(app, "anna", SN).await;
        app.set(&anna, SN, &[("dynamic_tariff", "off")]).await;
        home(app, "ben", OTHER).await;
        ask(app, &outside).await;
        // One system learns in each look.
        let mut planners = Planners::within(Budget {
            learning: Duration::ZERO,
            ..Budget::default()
        });
        let forecast = async || {
            let systems = app.store.planned_systems().await.unwrap();
            let issued = systems.iter().filter(|one| one.forecast_at.is_some());
            issued.map(|one| one.sn.to_string()).collect::<Vec<_>>()
        };
        planners.look(app.to_plan()).await.unwrap();
        assert_eq!(forecast().await, [OTHER]);
        planners.look(app.to_plan()).await.unwrap();
        assert_eq!(forecast().await, [SN, OTHER]);
    }
);

with_app!(a_system_without_a_day_behind_it_is_not_read, |app| {
    app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    reports(app, SN).await;
    let access = app.household(SN).await;
    let measured = async |before| {
        app.store
            .has_measured_before(&access, before)
            .await
            .unwrap()
    };
    assert!(!measured(NOON).await && measured(NOON + 1).await);
    // Sealed days count as well, from their midnight on.
    app.feed(SN, &household(NOON - 3 * DAY..NOON)).await;
    app.store.seal_due(NOON).await.unwrap();
    assert!(measured(NOON - DAY).await && !measured(NOON - 4 * DAY).await);
});

/// Of three days one is dim, and today is.
fn sky(day: SiteDay) -> i64 {
    let zone = Zone::default();
    let since = zone.start_of(zone.day_of(NOON)) - zone.start_of(day);
    match (since + 12 * HOUR).div_euclid(DAY).rem_euclid(3) {
        0 => 8,
        _ => 100,
    }
}

/// A household whose roof is known, and three weeks in which the weather was said as it came.
async fn under_the_sky(app: &TestApp) {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    let from = NOON - 21 * DAY;
    app.feed(SN, &household_under(from..NOON, sky)).await;
    app.wants_plan(&anna, SN).await;
    let access = app.household(SN).await;
    let change = SiteChange {
        coordinates: Some(Coordinates::from_hundredths(4_814, 1_158)),
        planes: Some("1.5/30/0".parse().unwrap()),
        ..SiteChange::default()
    };
    app.store
        .describe_site(&access, &change, testkit::desk(), NOON)
        .await
        .unwrap();
    let sn: Serial = SN.parse().unwrap();
    for start in (from..NOON).step_by(DAY as usize) {
        let watts = (0..96).map(|n| {
            let at = start + n * QUARTER;
            Some(clear_sky(at) * sky(Zone::default().day_of(at)) / 100)
        });
        let said = Weather {
            source: Source::OpenMeteo,
            issued_at: start,
            start,
            watts: watts.collect(),
        };
        let kept = app
            .store
            .keep_weather(std::slice::from_ref(&sn), &said, SourceState::default());
        kept.await.unwrap();
    }
    reports(app, SN).await;
}

/// The service says how much of the sun comes through, is asked, and an issue later the forecast is here, in Wh of two days.
async fn forecast_under(app: &TestApp, outside: &Outside, percent: i64) -> i64 {
    let now = app.clock.now();
    let (times, watts): (Vec<String>, Vec<String>) = (0..240)
        .map(|n| now / QUARTER * QUARTER - HOUR + n * QUARTER)
        .map(|at| {
            // W/m² on 1.5 kWp.
            let irradiance = clear_sky(at) as f64 * percent as f64 / 100.0 / 1.5;
            ((at / 1_000).to_string(), format!("{irradiance:.1}"))
        })
        .unzip();
    outside.answers(
        "/v1/forecast",
        format!(
            r#"{{"minutely_15":{{"time":[{}],"global_tilted_irradiance":[{}]}}}}"#,
            times.join(","),
            watts.join(",")
        ),
    );
    ask(app, outside).await;
    assert!(!outside.asked().is_empty(), "the weather is asked for");
    reports(app, SN).await;
    app.plan().await;
    let access = app.household(SN).await;
    let issue = app
        .store
        .newest_forecast(&access, now)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(issue.issued_at, now);
    app.clock.advance(HOUR + 7 * MINUTE);
    issue.pv.iter().map(|[_, p50, _]| p50 / 4).sum()
}

async fn notice(app: &TestApp) -> Notice {
    let access = app.household(SN).await;
    app.store.planning(&access).await.unwrap().notice
}

with_app!(weather_that_arrives_feeds_the_next_forecast, |app| {
    let outside = Outside::start().await;
    under_the_sky(app).await;
    let bright = forecast_under(app, &outside, 100).await;
    let dark = forecast_under(app, &outside, 3).await;
    assert!(bright > 4_000, "{bright} Wh");
    assert!(dark * 4 < bright, "{dark} of {bright} Wh");
});

with_app!(
    dark_days_to_come_raise_the_notice_and_two_brighter_issues_take_it_back,
    |app| {
        let outside = Outside::start().await;
        under_the_sky(app).await;
        forecast_under(app, &outside, 100).await;
        assert_eq!(notice(app).await, Notice::default());
        let since = app.clock.now();
        forecast_under(app, &outside, 1).await;
        let raised = notice(app).await;
        assert_eq!((raised.since, raised.disagreed), (Some(since), 0));
        let letters = app.letters().await;
        let warned =
            |letter: &&jobs::mail::Letter| letter.text.contains("https://portal.test/plan");
        assert_eq!(letters.iter().filter(warned).count(), 1);
        forecast_under(app, &outside, 100).await;
        let doubted = notice(app).await;
        assert_eq!((doubted.since, doubted.disagreed), (Some(since), 1));
        forecast_under(app, &outside, 100).await;
        let cleared = notice(app).await;
        assert_eq!((cleared.since, cleared.false_alarms), (None, 1));
    }
);
