//! Alarms: one row per fault, opened and closed by a job, acknowledged by people, told by mail.

mod tell;
mod write;

pub use write::Written;

use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::{Access, Error, Result, Store};
use domain::alarm::{AlarmMail, Kind, SHOWN_FOR};
use domain::clock::Millis;
use domain::sample::Counter;
use domain::{AccountId, Role, Serial};
use serde_json::json;

/// Alarms on a page.
pub const PAGE: usize = 10;

/// An alarm as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    pub id: i64,
    pub sn: Serial,
    pub kind: Kind,
    /// When it began to be wrong.
    pub since: Millis,
    pub opened_at: Millis,
    pub acknowledged: Option<Acknowledged>,
    pub closed_at: Option<Millis>,
    /// Who lives with the system.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    pub at: Millis,
    /// `None`: their account is gone.
    pub by: Option<AccountId>,
    /// Of an electrician.
    pub company: Option<String>,
}

/// An alarm that is open, as the live view keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAlarm {
    pub id: i64,
    pub kind: Kind,
    pub counter: Option<Counter>,
    pub since: Millis,
    pub opened_at: Millis,
    pub acknowledged: bool,
}

#[derive(Debug)]
struct Row {
    id: i64,
    sn: String,
    kind: String,
    counter: Option<String>,
    since: Millis,
    opened_at: Millis,
    acknowledged_at: Option<Millis>,
    acknowledged_by: Option<i64>,
    closed_at: Option<Millis>,
    first_name: Option<String>,
    last_name: Option<String>,
    company: Option<String>,
}
row!(Row {
    id,
    sn,
    kind,
    counter,
    since,
    opened_at,
    acknowledged_at,
    acknowledged_by,
    closed_at,
    first_name,
    last_name,
    company
});

/// Alarms; what follows says which.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT l.id, l.sn, l.kind, l.counter, l.since, l.opened_at, l.acknowledged_at, l.acknowledged_by, l.closed_at,
                 y.first_name, y.last_name, b.company
             FROM alarms l JOIN systems y ON y.sn = l.sn LEFT JOIN accounts b ON b.id = l.acknowledged_by ",
            $which
        )
    };
}

/// Those of the systems that account $1 may look at (of one of them, unless $2 is empty): what is open, what was closed after $3.
macro_rules! visible {
    ($prefix:expr, $rest:literal) => {
        concat!(
            $prefix,
            "WHERE l.sn IN (SELECT sn FROM systems WHERE owner_id = $1 UNION SELECT sn FROM grants WHERE account_id = $1
                 AND state IN ('active', 'unconfirmed') AND (until IS NULL OR until > $4))
             AND ($2 = '' OR l.sn = $2) AND (l.closed_at IS NULL OR l.closed_at > $3) AND l.opened_at >= y.history_from ",
            $rest
        )
    };
}

impl Row {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("alarms.sn"))
    }

    fn kind(&self) -> Result<Kind> {
        self.kind.parse().map_err(|_| Error::Damaged("alarms.kind"))
    }

    fn alarm(self) -> Result<Alarm> {
        Ok(Alarm {
            id: self.id,
            sn: self.serial()?,
            kind: self.kind()?,
            since: self.since,
            opened_at: self.opened_at,
            acknowledged: self.acknowledged_at.map(|at| Acknowledged {
                at,
                by: self.acknowledged_by.map(AccountId),
                company: self.company,
            }),
            closed_at: self.closed_at,
            first_name: self.first_name,
            last_name: self.last_name,
        })
    }

    fn open(&self) -> Result<(Serial, OpenAlarm)> {
        let name = self.counter.as_deref();
        let counter = name.and_then(|name| {
            let of = |counter: &Counter| counter.as_str() == name;
            Counter::ALL.into_iter().find(of)
        });
        let open = OpenAlarm {
            id: self.id,
            kind: self.kind()?,
            counter,
            since: self.since,
            opened_at: self.opened_at,
            acknowledged: self.acknowledged_at.is_some(),
        };
        Ok((self.serial()?, open))
    }
}

/// A page of alarms.
#[derive(Clone, Debug)]
pub struct AlarmPage {
    pub total: usize,
    pub alarms: Vec<Alarm>,
}

