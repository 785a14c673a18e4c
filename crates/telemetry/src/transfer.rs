//! Replacement of a unit: the history of the site continues under the new serial number.
use crate::columns::SampleField;
use crate::{
    Telemetry, chunks, codec, fold, late_samples, message_ranges, month_objects, sample_retention,
};
use db::{Error, FromRow, Result, Tx};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial, Zone};

#[derive(Debug, FromRow)]
struct BodyRow {
    ends_at: Millis,
    body: Vec<u8>,
}

impl BodyRow {
    /// Samples of the last weeks are never in the sample store.
    fn is_in_store(&self) -> bool {
        self.body.is_empty()
    }
}

/// The time of a system's last sample. Its history must be settled.
async fn last_measured(tx: &mut Tx, sn: &Serial) -> Result<Option<Millis>> {
    let unsealed: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT max(ends_at) FROM sample_chunks WHERE sn = $1").bind(sn.as_str()).fetch_one(c).await)?;
    let body: Option<BodyRow> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT ends_at, body FROM sealed_days WHERE sn = $1 ORDER BY day DESC LIMIT 1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let sealed = match body {
        // No transaction waits for the store: the end of that day is accurate enough.
        Some(row) if row.is_in_store() => Some(row.ends_at - 1),
        Some(row) => samples(&row)?.last().map(|sample| sample.at),
        None => None,
    };
    Ok(unsealed.max(sealed))
}

/// The time of a system's first sample at or after `since`. Its history must be settled.
async fn first_measured(tx: &mut Tx, sn: &Serial, since: Millis) -> Result<Option<Millis>> {
    let unsealed = chunks::read_all(tx, sn).await?;
    let sealed = unseal(tx, sn, since).await?;
    let moments = unsealed.iter().chain(&sealed).map(|sample| sample.at);
    Ok(moments.filter(|at| *at >= since).min())
}

/// When a new unit starts to count: at its first sample that was measured at or after `stood`, and after the last known sample of
/// the old unit; at the latest `now`. Must be called before [`transfer_history`], in the same transaction.
pub async fn exchange_moment(
    tx: &mut Tx,
    telemetry: &Telemetry,
    old: &Serial,
    new: &Serial,
    stood: Millis,
    now: Millis,
) -> Result<Millis> {
    fold::settle(tx, Some(telemetry), &[old, new], now).await?;
    let last = last_measured(tx, old).await?;
    let since = stood.max(last.map_or(0, |last| last + 1));
    let first = first_measured(tx, new, since).await?;
    Ok(first.unwrap_or(now).min(now))
}

/// Moves the history of `old` to `new`. Of its own samples, `new` keeps those since `from`, as unit number `unit` of the site.
/// Sealed days of `old` move as they are: only the days around the exchange are computed again.
pub async fn transfer_history(
    tx: &mut Tx,
    old: &Serial,
    new: &Serial,
    zone: &Zone,
    unit: u8,
    from: Millis,
) -> Result<()> {
    late_samples::bump_version(tx, old).await?;
    late_samples::bump_version(tx, new).await?;
    let kept_from = sample_retention::kept_from(tx, old, zone).await?;
    let mut own = chunks::read_all(tx, new).await?;
    own.extend(unseal(tx, new, from).await?);
    own.retain(|sample| sample.at >= from);
    for sample in &mut own {
        sample.id = sample.id.with_unit(unit);
    }
    own.sort_unstable_by_key(Sample::order);
    month_objects::erase(tx, new, 0..=i64::MAX).await?;
    for forget in [
        "DELETE FROM sealed_days WHERE sn = $1",
        "DELETE FROM sealed_months WHERE sn = $1",
        "DELETE FROM message_ranges WHERE sn = $1",
        "DELETE FROM sample_chunks WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(forget).bind(new.as_str()))?;
    }
    for follow in [
        "UPDATE sample_chunks SET sn = $2 WHERE sn = $1",
        "UPDATE sealed_days SET sn = $2 WHERE sn = $1",
        "UPDATE sealed_months SET sn = $2 WHERE sn = $1",
        "UPDATE sample_objects SET sn = $2 WHERE sn = $1 AND delete_at IS NULL",
        "UPDATE message_ranges SET sn = $2 WHERE sn = $1",
        "UPDATE systems SET measured = o.measured, erased_to = o.erased_to
             FROM (SELECT * FROM systems WHERE sn = $1) o WHERE systems.sn = $2",
        "UPDATE sealing SET version = sealing.version + o.version, site = o.site, kept_from = o.kept_from,
             erased_to = o.erased_to FROM (SELECT * FROM sealing WHERE sn = $1) o WHERE sealing.sn = $2",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(follow).bind(old.as_str()).bind(new.as_str())
        )?;
    }
    for reset in [
        "UPDATE sealing SET site = '', kept_from = 0, erased_to = 0 WHERE sn = $1",
        "UPDATE systems SET measured = FALSE, erased_to = 0 WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(reset).bind(old.as_str()))?;
    }
    if !own.is_empty() {
        chunks::mark_measured(tx, new).await?;
        message_ranges::record(tx, new, own.iter().map(|sample| sample.id)).await?;
        chunks::insert(tx, new, &own).await?;
    }
    let moments = own.iter().map(|sample| sample.at);
    late_samples::mark_dirty(tx, new, zone, kept_from, moments).await
}

/// The offset between a unit's stored boot numbers and those that it sends.
pub fn boot_offset(unit: u8) -> i64 {
    MessageId::new(0, 0).with_unit(unit).stored_boot()
}

/// A system's sealed samples since `from`.
async fn unseal(tx: &mut Tx, sn: &Serial, from: Millis) -> Result<Vec<Sample>> {
    let days: Vec<BodyRow> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT ends_at, body FROM sealed_days WHERE sn = $1 AND ends_at > $2 ORDER BY day")
        .bind(sn.as_str()).bind(from).fetch_all(c).await)?;
    let mut unsealed = Vec::new();
    for day in &days {
        if day.is_in_store() {
            return Err(Error::Conflict);
        }
        unsealed.extend(samples(day)?);
    }
    unsealed.retain(|sample| sample.at >= from);
    Ok(unsealed)
}

fn samples(day: &BodyRow) -> Result<Vec<Sample>> {
    codec::decode(&day.body, &SampleField::ALL)?.samples()
}
