//! Seals finished days: the chunks of a day become one row of compressed columns, with totals and quarter-hours.
use crate::Telemetry;
use crate::codec::{self, Effort};
use crate::columns::{Columns, SampleField};
use crate::day_context::{DayWithContext, MeasuredSite};
use crate::quarters::Quarters;
use crate::sample_retention::{self, FirstKeptDay};
use crate::stored_body::{BodyRow, OBJECT_MISSING, READ_ATTEMPTS};
use crate::totals::Totals;
use crate::{chunks, late_samples, message_ranges, sealed_months};
use db::{Error, FromRow, Result, Tx};
use domain::clock::{HOUR, Millis};
use domain::shard::ShardSet;
use domain::{Sample, Serial, SiteDay, Zone};

/// How long after its end a day is sealed. Samples less than an hour old are inserted without checking sealed days, and the half
/// hour after midnight is part of the day's context.
pub const SEAL_AFTER: Millis = 2 * HOUR;

/// Attempts to seal a day. An attempt fails if other writers change the day between reading and sealing.
const MAX_SEAL_ATTEMPTS: usize = 5;

/// A day as it is stored.
pub(crate) struct SealedDay {
    pub(crate) day: SiteDay,
    pub(crate) starts_at: Millis,
    pub(crate) ends_at: Millis,
    pub(crate) quarters: Vec<u8>,
    pub(crate) body: Vec<u8>,
    pub(crate) totals: Totals,
}

impl SealedDay {
    pub(crate) fn of(day: SiteDay, measured: &DayWithContext, phase: u8) -> Result<Self> {
        let columns = Columns::of(&measured.samples);
        let totals = Totals::of(measured, &columns, phase);
        let quarters = Quarters::of(measured, &columns, &totals, phase);
        Ok(Self {
            day,
            starts_at: measured.span.start,
            ends_at: measured.span.end,
            quarters: quarters.encode(measured.span.start)?,
            body: codec::encode(&columns, Effort::Small)?,
            totals,
        })
    }

    pub(crate) async fn write(&self, tx: &mut Tx, sn: &Serial) -> Result<()> {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO sealed_days (sn, day, starts_at, ends_at, quarters, body) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (sn, day) DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at,
                 quarters = excluded.quarters, body = excluded.body, object_id = NULL, object_at = NULL, object_bytes = NULL"
            )
            .bind(sn.as_str())
            .bind(self.day.number())
            .bind(self.starts_at)
            .bind(self.ends_at)
            .bind(&self.quarters[..])
            .bind(&self.body[..])
        )?;
        Ok(())
    }
}

macro_rules! system_columns {
    () => {
        "SELECT s.sn, s.phase, s.time_zone, s.history_from, COALESCE(k.site, '') AS site, COALESCE(k.kept_from, 0) AS kept_from
         FROM systems s LEFT JOIN sealing k ON k.sn = s.sn"
    };
}

#[derive(Debug, FromRow)]
struct SystemRow {
    sn: String,
    phase: i64,
    time_zone: String,
    history_from: Millis,
    /// The layout key that its days were last sealed for; empty before the first.
    site: String,
    kept_from: Millis,
}

/// An owned [`MeasuredSite`].
pub(crate) struct OwnedSite {
    sn: Serial,
    phase: u8,
    zone: Zone,
    history_from: Millis,
}

impl OwnedSite {
    pub(crate) fn site(&self) -> MeasuredSite<'_> {
        MeasuredSite {
            sn: &self.sn,
            phase: self.phase,
            zone: &self.zone,
            history_from: self.history_from,
        }
    }
}

impl SystemRow {
    fn owned_site(&self) -> Result<OwnedSite> {
        Ok(OwnedSite {
            sn: self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?,
            phase: u8::try_from(self.phase).map_err(|_| Error::Damaged("systems.phase"))?,
            zone: self
                .time_zone
                .parse()
                .map_err(|_| Error::Damaged("systems.time_zone"))?,
            history_from: self.history_from,
        })
    }
}

#[derive(Debug, FromRow)]
struct DirtyMonth {
    month: i64,
    dirty: i64,
}

impl Telemetry {
    /// Seals every day that ended [`SEAL_AFTER`] ago and every sealed day that changed. Returns how many.
    /// An error of one system is logged and does not stop the others.
    pub async fn seal_due(&self, shards: ShardSet, now: Millis) -> Result<usize> {
        let first_kept = self.first_kept_day().await?;
        let systems = match self.systems_to_seal(shards, now).await {
            // Some rows are damaged: try each system.
            Err(error) if error.is_damage() => self.all_systems(shards).await?,
            found => found?,
        };
        let mut sealed = 0;
        for system in &systems {
            match self.seal_system(system, first_kept, now).await {
                Ok(count) => sealed += count,
                Err(error) => {
                    tracing::error!(sn = system.sn, %error, "system_sealing_failed: retrying with the next run");
                }
            }
        }
        Ok(sealed)
    }

