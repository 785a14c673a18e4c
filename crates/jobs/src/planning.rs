//! Forecasts for every system that reports, and a charge plan where the owner wants one. Each system is due once per
//! quarter-hour, spread over time. A plan is also made in between: on new prices and settings, and when the state of charge is not
//! where the plan expects it. The database knows when each system has to be checked next, and a process checks those of its
//! shards.

mod block_outcome;
mod context;
mod explained_plan;
mod inputs;
mod models;
mod notice;
mod pace;
mod savings;
mod system_planner;

pub use context::PlanningContext;

use crate::Worker;
use domain::Serial;
use domain::clock::{MINUTE, Millis};
use pace::Pace;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use store::Result;
use store::planning::PlannedSystem;
use system_planner::{SystemPlanner, Visit};

/// Systems that are read at a time.
const PAGE: usize = 64;

/// What is kept in memory for each system: trained models and the active plan.
#[derive(Debug, Default)]
pub struct Planners {
    planners: HashMap<Serial, SystemPlanner>,
    budget: Budget,
    pace: Pace,
    /// When a source had last answered at the tick before, if there was one.
    prices_answered: Option<Option<Millis>>,
}

/// After a start thousands of systems are due at once, and other people wait for their charts. So a tick ends after some time,
/// but not before it has visited some systems. Systems that are due stay due. A process that is behind has more: see `pace.rs`.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub time: Duration,
    pub min_systems: usize,
    /// Additional time for training, for one system at least. Until its models have been trained for the first time, a system only
    /// has a plan that ends within the hour.
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

    /// Checks the systems that are due, one after the other: it uses one core at most. Systems that need training come after all
    /// others: training takes many times as long as a plan.
    pub async fn tick(&mut self, context: PlanningContext<'_>) -> Result<()> {
        let PlanningContext { store, now, .. } = context;
        let shards = context.held.shards();
        self.planners
            .retain(|_, planner| shards.contains(planner.shard));
        let answered = store.prices_answered_at().await?;
        // After a start every plan is checked within a minute anyway.
        let before = self.prices_answered.replace(answered);
        if before.is_some_and(|before| before != answered) {
            store.check_all_plans(shards).await?;
        }
        let has_batteries = !context.bus.downlink.is_empty();
        let factor = self.pace.begin_tick(now, has_batteries);
        let (time, min_systems) = (
            factor * self.budget.time,
            factor as usize * self.budget.min_systems,
        );
        let begun = Instant::now();
        let mut to_train = Vec::new();
        let mut visited = 0;
        let mut has_reached_all = false;
        while visited < min_systems || begun.elapsed() < time {
            let limit = if begun.elapsed() < time {
                PAGE
            } else {
                min_systems - visited
            };
            let due = store
                .systems_to_plan(shards, now, limit.min(PAGE) as i64)
                .await?;
            if due.is_empty() {
                has_reached_all = true;
                break;
            }
            visited += due.len();
            let mut checked = Vec::with_capacity(due.len());
            for system in due {
                let planner = self.planner(&system);
                let visit = planner.visit(context, &system, answered).await;
                let visit = or_retry_later(planner, visit, &system, now);
                let next = planner.next_check(&system, now);
                if let Some(Visit::NeedsTraining) = visit {
                    to_train.push(PlannedSystem {
                        due_at: next,
                        ..system.clone()
                    });
                }
                checked.push((system, next));
            }
            store.set_plan_checks(context.held, &checked).await?;
        }
        self.pace.end_tick(now, has_reached_all);
        self.train(context, to_train).await
    }

    /// Systems without models come first, and among them those that want a plan.
    async fn train(
        &mut self,
        context: PlanningContext<'_>,
        mut systems: Vec<PlannedSystem>,
    ) -> Result<()> {
        systems.sort_by_key(|system| (self.planners[&system.sn].has_models(), !system.wants_plan));
        let (begun, budget) = (Instant::now(), self.budget);
        let mut checked = Vec::with_capacity(systems.len());
        for (done, system) in systems.into_iter().enumerate() {
            // The others are trained in a later tick.
            let mut next = context.now;
            if done == 0 || begun.elapsed() < budget.training_time {
                let planner = self.planner(&system);
                let trained = planner.train(context, &system).await;
                or_retry_later(planner, trained, &system, context.now);
                next = planner.next_check(&system, context.now);
            }
            checked.push((system, next));
        }
        let PlanningContext { store, held, .. } = context;
        store.set_plan_checks(held, &checked).await
    }

    fn planner(&mut self, system: &PlannedSystem) -> &mut SystemPlanner {
        let planner = self.planners.entry(system.sn.clone());
        planner.or_insert_with(|| SystemPlanner::new(system.shard))
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
        tracing::error!(%error, sn = %system.sn, "planning_failed: retrying in a minute");
        planner.not_before = now + MINUTE;
    }
    done.ok()
}

pub(crate) async fn run(worker: &Worker) {
    let context = PlanningContext {
        store: &worker.store,
        service: &worker.service,
        bus: &worker.bus,
        held: &worker.leases.held(),
        now: worker.clock.now(),
    };
    if let Err(error) = worker.planners.lock().await.tick(context).await {
        tracing::error!(%error, "planning_tick_failed: retrying at the next tick");
    }
}
