//! Alarms: one row per fault. A job opens and closes them, people acknowledge them, and mails report them.

mod at_floor;
pub mod comment;
pub mod notification;
mod offline;

use crate::company::author;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::alarm::{AlarmKind, AlarmMail, CLOSED_ALARM_SHOWN_FOR};
use domain::clock::Millis;
use domain::sample::Counter;
use domain::{AccountId, Serial};

pub const ALARMS_PER_PAGE: usize = 10;

/// An alarm as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    pub id: i64,
    pub sn: Serial,
    pub kind: AlarmKind,
    /// When the fault began.
    pub since: Millis,
    pub opened_at: Millis,
    pub acknowledged: Option<HandledBy>,
    /// Set if the alarm was dismissed, although the fault is not over.
    pub dismissed: Option<HandledBy>,
    pub closed_at: Option<Millis>,
    /// The people who live with the system.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

impl Alarm {
    /// Whether the alarm is shown as open.
    pub const fn is_open(&self) -> bool {
        self.closed_at.is_none() && self.dismissed.is_none()
    }
}

/// Who acknowledged or dismissed an alarm, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandledBy {
    pub at: Millis,
    /// `None` after that account was deleted.
    pub account: Option<AccountId>,
    /// Name and company, only of an electrician.
    pub company: Option<String>,
}

/// An open alarm as the live view holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAlarm {
    pub id: i64,
    pub kind: AlarmKind,
    pub counter: Option<Counter>,
    pub since: Millis,
    pub opened_at: Millis,
    pub acknowledged: bool,
    /// Whether it was dismissed. It is then hidden until the fault is over.
    pub dismissed: bool,
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    sn: String,
    kind: String,
    counter: Option<String>,
    since: Millis,
    opened_at: Millis,
    acknowledged_at: Option<Millis>,
    acknowledged_by: Option<i64>,
    acknowledged_company: Option<String>,
    dismissed_at: Option<Millis>,
    dismissed_by: Option<i64>,
    dismissed_company: Option<String>,
    closed_at: Option<Millis>,
    first_name: Option<String>,
    last_name: Option<String>,
}

/// Selects alarms; `$which` is the rest of the query.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT l.id, l.sn, l.kind, l.counter, l.since, l.opened_at, l.acknowledged_at, l.acknowledged_by,
                 ", author!("a", "ac"), " AS acknowledged_company, l.dismissed_at, l.dismissed_by,
                 ", author!("d", "dc"), " AS dismissed_company, l.closed_at, y.first_name, y.last_name
             FROM alarms l JOIN systems y ON y.sn = l.sn LEFT JOIN accounts a ON a.id = l.acknowledged_by
             LEFT JOIN companies ac ON ac.id = a.company_id LEFT JOIN accounts d ON d.id = l.dismissed_by
             LEFT JOIN companies dc ON dc.id = d.company_id ",
            $which
        )
    };
}

macro_rules! select_open {
    ($which:expr) => {
        concat!(select!("WHERE l.closed_at IS NULL AND l.sn"), $which)
    };
}

