//! Forecasts for every system that reports, and a charge plan where its people want one. Each has its turn once in a quarter-hour,
//! spread over the time; a plan is also made out of turn on new prices and settings, and when the charge is not where it should be.

mod ended;
mod inputs;
mod making;
mod models;
mod notice;
mod savings;

use bus::{Bus, Snapshot};
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::{Serial, SiteDay};
use models::Models;
use planner::QUARTER;
use planner::plan::Plan;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::mail::Desk;
use store::planning::{NewPlan, Planned, PlannedRules, Planning, Running};
use store::{Access, Result, Store};

/// Systems have their turns spread over so much of a quarter-hour.
const SPREAD: Millis = 10 * MINUTE;
/// What was measured longer ago says nothing about now.
const FRESH: Millis = HOUR;
/// A plan needs to know the sun: so many days of it, or where the panels are.
const DAYS_TO_PLAN: usize = 10;
/// After a start thousands of systems are due at once, and other people wait for their charts: a look is over after so long …
const PER_LOOK: Duration = Duration::from_secs(2);
/// … but not before it has seen so many.
const AT_LEAST: usize = 16;
/// The day before is counted when what came late has come, in ms after midnight.
const COUNTED_AFTER: Millis = 3 * HOUR;

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
    /// When a source of prices last answered.
    prices_at: Option<Millis>,
    /// Where the next look begins, as one that ran out of time left off.
    next: usize,
}

#[derive(Debug, Default)]
struct Mind {
    models: Option<Models>,
    standing: Option<Plan>,
    /// What the standing plan was made with.
    rules: Option<planner::plan::Rules>,
    /// What was wanted when somebody last worked on it.
    tried: Option<PlannedRules>,
    /// When the household began that it is about.
    history_from: Millis,
    /// Nothing can be forecast before.
    not_before: Millis,
    /// The last day that was looked at for what it saved.
    counted: Option<SiteDay>,
}

impl Planners {
    /// Looks at every system once and works where something is due, one after the other: one core at most.
    pub async fn look(&mut self, world: World<'_>) -> Result<()> {
        let answered = world.store.prices_answered_at().await?;
        let new_prices = std::mem::replace(&mut self.prices_at, answered) != answered;
        let systems = world.store.planned_systems().await?;
        let known: HashSet<&Serial> = systems.iter().map(|system| &system.sn).collect();
        self.minds.retain(|sn, _| known.contains(sn));
        let (begun, first) = (Instant::now(), self.next);
        for seen in 0..systems.len() {
            let place = (first + seen) % systems.len();
            if seen >= AT_LEAST && begun.elapsed() >= PER_LOOK {
                self.next = place;
                break;
            }
            let system = &systems[place];
            let mind = self.minds.entry(system.sn.clone()).or_default();
            if let Err(error) = mind.look(world, system, new_prices).await {
                // One system that cannot be read must not keep the others from their plans.
                tracing::error!(%error, sn = %system.sn, "planning failed; it is tried again");
                mind.not_before = world.now + MINUTE;
            }
        }
        Ok(())
    }
}

/// Which turn of this system a moment belongs to.
fn turn(sn: &Serial, at: Millis) -> Millis {
    let hash = sn
        .as_str()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    let shift = (hash >> 16) % SPREAD.unsigned_abs();
    (at - shift as Millis).div_euclid(QUARTER)
}

impl Mind {
    async fn look(&mut self, world: World<'_>, system: &Planned, new_prices: bool) -> Result<()> {
        let World { store, now, .. } = world;
        if !system.plans {
            self.standing = None;
            if system.has_plan
                && let Some(access) = store.household(&system.sn).await?
            {
                let planning = store.planning(&access).await?;
                let ended = ended::outcome(store, &access, planning.running, now).await?;
                store.end_plan(&access, ended, now).await?;
            }
        }
        let in_turn = system
            .forecast_at
            .is_none_or(|at| turn(&system.sn, at) != turn(&system.sn, now));
        let snapshot = world.bus.live.get(&system.sn);
        let soc = snapshot
            .as_deref()
            .and_then(|now_is| fresh_soc(now_is, now));
        if now >= self.not_before
            && (in_turn || self.is_upset(world, system, soc, new_prices).await?)
        {
            self.work(world, system, snapshot).await?;
        }
        if system.plans {
            self.count_days(world, &system.sn).await?;
        }
        Ok(())
    }

    /// Whether a plan has to be made out of turn.
    async fn is_upset(
        &self,
        world: World<'_>,
        system: &Planned,
        soc: Option<f64>,
        new_prices: bool,
    ) -> Result<bool> {
        if !system.plans {
            return Ok(false);
        }
        if self.tried != Some(system.rules) {
            return Ok(true);
        }
        let (Some(standing), Some(rules)) = (&self.standing, &self.rules) else {
            return Ok(false);
        };
        let stored = soc.map(|soc| soc * rules.battery.capacity);
        if stored.is_some_and(|stored| standing.is_off(rules, world.now, stored))
            // Once a quarter-hour: the new plan begins with the charge as it is.
            && system.planned_at.is_none_or(|at| world.now - at >= 5 * MINUTE)
        {
            return Ok(true);
        }
        if !new_prices {
            return Ok(false);
        }
        let Some(access) = world.store.household(&system.sn).await? else {
            return Ok(false);
        };
        let prices = inputs::prices(world.store, &access, world.now).await?;
        let differs = |price: &(Millis, planner::SlotPrice)| {
            let step = standing.steps.iter().find(|step| step.start == price.0);
            step.is_some_and(|step| step.price.import != price.1.import)
        };
        Ok(prices.iter().any(differs))
    }

