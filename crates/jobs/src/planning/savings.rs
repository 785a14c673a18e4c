//! What planned days saved: each measured day is replayed without the plan. A plan that loses money for 30 days is turned off.
use super::{World, ended, inputs};
use domain::Series;
use domain::SiteDay;
use domain::savings::Flowed;
use domain::series::{Method, Resolution};
use planner::savings::{Measured, Replay, SavedDay, saved_in_30_days, turns_off};
use planner::{Battery, SlotPrice};
use store::planning::{PlanDay, Planning};
use store::{Access, Result};

/// Days that are made up for at a time, when nothing ran for a while.
const AT_A_TIME: usize = 10;

/// Counts the days before `today` that are not counted yet, from the first whole day of the plan on.
pub(super) async fn count(world: World<'_>, access: &Access, today: SiteDay) -> Result<()> {
    let World { store, now, .. } = world;
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
    for day in SiteDay::each(next..today).take(AT_A_TIME) {
        let yesterday = counted.last().filter(|last| last.day.next() == day);
        let row = replay(world, access, rules.battery, day, yesterday).await?;
        store.keep_plan_day(access, &row).await?;
        counted.push(row);
    }
    stop_if_it_loses(world, access, &planning, &counted).await
}

async fn stop_if_it_loses(
    world: World<'_>,
    access: &Access,
    planning: &Planning,
    counted: &[PlanDay],
) -> Result<()> {
    let World {
        store,
        bus,
        desk,
        now,
    } = world;
    let days: Vec<SavedDay> = counted.iter().map(saved).collect();
    let Some(lost) = saved_in_30_days(&days).filter(|_| turns_off(&days)) else {
        return Ok(());
    };
    let ended = ended::outcome(store, access, planning.running, now).await?;
    store.turn_plan_off(access, lost, ended, desk, now).await?;
    bus.settings_saved(access.sn()).await;
    Ok(())
}

fn saved(day: &PlanDay) -> SavedDay {
    SavedDay {
        day: day.day,
        actual: day.actual,
        without_plan: day.without_plan,
        without_battery: day.without_battery,
        counted: day.counted,
    }
}

/// One measured day as it had been without the plan, going on from where the day before would have ended.
async fn replay(
    world: World<'_>,
    access: &Access,
    battery: Battery,
    day: SiteDay,
    yesterday: Option<&PlanDay>,
) -> Result<PlanDay> {
    let World { store, now, .. } = world;
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
        let flowed = Flowed {
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
        Some(Measured { flowed, price })
    };
    let quarters: Vec<Option<Measured>> = (0..chart.time.len()).map(quarter).collect();
    let charges = || chart.lines[4].values.iter().flatten();
    let stored = |tenths: &i64| *tenths as f64 / 1000.0 * battery.capacity;
    let begins = match yesterday {
        Some(yesterday) => yesterday.stored as f64 / 1000.0,
        None => charges().next().map_or(battery.floor, stored),
    };
    let mut replay = Replay::new(battery, begins);
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
