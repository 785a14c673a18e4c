//! Queries of the planner. Several processes may plan on one database: the first to write wins.
use super::{ChargePlan, ChargePlanMode, ChargeTarget, PLAN_LEASE, RunningBlock, parse_json};
use crate::grant::{MailDraft, MailRecipient};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Error, Result, Store, setting};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::{Country, Currency, Lang, Serial};
use serde_json::{Value, json};

/// The page where owners see the plan, and turn it on and off.
const PLAN_PAGE: &str = "/plan";

/// A system of a household, with what decides whether it needs a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSystem {
    pub sn: Serial,
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
    pub plan: &'a ChargePlan,
    /// When the plan's next action last changed.
    pub adopted_at: Millis,
    pub running: Option<RunningBlock>,
    /// A block that has ended.
    pub ended: Option<BlockOutcome>,
    /// When the plan that this one follows was calculated.
    pub previous_planned_at: Option<Millis>,
}

/// The result of a block that has ended, with times of the site's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOutcome {
    pub mode: ChargePlanMode,
    pub from: String,
    pub to: String,
    /// Price of an imported kWh, in hundredths of a cent.
    pub price: i64,
    /// Wh that went into the battery, as far as measured.
    pub charged: Option<i64>,
    /// Wh that were imported.
    pub imported: Option<i64>,
    /// State of charge at its end, in %.
    pub soc: Option<i64>,
    /// Expected saving, in hundredths of a cent.
    pub expected: Option<i64>,
}

/// A plan as the battery gets it.
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
    /// Every system of a household whose battery has reported its capacity.
    pub async fn planned_systems(&self) -> Result<Vec<PlannedSystem>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(concat!(
            "SELECT y.sn, ", planning_enabled!(), " AS plans, COALESCE(s.version, 0) AS version, s.grid_limit, p.wish_soc, p.wish_by,
                p.forecast_at, p.planned_at, (p.plan IS NOT NULL OR p.running IS NOT NULL) AS has_plan
             FROM systems y LEFT JOIN settings s ON s.sn = y.sn LEFT JOIN planning p ON p.sn = y.sn
             WHERE y.owner_id IS NOT NULL AND y.capacity IS NOT NULL ORDER BY y.sn"))
            .fetch_all(p).await)?;
        let planned = |row: Row| {
            Ok(PlannedSystem {
                sn: row.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?,
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

    /// When a source last answered; prices are not newer than that.
    pub async fn prices_answered_at(&self) -> Result<Option<Millis>> {
        Ok(
            on!(self, p => sqlx::query_scalar("SELECT MAX(success_at) FROM source_states")
            .fetch_one(p).await)?,
        )
    }

    /// `false` when another process was faster, or the household has left meanwhile.
    pub async fn save_plan(&self, access: &Access, new: NewPlan<'_>, now: Millis) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let first = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE planning SET plan = $2, planned_at = $3, adopted_at = $4, running = $5, since = COALESCE(since, $3)
                 WHERE sn = $1 AND planned_at IS NOT DISTINCT FROM $6"
            )
            .bind(access.sn().as_str())
            .bind(to_json(new.plan)?)
            .bind(now)
            .bind(new.adopted_at)
            .bind(new.running.as_ref().map(to_json).transpose()?)
            .bind(new.previous_planned_at)
        )?;
        if first == 0 {
            return Ok(false);
        }
        journal_outcome(&mut tx, access, new.ended, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Ends planning for the system.
    pub async fn end_plan(
        &self,
        access: &Access,
        ended: Option<BlockOutcome>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if clear_plan(&mut tx, access.sn()).await? {
            journal_outcome(&mut tx, access, ended, now).await?;
        }
        tx.commit().await
    }

    /// Sets the state of charge that the owner wants at a time; `None` withdraws it.
    pub async fn set_charge_target(
        &self,
        access: &Access,
        charge_target: Option<ChargeTarget>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO planning (sn, wish_soc, wish_by) VALUES ($1, $2, $3)
                 ON CONFLICT (sn) DO UPDATE SET wish_soc = excluded.wish_soc, wish_by = excluded.wish_by"
            )
            .bind(access.sn().as_str())
            .bind(charge_target.map(|charge_target| charge_target.soc))
            .bind(charge_target.map(|charge_target| charge_target.by))
        )?;
        let (event, detail) = match charge_target {
            Some(charge_target) => {
                let clock = access.zone().clock_text(charge_target.by);
                let at = clock.get(11..16).unwrap_or_default();
                (
                    JournalEvent::ChargeTargetSet,
                    json!({ "soc": charge_target.soc, "at": at }),
                )
            }
            None => (JournalEvent::ChargeTargetDropped, Value::Null),
        };
        let line = NewEntry::by(access.account(), event, now).on(access.sn());
        line.with(detail).write(&mut tx).await?;
        tx.commit().await
    }

    /// Planning has lost money: turns it off and notifies the owner. `saved` is negative, in cents.
    pub async fn turn_plan_off(
        &self,
        access: &Access,
        saved: i64,
        ended: Option<BlockOutcome>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if !setting::stop_planning(&mut tx, access.sn(), now).await? {
            return Ok(());
        }
        clear_plan(&mut tx, access.sn()).await?;
        journal_outcome(&mut tx, access, ended, now).await?;
        let currency = currency(&mut tx, access).await?;
        let line = NewEntry::without_account(JournalEvent::PlanTurnedOff, now).on(access.sn());
        let detail = json!({ "lost": -saved, "currency": currency.code() });
        line.with(detail).write(&mut tx).await?;
        let values = |lang: Lang| {
            vec![
                ("sn", access.sn().to_string()),
                ("lost", currency.amount(-saved, lang)),
            ]
        };
        self.mail_owner(
            &mut tx,
            access,
            "plan_turned_off",
            values,
            mail_context,
            now,
        )
        .await?;
        tx.commit().await
    }

    pub(super) async fn mail_owner(
        &self,
        tx: &mut Tx,
        access: &Access,
        text: &str,
        values: impl FnOnce(Lang) -> Vec<(&'static str, String)>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(tx, access.account()).await? else {
            return Ok(());
        };
        let draft = MailDraft {
            text,
            page: PLAN_PAGE,
            values: values(to.lang()),
        };
        draft.queue(tx, &self.keyring, mail_context, &to, now).await
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

/// Whether there was anything to clear.
async fn clear_plan(tx: &mut Tx, sn: &Serial) -> Result<bool> {
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

/// The household's currency.
async fn currency(tx: &mut Tx, access: &Access) -> Result<Currency> {
    let country: Option<String> = within!(tx, c => sqlx::query_scalar("SELECT country FROM accounts WHERE id = $1")
        .bind(access.account().0).fetch_optional(c).await)?;
    let country = country.and_then(|country| country.parse().ok());
    Ok(country.map_or(Currency::Eur, Country::currency))
}

async fn journal_outcome(
    tx: &mut Tx,
    access: &Access,
    ended: Option<BlockOutcome>,
    now: Millis,
) -> Result<()> {
    let Some(outcome) = ended else { return Ok(()) };
    let detail = json!({
        "mode": outcome.mode.as_str(), "from": outcome.from, "to": outcome.to, "price": outcome.price, "charged": outcome.charged,
        "imported": outcome.imported, "soc": outcome.soc, "expected": outcome.expected, "currency": currency(tx, access).await?.code(),
    });
    let line = NewEntry::without_account(JournalEvent::PlanDone, now).on(access.sn());
    line.with(detail).write(tx).await
}
