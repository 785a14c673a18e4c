//! Limits on changes at batteries: the operator's brake, and how many devices one account or company may change per minute.
use crate::{Access, Error, Result, Store, account, company};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::{MAX_CLOCK_SKEW, MINUTE, Millis};

/// Why a change is not allowed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeBlocked {
    #[error("the operator has stopped all changes")]
    Braked,
    /// The account has to wait this long.
    #[error("the account has touched too many devices")]
    TooManyDevices { wait: Millis },
}

/// The operator's brake while it is on.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Brake {
    pub since: Millis,
    pub reason: String,
}

/// The systems that the author in this column has changed, and when.
macro_rules! touched {
    ($author:literal) => {
        concat!(
            "SELECT sn, MAX(at) AS at FROM journal WHERE ",
            $author,
            " = $1 AND at > $2 AND at <= $3
                 AND event IN ('setting_changed', 'settings_reset', 'command_sent', 'update_started')
             GROUP BY sn ORDER BY at"
        )
    };
}

/// A conflict if the account was let out, or got less access or a smaller role, since the call was admitted: a right is read before
/// the transaction begins that uses it. The first statement of it, because the company is locked before anything else.
pub async fn require_unchanged(tx: &mut Tx, accesses: &[&Access], now: Millis) -> Result<()> {
    let Some(first) = accesses.first() else {
        return Ok(());
    };
    let membership = company::lock_membership(tx, first.account()).await?;
    for access in accesses {
        if !access.holds(tx, membership, now).await? {
            return Err(Error::Conflict);
        }
    }
    Ok(())
}

/// Whether the account may change something at this system now. Changes are counted by their journal entries, so the count is
/// exact across processes and restarts.
pub async fn admit(
    tx: &mut Tx,
    access: &Access,
    devices_a_minute: usize,
    now: Millis,
) -> Result<Result<(), ChangeBlocked>> {
    admit_after(tx, access, &[], devices_a_minute, now).await
}

/// Like [`admit`], as if the account had just changed something at `touched`.
pub async fn admit_after(
    tx: &mut Tx,
    access: &Access,
    touched: &[&Serial],
    devices_a_minute: usize,
    now: Millis,
) -> Result<Result<(), ChangeBlocked>> {
    if is_braked(tx).await? {
        return Ok(Err(ChangeBlocked::Braked));
    }
    let membership = company::lock_membership(tx, access.account()).await?;
    account::lock_account_row(tx, access.account()).await?;
    // The access may have ended or been reduced since the call was admitted.
    if !access.holds(tx, membership, now).await? {
        return Err(Error::Conflict);
    }
    // Entries with a time in the future come from a clock that was ahead. They do not count until that time.
    let latest = now + MAX_CLOCK_SKEW;
    // All members of a company share its limit.
    let (touched_by, id) = match membership {
        Some(place) => (touched!("company_id"), place.company.0),
        None => (touched!("account_id"), access.account().0),
    };
    let mut known: Vec<Touched> = within!(&mut *tx, c => sqlx::query_as(touched_by)
        .bind(id).bind(now - MINUTE).bind(latest).fetch_all(c).await)?;
    for sn in touched {
        known.retain(|one| one.sn != sn.as_str());
        known.push(Touched {
            sn: sn.to_string(),
            at: now,
        });
    }
    let others = known.iter().filter(|one| one.sn != access.sn().as_str());
    if others.clone().count() < devices_a_minute {
        return Ok(Ok(()));
    }
    let first = others.map(|one| one.at).next().unwrap_or(now);
    let wait = (first + MINUTE - now).min(MINUTE);
    Ok(Err(ChangeBlocked::TooManyDevices { wait }))
}

#[derive(Debug, FromRow)]
struct Touched {
    sn: String,
    at: Millis,
}

async fn is_braked(tx: &mut Tx) -> Result<bool> {
    let found: Option<i64> = within!(tx, c => sqlx::query_scalar("SELECT since FROM fleet_brake")
        .fetch_optional(c).await)?;
    Ok(found.is_some())
}

impl Store {
    pub async fn brake(&self) -> Result<Option<Brake>> {
        Ok(
            on!(self, p => sqlx::query_as("SELECT since, reason FROM fleet_brake")
            .fetch_optional(p).await)?,
        )
    }
}

/// `false` if the brake was on already.
pub async fn put_brake_on(tx: &mut Tx, reason: &str, now: Millis) -> Result<bool> {
    let newly = execute!(
        tx,
        sqlx::query(
            "INSERT INTO fleet_brake (id, since, reason) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING"
        )
        .bind(now)
        .bind(reason)
    )?;
    Ok(newly == 1)
}

/// `false` if the brake was not on.
pub async fn release_brake(tx: &mut Tx) -> Result<bool> {
    let released = execute!(tx, sqlx::query("DELETE FROM fleet_brake"))?;
    Ok(released == 1)
}
