//! The first day of which samples are kept in full resolution: one row for all systems, always the first of a month. It only
//! increases. A system may start later, with its present household.
use crate::Telemetry;
use crate::day_context::MeasuredSite;
use db::{Error, FromRow, Result, Tx};
use domain::clock::Millis;
use domain::{Serial, SiteDay, Zone};

/// PostgreSQL's advisory lock of the row. Writers of samples of earlier days share it, so that the day does not change meanwhile.
const LOCK_CLASS: i32 = 0x4b45_5054;

/// The time zone where a day ends last: twelve hours behind UTC.
const LAST_TIME_ZONE: &str = "Etc/GMT+12";

/// In `sealed_months.dirty`.
const FIRST_OF_MONTH_BIT: i64 = 1 << 1;

const READ: &str = "SELECT first_kept_day FROM sample_retention";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstKeptDay(Option<SiteDay>);

impl FirstKeptDay {
    fn from_number(number: i64) -> Result<Self> {
        let day = SiteDay::from_number(number);
        match day.is_some() || number == 0 {
            true => Ok(Self(day)),
            false => Err(Error::Damaged("sample_retention.first_kept_day")),
        }
    }

    /// The first kept day if samples since `keep_from` must be kept. Months are deleted as a whole, once their last day is over
    /// in every time zone.
    pub(crate) fn to_keep_since(keep_from: Millis) -> Self {
        let zone: Zone = LAST_TIME_ZONE.parse().expect("a zone that always exists");
        Self(Some(zone.day_of(keep_from).month_start()))
    }

    pub(crate) fn day(self) -> Option<SiteDay> {
        self.0
    }

    pub(crate) fn number(self) -> i64 {
        self.0.map_or(0, SiteDay::number)
    }

    pub(crate) fn keeps(self, day: SiteDay) -> bool {
        self.0.is_none_or(|first| day >= first)
    }

    pub(crate) fn begins_in(self, zone: &Zone) -> Millis {
        self.0.map_or(0, |first| zone.start_of(first))
    }
}

#[derive(Debug, FromRow)]
struct RetentionRow {
    first_kept_day: i64,
    deleted_to: i64,
}

/// The first kept day, locked until the transaction ends. Call it before anything is written to `sealed_months`.
pub(crate) async fn hold(tx: &mut Tx) -> Result<FirstKeptDay> {
    if let Tx::Postgres(tx) = tx {
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1, 0)")
            .bind(LOCK_CLASS)
            .execute(&mut **tx)
            .await?;
    }
    let number: i64 = within!(tx, c => sqlx::query_scalar(READ).fetch_one(c).await)?;
    FirstKeptDay::from_number(number)
}

/// Where the full resolution of a system starts: older samples are no longer stored. Locked until the transaction ends.
pub(crate) async fn kept_from(tx: &mut Tx, sn: &Serial, zone: &Zone) -> Result<Millis> {
    let first = hold(tx).await?;
    let own: Option<Millis> = within!(tx, c => sqlx::query_scalar(
        "SELECT kept_from FROM sealing WHERE sn = $1").bind(sn.as_str()).fetch_optional(c).await)?;
    Ok(own.unwrap_or_default().max(first.begins_in(zone)))
}

impl MeasuredSite<'_> {
    /// The same for a site.
    pub(crate) async fn kept_from(&self, tx: &mut Tx) -> Result<Millis> {
        kept_from(tx, self.sn, self.zone).await
    }
}

impl Telemetry {
    pub(crate) async fn first_kept_day(&self) -> Result<FirstKeptDay> {
        let number: i64 = on!(self, p => sqlx::query_scalar(READ).fetch_one(p).await)?;
        FirstKeptDay::from_number(number)
    }

    /// Raises the first kept day. Sealed days before it are valid for good: without their samples they cannot be computed again.
    pub(crate) async fn raise_first_kept_day(&self, first: FirstKeptDay) -> Result<()> {
        if self.first_kept_day().await?.number() >= first.number() {
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        if let Tx::Postgres(tx) = &mut tx {
            // Late samples and sealing queue behind it.
            let timeout = "SET LOCAL lock_timeout = '2s'";
            sqlx::query(timeout).execute(&mut **tx).await?;
            let lock = sqlx::query("SELECT pg_advisory_xact_lock($1, 0)");
            lock.bind(LOCK_CLASS).execute(&mut **tx).await?;
        }
        let raise = "UPDATE sample_retention SET first_kept_day = $1 WHERE first_kept_day < $1";
        execute!(&mut tx, sqlx::query(raise).bind(first.number()))?;
        // The first kept day, too: its energy begins with samples of the day before. Late samples of its own have chunks, by which it
        // is sealed again.
        let clear =
            "UPDATE sealed_months SET dirty = CASE WHEN month < $1 THEN 0 ELSE dirty & $2 END
             WHERE month <= $1 AND dirty <> 0";
        execute!(
            &mut tx,
            sqlx::query(clear)
                .bind(first.number() / 100)
                .bind(!FIRST_OF_MONTH_BIT)
        )?;
        tx.commit().await
    }

    /// The first kept day, if days before it are still to be deleted.
    pub(crate) async fn days_to_delete(&self) -> Result<Option<FirstKeptDay>> {
        let row: RetentionRow = on!(self, p => sqlx::query_as(
            "SELECT first_kept_day, deleted_to FROM sample_retention").fetch_one(p).await)?;
        match row.deleted_to < row.first_kept_day {
            true => FirstKeptDay::from_number(row.first_kept_day).map(Some),
            false => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use domain::clock::HOUR;

    #[test]
    fn a_month_goes_when_its_last_day_is_old_enough_at_the_last_place_where_it_ends() {
        let utc: Zone = "UTC".parse().unwrap();
        let first = |day: &str, hours: i64| {
            let at = utc.start_of(day.parse().unwrap()) + hours * HOUR;
            FirstKeptDay::to_keep_since(at).number()
        };
        assert_eq!(first("2026-11-01", 11), 20_261_001);
        assert_eq!(first("2026-11-01", 12), 20_261_101);
        assert_eq!(first("2026-11-30", 23), 20_261_101);
        assert_eq!(first("2027-01-01", 11), 20_261_201);
    }
}
