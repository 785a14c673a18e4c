//! What the one who plans reads and writes. Several processes may do so on one database: who writes first has planned.
use super::{LEASE, Mode, Plan, Running, Wish, read};
use crate::db::Tx;
use crate::grant::{Letter, Recipient};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Error, Result, Store, setting};
use domain::clock::Millis;
use domain::{Country, Currency, Lang, Serial};
use serde_json::{Value, json};

/// Where owners see the plan, and turn it on and off.
const PAGE: &str = "/plan";

/// A system of a household, as far as it decides whether there is something to plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub sn: Serial,
    /// Whether its people want it.
    pub plans: bool,
    /// What a plan goes by; another one wants another plan.
    pub rules: PlannedRules,
    pub forecast_at: Option<Millis>,
    pub planned_at: Option<Millis>,
    /// Whether a plan is kept.
    pub has_plan: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlannedRules {
    pub settings_version: i64,
    pub grid_limit: Option<i64>,
    pub wish: Option<Wish>,
}

#[derive(Debug)]
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
row!(Row {
    sn,
    plans,
    version,
    grid_limit,
    wish_soc,
    wish_by,
    forecast_at,
    planned_at,
    has_plan
});

/// The setting is `plan`. Documents are written without spaces, so that the database can look for it.
macro_rules! plans {
    () => {
        "COALESCE(s.desired, s.reported, '') LIKE '%\"dynamic_tariff\":\"plan\"%'"
    };
}

pub(crate) use plans;

/// A plan to be kept.
#[derive(Clone, Debug)]
pub struct NewPlan<'a> {
    pub plan: &'a Plan,
    /// When what it does next last changed.
    pub adopted_at: Millis,
    pub running: Option<Running>,
    /// A block that is over.
    pub ended: Option<Outcome>,
    /// When the plan that this one follows was reckoned.
    pub before: Option<Millis>,
}

/// What came of a block that is over, with times of the site's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub mode: Mode,
    pub from: String,
    pub to: String,
    /// Of a kWh of import, in hundredths of a cent.
    pub price: i64,
    /// Wh that went into the battery, as far as they were measured.
    pub charged: Option<i64>,
    /// Wh that were imported.
    pub imported: Option<i64>,
    /// % at its end.
    pub soc: Option<i64>,
    /// What was expected to be saved, in hundredths of a cent.
    pub expected: Option<i64>,
}

/// A plan as the battery gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOrder {
    /// Of two the battery follows the newer.
    pub version: Millis,
    pub expires_at: Millis,
    /// From, until, what, and with how many W.
    pub stretches: Vec<(Millis, Millis, Mode, i64)>,
}

#[derive(Debug)]
struct OrderRow {
    plan: String,
    planned_at: Millis,
}
row!(OrderRow { plan, planned_at });

impl Store {
    /// Every system of a household that has said what it is.
    pub async fn planned_systems(&self) -> Result<Vec<Planned>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(concat!(
            "SELECT y.sn, ", plans!(), " AS plans, COALESCE(s.version, 0) AS version, s.grid_limit, p.wish_soc, p.wish_by,
                p.forecast_at, p.planned_at, (p.plan IS NOT NULL OR p.running IS NOT NULL) AS has_plan
             FROM systems y LEFT JOIN settings s ON s.sn = y.sn LEFT JOIN planning p ON p.sn = y.sn
             WHERE y.owner_id IS NOT NULL AND y.capacity IS NOT NULL ORDER BY y.sn"))
            .fetch_all(p).await)?;
        let planned = |row: Row| {
            Ok(Planned {
                sn: row.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?,
                plans: row.plans,
                rules: PlannedRules {
                    settings_version: row.version,
                    grid_limit: row.grid_limit,
                    wish: row
                        .wish_soc
                        .zip(row.wish_by)
                        .map(|(soc, by)| Wish { soc, by }),
                },
                forecast_at: row.forecast_at,
                planned_at: row.planned_at,
                has_plan: row.has_plan,
            })
        };
        rows.into_iter().map(planned).collect()
    }

    /// When a source of prices last answered: nothing is new before.
    pub async fn prices_answered_at(&self) -> Result<Option<Millis>> {
        Ok(
            on!(self, p => sqlx::query_scalar("SELECT MAX(success_at) FROM source_states")
            .fetch_one(p).await)?,
        )
    }