/// Restricts to alarms that account $1 may see: open ones, and those closed after $3. A non-empty $2 restricts to one system.
macro_rules! visible {
    ($prefix:expr, $rest:literal) => {
        concat!(
            $prefix,
            "WHERE l.sn IN (SELECT sn FROM systems WHERE owner_id = $1 UNION SELECT sn FROM held_grants WHERE account_id = $1
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

    fn kind(&self) -> Result<AlarmKind> {
        self.kind.parse().map_err(|_| Error::Damaged("alarms.kind"))
    }

    fn alarm(self) -> Result<Alarm> {
        Ok(Alarm {
            id: self.id,
            sn: self.serial()?,
            kind: self.kind()?,
            since: self.since,
            opened_at: self.opened_at,
            acknowledged: self.acknowledged_at.map(|at| HandledBy {
                at,
                account: self.acknowledged_by.map(AccountId),
                company: self.acknowledged_company,
            }),
            dismissed: self.dismissed_at.map(|at| HandledBy {
                at,
                account: self.dismissed_by.map(AccountId),
                company: self.dismissed_company,
            }),
            closed_at: self.closed_at,
            first_name: self.first_name,
            last_name: self.last_name,
        })
    }

    fn open(&self) -> Result<(Serial, OpenAlarm)> {
        let name = self.counter.as_deref();
        let open = OpenAlarm {
            id: self.id,
            kind: self.kind()?,
            counter: name.and_then(|name| name.parse().ok()),
            since: self.since,
            opened_at: self.opened_at,
            acknowledged: self.acknowledged_at.is_some(),
            dismissed: self.dismissed_at.is_some(),
        };
        Ok((self.serial()?, open))
    }
}

#[derive(Clone, Debug)]
pub struct AlarmPage {
    pub total: usize,
    pub alarms: Vec<Alarm>,
}

/// Opens an alarm and returns its number. `None` if it is open already, or if no account has access to the system. The alarm
/// starts with the present household at the earliest.
pub async fn open(
    tx: &mut Tx,
    sn: &Serial,
    kind: AlarmKind,
    since: Millis,
    counter: Option<Counter>,
    now: Millis,
) -> Result<Option<i64>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO alarms (sn, kind, counter, since, opened_at)
         SELECT y.sn, $2, $3, CASE WHEN y.history_from > $4 THEN y.history_from ELSE $4 END, $5 FROM systems y
         WHERE y.sn = $1 AND (y.owner_id IS NOT NULL OR EXISTS (SELECT 1 FROM grants g WHERE g.sn = y.sn
             AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $5)))
         ON CONFLICT DO NOTHING RETURNING id")
        .bind(sn.as_str()).bind(kind.as_str()).bind(counter.map(Counter::as_str)).bind(since).bind(now)
        .fetch_optional(c).await)?)
}

/// Closes an alarm and returns its number. `None` if it is not open.
pub async fn close(tx: &mut Tx, sn: &Serial, kind: AlarmKind, now: Millis) -> Result<Option<i64>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "UPDATE alarms SET closed_at = $3 WHERE sn = $1 AND kind = $2 AND closed_at IS NULL RETURNING id")
        .bind(sn.as_str()).bind(kind.as_str()).bind(now).fetch_optional(c).await)?)
}

/// `false` when the alarm is acknowledged already, or when this system has no such alarm.
pub async fn acknowledge(tx: &mut Tx, access: &Access, id: i64, now: Millis) -> Result<bool> {
    let acknowledged = execute!(
        tx,
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
    Ok(acknowledged == 1)
}

/// `false` when the alarm is dismissed already or over, or when this system has no such alarm.
pub async fn dismiss(tx: &mut Tx, access: &Access, id: i64, now: Millis) -> Result<bool> {
    let dismissed = execute!(
        tx,
        sqlx::query(
            "UPDATE alarms SET dismissed_at = $3, dismissed_by = $4
             WHERE id = $1 AND sn = $2 AND dismissed_at IS NULL AND closed_at IS NULL AND opened_at >= $5"
        )
        .bind(id)
        .bind(access.sn().as_str())
        .bind(now)
        .bind(access.account().0)
        .bind(access.history_from())
    )?;
    Ok(dismissed == 1)
}

/// `None` if this system has no such alarm.
pub async fn find(tx: &mut Tx, access: &Access, id: i64) -> Result<Option<Alarm>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE l.id = $1 AND l.sn = $2 AND l.opened_at >= $3"))
        .bind(id).bind(access.sn().as_str()).bind(access.history_from()).fetch_optional(c).await)?;
    row.map(Row::alarm).transpose()
}

/// Sets how the account is notified of alarms.
pub async fn set_mail(tx: &mut Tx, account: AccountId, choice: AlarmMail) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE accounts SET alarm_mail = $2 WHERE id = $1")
            .bind(account.0)
            .bind(choice.as_str())
    )?;
    Ok(())
}

