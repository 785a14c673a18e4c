//! Forecasts for every system that reports, and a charge plan where the owner wants one. Each system has its turn once per
//! quarter-hour, spread over time. A plan is also made out of turn: on new prices and settings, and when the state of charge is
//! not where the plan expects it.

mod block_outcome;
mod explained_plan;
mod inputs;
mod models;
mod notice;
mod savings;
mod system_planner;

use bus::Bus;
use domain::Serial;
use domain::clock::{MINUTE, Millis};
use service::Service;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use store::planning::PlannedSystem;
use store::{Result, Store};
use system_planner::{SystemPlanner, Visit};

/// The dependencies of planning, and the current time.
#[derive(Clone, Copy)]
pub struct PlanningContext<'a> {
    pub store: &'a Store,
    pub service: &'a Service,
    pub bus: &'a Bus,
    pub now: Millis,
}

/// What is kept in memory for each system: trained models and the active plan.
#[derive(Debug, Default)]
pub struct Planners {
    planners: HashMap<Serial, SystemPlanner>,
    budget: Budget,
    /// Where the next tick begins if this one ran out of time.
    next: usize,
}

/// After a start thousands of systems are due at once, and other people wait for their charts. So a tick ends after some time,
/// but not before it has visited some systems. Systems that are due stay due.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub time: Duration,
    pub min_systems: usize,
    /// Additional time for training, for one system at least. Models are lost at a restart. Until it is trained again a system
    /// only has a plan that ends within the hour.
    pub training_time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(2),
            min_systems: 16,
            training_time: Duration::from_secs(6),
        }
    }
}

impl Planners {
    pub fn with_budget(budget: Budget) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Visits every system once and works where something is due, one after the other: it uses one core at most. Systems that
    /// need training come after all others: training takes many times as long as a plan.
    pub async fn tick(&mut self, context: PlanningContext<'_>) -> Result<()> {
        let answered = context.store.prices_answered_at().await?;
        let systems = context.store.planned_systems().await?;
        let known: HashSet<&Serial> = systems.iter().map(|system| &system.sn).collect();
        self.planners.retain(|sn, _| known.contains(sn));
        let (begun, budget, first) = (Instant::now(), self.budget, self.next);
        let mut to_train = Vec::new();
        for visited in 0..systems.len() {
            let index = (first + visited) % systems.len();
            if visited >= budget.min_systems && begun.elapsed() >= budget.time {
                self.next = index;
                break;
            }
            let system = &systems[index];
            let planner = self.planners.entry(system.sn.clone()).or_default();
            let visit = planner.visit(context, system, answered).await;
            if let Some(Visit::NeedsTraining) = or_retry_later(planner, visit, system, context.now)
            {
                to_train.push(system);
            }
        }
        // Systems without models come first, and among them those that want a plan.
        to_train.sort_by_key(|system| (self.planners[&system.sn].has_models(), !system.wants_plan));
        let begun = Instant::now();
        for (done, system) in to_train.into_iter().enumerate() {
            if done > 0 && begun.elapsed() >= budget.training_time {
                break;
            }
            let planner = self.planners.entry(system.sn.clone()).or_default();
            let trained = planner.train(context, system).await;
            or_retry_later(planner, trained, system, context.now);
        }
        Ok(())
    }
}

/// One system that fails must not keep the others from their plans.
fn or_retry_later<T>(
    planner: &mut SystemPlanner,
    done: Result<T>,
    system: &PlannedSystem,
    now: Millis,
) -> Option<T> {
    if let Err(error) = &done {
        tracing::error!(%error, sn = %system.sn, "planning failed; retrying in a minute");
        planner.not_before = now + MINUTE;
    }
    done.ok()
}

pub(crate) async fn run(planners: &mut Planners, context: PlanningContext<'_>) {
    if let Err(error) = planners.tick(context).await {
        tracing::error!(%error, "planning tick failed; retrying at the next tick");
    }
}
