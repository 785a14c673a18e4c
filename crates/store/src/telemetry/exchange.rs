//! Another unit takes the place of one: what was measured at the site goes on under the new serial number.
use super::columns::Field;
use super::{codec, insert, late};
use crate::Result;
use crate::db::Tx;
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial, Zone};

#[derive(Debug)]
struct Body {
    body: Vec<u8>,
}
row!(Body { body });

#[derive(Debug)]
struct Moment {
    ts: Millis,
}
row!(Moment { ts });

/// When a system measured something for the last time.
pub(crate) async fn last_measured(tx: &mut Tx, sn: &Serial) -> Result<Option<Millis>> {
    let row: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar("SELECT max(ts) FROM samples WHERE sn = $1")
        .bind(sn.as_str()).fetch_one(c).await)?;
    let body: Option<Body> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT body FROM sealed_days WHERE sn = $1 ORDER BY day DESC LIMIT 1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let sealed = match body {
        Some(row) => samples(&row)?.last().map(|sample| sample.at),
        None => None,
    };
    Ok(row.max(sealed))
}

/// When a system measured something for the first time since then.
pub(crate) async fn first_measured(
    tx: &mut Tx,
    sn: &Serial,
    since: Millis,
) -> Result<Option<Millis>> {
    let row: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar("SELECT min(ts) FROM samples WHERE sn = $1 AND ts >= $2")
        .bind(sn.as_str()).bind(since).fetch_one(c).await)?;
    let sealed = unseal(tx, sn, 0, since).await?;
    let sealed = sealed.first().map(|sample| sample.at);
    Ok([row, sealed].into_iter().flatten().min())
}

/// What `old` measured is `new`'s from now on, and of what `new` measured itself only that since `from` counts, as unit
/// `unit` of the site. Sealed days move as they are: only the days around the exchange are computed again.
pub(crate) async fn exchange(
    tx: &mut Tx,
    old: &Serial,
    new: &Serial,
    zone: &Zone,
    unit: u8,
    from: Millis,
) -> Result<()> {
    let kept_from = late::changed(tx, old).await?;
    late::changed(tx, new).await?;
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
            .bind(boots_before(unit))
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
    let anew = "UPDATE sealing SET site = '', kept_from = 0, erased_to = 0 WHERE sn = $1";
    execute!(&mut *tx, sqlx::query(anew).bind(old.as_str()))?;
    let rows: Vec<_> = unsealed.iter().map(|sample| (new, sample)).collect();
    insert::write(tx, &rows).await?;
    let moments: Vec<Moment> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT ts FROM samples WHERE sn = $1 AND ts >= $2").bind(new.as_str()).bind(from).fetch_all(c).await)?;
    let moments = moments.iter().map(|row| row.ts);
    late::mark(tx, new, zone, kept_from, moments).await
}

/// By how much a unit's stored boots are higher than the ones it counts.
pub(crate) fn boots_before(unit: u8) -> i64 {
    MessageId::new(0, 0).of_unit(unit).kept_boot()
}

/// What a system has sealed of the time since then, as its samples of the site.
async fn unseal(tx: &mut Tx, sn: &Serial, unit: u8, from: Millis) -> Result<Vec<Sample>> {
    let days: Vec<Body> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT body FROM sealed_days WHERE sn = $1 AND ends_at > $2 ORDER BY day")
        .bind(sn.as_str()).bind(from).fetch_all(c).await)?;
    let mut unsealed = Vec::new();
    for day in &days {
        let of_site = |sample: Sample| Sample {
            id: sample.id.of_unit(unit),
            ..sample
        };
        let since = samples(day)?.into_iter().filter(|sample| sample.at >= from);
        unsealed.extend(since.map(of_site));
    }
    Ok(unsealed)
}

fn samples(day: &Body) -> Result<Vec<Sample>> {
    codec::decode(&day.body, &Field::ALL)?.samples()
}
