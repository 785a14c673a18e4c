//! Updates the bad-weather notice after each forecast, and evaluates it two days later.
use super::PlanningContext;
use super::models::HomeModels;
use domain::Series;
use domain::clock::Millis;
use domain::series::{Method, Resolution};
use planner::BatteryModel;
use planner::forecast::Forecast;
use planner::weather_notice::{NoticeChange, NoticeTracker, is_bad_weather};
use service::weather_notice::NoticeTransition;
use store::planning::{self, Planning};
use store::{Access, Result};

pub(super) async fn update(
    context: PlanningContext<'_>,
    access: &Access,
    planning: &Planning,
    models: &HomeModels,
    forecast: &Forecast,
    battery: &BatteryModel,
    stored: f64,
) -> Result<()> {
    let before = planning.notice;
    let count = |number: i64| u32::try_from(number).unwrap_or(0);
    let raised = before
        .since
        .map(|at| (at, u8::try_from(before.disagreed).unwrap_or(0)));
    let mut notice = NoticeTracker::restore(raised, count(before.hits), count(before.false_alarms));
    let change = match notice.over_at() {
        Some(over) if over <= context.now => {
            let measured = measured(context, access, battery, over).await?;
            notice.evaluate(battery, &measured)
        }
        _ => {
            let bad = is_bad_weather(forecast, battery, stored, models.usual_pv);
            notice.update(context.now, bad)
        }
    };
    let transition = match change {
        None => NoticeTransition::Nothing,
        Some(NoticeChange::Raised) => NoticeTransition::Raised,
        Some(NoticeChange::Cleared) => NoticeTransition::Cleared {
            right: i64::from(notice.hits) > before.hits,
        },
    };
    let after = planning::WeatherNotice {
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
    let saved = context
        .service
        .save_weather_notice(access, after, transition);
    saved.await
}

/// The stored energy of the two days before `over`, in kWh by quarter-hours.
async fn measured(
    context: PlanningContext<'_>,
    access: &Access,
    battery: &BatteryModel,
    over: Millis,
) -> Result<Vec<f64>> {
    let from = over - 2 * domain::clock::DAY;
    let zone = access.zone();
    let days = zone.day_of(from)..zone.day_of(over).next();
    let chart = context
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
