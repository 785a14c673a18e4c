//! What came of a block that is over, by what was measured in it.
use domain::Series;
use domain::clock::Millis;
use domain::series::{Method, Resolution};
use planner::QUARTER;
use store::planning::{Mode, Outcome, Reason, Running};
use store::{Access, Result, Store};

/// `None` for a block that did nothing special, or hardly lasted.
pub(super) async fn outcome(
    store: &Store,
    access: &Access,
    running: Option<Running>,
    end: Millis,
) -> Result<Option<Outcome>> {
    let acted =
        |running: &Running| running.mode != Mode::SelfUse && end - running.start >= QUARTER / 3;
    let Some(running) = running.filter(acted) else {
        return Ok(None);
    };
    let zone = access.zone();
    let days = zone.day_of(running.start)..zone.day_of(end).next();
    let series = [Series::Charge, Series::Import, Series::Soc];
    let chart = store
        .chart(access, days, Resolution::Quarter, Method::Mean, &series)
        .await?;
    // Quarter-hours that lie in it for the most part.
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
    Ok(Some(Outcome {
        mode: running.mode,
        from: clock(running.start),
        to: clock(end),
        price: running.price,
        charged: sum(0),
        imported: sum(1),
        // Kept in tenths.
        soc: values(2).last().map(|tenths| (tenths + 5) / 10),
        expected: match running.reason {
            Reason::Buys(facts) | Reason::Keeps(facts) => Some(facts.saving),
            Reason::Wish { .. } | Reason::FollowsMeter => None,
        },
    }))
}
