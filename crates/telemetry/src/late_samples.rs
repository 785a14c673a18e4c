//! Samples of days that may be sealed. Days that change are marked dirty: readers compute them until they are sealed again.
use db::{Error, FromRow, Result, Tx};
use domain::clock::{HOUR, Millis};
use domain::energy::CONTEXT_WINDOW;
use domain::{Serial, SiteDay, Zone};
use std::collections::{BTreeMap, BTreeSet};

/// A sample this old may belong to a sealed day. It goes straight into a chunk, and its day is marked as changed.
pub(crate) const LATE_AFTER: Millis = HOUR;

/// Records that a finished day of the system changed; a process that is sealing it has to read it again.
pub(crate) async fn bump_version(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO sealing (sn, version) VALUES ($1, 1)
             ON CONFLICT (sn) DO UPDATE SET version = sealing.version + 1"
        )
        .bind(sn.as_str())
    )?;
    Ok(())
}

pub(crate) async fn zone_of(tx: &mut Tx, sn: &Serial) -> Result<Zone> {
    let name: Option<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT time_zone FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let name = name.ok_or_else(|| Error::UnknownSerial(sn.clone()))?;
    name.parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))
}

#[derive(Debug, FromRow)]
struct MonthRow {
    month: i64,
    sealed: i64,
}

/// Marks sealed days as dirty whose numbers change by samples at these times: the day itself, the day before if the time is
/// shortly after midnight, and the next sealed day, because its energy starts where the data before it ends.
pub(crate) async fn mark_dirty(
    tx: &mut Tx,
    sn: &Serial,
    zone: &Zone,
    kept_from: Millis,
    moments: impl Iterator<Item = Millis>,
) -> Result<()> {
    let mut days = BTreeSet::new();
    for at in moments {
        for at in [at, at - CONTEXT_WINDOW] {
            // A day whose samples were deleted cannot be computed again; its totals stay as they are.
            if at >= kept_from {
                days.insert(zone.day_of(at));
            }
        }
    }
    let Some(first) = days.first() else {
        return Ok(());
    };
    let months: Vec<MonthRow> = within!(tx, c => sqlx::query_as(
        "SELECT month, sealed FROM sealed_months WHERE sn = $1 AND month >= $2 ORDER BY month")
        .bind(sn.as_str()).bind(month_number(*first)).fetch_all(c).await)?;
    let sealed: BTreeSet<SiteDay> = months
        .iter()
        .flat_map(|month| days_from_bits(month.month, month.sealed))
        .collect();
    let mut dirty: BTreeMap<i64, i64> = BTreeMap::new();
    for day in days {
        let next = sealed.range(day.next()..).next().copied();
        for day in [Some(day), next].into_iter().flatten() {
            if sealed.contains(&day) {
                *dirty.entry(month_number(day)).or_default() |= day_bit(day);
            }
        }
    }
    for (month, bits) in dirty {
        execute!(
            tx,
            sqlx::query("UPDATE sealed_months SET dirty = dirty | $3 WHERE sn = $1 AND month = $2")
                .bind(sn.as_str())
                .bind(month)
                .bind(bits)
        )?;
    }
    Ok(())
}

/// The number of a day's month: 202611.
pub(crate) fn month_number(day: SiteDay) -> i64 {
    day.number() / 100
}

pub(crate) fn day_bit(day: SiteDay) -> i64 {
    1 << (day.number() % 100)
}

/// The days of a month whose bits are set.
pub(crate) fn days_from_bits(month: i64, bits: i64) -> impl Iterator<Item = SiteDay> {
    (1..=31)
        .filter(move |day| bits >> day & 1 == 1)
        .filter_map(move |day| SiteDay::from_number(month * 100 + day))
}
