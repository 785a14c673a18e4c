//! Scheduled planning: new prices and new weather are used as soon as they arrive, and no system is left out.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};
use domain::shard::ShardSet;
use domain::site::{Coordinates, SiteChange};
use domain::source::{Area, BiddingZone, QUARTER, SourceState};
use domain::{Serial, SiteDay, Source, Zone};
use jobs::planning::{Budget, Planners};
use sources::{Addresses, Sources};
use std::collections::BTreeSet;
use std::time::Duration;
use store::planning::WeatherNotice;
use store::source::WeatherForecast;
use testkit::planning::{clear_sky, household, household_under};
use testkit::{FakeServices, NOON, Person, TestApp, on_both, with_app};

const SN: &str = "SC000001";
const OTHER: &str = "SC000002";

/// One round of the job that polls sources.
async fn ask(app: &TestApp, services: &FakeServices) {
    let sources = Sources::new(Addresses::default().or_all(&services.url));
    jobs::sources::run(&app.store, &sources, &app.portal.random, app.clock.now()).await;
}

/// Reports 30 %, so the system has a recent sample.
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
    let planning = app
        .store
        .planning(&app.household_access(sn).await)
        .await
        .unwrap();
    planning.planned_at
}

/// Three days of spot prices in EUR/MWh, from the first day of the tests on.
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

/// A household with two weeks of history that pays spot prices and wants a plan.
async fn home(app: &TestApp, name: &str, sn: &str) -> Person {
    let person = app.owner(name, sn).await;
    app.battery(sn).hello(|_| {}).await;
    app.feed(sn, &household(NOON - 14 * DAY..NOON)).await;
    let plan = [("provider", "energy_charts"), ("dynamic_tariff", "plan")];
    app.save_settings(&person, sn, &plan).await;
    reports(app, sn).await;
    person
}

/// A second later the source is polled out of turn and returns this.
async fn prices_come(app: &TestApp, services: &FakeServices, said: String) {
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
    services.take_requests();
    services.reply_ok("/price", said);
    ask(app, services).await;
    assert_eq!(services.take_requests().len(), 1);
    let answered = app.store.prices_answered_at().await.unwrap();
    assert_eq!(answered, Some(app.clock.now()));
}

with_app!(new_prices_are_planned_with_out_of_turn, |app| {
    let services = FakeServices::start().await;
    services.reply_ok("/price", prices(|n| 50 + n));
    home(app, "anna", SN).await;
    ask(app, &services).await;
    app.run_planners().await;
    assert_eq!(planned_at(app, SN).await, Some(NOON));
    prices_come(app, &services, prices(|n| 50 + n)).await;
    app.run_planners().await;
    let nothing_new = "an answer that says the same is no reason for another plan";
    assert_eq!(planned_at(app, SN).await, Some(NOON), "{nothing_new}");
    prices_come(app, &services, prices(|n| 400 - n)).await;
    app.run_planners().await;
    assert_eq!(planned_at(app, SN).await, Some(NOON + 2 * SECOND));
});

with_app!(whoever_a_look_does_not_reach_is_still_due, |app| {
    let services = FakeServices::start().await;
    services.reply_ok("/price", prices(|n| 50 + n));
    home(app, "anna", SN).await;
    home(app, "ben", OTHER).await;
    ask(app, &services).await;
    // One system per tick.
    let mut planners = Planners::with_budget(Budget {
        time: Duration::ZERO,
        min_systems: 1,
        training_time: Duration::ZERO,
    });
    let planned = async || (planned_at(app, SN).await, planned_at(app, OTHER).await);
    planners.tick(app.planning_context()).await.unwrap();
    assert_eq!(planned().await, (Some(NOON), None));
    planners.tick(app.planning_context()).await.unwrap();
    assert_eq!(planned().await, (Some(NOON), Some(NOON)));
    prices_come(app, &services, prices(|n| 400 - n)).await;
    let now = app.clock.now();
    planners.tick(app.planning_context()).await.unwrap();
    assert_eq!(planned().await, (Some(now), Some(NOON)));
    planners.tick(app.planning_context()).await.unwrap();
    assert_eq!(planned().await, (Some(now), Some(now)));
});

