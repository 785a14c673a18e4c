//! The planning state of one system: its models, its active plan and what is due.
use super::models::HomeModels;
use super::{PlanningContext, block_outcome, explained_plan, inputs, notice, savings};
use domain::clock::{DAY, HOUR, MAX_CLOCK_SKEW, MINUTE, Millis};
use domain::shard::Shard;
use domain::{Serial, SiteDay};
use planner::QUARTER;
use planner::plan::Plan;
use store::access::InternalAccess;
use store::job_lease::JobLease;
use store::planning::{NewPlan, PlannedRules, PlannedSystem, Planning, RunningBlock};
use store::{Access, Result, Store};

/// The offsets of all systems are spread over this part of a quarter-hour.
const OFFSET_SPREAD: Millis = 10 * MINUTE;
/// An older sample says nothing about the present.
const MAX_SAMPLE_AGE: Millis = HOUR;
/// A plan needs a sun forecast: this many measured days, or the coordinates and size of the panels.
const MIN_DAYS_TO_PLAN: usize = 10;
/// When the previous day is counted, after midnight: late samples have arrived by then.
const SAVINGS_COUNTED_AFTER: Millis = 3 * HOUR;

#[derive(Debug)]
pub(super) struct SystemPlanner {
    pub(super) shard: Shard,
    models: Option<HomeModels>,
    active_plan: Option<Plan>,
    /// The rules the active plan was made with.
    rules: Option<planner::plan::Rules>,
    /// The planned rules at the last attempt, successful or not.
    attempted_rules: Option<PlannedRules>,
    /// The start of the household that the models belong to.
    history_from: Millis,
    /// The last response of a price source that the active plan was checked against.
    prices_seen: Option<Millis>,
    /// No attempt before this time.
    pub(super) not_before: Millis,
    /// The last day whose savings were counted.
    counted: Option<SiteDay>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    Done,
    /// It has no models, or they are too old.
    NeedsTraining,
}

/// The number of the quarter-hour that a time is in, shifted by the system's offset: it is planned once in each.
fn quarter_number(sn: &Serial, at: Millis) -> Millis {
    (at - offset(sn)).div_euclid(QUARTER)
}

/// How long after the quarter-hour a system is planned: the hash of its serial number spreads them.
fn offset(sn: &Serial) -> Millis {
    let hash = sn
        .as_str()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    ((hash >> 16) % OFFSET_SPREAD.unsigned_abs()) as Millis
}

/// When it is planned the next time.
fn next_quarter(sn: &Serial, now: Millis) -> Millis {
    (quarter_number(sn, now) + 1) * QUARTER + offset(sn)
}

impl SystemPlanner {
    pub(super) fn new(shard: Shard) -> Self {
        Self {
            shard,
            models: None,
            active_plan: None,
            rules: None,
            attempted_rules: None,
            history_from: Millis::MIN,
            prices_seen: None,
            not_before: 0,
            counted: None,
        }
    }

    /// When it has to be checked again: in its next quarter-hour, and soon if it may need a plan before.
    pub(super) fn next_check(&self, system: &PlannedSystem, now: Millis) -> Millis {
        let in_use = system.last_online.is_some_and(|at| now - at < DAY);
        let next = next_quarter(&system.sn, now);
        let next = match system.wants_plan && in_use {
            true => next.min(now + MINUTE),
            false => next,
        };
        next.max(self.not_before)
    }

    /// `answered` is when a price source last responded.
    pub(super) async fn visit(
        &mut self,
        context: PlanningContext<'_>,
        system: &PlannedSystem,
        answered: Option<Millis>,
    ) -> Result<Visit> {
        let PlanningContext { store, now, .. } = context;
        if !system.wants_plan {
            self.active_plan = None;
            if system.has_plan
                && let Some(access) = store
                    .household_access(InternalAccess::new(), &system.sn)
                    .await?
            {
                let planning = store.planning(&access).await?;
                let ended = block_outcome::measure(store, &access, planning.running, now).await?;
                context.service.end_plan(&access, ended).await?;
            }
        }
        let quarter = |at: Millis| quarter_number(&system.sn, at);
        let is_due = system
            .forecast_at
            .is_none_or(|at| quarter(at) != quarter(now));
        let mut visit = Visit::Done;
        if now >= self.not_before {
            let soc = recent_soc(store, system, now).await?;
            let new_prices = self.prices_seen != answered;
            if is_due || self.needs_replan(context, system, soc, new_prices).await? {
                visit = self.forecast_and_plan(context, system, soc).await?;
            }
            self.prices_seen = answered;
        }
        if system.wants_plan {
            self.count_savings(context, system).await?;
        }
        Ok(visit)
    }

