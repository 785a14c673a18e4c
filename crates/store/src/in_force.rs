//! What is in force at batteries: what a command, the battery itself, a plan or an update began, until it is over.
use crate::command::CommandEntry;
use crate::db::Tx;
use crate::planning::{self, LEASE, plans};
use crate::{Error, Result, Store};
use domain::clock::{Millis, SECOND};
use domain::in_force::{Author, Effect, EffectKind, PlanBlock, PlanMode};
use domain::{AccountId, Event, EventCode, Serial};
use serde_json::Value;

const PAUSE: &str = "pause";
const CHARGE: &str = "charge";
const CALIBRATION: &str = "calibration";
const RESERVE: &str = "reserve";

#[derive(Debug)]
struct Row {
    sn: String,
    kind: String,
    at: Millis,
    args: String,
    account_id: Option<i64>,
    company: Option<String>,
}
row!(Row {
    sn,
    kind,
    at,
    args,
    account_id,
    company
});

#[derive(Debug)]
struct PlanRow {
    sn: String,
    plan: String,
    running: Option<String>,
    planned_at: Millis,
}
row!(PlanRow {
    sn,
    plan,
    running,
    planned_at
});

/// What commands, batteries and grid operators began, and updates that are open; `$which` narrows each to some systems.
macro_rules! effects {
    ($which:literal) => {
        concat!(
            "SELECT t.sn, t.kind, t.at, t.args, t.account_id, a.company
             FROM effects t LEFT JOIN accounts a ON a.id = t.account_id WHERE t.args IS NOT NULL ", $which,
            " UNION ALL
             SELECT t.sn, 'grid_limit', t.grid_limit_at, CAST(t.grid_limit AS TEXT), CAST(NULL AS BIGINT), CAST(NULL AS TEXT)
             FROM settings t WHERE t.grid_limit IS NOT NULL AND t.grid_limit_at IS NOT NULL ", $which,
            " UNION ALL
             SELECT t.sn, 'update', t.created_at, '{}', t.account_id, a.company
             FROM firmware_jobs t LEFT JOIN accounts a ON a.id = t.account_id WHERE t.ended_at IS NULL ", $which
        )
    };
}

macro_rules! plans_of {
    ($which:literal) => {
        concat!(
            "SELECT t.sn, t.plan, t.running, t.planned_at FROM planning t JOIN settings s ON s.sn = t.sn
             WHERE t.plan IS NOT NULL AND t.planned_at > $1 AND ", plans!(), $which
        )
    };
}

impl Row {
    /// `None` for a kind that a newer version wrote.
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
            "update" => Some(EffectKind::Update),
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
        let plan: planning::Plan = serde_json::from_str(&self.plan).map_err(damaged)?;
        let running = self.running.as_deref().map(serde_json::from_str);
        let running: Option<planning::Running> = running.transpose().map_err(damaged)?;
        let block = |block: &planning::Block| {
            let mode = match block.mode {
                planning::Mode::SelfUse => return None,
                planning::Mode::Hold => PlanMode::Hold,
                planning::Mode::Charge => PlanMode::Charge,
            };
            // A plan begins with the present quarter-hour; what it goes on with began earlier.
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
                expires: plan.end().min(self.planned_at + LEASE),
            },
            since: self.planned_at,
            by: None,
        };
        let sn = self.sn.parse().map_err(|_| Error::Damaged("planning.sn"))?;
        Ok((sn, effect))
    }
}

impl Store {
    /// What is in force anywhere.
    pub async fn effects(&self, now: Millis) -> Result<Vec<(Serial, Effect)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(effects!("")).fetch_all(p).await)?;
        let plans: Vec<PlanRow> = on!(self, p => sqlx::query_as(plans_of!(""))
            .bind(now - LEASE).fetch_all(p).await)?;
        read(rows, plans)
    }

    /// What is in force at one system.
    pub async fn effects_at(&self, sn: &Serial, now: Millis) -> Result<Vec<Effect>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(effects!("AND t.sn = $1"))
            .bind(sn.as_str()).fetch_all(p).await)?;
        let plans: Vec<PlanRow> = on!(self, p => sqlx::query_as(plans_of!(" AND t.sn = $2"))
            .bind(now - LEASE).bind(sn.as_str()).fetch_all(p).await)?;
        let effects = read(rows, plans)?.into_iter();
        Ok(effects.map(|(_, effect)| effect).collect())
    }

    /// A report of the battery says that these are over.
    pub async fn end_effects(&self, sn: &Serial, over: &[&Effect], at: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        for effect in over {
            let kind = match effect.kind {
                EffectKind::Pause { .. } => PAUSE,
                EffectKind::Charge { .. } => CHARGE,
                EffectKind::Calibration => CALIBRATION,
                _ => continue,
            };
            end(&mut tx, sn, kind, at).await?;
        }
        tx.commit_reports(std::iter::empty()).await
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

/// The battery carried out a command; whether that changes what is in force.
pub(crate) async fn commanded(tx: &mut Tx, entry: &CommandEntry, now: Millis) -> Result<bool> {
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

/// The battery reported an event; whether that changes what is in force.
pub(crate) async fn happened(tx: &mut Tx, sn: &Serial, event: &Event) -> Result<bool> {
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
        // It is kept with the settings, which are checked against it.
        (EventCode::GridLimit, Some(_)) => Ok(true),
        _ => Ok(false),
    }
}

/// When a battery started is an estimate, made again at each hello: what it reports right at its start is not of before.
pub(crate) const START_TOLERANCE: Millis = 5 * SECOND;

/// The battery has started since: nothing that began before is in force, and it reports again what limits it.
pub(crate) async fn restarted(tx: &mut Tx, sn: &Serial, before: Millis) -> Result<()> {
    for over in [
        "UPDATE effects SET args = NULL, account_id = NULL, at = $2 WHERE sn = $1 AND args IS NOT NULL AND at < $2",
        "UPDATE settings SET grid_limit = NULL, grid_limit_at = $2
         WHERE sn = $1 AND grid_limit IS NOT NULL AND grid_limit_at < $2",
    ] {
        execute!(&mut *tx, sqlx::query(over).bind(sn.as_str()).bind(before))?;
    }
    Ok(())
}

/// The household has left: what it began acts on, and nobody learns by whom.
pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE effects SET account_id = NULL WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}

/// Whether it was in force until now.
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
