//! Scores forecasts and plans as `make bench` does, without the rest of the workspace: `cargo run --release -p planner --example
//! score`. `tune` scores weeks 5 to 12 instead: only these may be used to choose parameters. `lasting` shows how long forecast
//! errors last. `hourly` plans only every hour, which is faster and nearly as good. Tables of other homes (`bench/other-homes`
//! writes some) are scored from their thirteenth week on, instead of the benchmark's home.
#![allow(dead_code, unreachable_pub)]

#[path = "../../../bench/src/plan/accuracy.rs"]
mod accuracy;
#[path = "../../../bench/src/plan/backtest.rs"]
mod backtest;
#[path = "../../../bench/src/plan/exact.rs"]
mod exact;
#[path = "../../../bench/src/plan/fine_simulation.rs"]
mod fine_simulation;
#[path = "../../../bench/src/plan/home.rs"]
mod home;
#[path = "../../../bench/src/plan/models.rs"]
mod models;
#[path = "../../../bench/src/plan/standard_error.rs"]
mod standard_error;

use accuracy::ErrorSums;
use backtest::Backtest;
use home::Home;
use models::RollingModels;
use planner::Band;
use planner::plan::Uncertainty;

fn main() {
    let chosen = |word: &str| std::env::args().any(|argument| argument == word);
    let tables: Vec<String> = std::env::args()
        .filter(|argument| argument.ends_with(".csv"))
        .collect();
    let mut homes = Vec::new();
    for table in &tables {
        let measured = std::fs::read_to_string(table).expect("cannot read the table of a home");
        homes.push((table.as_str(), Home::of(&measured, None)));
    }
    if homes.is_empty() {
        homes.push(("without weather", Home::load(false)));
        homes.push(("with weather", Home::load(true)));
    }
    for (name, home) in homes {
        let (first, last) = if chosen("tune") {
            (28 * 96, 84 * 96)
        } else {
            (84 * 96, home.quarters())
        };
        println!("{name}");
        let models = RollingModels::train(&home, first, last);
        let (load, pv) = accuracy::score(&home, &models, first, last);
        print_misses("load", &load);
        print_misses("PV", &pv);
        if chosen("lasting") {
            print_lasting(
                "load",
                &home.history.load,
                |now| models.forecast(&home, now).load,
                first..last,
            );
            print_lasting(
                "PV",
                &home.history.pv,
                |now| models.forecast(&home, now).pv,
                first..last,
            );
            continue;
        }
        let backtest = Backtest {
            home: &home,
            first,
            last,
        };
        print_plans(
            &backtest,
            &models,
            if chosen("hourly") { 4 } else { home.step },
        );
    }
}

fn print_misses(name: &str, misses: &ErrorSums) {
    println!(
        "  {name}: nMAE {:.3}, {:.3} of persistence, {:.3} of the week; below P10 {:.3}, above P90 {:.3}; mean off by {:+.3}, rmse {:.3}, pinball {:.4}",
        misses.ours / misses.total,
        misses.ours / misses.persistence,
        misses.ours / misses.week,
        misses.below / misses.count,
        misses.above / misses.count,
        misses.bias / misses.total,
        (misses.squared * misses.count).sqrt() / misses.total,
        misses.pinball / misses.total,
    );
}

fn print_plans(backtest: &Backtest<'_>, models: &RollingModels, every: usize) {
    let alone = backtest.self_use();
    let saving = alone - backtest.perfect();
    println!(
        "  following the meter costs {:.2} EUR; perfect foresight saves {:.2}",
        alone / 100.0,
        saving / 100.0
    );
    let gap = backtest.gap_to_exact(models);
    let above = gap.ours - gap.exact;
    println!(
        "  above the exact optimum: {:.3} ct a plan, {:.2} at worst; {:.3} % of the cost, {:.3} % of what is bought",
        above / gap.plans as f64,
        gap.worst,
        100.0 * above / gap.exact.abs(),
        100.0 * above / gap.bill,
    );
    for uncertainty in [Uncertainty::Ignored, Uncertainty::Bands] {
        let mut planned = backtest.planned(models, uncertainty, every);
        planned.took.sort();
        let (off, days) = fine_simulation::worst_difference(backtest, &planned.modes);
        println!(
            "  {uncertainty:?}: saves {:.2} EUR, {:.1} % of perfect, ± {:.1} by the luck of weeks; p95 of a plan {:?}; replay off by {off:.2} ct at worst of {days} days",
            (alone - planned.cents) / 100.0,
            100.0 * (alone - planned.cents) / saving,
            backtest.error_of_share(&planned.modes),
            planned.took[planned.took.len() * 95 / 100],
        );
    }
}

/// The autocorrelation of forecast errors within one forecast: the plan's regimes are chosen by it.
fn print_lasting(
    name: &str,
    measured: &[Option<f64>],
    issue: impl Fn(usize) -> Vec<Band>,
    scored: std::ops::Range<usize>,
) {
    const LATER: [usize; 10] = [2, 4, 8, 12, 16, 24, 32, 48, 72, 96];
    let mut sums = [(0.0, 0.0, 0.0); LATER.len()];
    for now in (scored.start..scored.end - 192).step_by(24) {
        let bands = issue(now);
        let miss = |ahead: usize| {
            let band = bands[ahead];
            let came = measured[now + ahead].filter(|_| band.p50 > 50.0)?;
            let side = if came < band.p50 {
                band.p50 - band.p10
            } else {
                band.p90 - band.p50
            };
            Some(((came - band.p50) / side.max(10.0)).clamp(-2.5, 2.5))
        };
        for (sum, later) in sums.iter_mut().zip(LATER) {
            for (one, other) in (0..96).filter_map(|ahead| miss(ahead).zip(miss(ahead + later))) {
                sum.0 += one * other;
                sum.1 += one * one;
                sum.2 += other * other;
            }
        }
    }
    let left = sums.iter().zip(LATER).map(|((both, one, other), later)| {
        format!(
            "{:.1} h {:.2}",
            later as f64 / 4.0,
            both / (one * other).sqrt()
        )
    });
    println!(
        "  {name}: of a miss is left after {}",
        left.collect::<Vec<_>>().join(", ")
    );
}