    /// Whether it has models, even old ones.
    pub(super) fn has_models(&self) -> bool {
        self.models.is_some()
    }

    /// Trains the models. A system that had none gets its forecast and plan at once.
    pub(super) async fn train(
        &mut self,
        context: PlanningContext<'_>,
        system: &PlannedSystem,
    ) -> Result<()> {
        let PlanningContext { store, now, .. } = context;
        let Some(access) = store
            .household_access(InternalAccess::new(), &system.sn)
            .await?
        else {
            return Ok(());
        };
        let had_no_models = !self.has_models();
        self.models = HomeModels::train(store, &access, now).await?;
        self.history_from = access.history_from();
        if let Some(models) = &self.models {
            models.save(store, &access).await?;
        }
        if self.models.is_none() {
            self.not_before = now + QUARTER;
        } else if had_no_models {
            let soc = recent_soc(store, system, now).await?;
            self.forecast_and_plan(context, system, soc).await?;
        }
        Ok(())
    }

    async fn needs_replan(
        &self,
        context: PlanningContext<'_>,
        system: &PlannedSystem,
        soc: Option<f64>,
        new_prices: bool,
    ) -> Result<bool> {
        if !system.wants_plan {
            return Ok(false);
        }
        if self.attempted_rules != Some(system.rules) {
            return Ok(true);
        }
        let (Some(active_plan), Some(rules)) = (&self.active_plan, &self.rules) else {
            return Ok(false);
        };
        let stored = soc.map(|soc| soc * rules.battery.capacity);
        if stored.is_some_and(|stored| active_plan.is_off_course(rules, context.now, stored))
            // At most every five minutes: a new plan starts from the measured state of charge.
            && system.planned_at.is_none_or(|at| context.now - at >= 5 * MINUTE)
        {
            return Ok(true);
        }
        if !new_prices {
            return Ok(false);
        }
        let Some(access) = context
            .store
            .household_access(InternalAccess::new(), &system.sn)
            .await?
        else {
            return Ok(false);
        };
        let prices = inputs::prices(context.store, &access, context.now).await?;
        let differs = |price: &(Millis, planner::SlotPrice)| {
            let step = active_plan.steps.iter().find(|step| step.start == price.0);
            step.is_some_and(|step| step.price.import != price.1.import)
        };
        Ok(prices.iter().any(differs))
    }