    /// `false` when another process was faster, or the household has left meanwhile.
    pub async fn keep_plan(&self, access: &Access, new: NewPlan<'_>, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let first = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE planning SET plan = $2, planned_at = $3, adopted_at = $4, running = $5, since = COALESCE(since, $3)
                 WHERE sn = $1 AND planned_at IS NOT DISTINCT FROM $6"
            )
            .bind(access.sn().as_str())
            .bind(text(new.plan)?)
            .bind(now)
            .bind(new.adopted_at)
            .bind(new.running.as_ref().map(text).transpose()?)
            .bind(new.before)
        )?;
        if first == 0 {
            return Ok(false);
        }
        tell(&mut tx, access, new.ended, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Nobody plans any more.
    pub async fn end_plan(
        &self,
        access: &Access,
        ended: Option<Outcome>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        if forget(&mut tx, access.sn()).await? {
            tell(&mut tx, access, ended, now).await?;
        }
        tx.commit().await
    }

    /// What the owner wants to have in the store at a time; `None` takes a wish back.
    pub async fn set_wish(&self, access: &Access, wish: Option<Wish>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO planning (sn, wish_soc, wish_by) VALUES ($1, $2, $3)
                 ON CONFLICT (sn) DO UPDATE SET wish_soc = excluded.wish_soc, wish_by = excluded.wish_by"
            )
            .bind(access.sn().as_str())
            .bind(wish.map(|wish| wish.soc))
            .bind(wish.map(|wish| wish.by))
        )?;
        let (event, detail) = match wish {
            Some(wish) => {
                let clock = access.zone().clock_text(wish.by);
                let at = clock.get(11..16).unwrap_or_default();
                (Event::PlanWished, json!({ "soc": wish.soc, "at": at }))
            }
            None => (Event::PlanWishDropped, Value::Null),
        };
        let line = Entry::by(access.account(), event, now).on(access.sn());
        line.with(detail).write(&mut tx).await?;
        tx.commit().await
    }

    /// Planning has lost money: it is turned off, and the owner is told. `saved` is below zero, in cents.
    pub async fn turn_plan_off(
        &self,
        access: &Access,
        saved: i64,
        ended: Option<Outcome>,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        if !setting::stop_planning(&mut tx, access.sn(), now).await? {
            return Ok(());
        }
        forget(&mut tx, access.sn()).await?;
        tell(&mut tx, access, ended, now).await?;
        let currency = currency(&mut tx, access).await?;
        let line = Entry::by_nobody(Event::PlanTurnedOff, now).on(access.sn());
        let detail = json!({ "lost": -saved, "currency": currency.code() });
        line.with(detail).write(&mut tx).await?;
        let values = |lang: Lang| {
            vec![
                ("sn", access.sn().to_string()),
                ("lost", currency.amount(-saved, lang)),
            ]
        };
        self.write_to_owner(&mut tx, access, "plan_turned_off", values, desk, now)
            .await?;
        tx.commit().await
    }

    pub(super) async fn write_to_owner(
        &self,
        tx: &mut Tx,
        access: &Access,
        text: &str,
        values: impl FnOnce(Lang) -> Vec<(&'static str, String)>,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = Recipient::of(tx, access.account()).await? else {
            return Ok(());
        };
        let letter = Letter {
            text,
            page: PAGE,
            values: values(to.lang()),
        };
        letter.queue(tx, &self.keyring, desk, &to, now).await
    }

    /// The plan that the battery is to follow, if there is one and its people still want it.
    pub(crate) async fn plan_order(&self, sn: &Serial, now: Millis) -> Result<Option<PlanOrder>> {
        let row: Option<OrderRow> = on!(self, p => sqlx::query_as(concat!(
            "SELECT p.plan, p.planned_at FROM planning p JOIN settings s ON s.sn = p.sn
             WHERE p.sn = $1 AND p.plan IS NOT NULL AND p.planned_at > $2 AND ", plans!()))
            .bind(sn.as_str()).bind(now - LEASE).fetch_optional(p).await)?;
        let Some(row) = row else { return Ok(None) };
        let plan: Option<Plan> = read(Some(&row.plan), "planning.plan")?;
        Ok(plan.map(|plan| PlanOrder {
            version: row.planned_at,
            expires_at: plan.end().min(row.planned_at + LEASE),
            // What lies behind the lease will be told with a later plan.
            stretches: plan
                .stretches()
                .into_iter()
                .filter(|(from, ..)| *from < row.planned_at + LEASE)
                .collect(),
        }))
    }
}

fn text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|_| Error::Damaged("a plan that cannot be written"))
}

/// Whether there was anything.
async fn forget(tx: &mut Tx, sn: &Serial) -> Result<bool> {
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

/// What the household pays in.
async fn currency(tx: &mut Tx, access: &Access) -> Result<Currency> {
    let country: Option<String> = within!(tx, c => sqlx::query_scalar("SELECT country FROM accounts WHERE id = $1")
        .bind(access.account().0).fetch_optional(c).await)?;
    let country = country.and_then(|country| country.parse().ok());
    Ok(country.map_or(Currency::Eur, Country::currency))
}

async fn tell(tx: &mut Tx, access: &Access, ended: Option<Outcome>, now: Millis) -> Result<()> {
    let Some(it) = ended else { return Ok(()) };
    let detail = json!({
        "mode": it.mode.as_str(), "from": it.from, "to": it.to, "price": it.price, "charged": it.charged,
        "imported": it.imported, "soc": it.soc, "expected": it.expected, "currency": currency(tx, access).await?.code(),
    });
    let line = Entry::by_nobody(Event::PlanDone, now).on(access.sn());
    line.with(detail).write(tx).await
}
