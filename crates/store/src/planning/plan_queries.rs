//! Queries of the planner. Several processes may plan on one database: the first to write wins.
use super::{ChargePlan, ChargePlanMode, ChargeTarget, PLAN_LEASE, RunningBlock, parse_json};
use crate::job_lease::{JobLease, ShardLeases};
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::shard::{Shard, ShardSet};
use domain::{Country, Currency, Serial, Zone};
use std::collections::BTreeSet;

/// A system of a household, with what decides whether it needs a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSystem {
    pub sn: Serial,
    pub shard: Shard,
    pub zone: Zone,
    /// When this check was due.
    pub due_at: Millis,
    /// Its battery is connected, or was at this time.
    pub last_online: Option<Millis>,
    /// Whether its settings ask for a plan.
    pub wants_plan: bool,
    /// What the plan is based on; a change requires a new plan.
    pub rules: PlannedRules,
    pub forecast_at: Option<Millis>,
    pub planned_at: Option<Millis>,
    /// Whether a plan is stored.
    pub has_plan: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlannedRules {
    pub settings_version: i64,
    pub grid_limit: Option<i64>,
    pub charge_target: Option<ChargeTarget>,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    site_id: i64,
    time_zone: String,
    plan_due_at: Millis,
    online: Option<bool>,
    presence_since: Option<Millis>,
    plans: bool,
    version: i64,
    grid_limit: Option<i64>,
    wish_soc: Option<i64>,
    wish_by: Option<Millis>,
    forecast_at: Option<Millis>,
    planned_at: Option<Millis>,
    has_plan: bool,
}

/// The setting is `plan`. Documents are written without spaces, so the database can search for it.
macro_rules! planning_enabled {
    () => {
        "COALESCE(s.desired, s.reported, '') LIKE '%\"dynamic_tariff\":\"plan\"%'"
    };
}

pub(crate) use planning_enabled;

/// A plan to be stored.
#[derive(Clone, Debug)]
pub struct NewPlan<'a> {
    /// The lease of the process that made it.
    pub lease: JobLease,
    pub plan: &'a ChargePlan,
    /// When the plan's next action last changed.
    pub adopted_at: Millis,
    pub running: Option<RunningBlock>,
    /// When the plan that this one follows was calculated.
    pub previous_planned_at: Option<Millis>,
}

/// A plan as sent to the battery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOrder {
    /// The battery follows the plan with the highest version.
    pub version: Millis,
    pub expires_at: Millis,
    /// Start, end, mode and power in W.
    pub segments: Vec<(Millis, Millis, ChargePlanMode, i64)>,
}

#[derive(Debug, FromRow)]
struct OrderRow {
    plan: String,
    planned_at: Millis,
}

impl Store {
    /// Systems of households whose battery has reported its capacity and whose plan has to be checked now, the longest due first.
    pub async fn systems_to_plan(
        &self,
        shards: ShardSet,
        now: Millis,
        limit: i64,
    ) -> Result<Vec<PlannedSystem>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(concat!(
            "SELECT y.sn, y.site_id, y.time_zone, y.plan_due_at, r.online, r.since AS presence_since, ", planning_enabled!(), " AS plans,
                COALESCE(s.version, 0) AS version, s.grid_limit, p.wish_soc, p.wish_by, p.forecast_at, p.planned_at,
                (p.plan IS NOT NULL OR p.running IS NOT NULL) AS has_plan
             FROM systems y LEFT JOIN settings s ON s.sn = y.sn LEFT JOIN planning p ON p.sn = y.sn
                LEFT JOIN presence r ON r.sn = y.sn
             WHERE y.owner_id IS NOT NULL AND y.capacity IS NOT NULL AND y.plan_due_at <= $1 AND ", in_shards!("y.site_id", "$2"), "
             ORDER BY y.plan_due_at, y.sn LIMIT $3"))
            .bind(now).bind(shards.bits()).bind(limit).fetch_all(p).await)?;
        let planned = |row: Row| {
            Ok(PlannedSystem {
                sn: row.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?,
                shard: Shard::of_site(row.site_id),
                zone: row
                    .time_zone
                    .parse()
                    .map_err(|_| Error::Damaged("systems.time_zone"))?,
                due_at: row.plan_due_at,
                last_online: match row.online {
                    Some(true) => Some(now),
                    _ => row.presence_since,
                },
                wants_plan: row.plans,
                rules: PlannedRules {
                    settings_version: row.version,
                    grid_limit: row.grid_limit,
                    charge_target: row
                        .wish_soc
                        .zip(row.wish_by)
                        .map(|(soc, by)| ChargeTarget { soc, by }),
                },
                forecast_at: row.forecast_at,
                planned_at: row.planned_at,
                has_plan: row.has_plan,
            })
        };
        rows.into_iter().map(planned).collect()
    }

