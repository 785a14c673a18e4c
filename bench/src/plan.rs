//! Forecasts, plans and savings on a real home: walk-forward from the thirteenth week on, so nothing is scored that was trained
//! on.
mod accuracy;
mod backtest;
mod exact;
mod fine_simulation;
mod home;
mod models;
mod standard_error;

use crate::figure::Figure;
use accuracy::ErrorSums;
use backtest::{Backtest, OptimalityGap};
use home::Home;
use models::RollingModels;
use planner::plan::Uncertainty;
use std::time::Duration;

const LEARNED_FIRST: usize = 84 * 96;

/// All scores of one run; there is one run with the weather forecast and one without.
struct Scored {
    load: ErrorSums,
    pv: ErrorSums,
    /// Savings in cents, compared with following the meter.
    perfect: f64,
    deterministic: f64,
    planned: f64,
    /// The standard error of the plan's share of perfect foresight, in percentage points.
    error: f64,
    gap: OptimalityGap,
    took: Vec<Duration>,
    replay_off: f64,
}

pub(crate) fn run(figures: &mut Vec<Figure>) {
    let (bare, weather) = (score(false), score(true));
    let ratio = |ours: f64, theirs: f64, bar: f64| Some(ours <= bar * theirs);
    let gap = 100.0 * (bare.gap.ours - bare.gap.exact) / bare.gap.exact.abs();
    figures.push(
        Figure::new(
            "a plan's cost above the exact optimum, same inputs",
            "%",
            "≤ 0.1",
        )
        .ours(gap)
        .holds(Some(gap <= 0.1)),
    );
    let bill = 100.0 * (bare.gap.ours - bare.gap.exact) / bare.gap.bill;
    figures.push(Figure::recorded(
        "the same in parts of what is bought alone",
        "%",
        Some(bill),
    ));
    let p95 = p95_ms(&weather.took);
    figures.push(
        Figure::new("one plan, p95", "ms", "≤ 10")
            .ours(p95)
            .holds(Some(p95 <= 10.0)),
    );
    for (scored, name, share_name, error_name, bar, share_bar) in [
        (
            &bare,
            "saving of the plan without weather",
            "its share of what perfect foresight saves",
            "the standard error of that share, by its weeks",
            1.2,
            50.0,
        ),
        (
            &weather,
            "saving of the plan with weather",
            "its share of what perfect foresight saves, with weather",
            "the standard error of that share, with weather, by its weeks",
            1.2,
            60.0,
        ),
    ] {
        figures.push(
            Figure::new(name, "EUR", "≥ 1.2 × deterministic rolling")
                .ours(scored.planned / 100.0)
                .against("deterministic rolling", Some(scored.deterministic / 100.0))
                .against("perfect foresight", Some(scored.perfect / 100.0))
                .holds(Some(scored.planned >= bar * scored.deterministic.max(0.0))),
        );
        let share = 100.0 * scored.planned / scored.perfect;
        let share_text = if share_bar > 55.0 { "≥ 60" } else { "≥ 50" };
        figures.push(
            Figure::new(share_name, "%", share_text)
                .ours(share)
                .holds(Some(share >= share_bar)),
        );
        figures.push(Figure::recorded(error_name, "points", Some(scored.error)));
    }
    let load = &bare.load;
    figures.push(
        accuracy_figure("load: nMAE", "≤ 0.87 × persistence, ≤ 0.97 × week", load).holds(
            ratio(load.ours, load.persistence, 0.87)
                .zip(ratio(load.ours, load.week, 0.97))
                .map(|(a, b)| a && b),
        ),
    );
    for (misses, name, bar, factor) in [
        (
            &bare.pv,
            "PV by day: nMAE without weather",
            "≤ 0.88 × persistence",
            0.88,
        ),
        (
            &weather.pv,
            "PV by day: nMAE with weather",
            "≤ 0.78 × persistence",
            0.78,
        ),
    ] {
        figures.push(accuracy_figure(name, bar, misses).holds(ratio(
            misses.ours,
            misses.persistence,
            factor,
        )));
    }
    let off = bare.replay_off.max(weather.replay_off);
    figures.push(
        Figure::new(
            "replay of savings against a simulation by seconds, worst day",
            "ct",
            "≤ 1",
        )
        .ours(off)
        .holds(Some(off <= 1.0)),
    );
}

fn score(with_weather: bool) -> Scored {
    let home = Home::load(with_weather);
    let (first, last) = (LEARNED_FIRST, home.quarters());
    let models = RollingModels::train(&home, first, last);
    let (load, pv) = accuracy::score(&home, &models, first, last);
    let backtest = Backtest {
        home: &home,
        first,
        last,
    };
    let alone = backtest.self_use();
    let planned = backtest.planned(&models, Uncertainty::Bands, home.step);
    Scored {
        load,
        pv,
        perfect: alone - backtest.perfect(),
        deterministic: alone
            - backtest
                .planned(&models, Uncertainty::Ignored, home.step)
                .cents,
        planned: alone - planned.cents,
        error: backtest.error_of_share(&planned.modes),
        gap: backtest.gap_to_exact(&models),
        replay_off: fine_simulation::worst_difference(&backtest, &planned.modes).0,
        took: planned.took,
    }
}

fn accuracy_figure(name: &'static str, bar: &'static str, misses: &ErrorSums) -> Figure {
    Figure::new(name, "of mean", bar)
        .ours(misses.ours / misses.total)
        .against("persistence", Some(misses.persistence / misses.total))
        .against(
            "mean of seven days by the hour",
            Some(misses.week / misses.total),
        )
}

fn p95_ms(took: &[Duration]) -> f64 {
    let mut sorted = took.to_vec();
    sorted.sort();
    let place = (sorted.len() * 95 / 100).min(sorted.len().saturating_sub(1));
    sorted
        .get(place)
        .map_or(f64::INFINITY, |took| took.as_secs_f64() * 1000.0)
}
