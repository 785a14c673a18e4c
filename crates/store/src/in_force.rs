//! Effects in force at batteries: begun by a command, the battery itself, a plan or an update, and not ended yet.
use crate::command::CommandEntry;
use crate::company::author;
use crate::planning::{self, PLAN_LEASE, planning_enabled};
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{Millis, SECOND};
use domain::in_force::{Author, Effect, EffectKind, PlanBlock, PlanMode};
use domain::{AccountId, Event, EventCode, Serial};
use serde_json::Value;

const PAUSE: &str = "pause";
const CHARGE: &str = "charge";
const CALIBRATION: &str = "calibration";
const RESERVE: &str = "reserve";
/// In the table `effects` this kind is never in force. Its row only records when the battery was switched on again after an
/// update.
const UPDATE: &str = "update";

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    kind: String,
    at: Millis,
    args: String,
    account_id: Option<i64>,
    company: Option<String>,
}

#[derive(Debug, FromRow)]
struct PlanRow {
    sn: String,
    plan: String,
    running: Option<String>,
    planned_at: Millis,
}

/// Effects begun by commands, batteries and grid operators, and open updates. `$which` restricts each part to some systems.
macro_rules! effects {
    ($which:expr) => {
        concat!(
            "SELECT t.sn, t.kind, t.at, t.args, t.account_id, ", author!("a", "c"), " AS company
             FROM effects t LEFT JOIN accounts a ON a.id = t.account_id LEFT JOIN companies c ON c.id = a.company_id WHERE t.args IS NOT NULL AND t.sn", $which,
            " UNION ALL
             SELECT t.sn, 'grid_limit', t.grid_limit_at, CAST(t.grid_limit AS TEXT), CAST(NULL AS BIGINT), CAST(NULL AS TEXT)
             FROM settings t WHERE t.grid_limit IS NOT NULL AND t.grid_limit_at IS NOT NULL AND t.sn", $which,
            " UNION ALL
             SELECT t.sn, 'update', t.created_at, '{}', t.account_id, ", author!("a", "c"), "
             FROM firmware_jobs t LEFT JOIN accounts a ON a.id = t.account_id LEFT JOIN companies c ON c.id = a.company_id WHERE t.ended_at IS NULL AND t.sn", $which
        )
    };
}

macro_rules! plans_of {
    ($which:expr) => {
        concat!(
            "SELECT t.sn, t.plan, t.running, t.planned_at FROM planning t JOIN settings s ON s.sn = t.sn
             WHERE t.plan IS NOT NULL AND t.planned_at > $1 AND ", planning_enabled!(), " AND t.sn", $which
        )
    };
}

impl Row {
    /// `None` for a kind that a newer release of the server wrote.
    fn effect(self) -> Result<Option<(Serial, Effect)>> {
        let args: Value =
            serde_json::from_str(&self.args).map_err(|_| Error::Damaged("effects.args"))?;
        let number = |name: &str| args.get(name).and_then(Value::as_i64);
        let kind = match self.kind.as_str() {
            PAUSE => number("until").map(|until| EffectKind::Pause { until }),
            CHARGE => number("soc").map(|soc| EffectKind::Charge {
                soc,
                power: number("power"),
            }),
            CALIBRATION => Some(EffectKind::Calibration),
            RESERVE => Some(EffectKind::Reserve { soc: number("soc") }),
            "grid_limit" => args.as_i64().map(|watts| EffectKind::GridLimit { watts }),
            UPDATE => Some(EffectKind::Update),
            _ => None,
        };
        let Some(kind) = kind else { return Ok(None) };
        let effect = Effect {
            kind,
            since: self.at,
            by: self.account_id.map(|account| Author {
                account: AccountId(account),
                company: self.company,
            }),
        };
        let sn = self.sn.parse().map_err(|_| Error::Damaged("effects.sn"))?;
        Ok(Some((sn, effect)))
    }
}

impl PlanRow {
    fn effect(self) -> Result<(Serial, Effect)> {
        let damaged = |_| Error::Damaged("planning.plan");
        let plan: planning::ChargePlan = serde_json::from_str(&self.plan).map_err(damaged)?;
        let running = self.running.as_deref().map(serde_json::from_str);
        let running: Option<planning::RunningBlock> = running.transpose().map_err(damaged)?;
        let block = |block: &planning::ChargePlanBlock| {
            let mode = match block.mode {
                planning::ChargePlanMode::SelfUse => return None,
                planning::ChargePlanMode::Hold => PlanMode::Hold,
                planning::ChargePlanMode::Charge => PlanMode::Charge,
            };
            // A plan starts with the present quarter. A block that continues from the previous plan began earlier.
            let goes_on =
                running.filter(|running| running.mode == block.mode && block.start <= plan.start);
            Some(PlanBlock {
                start: goes_on.map_or(block.start, |running| running.start.min(block.start)),
                end: block.end,
                mode,
            })
        };
        let effect = Effect {
            kind: EffectKind::Plan {
                blocks: plan.blocks.iter().filter_map(block).collect(),
                expires: plan.end().min(self.planned_at + PLAN_LEASE),
            },
            since: self.planned_at,
            by: None,
        };
        let sn = self.sn.parse().map_err(|_| Error::Damaged("planning.sn"))?;
        Ok((sn, effect))
    }
}

impl Store {
    /// The effects in force at these systems.
    pub async fn effects_of(
        &self,
        systems: &[Serial],
        now: Millis,
    ) -> Result<Vec<(Serial, Effect)>> {
        let rows: Vec<Row> = rows_of_systems!(self, effects, 1, systems)?;
        let plans: Vec<PlanRow> = rows_of_systems!(self, plans_of, 2, systems, now - PLAN_LEASE)?;
        read(rows, plans)
    }