/// All writers use the same order, which avoids deadlocks.
pub fn by_serial<T>(changes: &[(Serial, T)]) -> Vec<&(Serial, T)> {
    let mut sorted: Vec<_> = changes.iter().collect();
    sorted.sort_by_key(|(sn, _)| sn);
    sorted
}

impl Store {
    /// The open alarms of these systems, by system and kind.
    pub async fn open_alarms_of(&self, systems: &[Serial]) -> Result<Vec<(Serial, OpenAlarm)>> {
        let rows: Vec<Row> = rows_of_systems!(self, select_open, 1, systems)?;
        let alarms = rows.iter().map(Row::open);
        let mut alarms = alarms.collect::<Result<Vec<_>>>()?;
        alarms.sort_by(|(sn, one), (other_sn, other)| (sn, one.kind).cmp(&(other_sn, other.kind)));
        Ok(alarms)
    }

    /// Alarms from number `skip` on, of one system or of all that the account may access. Open ones come first, then the newest.
    pub async fn alarm_page(
        &self,
        account: AccountId,
        one: Option<&Access>,
        skip: usize,
        count: usize,
        now: Millis,
    ) -> Result<AlarmPage> {
        let sn = one.map_or("", |access| access.sn().as_str());
        let total: i64 = on!(self, p => sqlx::query_scalar(visible!(
            "SELECT COUNT(*) FROM alarms l JOIN systems y ON y.sn = l.sn ", ""))
            .bind(account.0).bind(sn).bind(now - CLOSED_ALARM_SHOWN_FOR).bind(now).fetch_one(p).await)?;
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(visible!(select!(""),
            "ORDER BY l.closed_at IS NOT NULL OR l.dismissed_at IS NOT NULL, l.acknowledged_at IS NOT NULL, l.opened_at DESC, l.id DESC LIMIT $5 OFFSET $6"))
            .bind(account.0).bind(sn).bind(now - CLOSED_ALARM_SHOWN_FOR).bind(now)
            .bind(i64::try_from(count).unwrap_or(i64::MAX))
            .bind(i64::try_from(skip).unwrap_or(i64::MAX))
            .fetch_all(p).await)?;
        Ok(AlarmPage {
            total: usize::try_from(total).unwrap_or(0),
            alarms: rows.into_iter().map(Row::alarm).collect::<Result<_>>()?,
        })
    }

    /// The system of an alarm. Does not check rights: the caller has to verify access to the system.
    pub async fn alarm_serial(&self, id: i64) -> Result<Option<Serial>> {
        let sn: Option<String> = on!(self, p => sqlx::query_scalar("SELECT sn FROM alarms WHERE id = $1")
            .bind(id).fetch_optional(p).await)?;
        let sn = sn.map(|sn| sn.parse()).transpose();
        sn.map_err(|_| Error::Damaged("alarms.sn"))
    }

    pub async fn alarm_mail(&self, account: AccountId) -> Result<AlarmMail> {
        let choice: Option<String> = on!(self, p => sqlx::query_scalar("SELECT alarm_mail FROM accounts WHERE id = $1")
            .bind(account.0).fetch_optional(p).await)?;
        let choice = choice.as_deref().unwrap_or_default().parse();
        choice.map_err(|_| Error::Damaged("accounts.alarm_mail"))
    }

    /// Deletes alarms that were closed so long ago that they are no longer shown.
    pub async fn purge_alarms(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM alarms WHERE closed_at <= $1").bind(now - CLOSED_ALARM_SHOWN_FOR))?;
        Ok(())
    }
}

/// Erases the alarms of a household that has left. They concern no other account.
pub async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for forget in [
        "DELETE FROM alarms WHERE sn = $1",
        "DELETE FROM alarm_signs WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(forget).bind(sn.as_str()))?;
    }
    Ok(())
}
