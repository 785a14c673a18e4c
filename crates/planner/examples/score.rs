//! Scores forecasts and plans as `make bench` does, without the rest of the workspace: `cargo run --release -p planner --example score`.
//! With `tune` it scores weeks 5 to 12 instead, which are the ones that choices may look at; with `lasting` it shows how long
//! misses last; with `hourly` it plans every hour only, which is quicker and nearly as good. Tables of other homes (`bench/other-homes`
//! writes some) are scored from their thirteenth week on, instead of the one of the benchmark.
#![allow(dead_code, unreachable_pub)]

#[path = "../../../bench/src/plan/accuracy.rs"]
mod accuracy;
#[path = "../../../bench/src/plan/brute.rs"]
mod brute;
#[path = "../../../bench/src/plan/chance.rs"]
mod chance;
#[path = "../../../bench/src/plan/exact.rs"]
mod exact;
#[path = "../../../bench/src/plan/home.rs"]
mod home;
#[path = "../../../bench/src/plan/models.rs"]
mod models;
#[path = "../../../bench/src/plan/world.rs"]
mod world;

use accuracy::Misses;
use home::Home;
use models::Models;
use planner::Band;
use planner::plan::View;
use world::World;

fn main() {
    let said = |word: &str| std::env::args().any(|said| said == word);
    let tables: Vec<String> = std::env::args()
        .filter(|said| said.ends_with(".csv"))
        .collect();
    let mut homes = Vec::new();
    for table in &tables {
        let measured = std::fs::read_to_string(table).expect("a table of a home is readable");
        homes.push((table.as_str(), Home::of(&measured, None)));
    }
    if homes.is_empty() {
        homes.push(("without weather", Home::load(false)));
        homes.push(("with weather", Home::load(true)));
    }
    for (name, home) in homes {
        let (first, last) = if said("tune") {
            (28 * 96, 84 * 96)
        } else {
            (84 * 96, home.quarters())
        };
        println!("{name}");
        let models = Models::learn(&home, first, last);
        let (load, pv) = accuracy::score(&home, &models, first, last);
        print_misses("load", &load);
        print_misses("PV", &pv);
        if said("lasting") {
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
        let world = World {
            home: &home,
            first,
            last,
        };
        print_plans(&world, &models, if said("hourly") { 4 } else { home.step });
    }
}

fn print_misses(name: &str, misses: &Misses) {
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

fn print_plans(world: &World<'_>, models: &Models, every: usize) {
    let alone = world.self_use();
    let saving = alone - world.perfect();
    println!(
        "  following the meter costs {:.2} EUR; perfect foresight saves {:.2}",
        alone / 100.0,
        saving / 100.0
    );
    let gap = world.gap_to_exact(models);
    let above = gap.ours - gap.exact;
    println!(
        "  above the exact optimum: {:.3} ct a plan, {:.2} at worst; {:.3} % of the cost, {:.3} % of what is bought",
        above / gap.plans as f64,
        gap.worst,
        100.0 * above / gap.exact.abs(),
        100.0 * above / gap.bill,
    );
    for view in [View::Certain, View::Bands] {
        let mut planned = world.planned(models, view, every);
        planned.took.sort();
        let (off, days) = brute::worst_difference(world, &planned.modes);
        println!(
            "  {view:?}: saves {:.2} EUR, {:.1} % of perfect, ± {:.1} by the luck of weeks; p95 of a plan {:?}; replay off by {off:.2} ct at worst of {days} days",
            (alone - planned.cents) / 100.0,
            100.0 * (alone - planned.cents) / saving,
            world.error_of_share(&planned.modes),
            planned.took[planned.took.len() * 95 / 100],
        );
    }
}

/// How much of a miss is left some time later, within one issue: what the plan's tempers are made of.
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
