//! What planned days saved: each measured day is replayed without the plan. A plan that loses money over 30 days is turned off.
use super::{PlanningContext, block_outcome, inputs};
use domain::Series;
use domain::SiteDay;
use domain::savings::EnergyBalance;
use domain::series::{Method, Resolution};
use planner::plan_savings::{MeasuredQuarter, Replay, SavedDay, saved_in_30_days, should_turn_off};
use planner::{BatteryModel, SlotPrice};
use store::planning::{PlanDay, Planning};
use store::{Access, Result};

/// The most days counted in one run, after a longer outage.
const MAX_DAYS_PER_RUN: usize = 10;

/// Counts the days before `today` that are not counted yet, from the first whole day of the plan on.
pub(super) async fn count_days(
    context: PlanningContext<'_>,
    access: &Access,
    today: SiteDay,
) -> Result<()> {
    let PlanningContext { store, now, .. } = context;
    let planning = store.planning(access).await?;
    let Some(since) = planning.since else {
        return Ok(());
    };
    let settings = store.settings(access, now).await?;
    let Some(rules) = inputs::rules(&settings, access, None, now) else {
        return Ok(());
    };
    let first = access.zone().day_of(since).next();
    let mut counted = store.plan_days(access, first..today).await?;
    let next = counted.last().map_or(first, |last| last.day.next());
    for day in SiteDay::each(next..today).take(MAX_DAYS_PER_RUN) {
        let yesterday = counted.last().filter(|last| last.day.next() == day);
        let row = replay(context, access, rules.battery, day, yesterday).await?;
        store.save_plan_day(access, &row).await?;
        counted.push(row);
    }
    turn_off_if_losing(context, access, &planning, &counted).await
}

async fn turn_off_if_losing(
    context: PlanningContext<'_>,
    access: &Access,
    planning: &Planning,
    counted: &[PlanDay],
) -> Result<()> {
    let PlanningContext { store, now, .. } = context;
    let days: Vec<SavedDay> = counted.iter().map(saved_day).collect();
    let Some(lost) = saved_in_30_days(&days).filter(|_| should_turn_off(&days)) else {
        return Ok(());
    };
    let ended = block_outcome::measure(store, access, planning.running, now).await?;
    context.service.turn_plan_off(access, lost, ended).await
}

fn saved_day(day: &PlanDay) -> SavedDay {
    SavedDay {
        day: day.day,
        actual: day.actual,
        without_plan: day.without_plan,
        without_battery: day.without_battery,
        counted: day.counted,
    }
}

/// Replays one measured day without the plan, from the stored energy at which the replay of the day before ended.
async fn replay(
    context: PlanningContext<'_>,
    access: &Access,
    battery: BatteryModel,
    day: SiteDay,
    yesterday: Option<&PlanDay>,
) -> Result<PlanDay> {
    let PlanningContext { store, now, .. } = context;
    let series = [
        Series::Import,
        Series::FeedIn,
        Series::Charge,
        Series::Discharge,
        Series::Soc,
    ];
    let chart = store
        .chart(
            access,
            day..day.next(),
            Resolution::Quarter,
            Method::Mean,
            &series,
        )
        .await?;
    let bounds = access.zone().bounds(day);
    let prices = store.prices(access, bounds, now).await?;
    let quarter = |n: usize| {
        let wh = |line: usize| chart.lines[line].values[n].map(i64::abs);
        let flowed = EnergyBalance {
            import: wh(0)?,
            feed_in: wh(1)?,
            charge: wh(2)?,
            discharge: wh(3)?,
        };
        let price = prices.quarters.get(n).copied().flatten()?;
        let price = SlotPrice {
            import: price.import,
            feed_in: prices.feed_in.unwrap_or(0),
            known: true,
        };
        Some(MeasuredQuarter { flowed, price })
    };
    let quarters: Vec<Option<MeasuredQuarter>> = (0..chart.time.len()).map(quarter).collect();
    let charges = || chart.lines[4].values.iter().flatten();
    let stored = |tenths: &i64| *tenths as f64 / 1000.0 * battery.capacity;
    let initial_stored = match yesterday {
        Some(yesterday) => yesterday.stored as f64 / 1000.0,
        None => charges().next().map_or(battery.floor, stored),
    };
    let mut replay = Replay::new(battery, initial_stored);
    let saved = replay.day(day, &quarters, charges().last().map(stored));
    Ok(PlanDay {
        day,
        actual: saved.actual,
        without_plan: saved.without_plan,
        without_battery: saved.without_battery,
        counted: saved.counted,
        stored: (1000.0 * replay.stored()).round() as i64,
    })
}
