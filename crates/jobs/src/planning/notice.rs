//! The bad-weather notice after each issue, and what became of it two days later.
use super::World;
use super::models::Models;
use domain::Series;
use domain::clock::Millis;
use domain::series::{Method, Resolution};
use planner::Battery;
use planner::forecast::Forecast;
use planner::weather_notice::{Change, Notice, is_bad};
use store::planning::{self, Planning, Told};
use store::{Access, Result};

pub(super) async fn look(
    world: World<'_>,
    access: &Access,
    planning: &Planning,
    models: &Models,
    forecast: &Forecast,
    battery: &Battery,
    stored: f64,
) -> Result<()> {
    let before = planning.notice;
    let count = |number: i64| u32::try_from(number).unwrap_or(0);
    let raised = before
        .since
        .map(|at| (at, u8::try_from(before.disagreed).unwrap_or(0)));
    let mut notice = Notice::restore(raised, count(before.hits), count(before.false_alarms));
    let change = match notice.over_at() {
        Some(over) if over <= world.now => {
            let measured = measured(world, access, battery, over).await?;
            notice.judge(battery, &measured)
        }
        _ => {
            let bad = is_bad(forecast, battery, stored, models.usual_pv);
            notice.next(world.now, bad)
        }
    };
    let told = match change {
        None => Told::Nothing,
        Some(Change::Raised) => Told::Raised,
        Some(Change::Cleared) => Told::Cleared {
            right: i64::from(notice.hits) > before.hits,
        },
    };
    let after = planning::Notice {
        since: notice.raised().map(|(at, _)| at),
        disagreed: notice
            .raised()
            .map_or(0, |(_, disagreed)| i64::from(disagreed)),
        hits: i64::from(notice.hits),
        false_alarms: i64::from(notice.false_alarms),
    };
    if after == before {
        return Ok(());
    }
    let World {
        store, desk, now, ..
    } = world;
    store.keep_notice(access, after, told, desk, now).await
}

/// The charge in the two days before, in kWh by quarter-hours.
async fn measured(
    world: World<'_>,
    access: &Access,
    battery: &Battery,
    over: Millis,
) -> Result<Vec<f64>> {
    let from = over - 2 * domain::clock::DAY;
    let zone = access.zone();
    let days = zone.day_of(from)..zone.day_of(over).next();
    let chart = world
        .store
        .chart(
            access,
            days,
            Resolution::Quarter,
            Method::Mean,
            &[Series::Soc],
        )
        .await?;
    let points = chart.time.iter().zip(&chart.lines[0].values);
    let points = points.filter(|(at, _)| (from..over).contains(*at));
    let charges =
        points.filter_map(|(_, tenths)| Some((*tenths)? as f64 / 1000.0 * battery.capacity));
    Ok(charges.collect())
}