    /// Systems that have chunks of a finished day or changed days, or whose layout has changed.
    async fn systems_to_seal(&self, shards: ShardSet, now: Millis) -> Result<Vec<SystemRow>> {
        let zones: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT DISTINCT time_zone FROM systems ORDER BY time_zone").fetch_all(p).await)?;
        let mut found = Vec::new();
        for name in zones {
            let zone: Zone = name
                .parse()
                .map_err(|_| Error::Damaged("systems.time_zone"))?;
            let unfinished_day = zone.start_of(zone.day_of(now - SEAL_AFTER));
            let systems: Vec<SystemRow> = on!(self, p => sqlx::query_as(concat!(
                system_columns!(), " WHERE s.time_zone = $1 AND ", in_shards!("s.site_id", "$3"),
                " AND (EXISTS (SELECT 1 FROM sample_chunks c WHERE c.sn = s.sn AND c.starts_at < $2)
                    OR EXISTS (SELECT 1 FROM sealed_months m WHERE m.sn = s.sn AND m.dirty <> 0)
                    OR COALESCE(k.site, '') NOT IN ('', CAST(s.phase AS TEXT) || ' ' || s.time_zone)) ORDER BY s.sn"))
                .bind(&name).bind(unfinished_day).bind(shards.bits()).fetch_all(p).await)?;
            found.extend(systems);
        }
        Ok(found)
    }

    async fn all_systems(&self, shards: ShardSet) -> Result<Vec<SystemRow>> {
        Ok(on!(self, p => sqlx::query_as(concat!(
            system_columns!(), " WHERE ", in_shards!("s.site_id", "$1"), " ORDER BY s.sn"))
            .bind(shards.bits()).fetch_all(p).await)?)
    }

    async fn seal_system(
        &self,
        system: &SystemRow,
        first_kept: FirstKeptDay,
        now: Millis,
    ) -> Result<usize> {
        let owned = system.owned_site()?;
        let site = owned.site();
        let kept_from = system.kept_from.max(first_kept.begins_in(site.zone));
        let moved = !system.site.is_empty() && system.site != site.layout_key();
        if moved {
            let mut tx = self.db.begin().await?;
            late_samples::bump_version(&mut tx, site.sn).await?;
            let kept_from = site.kept_from(&mut tx).await?;
            sealed_months::mark_all_dirty(&mut tx, site, kept_from).await?;
            execute!(
                &mut tx,
                sqlx::query("UPDATE sealing SET site = $2 WHERE sn = $1")
                    .bind(site.sn.as_str())
                    .bind(site.layout_key())
            )?;
            tx.commit().await?;
        }
        let mut dirty = self.dirty_days(site).await?;
        let over = |day: SiteDay| site.zone.bounds(day).end + SEAL_AFTER <= now;
        let mut sealed = 0;
        let mut oldest = self.oldest_unsealed_day(site).await?;
        let is_old = |day: &SiteDay| !first_kept.keeps(*day);
        if oldest.iter().chain(&dirty).any(is_old) {
            self.delete_chunks_before(site, kept_from).await?;
            dirty.retain(|day| !is_old(day));
            oldest = self.oldest_unsealed_day(site).await?;
        }
        // Days with chunks first: this also seals the dirty ones among them.
        while let Some(day) = oldest.filter(|day| over(*day)) {
            self.seal_day(site, day).await?;
            sealed += 1;
            dirty.retain(|known| *known != day);
            oldest = self
                .oldest_unsealed_day(site)
                .await?
                .filter(|next| *next > day);
        }
        for day in dirty.iter().filter(|day| over(**day)) {
            self.seal_day(site, *day).await?;
            sealed += 1;
        }
        Ok(sealed)
    }

    /// Samples that were not sealed before their month was deleted.
    async fn delete_chunks_before(&self, site: MeasuredSite<'_>, kept_from: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        chunks::lock_systems(&mut tx, &[site.sn]).await?;
        late_samples::bump_version(&mut tx, site.sn).await?;
        sample_retention::hold(&mut tx).await?;
        chunks::delete_between(&mut tx, site.sn, &(Millis::MIN..kept_from)).await?;
        sealed_months::clear_dirty_before(&mut tx, site, kept_from).await?;
        tx.commit().await
    }

    async fn dirty_days(&self, site: MeasuredSite<'_>) -> Result<Vec<SiteDay>> {
        let months: Vec<DirtyMonth> = on!(self, p => sqlx::query_as(
            "SELECT month, dirty FROM sealed_months WHERE sn = $1 AND dirty <> 0 ORDER BY month")
            .bind(site.sn.as_str()).fetch_all(p).await)?;
        let days = months
            .iter()
            .flat_map(|month| late_samples::days_from_bits(month.month, month.dirty));
        Ok(days.collect())
    }

    async fn oldest_unsealed_day(&self, site: MeasuredSite<'_>) -> Result<Option<SiteDay>> {
        let oldest: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT min(starts_at) FROM sample_chunks WHERE sn = $1").bind(site.sn.as_str()).fetch_one(p).await)?;
        Ok(oldest.map(|at| site.zone.day_of(at)))
    }

    /// Seals one day, for the first time or again, in a transaction of its own. Everything slow happens before the transaction.
    /// Starts again if the system's past changed meanwhile or another process sealed the day.
    pub(crate) async fn seal_day(&self, site: MeasuredSite<'_>, day: SiteDay) -> Result<()> {
        for _ in 0..MAX_SEAL_ATTEMPTS {
            let version = self.sealing_version(site.sn).await?;
            self.refresh(site.sn).await?;
            let mut measured = self.day_with_context(site, day).await?;
            // Chunks are limited per day, but late samples may be added repeatedly.
            measured.samples.truncate(codec::MAX_ROWS);
            let samples_outside = self.samples_outside(site, day, &measured).await?;
            let phase = site.phase;
            let work = move || {
                let sealed = match measured.samples.is_empty() {
                    true => None,
                    false => Some(SealedDay::of(day, &measured, phase)?),
                };
                Ok::<_, Error>((measured, sealed))
            };
            let done = tokio::task::spawn_blocking(work).await;
            let (measured, sealed) =
                done.map_err(|_| Error::Damaged("the thread that seals a day panicked"))??;
            self.make_month_of(day).await?;
            let mut tx = self.db.begin().await?;
            if !lock_if_unchanged(&mut tx, site, version).await? {
                continue;
            }
            let first_kept = sample_retention::hold(&mut tx).await?;
            if !first_kept.keeps(day) {
                // Its month was deleted meanwhile. The next run deletes its chunks.
                return Ok(());
            }
            replace_chunks(&mut tx, site, day, &measured, sealed).await?;
            if !samples_outside.is_empty() {
                chunks::insert(&mut tx, site.sn, &samples_outside).await?;
                let moments = samples_outside.iter().map(|sample| sample.at);
                let kept_from = first_kept.begins_in(site.zone);
                late_samples::mark_dirty(&mut tx, site.sn, site.zone, kept_from, moments).await?;
            }
            return tx.commit().await;
        }
        Err(Error::Conflict)
    }

    pub(crate) async fn sealing_version(&self, sn: &Serial) -> Result<i64> {
        let version: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT version FROM sealing WHERE sn = $1").bind(sn.as_str()).fetch_optional(p).await)?;
        Ok(version.unwrap_or_default())
    }

    /// Samples that are sealed in this day but lie outside it, because the site had another time zone then.
    async fn samples_outside(
        &self,
        site: MeasuredSite<'_>,
        day: SiteDay,
        measured: &DayWithContext,
    ) -> Result<Vec<Sample>> {
        let mut body = Err(OBJECT_MISSING);
        for _ in 0..READ_ATTEMPTS {
            let row: Option<BodyRow> = on!(self, p => sqlx::query_as(concat!(
                "SELECT ", body_columns!(), " FROM ", days_with_objects!(),
                " WHERE d.sn = $1 AND d.day = $2 AND (d.starts_at < $3 OR d.ends_at > $4)"))
                .bind(site.sn.as_str()).bind(day.number()).bind(measured.span.start).bind(measured.span.end)
                .fetch_optional(p).await)?;
            let Some(row) = row else {
                return Ok(Vec::new());
            };
            if let Ok(found) = self.load_bodies(vec![row.stored_body()?]).await? {
                body = Ok(found.concat());
                break;
            }
        }
        let body = body?;
        let mut samples = codec::decode(&body, &SampleField::ALL)?.samples()?;
        samples
            .retain(|sample| !measured.span.contains(&sample.at) && sample.at >= site.history_from);
        Ok(samples)
    }
}

/// Locks the system. Returns whether its past is unchanged since it was read.
async fn lock_if_unchanged(tx: &mut Tx, site: MeasuredSite<'_>, version: i64) -> Result<bool> {
    chunks::lock_systems(tx, &[site.sn]).await?;
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO sealing (sn, version, site) VALUES ($1, 0, $2) ON CONFLICT (sn) DO NOTHING"
        )
        .bind(site.sn.as_str())
        .bind(site.layout_key())
    )?;
    let updated = execute!(
        tx,
        sqlx::query(
            "UPDATE sealing SET version = version + 1, site = $3 WHERE sn = $1 AND version = $2"
        )
        .bind(site.sn.as_str())
        .bind(version)
        .bind(site.layout_key())
    )?;
    Ok(updated == 1)
}

/// Replaces the chunks of a day with the sealed day.
async fn replace_chunks(
    tx: &mut Tx,
    site: MeasuredSite<'_>,
    day: SiteDay,
    measured: &DayWithContext,
    sealed: Option<SealedDay>,
) -> Result<()> {
    let sn = site.sn;
    match &sealed {
        Some(sealed) => sealed.write(tx, sn).await?,
        None => {
            execute!(
                tx,
                sqlx::query("DELETE FROM sealed_days WHERE sn = $1 AND day = $2")
                    .bind(sn.as_str())
                    .bind(day.number())
            )?;
        }
    }
    let totals = sealed.map(|sealed| sealed.totals);
    sealed_months::write_totals(tx, sn, &site.layout_key(), &[(day, totals)]).await?;
    chunks::delete_between(tx, sn, &measured.span).await?;
    message_ranges::record(tx, sn, measured.samples.iter().map(|sample| sample.id)).await?;
    Ok(())
}