impl Store {
    /// Every alarm that is open, by system and the worst first.
    pub async fn open_alarms(&self) -> Result<Vec<(Serial, OpenAlarm)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!("WHERE l.closed_at IS NULL"))
            .fetch_all(p).await)?;
        let alarms = rows.iter().map(Row::open);
        let mut alarms = alarms.collect::<Result<Vec<_>>>()?;
        alarms.sort_by(|(sn, one), (other_sn, other)| (sn, one.kind).cmp(&(other_sn, other.kind)));
        Ok(alarms)
    }

    /// The alarms of these systems (one, or all that the account may look at): open ones first, then the newest.
    pub async fn alarm_page(
        &self,
        account: AccountId,
        one: Option<&Access>,
        page: usize,
        now: Millis,
    ) -> Result<AlarmPage> {
        let sn = one.map_or("", |access| access.sn().as_str());
        let total: i64 = on!(self, p => sqlx::query_scalar(visible!(
            "SELECT COUNT(*) FROM alarms l JOIN systems y ON y.sn = l.sn ", ""))
            .bind(account.0).bind(sn).bind(now - SHOWN_FOR).bind(now).fetch_one(p).await)?;
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(visible!(select!(""),
            "ORDER BY l.closed_at IS NOT NULL, l.acknowledged_at IS NOT NULL, l.opened_at DESC, l.id DESC LIMIT $5 OFFSET $6"))
            .bind(account.0).bind(sn).bind(now - SHOWN_FOR).bind(now)
            .bind(i64::try_from(PAGE).unwrap_or(i64::MAX))
            .bind(i64::try_from(page.saturating_mul(PAGE)).unwrap_or(i64::MAX))
            .fetch_all(p).await)?;
        Ok(AlarmPage {
            total: usize::try_from(total).unwrap_or(0),
            alarms: rows.into_iter().map(Row::alarm).collect::<Result<_>>()?,
        })
    }

    /// The system of an alarm, whoever it belongs to: the caller still has to prove their access to it.
    pub async fn alarm_serial(&self, id: i64) -> Result<Option<Serial>> {
        let sn: Option<String> = on!(self, p => sqlx::query_scalar("SELECT sn FROM alarms WHERE id = $1")
            .bind(id).fetch_optional(p).await)?;
        let sn = sn.map(|sn| sn.parse()).transpose();
        sn.map_err(|_| Error::Damaged("alarms.sn"))
    }

    /// Somebody has seen it and takes care; a second time changes nothing. `None`: this system has no such alarm.
    pub async fn acknowledge_alarm(
        &self,
        access: &Access,
        id: i64,
        now: Millis,
    ) -> Result<Option<Alarm>> {
        let mut tx = self.begin().await?;
        let acknowledged = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE alarms SET acknowledged_at = $3, acknowledged_by = $4
                 WHERE id = $1 AND sn = $2 AND acknowledged_at IS NULL AND opened_at >= $5"
            )
            .bind(id)
            .bind(access.sn().as_str())
            .bind(now)
            .bind(access.account().0)
            .bind(access.history_from())
        )?;
        let row: Option<Row> = within!(&mut tx, c => sqlx::query_as(select!("WHERE l.id = $1 AND l.sn = $2 AND l.opened_at >= $3"))
            .bind(id).bind(access.sn().as_str()).bind(access.history_from()).fetch_optional(c).await)?;
        let alarm = row.map(Row::alarm).transpose()?;
        if acknowledged == 1
            && let Some(alarm) = &alarm
        {
            Entry::by(access.account(), Event::AlarmAcknowledged, now)
                .on(access.sn())
                .with(json!({ "alarm": alarm.kind.as_str() }))
                .write(&mut tx)
                .await?;
        }
        tx.commit().await?;
        Ok(alarm)
    }

    pub async fn alarm_mail(&self, account: AccountId) -> Result<AlarmMail> {
        let choice: Option<String> = on!(self, p => sqlx::query_scalar("SELECT alarm_mail FROM accounts WHERE id = $1")
            .bind(account.0).fetch_optional(p).await)?;
        let choice = choice.as_deref().unwrap_or_default().parse();
        choice.map_err(|_| Error::Damaged("accounts.alarm_mail"))
    }

    /// Chooses how the account hears of alarms. Whoever wants no mails gets none of what waits either.
    pub async fn choose_alarm_mail(
        &self,
        account: AccountId,
        choice: AlarmMail,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        execute!(
            &mut tx,
            sqlx::query("UPDATE accounts SET alarm_mail = $2 WHERE id = $1")
                .bind(account.0)
                .bind(choice.as_str())
        )?;
        if choice == AlarmMail::Never {
            execute!(
                &mut tx,
                sqlx::query("DELETE FROM alarm_news WHERE account_id = $1").bind(account.0)
            )?;
        }
        Entry::by(account, Event::ProfileChanged, now)
            .with(json!({ "fields": ["alarm_mail"] }))
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// Forgets what was closed so long ago that nobody is shown it any more.
    pub async fn purge_alarms(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM alarms WHERE closed_at <= $1").bind(now - SHOWN_FOR))?;
        Ok(())
    }
}

/// The household has left: what went wrong in its time is nobody's business.
pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for forget in [
        "DELETE FROM alarms WHERE sn = $1",
        "DELETE FROM alarm_signs WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(forget).bind(sn.as_str()))?;
    }
    Ok(())
}

/// What the household is told to do is not what an electrician is.
fn is_household(role: &str) -> bool {
    role == Role::User.as_str()
}
