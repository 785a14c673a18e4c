//! Alarms that accounts have not been notified of yet.
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::alarm::{AlarmKind, AlarmMail};
use domain::clock::Millis;
use domain::{AccountId, Lang, Role, Serial, Zone};

/// An account with alarm changes that it was not notified of.
#[derive(Debug, FromRow)]
pub struct AlarmRecipient {
    id: i64,
    pub email: String,
    language: String,
    role: String,
    alarm_mail: String,
    /// When the last mail about alarms was sent.
    pub alarm_told_at: Option<Millis>,
    /// When the oldest change happened.
    pub since: Millis,
    time_zone: String,
}

impl AlarmRecipient {
    pub fn account(&self) -> AccountId {
        AccountId(self.id)
    }

    pub fn lang(&self) -> Lang {
        self.language.parse().unwrap_or_default()
    }

    /// Households and electricians get different instructions.
    pub fn is_household(&self) -> bool {
        self.role == Role::User.as_str()
    }

    pub fn choice(&self) -> Result<AlarmMail> {
        let choice = self.alarm_mail.parse();
        choice.map_err(|_| Error::Damaged("accounts.alarm_mail"))
    }

    /// The time zone of one of the systems with changes.
    pub fn zone(&self) -> Result<Zone> {
        zone(&self.time_zone)
    }
}

/// An alarm that the recipient has not been notified of yet.
#[derive(Debug, FromRow)]
pub struct PendingAlarm {
    pub sn: String,
    kind: String,
    pub since: Millis,
    pub closed_at: Option<Millis>,
    time_zone: String,
    /// The people who live with the system.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

impl PendingAlarm {
    pub fn kind(&self) -> Result<AlarmKind> {
        self.kind.parse().map_err(|_| Error::Damaged("alarms.kind"))
    }

    pub fn zone(&self) -> Result<Zone> {
        zone(&self.time_zone)
    }
}

fn zone(name: &str) -> Result<Zone> {
    name.parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))
}

/// Adds an alarm to the pending notifications of every account that may access the system now and wants mails.
pub async fn insert(tx: &mut Tx, sn: &Serial, alarm: i64, now: Millis) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO alarm_news (account_id, alarm_id, at) SELECT a.id, $2, $3 FROM accounts a JOIN (
                 SELECT owner_id AS account_id FROM systems WHERE sn = $1 UNION
                 SELECT account_id FROM held_grants WHERE sn = $1 AND state IN ('active', 'unconfirmed') AND (until IS NULL OR until > $3)
             ) w ON w.account_id = a.id WHERE a.alarm_mail <> 'never' AND a.locked_at IS NULL
             ON CONFLICT (account_id, alarm_id) DO NOTHING"
        )
        .bind(sn.as_str())
        .bind(alarm)
        .bind(now)
    )?;
    Ok(())
}

/// Records that the account's mail is written now. `false` if another process writes it.
pub async fn claim(tx: &mut Tx, recipient: &AlarmRecipient, now: Millis) -> Result<bool> {
    let claimed = execute!(
        tx,
        sqlx::query(
            "UPDATE accounts SET alarm_told_at = $2 WHERE id = $1 AND alarm_told_at IS NOT DISTINCT FROM $3"
        )
        .bind(recipient.id)
        .bind(now)
        .bind(recipient.alarm_told_at)
    )?;
    Ok(claimed != 0)
}

/// The pending alarms of an account, open ones first. Leaves out systems whose grant to this account has ended meanwhile.
pub async fn pending(tx: &mut Tx, account: AccountId, now: Millis) -> Result<Vec<PendingAlarm>> {
    Ok(within!(tx, c => sqlx::query_as(
        "SELECT l.sn, l.kind, l.since, l.closed_at, y.time_zone, y.first_name, y.last_name
         FROM alarm_news n JOIN alarms l ON l.id = n.alarm_id JOIN systems y ON y.sn = l.sn
         WHERE n.account_id = $1 AND (y.owner_id = $1 OR EXISTS (SELECT 1 FROM held_grants g WHERE g.sn = y.sn AND g.account_id = $1
             AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)))
         ORDER BY l.closed_at IS NOT NULL, l.since, l.id")
        .bind(account.0).bind(now).fetch_all(c).await)?)
}

/// Discards all pending notifications of an account.
pub async fn discard(tx: &mut Tx, account: AccountId) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM alarm_news WHERE account_id = $1").bind(account.0)
    )?;
    Ok(())
}

impl Store {
    /// The accounts with pending notifications.
    pub async fn alarm_recipients(&self) -> Result<Vec<AlarmRecipient>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT a.id, a.email, a.language, a.role, a.alarm_mail, a.alarm_told_at, MIN(n.at) AS since,
                 MIN(y.time_zone) AS time_zone
             FROM alarm_news n JOIN accounts a ON a.id = n.account_id JOIN alarms l ON l.id = n.alarm_id
             JOIN systems y ON y.sn = l.sn
             GROUP BY a.id, a.email, a.language, a.role, a.alarm_mail, a.alarm_told_at ORDER BY a.id")
            .fetch_all(p).await)?)
    }
}
