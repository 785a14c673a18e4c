//! Seals days that are over: their samples become compressed columns, totals and quarter-hours, and their rows go.
use super::columns::{Columns, Field};
use super::measured::{Measured, Site};
use super::quarters::Quarters;
use super::totals::Totals;
use super::{codec, insert, late, messages, month};
use crate::db::Tx;
use crate::{Error, Result, Store};
use domain::clock::{HOUR, Millis};
use domain::{Sample, Serial, SiteDay, Zone};
use std::collections::HashMap;

/// How long after its end a day is sealed. What comes within the hour counts as live and is written without looking at
/// sealed days, and the half hour after midnight belongs to the day before.
pub const SEAL_AFTER: Millis = 2 * HOUR;

/// Others may write between reading and sealing; then it is tried again, this often.
const TRIES: usize = 5;

/// A day as it is kept.
pub(super) struct Sealed {
    pub(super) day: SiteDay,
    pub(super) starts_at: Millis,
    pub(super) ends_at: Millis,
    pub(super) quarters: Vec<u8>,
    pub(super) body: Vec<u8>,
    pub(super) totals: Totals,
}

impl Sealed {
    pub(super) fn of(day: SiteDay, measured: &Measured, phase: u8) -> Result<Self> {
        let columns = Columns::of(&measured.samples);
        let totals = Totals::of(measured, &columns, phase);
        let quarters = Quarters::of(measured, &columns, &totals, phase);
        Ok(Self {
            day,
            starts_at: measured.span.start,
            ends_at: measured.span.end,
            quarters: quarters.encode(measured.span.start)?,
            body: codec::encode(&columns)?,
            totals,
        })
    }