    async fn forecast_and_plan(
        &mut self,
        context: PlanningContext<'_>,
        system: &PlannedSystem,
        soc: Option<f64>,
    ) -> Result<Visit> {
        let PlanningContext { store, now, .. } = context;
        let (Some(soc), Some(lease)) = (soc, context.held.lease(self.shard)) else {
            // No recent sample: no battery would follow a plan, and there is nothing to forecast from.
            return Ok(Visit::Done);
        };
        let Some(access) = store
            .household_access(InternalAccess::new(), &system.sn)
            .await?
        else {
            return Ok(Visit::Done);
        };
        if self.history_from != access.history_from() {
            // The models belong to the former household, or there are none yet.
            *self = Self::new(self.shard);
            self.history_from = access.history_from();
            self.models = HomeModels::load(store, &access).await?;
        }
        let Some(models) = &self.models else {
            return Ok(Visit::NeedsTraining);
        };
        let visit = match models.is_old(now) {
            true => Visit::NeedsTraining,
            false => Visit::Done,
        };
        self.attempted_rules = Some(system.rules);
        let forecast = models.forecast(store, &access, now).await?;
        let issue = explained_plan::issue(&forecast, now);
        if !store
            .save_forecast(lease, &system.sn, &issue, system.forecast_at)
            .await?
        {
            return Ok(visit);
        }
        context.bus.live.forecast_issued(&system.sn, issue);
        let settings = store.settings(&access, now).await?;
        let planning = store.planning(&access).await?;
        let Some(rules) = inputs::rules(&settings, &access, planning.charge_target, now) else {
            return Ok(visit);
        };
        let stored = soc * rules.battery.capacity;
        notice::update(
            context,
            &access,
            &planning,
            models,
            &forecast,
            &rules.battery,
            stored,
        )
        .await?;
        if !system.wants_plan || !models.may_plan(MIN_DAYS_TO_PLAN) {
            return Ok(visit);
        }
        let prices = inputs::prices(store, &access, now).await?;
        let outlook = inputs::outlook(forecast, &prices, &settings, access.zone());
        if outlook.prices.is_empty() {
            return Ok(visit);
        }
        let active_plan = self.active_plan.take();
        let active_plan =
            active_plan.or_else(|| planning.plan.as_ref().map(explained_plan::restored));
        let made = explained_plan::make_plan(outlook, rules, stored, active_plan).await?;
        self.rules = Some(rules);
        self.save_plan(context, lease, &access, &planning, made, &prices)
            .await?;
        Ok(visit)
    }

    async fn save_plan(
        &mut self,
        context: PlanningContext<'_>,
        lease: JobLease,
        access: &Access,
        planning: &Planning,
        made: explained_plan::ExplainedPlan,
        prices: &[(Millis, planner::SlotPrice)],
    ) -> Result<()> {
        let PlanningContext { store, now, .. } = context;
        let plan = made.to_stored(prices, now);
        let next = plan.block_at(now).or(plan.blocks.first());
        let Some(next) = next else { return Ok(()) };
        let goes_on = planning.running.filter(|running| running.mode == next.mode);
        let (running, ended) = match goes_on {
            Some(running) => (running, None),
            None => {
                let began = RunningBlock {
                    start: now,
                    mode: next.mode,
                    price: next.price,
                    reason: next.reason,
                };
                (
                    began,
                    block_outcome::measure(store, access, planning.running, now).await?,
                )
            }
        };
        let adopted_at = planning.adopted_at.filter(|_| goes_on.is_some());
        let new = NewPlan {
            lease,
            plan: &plan,
            adopted_at: adopted_at.unwrap_or(now),
            running: Some(running),
            previous_planned_at: planning.planned_at,
        };
        if context.service.save_plan(access, &new, ended).await? {
            self.active_plan = Some(made.plan);
        }
        Ok(())
    }

    /// Once a day: counts what the previous days saved, and turns off a plan that loses money.
    async fn count_savings(
        &mut self,
        context: PlanningContext<'_>,
        system: &PlannedSystem,
    ) -> Result<()> {
        let PlanningContext { store, now, .. } = context;
        let (sn, today) = (&system.sn, system.zone.day_of(now - SAVINGS_COUNTED_AFTER));
        if self.counted == Some(today) {
            return Ok(());
        }
        if let Some(access) = store.household_access(InternalAccess::new(), sn).await? {
            savings::count_days(context, &access, today).await?;
        }
        self.counted = Some(today);
        Ok(())
    }
}

/// The state of charge from 0 to 1, unless the newest sample is too old.
async fn recent_soc(store: &Store, system: &PlannedSystem, now: Millis) -> Result<Option<f64>> {
    let recently = |at: Millis| now - at < MAX_SAMPLE_AGE;
    if !system.last_online.is_some_and(recently) {
        return Ok(None);
    }
    let latest = store
        .telemetry
        .latest_sample(&system.sn, now + MAX_CLOCK_SKEW);
    let soc = latest.await?.filter(|sample| recently(sample.at));
    Ok(soc.and_then(|sample| Some(f64::from(sample.soc?) / 1000.0)))
}
