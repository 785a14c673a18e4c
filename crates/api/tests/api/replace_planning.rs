//! Replacement of a unit: tariffs, prices, forecasts and plans of its site move to the new serial number.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR};
use domain::site::{Coordinates, SiteChange};
use domain::source::{DayType, PriceSlot, SourceState, SpotPrice, TariffStep, TimeOfUse};
use domain::{Serial, Source, Zone};
use serde_json::Value;
use service::weather_notice::NoticeTransition;
use store::Access;
use store::planning::{ChargeTarget, IssuedForecast, PlanDay, WeatherNotice};
use store::source::WeatherForecast;
use testkit::{NOON, Person, TestApp, TestDb, on_both};

const OLD: &str = "SC000001";
const NEW: &str = "SC000002";
const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
/// Tables with the column that names the system.
const TABLES: [(&str, &str); 7] = [
    ("time_of_use", "sn"),
    ("prices", "area"),
    ("source_states", "area"),
    ("weather_forecasts", "sn"),
    ("forecasts", "sn"),
    ("plan_days", "sn"),
    ("planning", "sn"),
];

fn serial(sn: &str) -> Serial {
    sn.parse().unwrap()
}

/// The rows of a system in a table, without its serial number.
async fn rows(db: &TestDb, (table, column): (&str, &str), sn: &str) -> Vec<Value> {
    let tables = db.dump().await;
    let (_, rows) = tables.iter().find(|(name, _)| name == table).unwrap();
    let rows = rows.iter().map(|row| serde_json::from_str(row).unwrap());
    let own = rows.filter(|row: &Value| row[column] == sn);
    let mut own: Vec<Value> = own
        .map(|mut row| {
            row.as_object_mut().unwrap().remove(column);
            row
        })
        .collect();
    own.sort_by_key(Value::to_string);
    own
}

fn weather(watt: i64) -> WeatherForecast {
    WeatherForecast {
        source: Source::ForecastSolar,
        issued_at: NOON,
        start: NOON,
        watts: vec![Some(watt), None],
    }
}

fn issue(watt: i64) -> IssuedForecast {
    IssuedForecast {
        issued_at: NOON - HOUR,
        start: NOON - HOUR,
        load: vec![[watt; 3]; 192],
        pv: vec![[0; 3]; 192],
    }
}

/// Adds a row of everything that a site collects.
async fn fill(app: &TestApp, anna: &Person, access: &Access) {
    let (store, now) = (&app.store, app.clock.now());
    let change = SiteChange {
        coordinates: Some(Coordinates::from_hundredths(4_814, 1_158)),
        planes: Some("10/30/0".parse().unwrap()),
        ..SiteChange::default()
    };
    app.service.change_site(access, &change).await.unwrap();
    let step = TariffStep {
        days: DayType::Workdays,
        minute: 0,
        price: "31".parse().unwrap(),
    };
    let typed = TimeOfUse::new(vec![step]).unwrap();
    let entered = app.service.set_time_of_use(&[access], &typed).await;
    entered.unwrap();
    let tibber = [("provider", "tibber"), ("provider_token", TOKEN)];
    app.save_settings(anna, OLD, &tibber).await;
    let answered = SourceState {
        success_at: Some(now),
        next_at: now + HOUR,
        ..SourceState::default()
    };
    let wanted = store.household_demand(Source::Tibber, &serial(OLD)).await;
    let wanted = wanted.unwrap().unwrap();
    let slot = PriceSlot {
        start: now,
        end: now + HOUR,
        price: SpotPrice::from_thousandths(25_000).unwrap(),
    };
    let kept = store.save_prices(&wanted, &[slot], answered, now).await;
    kept.unwrap();
    let said = weather(700);
    let kept = store.save_weather(&[serial(OLD)], &said, answered).await;
    kept.unwrap();
    let day = PlanDay {
        day: Zone::default().day_of(now - DAY),
        actual: 300,
        without_plan: 320,
        without_battery: 500,
        counted: true,
        stored: 3_000,
    };
    store.save_plan_day(access, &day).await.unwrap();
    let target = ChargeTarget {
        soc: 70,
        by: now + 6 * HOUR,
    };
    let changed = app.service.set_charge_target(access, Some(target)).await;
    changed.unwrap().unwrap();
    let warned = WeatherNotice {
        since: Some(now),
        hits: 3,
        false_alarms: 1,
        ..WeatherNotice::default()
    };
    let raised = NoticeTransition::Raised;
    let kept = app.service.save_weather_notice(access, warned, raised);
    kept.await.unwrap();
}

on_both!(
    what_a_site_gathered_for_its_plans_follows_the_new_unit,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", OLD).await;
        app.battery(OLD).hello(|_| {}).await;
        app.set_up_planned_home(&anna, OLD).await;
        app.battery(OLD)
            .sample(|sample| sample.soc = Some(300))
            .await;
        // Forecast and plan are made before the provider changes.
        app.run_planners().await;
        fill(&app, &anna, &app.household_access(OLD).await).await;
        let site = app
            .store
            .site(&app.household_access(OLD).await)
            .await
            .unwrap();
        assert!(site.is_some());
        let device = app.device(NEW).await;
        let code = app.code(&[&device]).await;
        // The new unit has data from elsewhere: for the same moment, the site's own data stays.
        let new = serial(NEW);
        let other = issue(9_000);
        let other = app
            .store
            .save_forecast(app.job_lease(), &new, &other, None)
            .await;
        assert!(other.unwrap());
        let (systems, other) = ([new], weather(9_000));
        let state = SourceState::default();
        let kept = app.store.save_weather(&systems, &other, state).await;
        kept.unwrap();
        let mut before = Vec::new();
        for table in TABLES {
            let own = rows(db, table, OLD).await;
            assert!(!own.is_empty(), "{table:?} has no row to follow");
            before.push(own);
        }

        let path = format!("/api/auth/system/{OLD}/replace/");
        let call = app
            .post(&path, &[("key", code.as_str())])
            .bearer(&anna.access);
        call.send().await.expect(200);

        for (table, before) in TABLES.into_iter().zip(before) {
            assert!(rows(db, table, OLD).await.is_empty(), "{table:?}");
            let mut after = rows(db, table, NEW).await;
            if table.0 == "planning" {
                // A plan belongs to the battery and is computed again.
                for gone in ["plan", "running", "planned_at", "adopted_at"] {
                    assert!(
                        before[0][gone] != Value::Null && after[0][gone] == Value::Null,
                        "{gone}"
                    );
                    after[0][gone] = before[0][gone].clone();
                }
            }
            assert_eq!(after, before, "{table:?}");
        }
        let access = app.household_access(NEW).await;
        assert_eq!(app.store.site(&access).await.unwrap(), site);
        // The token can still be decrypted, and belongs only to the new serial number.
        let demand = async |sn| {
            let sn = serial(sn);
            let demand = app.store.household_demand(Source::Tibber, &sn);
            demand.await.unwrap()
        };
        assert!(demand(OLD).await.is_none());
        let wanted = demand(NEW).await.unwrap();
        let household = wanted.household.as_ref().unwrap();
        assert_eq!(household.token.secret(), TOKEN);
        assert_eq!(household.systems, [serial(NEW)]);
        app.stop().await;
    }
);
