//! Sealed days as they are read: their quarter-hours, their columns, their samples.
use super::codec;
use super::columns::{Columns, Field};
use super::late::bit;
use super::measured::Site;
use super::quarters::Quarters;
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::{Sample, SiteDay};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// From this many days on unpacking is left to threads that may take their time.
const MANY: usize = 8;

#[derive(Debug)]
struct Packed {
    day: i64,
    site: String,
    dirty: i64,
    packed: Vec<u8>,
}
row!(Packed {
    day,
    site,
    dirty,
    packed
});

#[derive(Debug)]
struct Span {
    starts_at: Millis,
    ends_at: Millis,
}
row!(Span { starts_at, ends_at });

#[derive(Debug)]
struct Body {
    body: Vec<u8>,
}
row!(Body { body });

impl Store {
    /// The quarter-hours of days that are sealed and still hold.
    pub(super) async fn sealed_quarters(
        &self,
        site: Site<'_>,
        days: &Range<SiteDay>,
    ) -> Result<BTreeMap<SiteDay, Quarters>> {
        let rows: Vec<Packed> = on!(self, p => sqlx::query_as(
            "SELECT d.day, m.site, m.dirty, d.quarters AS packed
             FROM sealed_days d JOIN sealed_months m ON m.sn = d.sn AND m.month = d.day / 100
             WHERE d.sn = $1 AND d.day >= $2 AND d.day < $3")
            .bind(site.sn.as_str()).bind(days.start.number()).bind(days.end.number()).fetch_all(p).await)?;
        let unpack = |packed: &[u8], start| Quarters::decode(packed, start);
        let mut found = unpack_days(holding(site, rows)?, unpack).await?;
        found.retain(|_, quarters| quarters.since >= site.history_from);
        Ok(found)
    }

    /// Columns of days that are sealed and still hold.
    pub(super) async fn sealed_columns(
        &self,
        site: Site<'_>,
        days: &Range<SiteDay>,
        fields: &[Field],
    ) -> Result<BTreeMap<SiteDay, Columns>> {
        let rows: Vec<Packed> = on!(self, p => sqlx::query_as(
            "SELECT d.day, m.site, m.dirty, d.body AS packed
             FROM sealed_days d JOIN sealed_months m ON m.sn = d.sn AND m.month = d.day / 100
             WHERE d.sn = $1 AND d.day >= $2 AND d.day < $3")
            .bind(site.sn.as_str()).bind(days.start.number()).bind(days.end.number()).fetch_all(p).await)?;
        let fields = fields.to_vec();
        unpack_days(holding(site, rows)?, move |packed, _| {
            codec::decode(packed, &fields)
        })
        .await
    }

    /// Samples of a stretch of time from whichever sealed days reach into it; neither sorted nor free of repeats.
    pub(super) async fn sealed_between(
        &self,
        site: Site<'_>,
        span: &Range<Millis>,
    ) -> Result<Vec<Sample>> {
        let nearby = site.zone.day_of(span.start).plus(-2)..site.zone.day_of(span.end).plus(3);
        let rows: Vec<Body> = on!(self, p => sqlx::query_as(
            "SELECT body FROM sealed_days
             WHERE sn = $1 AND day >= $2 AND day < $3 AND starts_at < $5 AND ends_at > $4 ORDER BY day")
            .bind(site.sn.as_str()).bind(nearby.start.number()).bind(nearby.end.number())
            .bind(span.start).bind(span.end).fetch_all(p).await)?;
        let mut samples = Vec::new();
        for row in rows {
            samples.extend(codec::decode(&row.body, &Field::ALL)?.samples()?);
        }
        let from = span.start.max(site.history_from);
        samples.retain(|sample| (from..span.end).contains(&sample.at));
        Ok(samples)
    }

    /// The days of a range that have to be computed: sealed ones that no longer hold, and those with rows.
    pub(super) async fn open_days(
        &self,
        site: Site<'_>,
        days: &Range<SiteDay>,
        holds: impl Fn(SiteDay) -> bool,
    ) -> Result<Vec<SiteDay>> {
        let mut open = Vec::new();
        let mut day = days.start;
        let mut sealed = None;
        while day < days.end {
            if holds(day) {
                day = day.next();
                continue;
            }
            // Rows first: a day that is sealed meanwhile is then found by the second look.
            let row: Option<Millis> = on!(self, p => sqlx::query_scalar(
                "SELECT min(ts) FROM samples WHERE sn = $1 AND ts >= $2 AND ts < $3")
                .bind(site.sn.as_str())
                .bind(site.zone.start_of(day).max(site.history_from))
                .bind(site.zone.start_of(days.end))
                .fetch_one(p).await)?;
            if sealed.is_none() {
                sealed = Some(self.days_in_sealed(site, &(day..days.end)).await?);
            }
            let mut sealed = sealed.iter().flatten().copied();
            let next_sealed = sealed.find(|known| *known >= day && !holds(*known));
            let next_row = row.map(|at| site.zone.day_of(at));
            let Some(next) = [next_sealed, next_row].into_iter().flatten().min() else {
                break;
            };
            if !holds(next) {
                open.push(next);
            }
            day = next.next();
        }
        Ok(open)
    }

    /// The days that sealed ones reach into; those that were cut for another zone reach into two.
    async fn days_in_sealed(
        &self,
        site: Site<'_>,
        days: &Range<SiteDay>,
    ) -> Result<BTreeSet<SiteDay>> {
        let rows: Vec<Span> = on!(self, p => sqlx::query_as(
            "SELECT starts_at, ends_at FROM sealed_days WHERE sn = $1 AND day >= $2 AND day < $3 AND ends_at > $4")
            .bind(site.sn.as_str()).bind(days.start.plus(-2).number()).bind(days.end.plus(2).number())
            .bind(site.history_from).fetch_all(p).await)?;
        let ends = rows.iter().flat_map(|row| [row.starts_at, row.ends_at - 1]);
        let reached = ends.map(|at| site.zone.day_of(at));
        Ok(reached.filter(|day| days.contains(day)).collect())
    }

    /// The last day before a moment that a sealed one reaches into.
    pub(super) async fn sealed_before(
        &self,
        site: Site<'_>,
        moment: Millis,
    ) -> Result<Option<SiteDay>> {
        let ends_at: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT ends_at FROM sealed_days WHERE sn = $1 AND day <= $2 AND starts_at < $3 AND ends_at > $4
             ORDER BY day DESC LIMIT 1")
            .bind(site.sn.as_str()).bind(site.zone.day_of(moment).next().number())
            .bind(moment).bind(site.history_from).fetch_optional(p).await)?;
        Ok(ends_at.map(|end| site.zone.day_of(end.min(moment) - 1)))
    }
}

/// Days that are not dirty, cut for this site, and wholly this household's.
fn holding(site: Site<'_>, rows: Vec<Packed>) -> Result<Vec<(SiteDay, Millis, Vec<u8>)>> {
    let name = site.name();
    let mut days = Vec::with_capacity(rows.len());
    for row in rows {
        let day = SiteDay::from_number(row.day).ok_or(Error::Damaged("sealed_days.day"))?;
        let start = site.zone.start_of(day);
        if row.site == name && row.dirty & bit(day) == 0 && start >= site.history_from {
            days.push((day, start, row.packed));
        }
    }
    Ok(days)
}

async fn unpack_days<T: Send + 'static>(
    days: Vec<(SiteDay, Millis, Vec<u8>)>,
    unpack: impl Fn(&[u8], Millis) -> Result<T> + Send + 'static,
) -> Result<BTreeMap<SiteDay, T>> {
    let many = days.len() >= MANY;
    let all = move || {
        days.iter()
            .map(|(day, start, packed)| Ok((*day, unpack(packed, *start)?)))
            .collect()
    };
    if many {
        let done = tokio::task::spawn_blocking(all).await;
        done.map_err(|_| Error::Damaged("a sealed day stopped its thread"))?
    } else {
        all()
    }
}
