//! The totals of a month's sealed days in one row, so that a year of them is a dozen rows.
use super::late::{bit, days_of, month_number};
use super::measured::Site;
use super::totals::Totals;
use super::varint::Reader;
use crate::db::Tx;
use crate::{Result, Store};
use domain::clock::Millis;
use domain::{Serial, SiteDay};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Row {
    pub(super) month: i64,
    pub(super) site: String,
    pub(super) sealed: i64,
    pub(super) dirty: i64,
    pub(super) totals: Vec<u8>,
}
row!(Row {
    month,
    site,
    sealed,
    dirty,
    totals
});

impl Row {
    /// The totals of each sealed day, whether they still hold or not.
    fn days(&self) -> impl Iterator<Item = Result<(SiteDay, Totals)>> {
        let mut reader = Reader::new(&self.totals, "sealed_months.totals");
        let days = days_of(self.month, self.sealed);
        days.map(move |day| Ok((day, Totals::take(&mut reader)?)))
    }
}

impl Store {
    /// The totals of days that are sealed and still hold, in order.
    pub(super) async fn sealed_totals(
        &self,
        site: Site<'_>,
        days: Range<SiteDay>,
    ) -> Result<Vec<(SiteDay, Totals)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT month, site, sealed, dirty, totals FROM sealed_months
             WHERE sn = $1 AND month >= $2 AND month <= $3 ORDER BY month")
            .bind(site.sn.as_str())
            .bind(month_number(days.start))
            .bind(month_number(days.end.plus(-1)))
            .fetch_all(p).await)?;
        let name = site.name();
        let mut found = Vec::with_capacity(31 * rows.len());
        for row in rows.iter().filter(|row| row.site == name) {
            // To look up the start of each day would cost more than all the rest: most begin long after the household.
            let first = days_of(row.month, row.sealed).next();
            let begins = first.map_or(0, |first| site.zone.start_of(first));
            for day in row.days() {
                let (day, totals) = day?;
                let ours = |start: Millis| start - totals.lead >= site.history_from;
                if days.contains(&day)
                    && row.dirty & bit(day) == 0
                    && (ours(begins) || ours(site.zone.start_of(day)))
                {
                    found.push((day, totals));
                }
            }
        }
        Ok(found)
    }
}

/// Writes (or with `None` removes) the totals of days, which hold from now on.
pub(super) async fn write(
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
            // Cut for another zone or phase: they stay readable, and are all due again.
            row.dirty = row.sealed;
        }
        for (day, totals) in entries {
            row.dirty &= !bit(*day);
            match totals {
                Some(totals) => {
                    row.sealed |= bit(*day);
                    all.insert(*day, totals.clone());
                }
                None => {
                    row.sealed &= !bit(*day);
                    all.remove(day);
                }
            }
        }
        if row.sealed == 0 {
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
            totals.put(&mut packed);
        }
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO sealed_months (sn, month, site, sealed, dirty, totals) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (sn, month) DO UPDATE
                 SET site = excluded.site, sealed = excluded.sealed, dirty = excluded.dirty, totals = excluded.totals"
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

/// Says that no total of the system holds: its days are cut differently from now on. Days before the full resolution
/// begins cannot be cut again and stay as they are.
pub(super) async fn distrust(tx: &mut Tx, site: Site<'_>, kept_from: Millis) -> Result<()> {
    let first = site.zone.day_of(kept_from);
    execute!(
        tx,
        sqlx::query(
            "UPDATE sealed_months SET site = $2,
             dirty = CASE WHEN month < $3 THEN 0 WHEN month = $3 THEN sealed & $4 ELSE sealed END
             WHERE sn = $1 AND site <> $2"
        )
        .bind(site.sn.as_str())
        .bind(site.name())
        .bind(month_number(first))
        .bind(-bit(first))
    )?;
    Ok(())
}

/// Removes the totals of days that began before the present household's time. The day of the change is sealed again.
pub(super) async fn erase_before(tx: &mut Tx, site: Site<'_>) -> Result<()> {
    let last = site.zone.day_of(site.history_from);
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT month, site, sealed, dirty, totals FROM sealed_months WHERE sn = $1 AND month <= $2")
        .bind(site.sn.as_str()).bind(month_number(last)).fetch_all(c).await)?;
    let sealed = rows.iter().flat_map(|row| days_of(row.month, row.sealed));
    let gone = sealed.filter(|day| site.zone.bounds(*day).end <= site.history_from);
    let gone: Vec<_> = gone.map(|day| (day, None)).collect();
    write(tx, site.sn, &site.name(), &gone).await
}

/// Days before the first one kept in full cannot be computed again: their totals hold for good.
pub(super) async fn settle_before(tx: &mut Tx, site: Site<'_>, first_kept: Millis) -> Result<()> {
    let first = site.zone.day_of(first_kept);
    execute!(
        tx,
        sqlx::query(
            "UPDATE sealed_months SET dirty = CASE WHEN month < $2 THEN 0 ELSE dirty & $3 END
             WHERE sn = $1 AND month <= $2 AND dirty <> 0"
        )
        .bind(site.sn.as_str())
        .bind(month_number(first))
        .bind(-bit(first))
    )?;
    Ok(())
}

impl Site<'_> {
    /// The phase and time zone that days are cut and summed for.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.phase, self.zone.name())
    }
}
