//! Samples of days that may be sealed: repeats are recognised although their rows are gone, and the days they change are
//! marked, to be computed until they are sealed again.
use crate::db::Tx;
use crate::{Error, Result};
use domain::clock::Millis;
use domain::energy::CONTEXT;
use domain::sample::MessageId;
use domain::{Sample, Serial, SiteDay, Zone};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Locks the systems against sealing, marks the days that change, and returns the messages that are sealed already
/// or too old to be kept.
pub(super) async fn prepare(
    tx: &mut Tx,
    late: &[(&Serial, &Sample)],
) -> Result<HashSet<(Serial, MessageId)>> {
    let mut systems: BTreeMap<&str, (&Serial, Vec<&Sample>)> = BTreeMap::new();
    for (sn, sample) in late {
        let system = systems.entry(sn.as_str()).or_insert((sn, Vec::new()));
        system.1.push(sample);
    }
    let mut known = HashSet::new();
    for (sn, samples) in systems.into_values() {
        let kept_from = changed(tx, sn).await?;
        let mut sealed = sealed_among(tx, sn, &samples).await?;
        let forgotten = samples.iter().filter(|sample| sample.at < kept_from);
        sealed.extend(forgotten.map(|sample| sample.id));
        let new: Vec<_> = samples
            .iter()
            .filter(|sample| !sealed.contains(&sample.id))
            .collect();
        if !new.is_empty() {
            let zone = zone_of(tx, sn).await?;
            mark(tx, sn, &zone, kept_from, new.iter().map(|sample| sample.at)).await?;
        }
        known.extend(sealed.into_iter().map(|id| (sn.clone(), id)));
    }
    Ok(known)
}

/// Says that a finished day of the system has changed; whoever seals it at this moment has to look again.
/// Returns where full resolution begins: what is older is not taken any more.
pub(super) async fn changed(tx: &mut Tx, sn: &Serial) -> Result<Millis> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO sealing (sn, version) VALUES ($1, 1)
         ON CONFLICT (sn) DO UPDATE SET version = sealing.version + 1 RETURNING kept_from")
        .bind(sn.as_str()).fetch_one(c).await)?)
}

#[derive(Debug)]
struct Stretch {
    first_seq: i64,
    last_seq: i64,
}
row!(Stretch {
    first_seq,
    last_seq
});

async fn sealed_among(tx: &mut Tx, sn: &Serial, samples: &[&Sample]) -> Result<HashSet<MessageId>> {
    let mut boots: BTreeMap<(u8, u32), BTreeSet<u32>> = BTreeMap::new();
    for sample in samples {
        boots
            .entry((sample.id.unit, sample.id.boot))
            .or_default()
            .insert(sample.id.seq);
    }
    let mut sealed = HashSet::new();
    for ((unit, boot), seqs) in boots {
        let boot = MessageId::new(boot, 0).of_unit(unit);
        let bound = |seq: Option<&u32>| i64::from(seq.copied().unwrap_or_default());
        let stretches: Vec<Stretch> = within!(tx, c => sqlx::query_as(
            "SELECT first_seq, last_seq FROM sealed_messages
             WHERE sn = $1 AND boot = $2 AND first_seq <= $4 AND last_seq >= $3")
            .bind(sn.as_str()).bind(boot.kept_boot()).bind(bound(seqs.first())).bind(bound(seqs.last()))
            .fetch_all(c).await)?;
        let lies_in = |seq: &u32| {
            let seq = i64::from(*seq);
            stretches
                .iter()
                .any(|stretch| (stretch.first_seq..=stretch.last_seq).contains(&seq))
        };
        sealed.extend(
            seqs.into_iter()
                .filter(lies_in)
                .map(|seq| MessageId { seq, ..boot }),
        );
    }
    Ok(sealed)
}

pub(super) async fn zone_of(tx: &mut Tx, sn: &Serial) -> Result<Zone> {
    let name: Option<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT time_zone FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let name = name.ok_or_else(|| Error::UnknownSerial(sn.clone()))?;
    name.parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))
}

#[derive(Debug)]
struct Month {
    month: i64,
    sealed: i64,
}
row!(Month { month, sealed });

/// Marks the days whose numbers change when something is measured at these moments: the day itself, the one before when
/// it is near midnight, and the next sealed one, whose energy begins where the data before it ended.
pub(super) async fn mark(
    tx: &mut Tx,
    sn: &Serial,
    zone: &Zone,
    kept_from: Millis,
    moments: impl Iterator<Item = Millis>,
) -> Result<()> {
    let mut days = BTreeSet::new();
    for at in moments {
        for at in [at, at - CONTEXT] {
            // A day without its samples cannot be computed again; its totals stay as they are.
            if at >= kept_from {
                days.insert(zone.day_of(at));
            }
        }
    }
    let Some(first) = days.first() else {
        return Ok(());
    };
    let months: Vec<Month> = within!(tx, c => sqlx::query_as(
        "SELECT month, sealed FROM sealed_months WHERE sn = $1 AND month >= $2 ORDER BY month")
        .bind(sn.as_str()).bind(month_number(*first)).fetch_all(c).await)?;
    let sealed: BTreeSet<SiteDay> = months
        .iter()
        .flat_map(|month| days_of(month.month, month.sealed))
        .collect();
    let mut dirty: BTreeMap<i64, i64> = BTreeMap::new();
    for day in days {
        let next = sealed.range(day.next()..).next().copied();
        for day in [Some(day), next].into_iter().flatten() {
            if sealed.contains(&day) {
                *dirty.entry(month_number(day)).or_default() |= bit(day);
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
pub(super) fn month_number(day: SiteDay) -> i64 {
    day.number() / 100
}

pub(super) fn bit(day: SiteDay) -> i64 {
    1 << (day.number() % 100)
}

/// The days of a month whose bits are set.
pub(super) fn days_of(month: i64, bits: i64) -> impl Iterator<Item = SiteDay> {
    (1..=31)
        .filter(move |day| bits >> day & 1 == 1)
        .filter_map(move |day| SiteDay::from_number(month * 100 + day))
}