with_app!(
    after_a_start_those_are_learned_first_who_want_a_plan,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/price", prices(|n| 50 + n));
        let anna = home(app, "anna", SN).await;
        app.save_settings(&anna, SN, &[("dynamic_tariff", "off")])
            .await;
        home(app, "ben", OTHER).await;
        ask(app, &services).await;
        // One system is trained per tick.
        let mut planners = Planners::with_budget(Budget {
            training_time: Duration::ZERO,
            ..Budget::default()
        });
        let forecast = async || {
            let systems = app.store.systems_to_plan(ShardSet::ALL, Millis::MAX, 10);
            let systems = systems.await.unwrap().into_iter();
            let issued = systems.filter(|one| one.forecast_at.is_some());
            issued
                .map(|one| one.sn.to_string())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
        };
        planners.tick(app.planning_context()).await.unwrap();
        assert_eq!(forecast().await, [OTHER]);
        planners.tick(app.planning_context()).await.unwrap();
        assert_eq!(forecast().await, [SN, OTHER]);
    }
);

with_app!(a_system_without_a_day_behind_it_is_not_read, |app| {
    app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    reports(app, SN).await;
    let access = app.household_access(SN).await;
    let measured = async |before| {
        app.store
            .telemetry
            .has_measured_before(access.site(), before)
            .await
            .unwrap()
    };
    assert!(!measured(NOON).await && measured(NOON + 1).await);
    // Sealed days count as well, from midnight on.
    app.feed(SN, &household(NOON - 3 * DAY..NOON)).await;
    app.store
        .telemetry
        .seal_due(ShardSet::ALL, NOON)
        .await
        .unwrap();
    assert!(measured(NOON - DAY).await && !measured(NOON - 4 * DAY).await);
});

/// Every third day is dim, and so is today.
fn sky(day: SiteDay) -> i64 {
    let zone = Zone::default();
    let since = zone.start_of(zone.day_of(NOON)) - zone.start_of(day);
    match (since + 12 * HOUR).div_euclid(DAY).rem_euclid(3) {
        0 => 8,
        _ => 100,
    }
}

/// A household whose roof is known, and three weeks of correct weather forecasts.
async fn under_the_sky(app: &TestApp) {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    let from = NOON - 21 * DAY;
    app.feed(SN, &household_under(from..NOON, sky)).await;
    app.enable_plan(&anna, SN).await;
    let access = app.household_access(SN).await;
    let change = SiteChange {
        coordinates: Some(Coordinates::from_hundredths(4_814, 1_158)),
        planes: Some("1.5/30/0".parse().unwrap()),
        ..SiteChange::default()
    };
    app.service.change_site(&access, &change).await.unwrap();
    let sn: Serial = SN.parse().unwrap();
    for start in (from..NOON).step_by(DAY as usize) {
        let watts = (0..96).map(|n| {
            let at = start + n * QUARTER;
            Some(clear_sky(at) * sky(Zone::default().day_of(at)) / 100)
        });
        let said = WeatherForecast {
            source: Source::OpenMeteo,
            issued_at: start,
            start,
            watts: watts.collect(),
        };
        let kept = app
            .store
            .save_weather(std::slice::from_ref(&sn), &said, SourceState::default());
        kept.await.unwrap();
    }
    reports(app, SN).await;
}

