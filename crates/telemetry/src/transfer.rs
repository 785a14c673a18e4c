//! Replacement of a unit: the history of the site continues under the new serial number.
use crate::columns::SampleField;
use crate::{codec, insert, late_samples};
use db::{FromRow, Result, Tx};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial, Zone};

#[derive(Debug, FromRow)]
struct BodyRow {
    body: Vec<u8>,
}

#[derive(Debug, FromRow)]
struct TimeRow {
    ts: Millis,
}

/// The time of a system's last sample.
pub async fn last_measured(tx: &mut Tx, sn: &Serial) -> Result<Option<Millis>> {
    let row: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar("SELECT max(ts) FROM samples WHERE sn = $1")
        .bind(sn.as_str()).fetch_one(c).await)?;
    let body: Option<BodyRow> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT body FROM sealed_days WHERE sn = $1 ORDER BY day DESC LIMIT 1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let sealed = match body {
        Some(row) => samples(&row)?.last().map(|sample| sample.at),
        None => None,
    };
    Ok(row.max(sealed))
}

/// The time of a system's first sample at or after `since`.
pub async fn first_measured(tx: &mut Tx, sn: &Serial, since: Millis) -> Result<Option<Millis>> {
    let row: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar("SELECT min(ts) FROM samples WHERE sn = $1 AND ts >= $2")
        .bind(sn.as_str()).bind(since).fetch_one(c).await)?;
    let sealed = unseal(tx, sn, 0, since).await?;
    let sealed = sealed.first().map(|sample| sample.at);
    Ok([row, sealed].into_iter().flatten().min())
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
    let kept_from = late_samples::bump_version(tx, old).await?;
    late_samples::bump_version(tx, new).await?;
    let unsealed = unseal(tx, new, unit, from).await?;
    for forget in [
        "DELETE FROM sealed_days WHERE sn = $1",
        "DELETE FROM sealed_months WHERE sn = $1",
        "DELETE FROM sealed_messages WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(forget).bind(new.as_str()))?;
    }
    let before = "DELETE FROM samples WHERE sn = $1 AND ts < $2";
    execute!(&mut *tx, sqlx::query(before).bind(new.as_str()).bind(from))?;
    execute!(
        &mut *tx,
        sqlx::query("UPDATE samples SET boot = boot + $2 WHERE sn = $1")
            .bind(new.as_str())
            .bind(boot_offset(unit))
    )?;
    for follow in [
        "UPDATE samples SET sn = $2 WHERE sn = $1",
        "UPDATE sealed_days SET sn = $2 WHERE sn = $1",
        "UPDATE sealed_months SET sn = $2 WHERE sn = $1",
        "UPDATE sealed_messages SET sn = $2 WHERE sn = $1",
        "UPDATE sealing SET version = sealing.version + o.version, site = o.site, kept_from = o.kept_from,
             erased_to = o.erased_to FROM (SELECT * FROM sealing WHERE sn = $1) o WHERE sealing.sn = $2",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(follow).bind(old.as_str()).bind(new.as_str())
        )?;
    }
    let reset = "UPDATE sealing SET site = '', kept_from = 0, erased_to = 0 WHERE sn = $1";
    execute!(&mut *tx, sqlx::query(reset).bind(old.as_str()))?;
    let rows: Vec<_> = unsealed.iter().map(|sample| (new, sample)).collect();
    insert::write_rows(tx, &rows).await?;
    let moments: Vec<TimeRow> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT ts FROM samples WHERE sn = $1 AND ts >= $2").bind(new.as_str()).bind(from).fetch_all(c).await)?;
    let moments = moments.iter().map(|row| row.ts);
    late_samples::mark_dirty(tx, new, zone, kept_from, moments).await
}

/// The offset between a unit's stored boot numbers and those that it sends.
pub fn boot_offset(unit: u8) -> i64 {
    MessageId::new(0, 0).with_unit(unit).stored_boot()
}

/// A system's sealed samples since `from`, with `unit` as their unit number.
async fn unseal(tx: &mut Tx, sn: &Serial, unit: u8, from: Millis) -> Result<Vec<Sample>> {
    let days: Vec<BodyRow> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT body FROM sealed_days WHERE sn = $1 AND ends_at > $2 ORDER BY day")
        .bind(sn.as_str()).bind(from).fetch_all(c).await)?;
    let mut unsealed = Vec::new();
    for day in &days {
        let of_site = |sample: Sample| Sample {
            id: sample.id.with_unit(unit),
            ..sample
        };
        let since = samples(day)?.into_iter().filter(|sample| sample.at >= from);
        unsealed.extend(since.map(of_site));
    }
    Ok(unsealed)
}

fn samples(day: &BodyRow) -> Result<Vec<Sample>> {
    codec::decode(&day.body, &SampleField::ALL)?.samples()
}
