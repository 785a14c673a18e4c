//! The outcome of a block that has ended, from measurements.
use domain::Series;
use domain::clock::Millis;
use domain::series::{Method, Resolution};
use planner::QUARTER;
use service::planning::BlockOutcome;
use store::planning::{BlockReason, ChargePlanMode, RunningBlock};
use store::{Access, Result, Store};

/// `None` for self-consumption, and for a block of less than five minutes.
pub(super) async fn measure(
    store: &Store,
    access: &Access,
    running: Option<RunningBlock>,
    end: Millis,
) -> Result<Option<BlockOutcome>> {
    let acted = |running: &RunningBlock| {
        running.mode != ChargePlanMode::SelfUse && end - running.start >= QUARTER / 3
    };
    let Some(running) = running.filter(acted) else {
        return Ok(None);
    };
    let zone = access.zone();
    let days = zone.day_of(running.start)..zone.day_of(end).next();
    let series = [Series::Charge, Series::Import, Series::Soc];
    let chart = store
        .chart(access, days, Resolution::Quarter, Method::Mean, &series)
        .await?;
    // Quarter-hours that lie mostly within the block.
    let within = |at: &Millis| (running.start..end).contains(&(*at + QUARTER / 2));
    let first = chart
        .time
        .iter()
        .position(within)
        .unwrap_or(chart.time.len());
    let count = chart.time[first..]
        .iter()
        .take_while(|at| within(at))
        .count();
    let values = |n: usize| chart.lines[n].values[first..first + count].iter().flatten();
    let sum = |n: usize| {
        values(n)
            .next()
            .is_some()
            .then(|| values(n).sum::<i64>().abs())
    };
    let clock = |at: Millis| {
        zone.clock_text(at)
            .get(11..16)
            .unwrap_or_default()
            .to_owned()
    };
    Ok(Some(BlockOutcome {
        mode: running.mode,
        from: clock(running.start),
        to: clock(end),
        price: running.price,
        charged: sum(0),
        imported: sum(1),
        // Stored in tenths of a percent.
        soc: values(2).last().map(|tenths| (tenths + 5) / 10),
        expected: match running.reason {
            BlockReason::Buys(facts) | BlockReason::Keeps(facts) => Some(facts.saving),
            BlockReason::ChargeTarget { .. } | BlockReason::FollowsMeter => None,
        },
    }))
}