/// The service returns this share of the clear-sky sun and is polled. Returns the energy of the next forecast, in Wh over two
/// days.
async fn forecast_under(app: &TestApp, services: &FakeServices, percent: i64) -> i64 {
    let now = app.clock.now();
    let (times, watts): (Vec<String>, Vec<String>) = (0..240)
        .map(|n| now / QUARTER * QUARTER - HOUR + n * QUARTER)
        .map(|at| {
            // W/m² of a covered sky, of which 1.5 kWp with a tilt of 30° get 94.6 %.
            let irradiance = clear_sky(at) as f64 * percent as f64 / 100.0 / 1.5 / 0.946;
            ((at / 1_000).to_string(), format!("{irradiance:.1}"))
        })
        .unzip();
    services.reply_ok(
        "/v1/forecast",
        format!(
            r#"{{"minutely_15":{{"time":[{}],"direct_radiation":[{}],"diffuse_radiation":[{}]}}}}"#,
            times.join(","),
            vec!["0"; times.len()].join(","),
            watts.join(",")
        ),
    );
    ask(app, services).await;
    assert!(
        !services.take_requests().is_empty(),
        "the weather is asked for"
    );
    reports(app, SN).await;
    app.run_planners().await;
    let access = app.household_access(SN).await;
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

async fn notice(app: &TestApp) -> WeatherNotice {
    let access = app.household_access(SN).await;
    app.store.planning(&access).await.unwrap().notice
}

with_app!(weather_that_arrives_feeds_the_next_forecast, |app| {
    let services = FakeServices::start().await;
    under_the_sky(app).await;
    let bright = forecast_under(app, &services, 100).await;
    let dark = forecast_under(app, &services, 3).await;
    assert!(bright > 4_000, "{bright} Wh");
    assert!(dark * 4 < bright, "{dark} of {bright} Wh");
});

with_app!(
    dark_days_to_come_raise_the_notice_and_two_brighter_issues_take_it_back,
    |app| {
        let services = FakeServices::start().await;
        under_the_sky(app).await;
        forecast_under(app, &services, 100).await;
        assert_eq!(notice(app).await, WeatherNotice::default());
        let since = app.clock.now();
        forecast_under(app, &services, 1).await;
        let raised = notice(app).await;
        assert_eq!((raised.since, raised.disagreed), (Some(since), 0));
        let mails = app.sent_mails().await;
        let warned =
            |mail: &&jobs::mail::RenderedMail| mail.text.contains("https://portal.test/plan");
        assert_eq!(mails.iter().filter(warned).count(), 1);
        forecast_under(app, &services, 100).await;
        let doubted = notice(app).await;
        assert_eq!((doubted.since, doubted.disagreed), (Some(since), 1));
        forecast_under(app, &services, 100).await;
        let cleared = notice(app).await;
        assert_eq!((cleared.since, cleared.false_alarms), (None, 1));
    }
);

with_app!(
    after_a_restart_forecasts_go_on_with_the_stored_models,
    |app| {
        home(app, "anna", SN).await;
        app.run_planners().await;
        let models = async || {
            let access = app.household_access(SN).await;
            app.store.forecast_models(&access).await.unwrap().unwrap()
        };
        let trained = models().await;
        assert_eq!(trained.trained_at, NOON);
        app.clock.advance(QUARTER);
        reports(app, SN).await;
        let mut restarted = Planners::default();
        restarted.tick(app.planning_context()).await.unwrap();
        let sn = [SN.parse().unwrap()];
        let issued = app.store.newest_forecasts_of(&sn, 0);
        assert_eq!(issued.await.unwrap()[0].1.issued_at, NOON + QUARTER);
        assert_eq!(models().await, trained, "nothing was trained again");
    }
);

/// How many systems are due that nobody has checked.
async fn unchecked(app: &TestApp) -> usize {
    let due = app
        .store
        .systems_to_plan(ShardSet::ALL, app.clock.now(), 100)
        .await;
    let due = due.unwrap().into_iter();
    due.filter(|system| system.due_at == 0).count()
}

/// One system per tick, and so many that are due.
async fn due_homes(app: &TestApp, count: usize) -> Planners {
    let systems: Vec<Serial> = (1..=count)
        .map(|n| format!("SC{n:06}").parse().unwrap())
        .collect();
    app.owner_of("anna", &systems).await;
    for sn in &systems {
        app.battery(sn.as_str()).hello(|_| {}).await;
    }
    assert_eq!(unchecked(app).await, count);
    Planners::with_budget(Budget {
        time: Duration::ZERO,
        min_systems: 1,
        training_time: Duration::ZERO,
    })
}

/// How many systems a tick has reached that nobody had checked.
async fn reached(app: &TestApp, planners: &mut Planners) -> usize {
    let before = unchecked(app).await;
    planners.tick(app.planning_context()).await.unwrap();
    before - unchecked(app).await
}

on_both!(
    whoever_is_behind_for_long_plans_more_until_nothing_is_due,
    |db| {
        let app = TestApp::start(db).await;
        let mut planners = due_homes(&app, 14).await;
        assert_eq!(reached(&app, &mut planners).await, 1);
        app.clock.advance(5 * MINUTE - 1);
        assert_eq!(reached(&app, &mut planners).await, 1);
        app.clock.advance(1);
        for count in [2, 4, 4, 2, 0] {
            assert_eq!(reached(&app, &mut planners).await, count);
        }
        db.execute("UPDATE systems SET plan_due_at = 0").await;
        assert_eq!(reached(&app, &mut planners).await, 1, "at once as before");
        app.stop().await;
    }
);

with_app!(whoever_has_batteries_plans_no_more_than_usual, |app| {
    let mut planners = due_homes(app, 6).await;
    let connected = app.bus.attach(&SN.parse().unwrap(), None, 0);
    reached(app, &mut planners).await;
    app.clock.advance(6 * MINUTE);
    for _ in 0..2 {
        assert_eq!(reached(app, &mut planners).await, 1);
    }
    drop(connected);
});