    pub(super) async fn write(&self, tx: &mut Tx, sn: &Serial) -> Result<()> {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO sealed_days (sn, day, starts_at, ends_at, quarters, body) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (sn, day) DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at,
                 quarters = excluded.quarters, body = excluded.body"
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

/// A system as sealing finds it.
#[derive(Debug)]
struct System {
    sn: String,
    phase: i64,
    time_zone: String,
    history_from: Millis,
    /// What its days were last cut for; empty when none was sealed yet.
    site: String,
    kept_from: Millis,
}
row!(System {
    sn,
    phase,
    time_zone,
    history_from,
    site,
    kept_from
});

/// Whose days are sealed.
pub(super) struct Owned {
    sn: Serial,
    phase: u8,
    zone: Zone,
    history_from: Millis,
}

impl Owned {
    pub(super) fn site(&self) -> Site<'_> {
        Site {
            sn: &self.sn,
            phase: self.phase,
            zone: &self.zone,
            history_from: self.history_from,
        }
    }
}

impl System {
    fn owned(&self) -> Result<Owned> {
        Ok(Owned {
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

#[derive(Debug)]
struct Dirty {
    sn: String,
    month: i64,
    dirty: i64,
}
row!(Dirty { sn, month, dirty });

impl Store {
    /// Seals every day that has been over for [`SEAL_AFTER`] and every sealed one that changed; returns how many.
    /// A system whose days cannot be sealed is logged and does not hold up the others.
    pub async fn seal_due(&self, now: Millis) -> Result<usize> {
        let systems: Vec<System> = on!(self, p => sqlx::query_as(
            "SELECT s.sn, s.phase, s.time_zone, s.history_from, COALESCE(k.site, '') AS site,
                    COALESCE(k.kept_from, 0) AS kept_from
             FROM systems s LEFT JOIN sealing k ON k.sn = s.sn ORDER BY s.sn")
            .fetch_all(p).await)?;
        let dirty: Vec<Dirty> = on!(self, p => sqlx::query_as(
            "SELECT sn, month, dirty FROM sealed_months WHERE dirty <> 0 ORDER BY sn, month")
            .fetch_all(p).await)?;
        // With rows that cannot be read each system is asked by itself.
        let oldest = match self.oldest_rows().await {
            Err(error) if error.is_damage() => None,
            all => Some(all?),
        };
        let mut sealed = 0;
        for system in &systems {
            let oldest = oldest
                .as_ref()
                .map(|oldest| oldest.get(&system.sn).copied());
            let mut days: Vec<SiteDay> = dirty
                .iter()
                .filter(|month| month.sn == system.sn)
                .flat_map(|month| late::days_of(month.month, month.dirty))
                .collect();
            match self.seal_system(system, oldest, &mut days, now).await {
                Ok(count) => sealed += count,
                Err(error) => {
                    tracing::error!(sn = system.sn, %error, "days cannot be sealed; it is tried again");
                }
            }
        }
        Ok(sealed)
    }

    async fn seal_system(
        &self,
        system: &System,
        oldest: Option<Option<Millis>>,
        dirty: &mut Vec<SiteDay>,
        now: Millis,
    ) -> Result<usize> {
        let owned = system.owned()?;
        let site = owned.site();
        let moved = !system.site.is_empty() && system.site != site.name();
        if moved {
            let mut tx = self.begin().await?;
            late::changed(&mut tx, site.sn).await?;
            month::distrust(&mut tx, site, system.kept_from).await?;
            execute!(
                &mut tx,
                sqlx::query("UPDATE sealing SET site = $2 WHERE sn = $1")
                    .bind(site.sn.as_str())
                    .bind(site.name())
            )?;
            tx.commit().await?;
            *dirty = self.dirty_days(site).await?;
        }
        let over = |day: SiteDay| site.zone.bounds(day).end + SEAL_AFTER <= now;
        let mut sealed = 0;
        let mut oldest = match oldest {
            Some(known) => known.map(|at| site.zone.day_of(at)),
            None => self.oldest_row_day(site).await?,
        };
        // The days with rows come first: a dirty one among them is then done in the same step.
        while let Some(day) = oldest.filter(|day| over(*day)) {
            self.seal_day(site, day).await?;
            sealed += 1;
            dirty.retain(|known| *known != day);
            oldest = self.oldest_row_day(site).await?.filter(|next| *next > day);
        }
        for day in dirty.iter().filter(|day| over(**day)) {
            self.seal_day(site, *day).await?;
            sealed += 1;
        }
        Ok(sealed)
    }

    async fn dirty_days(&self, site: Site<'_>) -> Result<Vec<SiteDay>> {
        let months: Vec<Dirty> = on!(self, p => sqlx::query_as(
            "SELECT sn, month, dirty FROM sealed_months WHERE sn = $1 AND dirty <> 0 ORDER BY month")
            .bind(site.sn.as_str()).fetch_all(p).await)?;
        let days = months
            .iter()
            .flat_map(|month| late::days_of(month.month, month.dirty));
        Ok(days.collect())
    }

    /// The time of the oldest row of each system that has one.
    async fn oldest_rows(&self) -> Result<HashMap<String, Millis>> {
        let rows: Vec<(String, Option<Millis>)> = on!(self, p => sqlx::query_as(
            "SELECT s.sn, (SELECT min(ts) FROM samples WHERE samples.sn = s.sn) FROM systems s")
            .fetch_all(p).await)?;
        let rows = rows.into_iter();
        Ok(rows
            .filter_map(|(sn, oldest)| Some((sn, oldest?)))
            .collect())
    }

    async fn oldest_row_day(&self, site: Site<'_>) -> Result<Option<SiteDay>> {
        let oldest: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT min(ts) FROM samples WHERE sn = $1").bind(site.sn.as_str()).fetch_one(p).await)?;
        Ok(oldest.map(|at| site.zone.day_of(at)))
    }

    /// Seals one day, for the first time or again, in a transaction of its own. Everything slow happens before it;
    /// when something of the system's past changed meanwhile, or another process sealed it, it begins again.
    pub(super) async fn seal_day(&self, site: Site<'_>, day: SiteDay) -> Result<()> {
        for _ in 0..TRIES {
            let version = self.version(site.sn).await?;
            let measured = self.measured(site, day).await?;
            let strays = self.strays(site, day, &measured).await?;
            let phase = site.phase;
            let work = move || {
                let sealed = match measured.samples.is_empty() {
                    true => None,
                    false => Some(Sealed::of(day, &measured, phase)?),
                };
                Ok::<_, Error>((measured, sealed))
            };
            let done = tokio::task::spawn_blocking(work).await;
            let (measured, sealed) =
                done.map_err(|_| Error::Damaged("a day stopped the thread that sealed it"))??;
            let mut tx = self.begin().await?;
            if !take_turn(&mut tx, site, version).await? {
                continue;
            }
            replace(&mut tx, site, day, &measured, sealed).await?;
            if !strays.is_empty() {
                let strays: Vec<_> = strays.iter().map(|sample| (site.sn, sample)).collect();
                insert::write(&mut tx, &strays).await?;
                let moments = strays.iter().map(|(_, sample)| sample.at);
                late::mark(&mut tx, site.sn, site.zone, 0, moments).await?;
            }
            return tx.commit().await;
        }
        Err(Error::Conflict)
    }

    async fn version(&self, sn: &Serial) -> Result<i64> {
        let version: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT version FROM sealing WHERE sn = $1").bind(sn.as_str()).fetch_optional(p).await)?;
        Ok(version.unwrap_or_default())
    }

    /// Samples that are sealed in this day although they lie outside it, since the site's zone was another then.
    async fn strays(
        &self,
        site: Site<'_>,
        day: SiteDay,
        measured: &Measured,
    ) -> Result<Vec<Sample>> {
        let body: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
            "SELECT body FROM sealed_days WHERE sn = $1 AND day = $2 AND (starts_at < $3 OR ends_at > $4)")
            .bind(site.sn.as_str()).bind(day.number()).bind(measured.span.start).bind(measured.span.end)
            .fetch_optional(p).await)?;
        let Some(body) = body else {
            return Ok(Vec::new());
        };
        let mut samples = codec::decode(&body, &Field::ALL)?.samples()?;
        samples
            .retain(|sample| !measured.span.contains(&sample.at) && sample.at >= site.history_from);
        Ok(samples)
    }
}

/// Takes the system's lock and sees whether its past is still the one that was read.
async fn take_turn(tx: &mut Tx, site: Site<'_>, version: i64) -> Result<bool> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO sealing (sn, version, site) VALUES ($1, 0, $2) ON CONFLICT (sn) DO NOTHING"
        )
        .bind(site.sn.as_str())
        .bind(site.name())
    )?;
    let mine = execute!(
        tx,
        sqlx::query(
            "UPDATE sealing SET version = version + 1, site = $3 WHERE sn = $1 AND version = $2"
        )
        .bind(site.sn.as_str())
        .bind(version)
        .bind(site.name())
    )?;
    Ok(mine == 1)
}

/// Puts the sealed day in the place of its rows.
async fn replace(
    tx: &mut Tx,
    site: Site<'_>,
    day: SiteDay,
    measured: &Measured,
    sealed: Option<Sealed>,
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
    month::write(tx, sn, &site.name(), &[(day, totals)]).await?;
    execute!(
        tx,
        sqlx::query("DELETE FROM samples WHERE sn = $1 AND ts >= $2 AND ts < $3")
            .bind(sn.as_str())
            .bind(measured.span.start)
            .bind(measured.span.end)
    )?;
    messages::remember(tx, sn, measured.samples.iter().map(|sample| sample.id)).await
}