    /// The effects in force at one system.
    pub async fn effects_at(&self, sn: &Serial, now: Millis) -> Result<Vec<Effect>> {
        let effects = self.effects_of(std::slice::from_ref(sn), now).await?;
        Ok(effects.into_iter().map(|(_, effect)| effect).collect())
    }

    /// Records that the battery was switched on again after an update. From then on its main switch no longer concerns the
    /// update.
    pub async fn record_switched_on_after_update(&self, sn: &Serial, at: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO effects (sn, kind, at) VALUES ($1, $2, $3)
                 ON CONFLICT (sn, kind) DO UPDATE SET at = excluded.at WHERE effects.at < excluded.at"
            )
            .bind(sn.as_str())
            .bind(UPDATE)
            .bind(at)
        )?;
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// Ends effects that are over according to a report of the battery.
    pub async fn end_effects(&self, sn: &Serial, over: &[&Effect], at: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        for effect in over {
            let kind = match effect.kind {
                EffectKind::Pause { .. } => PAUSE,
                EffectKind::Charge { .. } => CHARGE,
                EffectKind::Calibration => CALIBRATION,
                _ => continue,
            };
            end(&mut tx, sn, kind, at).await?;
        }
        tx.commit_invalidating(std::iter::empty()).await
    }
}

fn read(rows: Vec<Row>, plans: Vec<PlanRow>) -> Result<Vec<(Serial, Effect)>> {
    let mut effects = Vec::with_capacity(rows.len() + plans.len());
    for row in rows {
        effects.extend(row.effect()?);
    }
    for plan in plans {
        effects.push(plan.effect()?);
    }
    Ok(effects)
}

/// Applies a command that the battery has carried out. Returns whether the effects in force changed.
pub(crate) async fn apply_command(tx: &mut Tx, entry: &CommandEntry, now: Millis) -> Result<bool> {
    let (begins, ends): (_, &[&str]) = match entry.command.as_str() {
        "hold" => (Some(PAUSE), &[CHARGE]),
        "charge_to" => (Some(CHARGE), &[PAUSE]),
        "calibrate" => (Some(CALIBRATION), &[]),
        "auto" | "switch_off" => (None, &[PAUSE, CHARGE]),
        "restart" => (None, &[PAUSE, CHARGE, CALIBRATION]),
        _ => return Ok(false),
    };
    for kind in ends {
        end(tx, &entry.sn, kind, now).await?;
    }
    if let Some(kind) = begins {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO effects (sn, kind, at, args, account_id)
                 SELECT sn, CAST($2 AS TEXT), CAST($3 AS BIGINT), args, account_id FROM commands WHERE id = $1
                 ON CONFLICT (sn, kind) DO UPDATE SET at = excluded.at, args = excluded.args, account_id = excluded.account_id
                 WHERE effects.at <= excluded.at"
            )
            .bind(entry.id.as_str())
            .bind(kind)
            .bind(now)
        )?;
    }
    Ok(true)
}

/// Applies an event that the battery reported. Returns whether the effects in force changed.
pub(crate) async fn apply_event(tx: &mut Tx, sn: &Serial, event: &Event) -> Result<bool> {
    match (event.code, event.at) {
        (EventCode::ReserveHeld, Some(at)) => {
            let args = event.on.then(|| event.args.as_deref().unwrap_or("{}"));
            let kept = execute!(
                tx,
                sqlx::query(
                    "INSERT INTO effects (sn, kind, at, args) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (sn, kind) DO UPDATE SET at = excluded.at, args = excluded.args
                     WHERE effects.at <= excluded.at"
                )
                .bind(sn.as_str())
                .bind(RESERVE)
                .bind(at)
                .bind(args)
            )?;
            Ok(kept == 1)
        }
        (EventCode::CalibrationDone, Some(at)) => end(tx, sn, CALIBRATION, at).await,
        // The grid limit is stored with the settings, which are validated against it.
        (EventCode::GridLimit, Some(_)) => Ok(true),
        _ => Ok(false),
    }
}

/// The start time of a battery is an estimate, renewed at each hello. This tolerance keeps what the battery reports right after
/// its start from counting as older.
pub(crate) const START_TOLERANCE: Millis = 5 * SECOND;

/// The battery has restarted: ends everything that began before. The battery reports its limits again.
pub(crate) async fn end_before_restart(tx: &mut Tx, sn: &Serial, before: Millis) -> Result<()> {
    for over in [
        "UPDATE effects SET args = NULL, account_id = NULL, at = $2 WHERE sn = $1 AND args IS NOT NULL AND at < $2",
        "UPDATE settings SET grid_limit = NULL, grid_limit_at = $2
         WHERE sn = $1 AND grid_limit IS NOT NULL AND grid_limit_at < $2",
    ] {
        execute!(&mut *tx, sqlx::query(over).bind(sn.as_str()).bind(before))?;
    }
    Ok(())
}

/// The household has left: its effects stay in force, without the account that began them.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE effects SET account_id = NULL WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}

/// Ends an effect. Returns whether it was in force.
async fn end(tx: &mut Tx, sn: &Serial, kind: &str, at: Millis) -> Result<bool> {
    let ended = execute!(
        tx,
        sqlx::query(
            "UPDATE effects SET args = NULL, account_id = NULL, at = $3
             WHERE sn = $1 AND kind = $2 AND args IS NOT NULL AND at <= $3"
        )
        .bind(sn.as_str())
        .bind(kind)
        .bind(at)
    )?;
    Ok(ended == 1)
}