    async fn work(
        &mut self,
        world: World<'_>,
        system: &Planned,
        snapshot: Option<Arc<Snapshot>>,
    ) -> Result<()> {
        let World { store, now, .. } = world;
        let Some(access) = store.household(&system.sn).await? else {
            return Ok(());
        };
        if self.history_from != access.history_from() {
            // What was learned of the household before is not this one's.
            *self = Self {
                history_from: access.history_from(),
                ..Self::default()
            };
        }
        let soc = snapshot
            .as_deref()
            .and_then(|now_is| fresh_soc(now_is, now));
        let Some(soc) = soc else {
            // It is silent: there is nothing to follow a plan, and nothing to forecast from.
            self.not_before = now + MINUTE;
            return Ok(());
        };
        self.tried = Some(system.rules);
        if self
            .models
            .as_ref()
            .is_none_or(|models| now - models.learned_at >= DAY)
        {
            self.models = Models::learn(store, &access, now).await?;
        }
        let Some(models) = &self.models else {
            self.not_before = now + QUARTER;
            return Ok(());
        };
        let forecast = models.forecast(store, &access, now).await?;
        let issue = making::issue(&forecast, now);
        if !store
            .keep_forecast(&system.sn, &issue, system.forecast_at)
            .await?
        {
            return Ok(());
        }
        world.bus.live.forecast_issued(&system.sn, issue);
        let settings = store.settings(&access, now).await?;
        let planning = store.planning(&access).await?;
        let Some(rules) = inputs::rules(&settings, &access, planning.wish, now) else {
            return Ok(());
        };
        let stored = soc * rules.battery.capacity;
        notice::look(
            world,
            &access,
            &planning,
            models,
            &forecast,
            &rules.battery,
            stored,
        )
        .await?;
        if !system.plans || !models.may_plan(DAYS_TO_PLAN) {
            return Ok(());
        }
        let prices = inputs::prices(store, &access, now).await?;
        let outlook = inputs::outlook(forecast, &prices, &settings, access.zone());
        if outlook.prices.is_empty() {
            return Ok(());
        }
        let standing = self.standing.take();
        let standing = standing.or_else(|| planning.plan.as_ref().map(making::restored));
        let made = making::make(outlook, rules, stored, standing).await?;
        self.rules = Some(rules);
        self.keep(world, &access, &planning, made, &prices).await
    }

    async fn keep(
        &mut self,
        world: World<'_>,
        access: &Access,
        planning: &Planning,
        made: making::Made,
        prices: &[(Millis, planner::SlotPrice)],
    ) -> Result<()> {
        let World { store, now, .. } = world;
        let plan = made.kept(prices, now);
        let next = plan.block_at(now).or(plan.blocks.first());
        let Some(next) = next else { return Ok(()) };
        let goes_on = planning.running.filter(|running| running.mode == next.mode);
        let (running, ended) = match goes_on {
            Some(running) => (running, None),
            None => {
                let began = Running {
                    start: now,
                    mode: next.mode,
                    price: next.price,
                    reason: next.reason,
                };
                (
                    began,
                    ended::outcome(store, access, planning.running, now).await?,
                )
            }
        };
        let adopted_at = planning.adopted_at.filter(|_| goes_on.is_some());
        let new = NewPlan {
            plan: &plan,
            adopted_at: adopted_at.unwrap_or(now),
            running: Some(running),
            ended,
            before: planning.planned_at,
        };
        if store.keep_plan(access, new, now).await? {
            self.standing = Some(made.plan);
            world.bus.bring(access.sn()).await;
        }
        Ok(())
    }

    /// Once a day: what the days before have saved, and whether that is reason to stop.
    async fn count_days(&mut self, world: World<'_>, sn: &Serial) -> Result<()> {
        let World { store, now, .. } = world;
        let Some(snapshot) = world.bus.live.get(sn) else {
            return Ok(());
        };
        let today = snapshot.facts.zone.day_of(now - COUNTED_AFTER);
        if self.counted == Some(today) {
            return Ok(());
        }
        if let Some(access) = store.household(sn).await? {
            savings::count(world, &access, today).await?;
        }
        self.counted = Some(today);
        Ok(())
    }
}

/// The charge in parts of the whole, unless it was measured too long ago.
fn fresh_soc(snapshot: &Snapshot, now: Millis) -> Option<f64> {
    let sample = snapshot.sample.as_ref()?;
    let soc = sample.soc.filter(|_| now - sample.at < FRESH)?;
    Some(f64::from(soc) / 1000.0)
}

pub(crate) async fn run(planners: &mut Planners, world: World<'_>) {
    if let Err(error) = planners.look(world).await {
        tracing::error!(%error, "forecasts and plans cannot be made; it is tried again");
    }
}