    /// Sets when plans are checked again, unless something has changed since they were read, or another process checks them.
    pub async fn set_plan_checks(
        &self,
        held: &ShardLeases,
        checked: &[(PlannedSystem, Millis)],
    ) -> Result<()> {
        // Always in the same order, so that two transactions never deadlock.
        let mut checked: Vec<&(PlannedSystem, Millis)> = checked.iter().collect();
        checked.sort_by(|(one, _), (other, _)| one.sn.cmp(&other.sn));
        let shards: BTreeSet<Shard> = checked.iter().map(|(system, _)| system.shard).collect();
        let mut tx = self.db.begin().await?;
        let mut lost = Vec::new();
        for shard in shards {
            match held.lease(shard) {
                Some(lease) if lease.is_held(&mut tx).await? => {}
                _ => lost.push(shard),
            }
        }
        for (system, next) in checked {
            if lost.contains(&system.shard) {
                continue;
            }
            execute!(
                &mut tx,
                sqlx::query(
                    "UPDATE systems SET plan_due_at = $3 WHERE sn = $1 AND plan_due_at = $2"
                )
                .bind(system.sn.as_str())
                .bind(system.due_at)
                .bind(*next)
            )?;
        }
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// Schedules a check of every plan, because prices have changed.
    pub async fn check_all_plans(&self, shards: ShardSet) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(concat!(
                "UPDATE systems SET plan_due_at = 0 WHERE sn IN (SELECT sn FROM planning WHERE plan IS NOT NULL) AND ",
                in_shards!("site_id", "$1")
            ))
            .bind(shards.bits())
        )?;
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// When a source of prices last answered. Weather is answered constantly, and is no reason to read prices again.
    pub async fn prices_answered_at(&self) -> Result<Option<Millis>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT MAX(success_at) FROM source_states WHERE source NOT IN ('open_meteo', 'forecast_solar')")
            .fetch_one(p).await)?)
    }

    /// The plan that the battery should follow, if there is one and the settings still ask for it.
    pub(crate) async fn plan_order(&self, sn: &Serial, now: Millis) -> Result<Option<PlanOrder>> {
        let row: Option<OrderRow> = on!(self, p => sqlx::query_as(concat!(
            "SELECT p.plan, p.planned_at FROM planning p JOIN settings s ON s.sn = p.sn
             WHERE p.sn = $1 AND p.plan IS NOT NULL AND p.planned_at > $2 AND ", planning_enabled!()))
            .bind(sn.as_str()).bind(now - PLAN_LEASE).fetch_optional(p).await)?;
        let Some(row) = row else { return Ok(None) };
        let plan: Option<ChargePlan> = parse_json(Some(&row.plan), "planning.plan")?;
        Ok(plan.map(|plan| PlanOrder {
            version: row.planned_at,
            expires_at: plan.end().min(row.planned_at + PLAN_LEASE),
            // Segments after the end of the lease are sent with a later plan.
            segments: plan
                .segments()
                .into_iter()
                .filter(|(from, ..)| *from < row.planned_at + PLAN_LEASE)
                .collect(),
        }))
    }
}

fn to_json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|_| Error::Damaged("a plan that cannot be written"))
}

/// Schedules a check of the plan, because its basis has changed.
pub async fn check_plan(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE systems SET plan_due_at = 0 WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}

/// `false` if another process was faster or plans this system now, or if the household has left meanwhile.
pub async fn save_plan(tx: &mut Tx, sn: &Serial, new: &NewPlan<'_>) -> Result<bool> {
    if !new.lease.is_held(tx).await? {
        return Ok(false);
    }
    let plan = to_json(new.plan)?;
    let running = new.running.as_ref().map(to_json).transpose()?;
    let saved = execute!(
        tx,
        sqlx::query(
            "UPDATE planning SET plan = $2, planned_at = $3, adopted_at = $4, running = $5, since = COALESCE(since, $3)
             WHERE sn = $1 AND planned_at IS NOT DISTINCT FROM $6"
        )
        .bind(sn.as_str())
        .bind(plan)
        .bind(new.plan.issued_at)
        .bind(new.adopted_at)
        .bind(running)
        .bind(new.previous_planned_at)
    )?;
    Ok(saved == 1)
}

/// Returns whether there was a plan to clear.
pub async fn clear_plan(tx: &mut Tx, sn: &Serial) -> Result<bool> {
    let forgotten = execute!(
        tx,
        sqlx::query(
            "UPDATE planning SET plan = NULL, planned_at = NULL, adopted_at = NULL, running = NULL, since = NULL
             WHERE sn = $1 AND (plan IS NOT NULL OR running IS NOT NULL OR since IS NOT NULL)"
        )
        .bind(sn.as_str())
    )?;
    Ok(forgotten == 1)
}

/// `None` removes the charge target.
pub async fn set_charge_target(
    tx: &mut Tx,
    sn: &Serial,
    charge_target: Option<ChargeTarget>,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO planning (sn, wish_soc, wish_by) VALUES ($1, $2, $3)
             ON CONFLICT (sn) DO UPDATE SET wish_soc = excluded.wish_soc, wish_by = excluded.wish_by"
        )
        .bind(sn.as_str())
        .bind(charge_target.map(|charge_target| charge_target.soc))
        .bind(charge_target.map(|charge_target| charge_target.by))
    )?;
    check_plan(tx, sn).await
}

/// The household's currency.
pub async fn currency(tx: &mut Tx, access: &Access) -> Result<Currency> {
    let country: Option<String> = within!(tx, c => sqlx::query_scalar("SELECT country FROM accounts WHERE id = $1")
        .bind(access.account().0).fetch_optional(c).await)?;
    let country = country.and_then(|country| country.parse().ok());
    Ok(country.map_or(Currency::Eur, Country::currency))
}
