//! The totals of sealed days, one row per month: a year is a dozen rows.
use crate::day_context::MeasuredSite;
use crate::late_samples::{day_bit, days_from_bits, month_number};
use crate::totals::Totals;
use crate::varint::ByteReader;
use crate::{Telemetry, month_objects};
use db::{FromRow, Result, Tx};
use domain::clock::Millis;
use domain::{Serial, SiteDay};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug, FromRow)]
pub(crate) struct Row {
    pub(crate) month: i64,
    pub(crate) site: String,
    pub(crate) sealed: i64,
    pub(crate) dirty: i64,
    pub(crate) totals: Vec<u8>,
}

impl Row {
    /// The totals of each sealed day, dirty or not.
    fn days(&self) -> impl Iterator<Item = Result<(SiteDay, Totals)>> {
        let mut reader = ByteReader::new(&self.totals, "sealed_months.totals");
        let days = days_from_bits(self.month, self.sealed);
        days.map(move |day| Ok((day, Totals::decode(&mut reader)?)))
    }
}

impl Telemetry {
    /// The totals of sealed days that are still valid, in order.
    pub(crate) async fn sealed_totals(
        &self,
        site: MeasuredSite<'_>,
        days: Range<SiteDay>,
    ) -> Result<Vec<(SiteDay, Totals)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT month, site, sealed, dirty, totals FROM sealed_months
             WHERE sn = $1 AND month >= $2 AND month <= $3 ORDER BY month")
            .bind(site.sn.as_str())
            .bind(month_number(days.start))
            .bind(month_number(days.end.plus(-1)))
            .fetch_all(p).await)?;
        let layout_key = site.layout_key();
        let mut found = Vec::with_capacity(31 * rows.len());
        for row in rows.iter().filter(|row| row.site == layout_key) {
            // Computing the start of each day would cost more than all the rest. Mostly the household is older than the month,
            // and the start of the month's first day suffices.
            let first = days_from_bits(row.month, row.sealed).next();
            let begins = first.map_or(0, |first| site.zone.start_of(first));
            for day in row.days() {
                let (day, totals) = day?;
                let ours = |start: Millis| start - totals.lead >= site.history_from;
                if days.contains(&day)
                    && row.dirty & day_bit(day) == 0
                    && (ours(begins) || ours(site.zone.start_of(day)))
                {
                    found.push((day, totals));
                }
            }
        }
        Ok(found)
    }
}

/// Writes (or with `None` removes) the totals of days, and marks these days as valid.
pub(crate) async fn write_totals(
    tx: &mut Tx,
    sn: &Serial,
    site: &str,
    days: &[(SiteDay, Option<Totals>)],
) -> Result<()> {
    let mut months: BTreeMap<i64, Vec<&(SiteDay, Option<Totals>)>> = BTreeMap::new();
    for entry in days {
        months.entry(month_number(entry.0)).or_default().push(entry);
    }
    for (month, entries) in months {
        let row: Option<Row> = within!(tx, c => sqlx::query_as(
            "SELECT month, site, sealed, dirty, totals FROM sealed_months WHERE sn = $1 AND month = $2")
            .bind(sn.as_str()).bind(month).fetch_optional(c).await)?;
        let mut row = row.unwrap_or(Row {
            month,
            site: site.to_owned(),
            sealed: 0,
            dirty: 0,
            totals: Vec::new(),
        });
        let mut all = row.days().collect::<Result<BTreeMap<_, _>>>()?;
        if row.site != site {
            // Sealed for another time zone or phase: still readable, but all are due again.
            row.dirty = row.sealed;
        }
        for (day, totals) in entries {
            row.dirty &= !day_bit(*day);
            match totals {
                Some(totals) => {
                    row.sealed |= day_bit(*day);
                    all.insert(*day, totals.clone());
                }
                None => {
                    row.sealed &= !day_bit(*day);
                    all.remove(day);
                }
            }
        }
        if row.sealed == 0 {
            month_objects::erase(tx, sn, month..=month).await?;
            execute!(
                tx,
                sqlx::query("DELETE FROM sealed_months WHERE sn = $1 AND month = $2")
                    .bind(sn.as_str())
                    .bind(month)
            )?;
            continue;
        }
        let mut packed = Vec::with_capacity(all.len() * 96);
        for totals in all.values() {
            totals.encode(&mut packed);
        }
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO sealed_months (sn, month, site, sealed, dirty, totals) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (sn, month) DO UPDATE
                 SET site = excluded.site, sealed = excluded.sealed, dirty = excluded.dirty, totals = excluded.totals, in_store = FALSE"
            )
            .bind(sn.as_str())
            .bind(month)
            .bind(site)
            .bind(row.sealed)
            .bind(row.dirty)
            .bind(packed)
        )?;
    }
    Ok(())
}

/// Marks all totals of the system as dirty, because its layout changed. Days from before full resolution begins cannot be
/// computed again and stay as they are.
pub(crate) async fn mark_all_dirty(
    tx: &mut Tx,
    site: MeasuredSite<'_>,
    kept_from: Millis,
) -> Result<()> {
    let first = site.zone.day_of(kept_from);
    execute!(
        tx,
        sqlx::query(
            "UPDATE sealed_months SET site = $2,
             dirty = CASE WHEN month < $3 THEN 0 WHEN month = $3 THEN sealed & $4 ELSE sealed END
             WHERE sn = $1 AND site <> $2"
        )
        .bind(site.sn.as_str())
        .bind(site.layout_key())
        .bind(month_number(first))
        .bind(-day_bit(first))
    )?;
    Ok(())
}

/// Removes the totals of days that ended before the present household began. The day of the change is sealed again.
pub(crate) async fn erase_before(tx: &mut Tx, site: MeasuredSite<'_>) -> Result<()> {
    let last = site.zone.day_of(site.history_from);
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT month, site, sealed, dirty, totals FROM sealed_months WHERE sn = $1 AND month <= $2")
        .bind(site.sn.as_str()).bind(month_number(last)).fetch_all(c).await)?;
    let sealed = rows
        .iter()
        .flat_map(|row| days_from_bits(row.month, row.sealed));
    let gone = sealed.filter(|day| site.zone.bounds(*day).end <= site.history_from);
    let gone: Vec<_> = gone.map(|day| (day, None)).collect();
    write_totals(tx, site.sn, &site.layout_key(), &gone).await
}

/// Marks days before `first_kept` as valid for good: without their samples they cannot be computed again.
pub(crate) async fn clear_dirty_before(
    tx: &mut Tx,
    site: MeasuredSite<'_>,
    first_kept: Millis,
) -> Result<()> {
    let first = site.zone.day_of(first_kept);
    execute!(
        tx,
        sqlx::query(
            "UPDATE sealed_months SET dirty = CASE WHEN month < $2 THEN 0 ELSE dirty & $3 END
             WHERE sn = $1 AND month <= $2 AND dirty <> 0"
        )
        .bind(site.sn.as_str())
        .bind(month_number(first))
        .bind(-day_bit(first))
    )?;
    Ok(())
}

impl MeasuredSite<'_> {
    /// The phase and time zone that days are sealed for.
    pub(crate) fn layout_key(&self) -> String {
        format!("{} {}", self.phase, self.zone.name())
    }
}
