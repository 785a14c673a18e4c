//! Forecasts for every system that reports, and a charge plan where its people want one. Each has its turn once in a quarter-hour,
//! spread over the time; a plan is also made out of turn on new prices and settings, and when the charge is not where it should be.

mod ended;
mod inputs;
mod making;
mod mind;
mod models;
mod notice;
mod savings;

use bus::Bus;
use domain::Serial;
use domain::clock::{MINUTE, Millis};
use mind::{Mind, Seen};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use store::mail::Desk;
use store::planning::Planned;
use store::{Result, Store};

/// What it takes to plan, and when it is.
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub store: &'a Store,
    pub bus: &'a Bus,
    pub desk: Desk<'a>,
    pub now: Millis,
}

/// What is known of each system without reading it again: learned models and the standing plan.
#[derive(Debug, Default)]
pub struct Planners {
    minds: HashMap<Serial, Mind>,
    budget: Budget,
    /// Where the next look begins, as one that ran out of time left off.
    next: usize,
}

/// After a start thousands of systems are due at once, and other people wait for their charts: a look is over after some time, but
/// not before it has seen some systems. What is due stays due.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub time: Duration,
    pub at_least: usize,
    /// What learning may take more, for one system at least. Models are gone after a start, and until it is learned anew a system has
    /// no plan but the one that ends within the hour.
    pub learning: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(2),
            at_least: 16,
            learning: Duration::from_secs(6),
        }
    }
}

impl Planners {
    pub fn within(budget: Budget) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Looks at every system once and works where something is due, one after the other: one core at most. Who has to be learned
    /// first comes after everybody else: that takes many times as long as a plan, and nobody else should wait for it.
    pub async fn look(&mut self, world: World<'_>) -> Result<()> {
        let answered = world.store.prices_answered_at().await?;
        let systems = world.store.planned_systems().await?;
        let known: HashSet<&Serial> = systems.iter().map(|system| &system.sn).collect();
        self.minds.retain(|sn, _| known.contains(sn));
        let (begun, budget, first) = (Instant::now(), self.budget, self.next);
        let mut to_learn = Vec::new();
        for seen in 0..systems.len() {
            let place = (first + seen) % systems.len();
            if seen >= budget.at_least && begun.elapsed() >= budget.time {
                self.next = place;
                break;
            }
            let system = &systems[place];
            let mind = self.minds.entry(system.sn.clone()).or_default();
            let seen = mind.look(world, system, answered).await;
            if let Some(Seen::HasToLearn) = attended(mind, seen, system, world.now) {
                to_learn.push(system);
            }
        }
        // Whose battery waits for a plan comes first, then who has no forecasts.
        to_learn.sort_by_key(|system| (self.minds[&system.sn].knows(), !system.plans));
        let begun = Instant::now();
        for (done, system) in to_learn.into_iter().enumerate() {
            if done > 0 && begun.elapsed() >= budget.learning {
                break;
            }
            let mind = self.minds.entry(system.sn.clone()).or_default();
            let learned = mind.learn(world, system).await;
            attended(mind, learned, system, world.now);
        }
        Ok(())
    }
}

/// One system that cannot be read must not keep the others from their plans.
fn attended<T>(mind: &mut Mind, done: Result<T>, system: &Planned, now: Millis) -> Option<T> {
    if let Err(error) = &done {
        tracing::error!(%error, sn = %system.sn, "planning failed; it is tried again");
        mind.not_before = now + MINUTE;
    }
    done.ok()
}

pub(crate) async fn run(planners: &mut Planners, world: World<'_>) {
    if let Err(error) = planners.look(world).await {
        tracing::error!(%error, "forecasts and plans cannot be made; it is tried again");
    }
}
