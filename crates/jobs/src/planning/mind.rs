//! What is known of one system, and what is due for it.
use super::models::Models;
use super::{World, ended, inputs, making, notice, savings};
use bus::Snapshot;
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::{Serial, SiteDay};
use planner::QUARTER;
use planner::plan::Plan;
use std::sync::Arc;
use store::planning::{NewPlan, Planned, PlannedRules, Planning, Running};
use store::{Access, Result};

/// Systems have their turns spread over so much of a quarter-hour.
const SPREAD: Millis = 10 * MINUTE;
/// What was measured longer ago says nothing about now.
const FRESH: Millis = HOUR;
/// A plan needs to know the sun: so many days of it, or where the panels are.
const DAYS_TO_PLAN: usize = 10;
/// The day before is counted when what came late has come, in ms after midnight.
const COUNTED_AFTER: Millis = 3 * HOUR;

#[derive(Debug, Default)]
pub(super) struct Mind {
    models: Option<Models>,
    standing: Option<Plan>,
    /// What the standing plan was made with.
    rules: Option<planner::plan::Rules>,
    /// What was wanted when somebody last worked on it.
    tried: Option<PlannedRules>,
    /// When the household began that it is about.
    history_from: Millis,
    /// The last answer of a source of prices that the standing plan was held against.
    prices_seen: Option<Millis>,
    /// Nothing can be forecast before.
    pub(super) not_before: Millis,
    /// The last day that was looked at for what it saved.
    counted: Option<SiteDay>,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Attended,
    /// Nothing was learned of it yet, or too long ago.
    HasToLearn,
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
    /// `answered` is when a source of prices last did.
    pub(super) async fn look(
        &mut self,
        world: World<'_>,
        system: &Planned,
        answered: Option<Millis>,
    ) -> Result<Seen> {
        let World { store, now, .. } = world;
        if !system.plans {
            self.standing = None;
            if system.has_plan
                && let Some(access) = store.household(&system.sn).await?
            {
                let planning = store.planning(&access).await?;
                let ended = ended::outcome(store, &access, planning.running, now).await?;
                store.end_plan(&access, ended, now).await?;
                world.bus.plan_changed(&system.sn).await;
            }
        }
        let in_turn = system
            .forecast_at
            .is_none_or(|at| turn(&system.sn, at) != turn(&system.sn, now));
        let snapshot = world.bus.live.get(&system.sn);
        let soc = snapshot
            .as_deref()
            .and_then(|now_is| fresh_soc(now_is, now));
        let mut seen = Seen::Attended;
        if now >= self.not_before {
            let new_prices = self.prices_seen != answered;
            if in_turn || self.is_upset(world, system, soc, new_prices).await? {
                seen = self.work(world, system, snapshot).await?;
            }
            self.prices_seen = answered;
        }
        if system.plans {
            self.count_days(world, &system.sn).await?;
        }
        Ok(seen)
    }

    /// Whether something was learned of it, be it long ago.
    pub(super) fn knows(&self) -> bool {
        self.models.is_some()
    }

    /// Learns from what was measured; a system that had to wait for it is forecast and planned for at once.
    pub(super) async fn learn(&mut self, world: World<'_>, system: &Planned) -> Result<()> {
        let World { store, now, .. } = world;
        let Some(access) = store.household(&system.sn).await? else {
            return Ok(());
        };
        let waits = !self.knows();
        self.models = Models::learn(store, &access, now).await?;
        self.history_from = access.history_from();
        if self.models.is_none() {
            self.not_before = now + QUARTER;
        } else if waits {
            let snapshot = world.bus.live.get(&system.sn);
            self.work(world, system, snapshot).await?;
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
    ) -> Result<Seen> {
        let World { store, now, .. } = world;
        let soc = snapshot
            .as_deref()
            .and_then(|now_is| fresh_soc(now_is, now));
        let Some(soc) = soc else {
            // It is silent: there is nothing to follow a plan, and nothing to forecast from.
            self.not_before = now + MINUTE;
            return Ok(Seen::Attended);
        };
        let Some(models) = &self.models else {
            return Ok(Seen::HasToLearn);
        };
        let seen = match now - models.learned_at >= DAY {
            true => Seen::HasToLearn,
            false => Seen::Attended,
        };
        let Some(access) = store.household(&system.sn).await? else {
            return Ok(Seen::Attended);
        };
        if self.history_from != access.history_from() {
            // What was learned of the household before is not this one's.
            *self = Self::default();
            return Ok(Seen::HasToLearn);
        }
        self.tried = Some(system.rules);
        let forecast = models.forecast(store, &access, now).await?;
        let issue = making::issue(&forecast, now);
        if !store
            .keep_forecast(&system.sn, &issue, system.forecast_at)
            .await?
        {
            return Ok(seen);
        }
        world.bus.live.forecast_issued(&system.sn, issue);
        let settings = store.settings(&access, now).await?;
        let planning = store.planning(&access).await?;
        let Some(rules) = inputs::rules(&settings, &access, planning.wish, now) else {
            return Ok(seen);
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
            return Ok(seen);
        }
        let prices = inputs::prices(store, &access, now).await?;
        let outlook = inputs::outlook(forecast, &prices, &settings, access.zone());
        if outlook.prices.is_empty() {
            return Ok(seen);
        }
        let standing = self.standing.take();
        let standing = standing.or_else(|| planning.plan.as_ref().map(making::restored));
        let made = making::make(outlook, rules, stored, standing).await?;
        self.rules = Some(rules);
        self.keep(world, &access, &planning, made, &prices).await?;
        Ok(seen)
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
            world.bus.plan_changed(access.sn()).await;
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
