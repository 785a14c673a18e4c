//! Reads sealed days: their quarter-hours, columns and samples.
use crate::Telemetry;
use crate::codec;
use crate::columns::{Columns, SampleField};
use crate::day_context::MeasuredSite;
use crate::late_samples::day_bit;
use crate::quarters::Quarters;
use crate::stored_body::{BodyRow, OBJECT_MISSING, READ_ATTEMPTS, StoredBody};
use db::{Error, FromRow, Result};
use domain::clock::Millis;
use domain::{Sample, SiteDay};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// From this many days on, unpacking runs on a blocking thread.
const BLOCKING_MIN_DAYS: usize = 8;

#[derive(Debug, FromRow)]
struct PackedDay {
    day: i64,
    starts_at: Millis,
    site: String,
    dirty: i64,
    packed: Vec<u8>,
}

#[derive(Debug, FromRow)]
struct SpanRow {
    starts_at: Millis,
    ends_at: Millis,
}

/// A day with its columns, wherever they are stored.
#[derive(Debug, FromRow)]
struct ColumnsRow {
    day: i64,
    starts_at: Millis,
    site: String,
    dirty: i64,
    body: Vec<u8>,
    object: Option<String>,
    object_at: Option<i64>,
    object_bytes: Option<i64>,
}

impl Telemetry {
    /// The quarter-hours of sealed days that are still valid.
    pub(crate) async fn sealed_quarters(
        &self,
        site: MeasuredSite<'_>,
        days: &Range<SiteDay>,
    ) -> Result<BTreeMap<SiteDay, Quarters>> {
        let rows: Vec<PackedDay> = on!(self, p => sqlx::query_as(
            "SELECT d.day, d.starts_at, m.site, m.dirty, d.quarters AS packed
             FROM sealed_days d JOIN sealed_months m ON m.sn = d.sn AND m.month = d.day / 100
             WHERE d.sn = $1 AND d.day >= $2 AND d.day < $3")
            .bind(site.sn.as_str()).bind(days.start.number()).bind(days.end.number()).fetch_all(p).await)?;
        let mut days = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some((day, start)) =
                valid_day(site, row.day, row.starts_at, &row.site, row.dirty)?
            {
                days.push((day, start, row.packed));
            }
        }
        let unpack = |packed: &[u8], start| Quarters::decode(packed, start);
        let mut found = unpack_days(days, unpack).await?;
        found.retain(|_, quarters| quarters.counted_from >= site.history_from);
        Ok(found)
    }

    /// Columns of sealed days that are still valid.
    pub(crate) async fn sealed_columns(
        &self,
        site: MeasuredSite<'_>,
        days_of: &Range<SiteDay>,
        fields: &[SampleField],
    ) -> Result<BTreeMap<SiteDay, Columns>> {
        let mut days = Err(OBJECT_MISSING);
        for _ in 0..READ_ATTEMPTS {
            let rows: Vec<ColumnsRow> = on!(self, p => sqlx::query_as(concat!(
                "SELECT d.day, d.starts_at, m.site, m.dirty, ", body_columns!(), " FROM ", days_with_objects!(),
                " JOIN sealed_months m ON m.sn = d.sn AND m.month = d.day / 100
                 WHERE d.sn = $1 AND d.day >= $2 AND d.day < $3"))
                .bind(site.sn.as_str()).bind(days_of.start.number()).bind(days_of.end.number()).fetch_all(p).await)?;
            let mut valid = Vec::with_capacity(rows.len());
            let mut stored = Vec::with_capacity(rows.len());
            for row in rows {
                if let Some(day) = valid_day(site, row.day, row.starts_at, &row.site, row.dirty)? {
                    valid.push(day);
                    stored.push(StoredBody::new(
                        row.body,
                        row.object,
                        row.object_at,
                        row.object_bytes,
                    )?);
                }
            }
            if let Ok(bodies) = self.load_bodies(stored).await? {
                let found = valid.into_iter().zip(bodies);
                days = Ok(found
                    .map(|((day, start), body)| (day, start, body))
                    .collect());
                break;
            }
        }
        let fields = fields.to_vec();
        unpack_days(days?, move |packed, _| codec::decode(packed, &fields)).await
    }

    /// Samples of a time span from all sealed days that overlap it. Unsorted, perhaps with duplicates.
    pub(crate) async fn sealed_samples_between(
        &self,
        site: MeasuredSite<'_>,
        span: &Range<Millis>,
    ) -> Result<Vec<Sample>> {
        let nearby = site.zone.day_of(span.start).plus(-2)..site.zone.day_of(span.end).plus(3);
        let mut bodies = Err(OBJECT_MISSING);
        for _ in 0..READ_ATTEMPTS {
            let rows: Vec<BodyRow> = on!(self, p => sqlx::query_as(concat!(
                "SELECT ", body_columns!(), " FROM ", days_with_objects!(),
                " WHERE d.sn = $1 AND d.day >= $2 AND d.day < $3 AND d.starts_at < $5 AND d.ends_at > $4 ORDER BY d.day"))
                .bind(site.sn.as_str()).bind(nearby.start.number()).bind(nearby.end.number())
                .bind(span.start).bind(span.end).fetch_all(p).await)?;
            let stored = rows
                .into_iter()
                .map(BodyRow::stored_body)
                .collect::<Result<_>>()?;
            if let Ok(found) = self.load_bodies(stored).await? {
                bodies = Ok(found);
                break;
            }
        }
        let mut samples = Vec::new();
        for body in bodies? {
            samples.extend(codec::decode(&body, &SampleField::ALL)?.samples()?);
        }
        let from = span.start.max(site.history_from);
        samples.retain(|sample| (from..span.end).contains(&sample.at));
        Ok(samples)
    }

    /// The days of a range that have to be computed: sealed ones that are no longer valid, and those with unsealed samples. A
    /// single day is named without a query, and may turn out to have no samples.
    pub(crate) async fn days_to_compute(
        &self,
        site: MeasuredSite<'_>,
        days: &Range<SiteDay>,
        is_valid: impl Fn(SiteDay) -> bool,
    ) -> Result<Vec<SiteDay>> {
        let mut open = Vec::new();
        let mut day = days.start;
        let mut sealed = None;
        while day < days.end {
            if is_valid(day) {
                day = day.next();
                continue;
            }
            if sealed.is_none() {
                self.refresh(site.sn).await?;
                if day.next() == days.end {
                    return Ok(vec![day]);
                }
            }
            // Read these first: a day that is sealed between the two queries is then found by the second one.
            let from = site.zone.start_of(day).max(site.history_from);
            let span = from..site.zone.start_of(days.end);
            let unsealed = self.first_unsealed(site.sn, &span).await?;
            if sealed.is_none() {
                sealed = Some(self.days_covered_by_sealed(site, &(day..days.end)).await?);
            }
            let mut sealed = sealed.iter().flatten().copied();
            let next_sealed = sealed.find(|known| *known >= day && !is_valid(*known));
            let next_unsealed = unsealed.map(|at| site.zone.day_of(at));
            let Some(next) = [next_sealed, next_unsealed].into_iter().flatten().min() else {
                break;
            };
            if !is_valid(next) {
                open.push(next);
            }
            day = next.next();
        }
        Ok(open)
    }

    /// The days that sealed ones overlap. One that was sealed for another time zone overlaps two.
    async fn days_covered_by_sealed(
        &self,
        site: MeasuredSite<'_>,
        days: &Range<SiteDay>,
    ) -> Result<BTreeSet<SiteDay>> {
        let rows: Vec<SpanRow> = on!(self, p => sqlx::query_as(
            "SELECT starts_at, ends_at FROM sealed_days WHERE sn = $1 AND day >= $2 AND day < $3 AND ends_at > $4")
            .bind(site.sn.as_str()).bind(days.start.plus(-2).number()).bind(days.end.plus(2).number())
            .bind(site.history_from).fetch_all(p).await)?;
        let ends = rows.iter().flat_map(|row| [row.starts_at, row.ends_at - 1]);
        let covered = ends.map(|at| site.zone.day_of(at));
        Ok(covered.filter(|day| days.contains(day)).collect())
    }

    /// The last day before a moment that a sealed one overlaps.
    pub(crate) async fn last_sealed_day_before(
        &self,
        site: MeasuredSite<'_>,
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

/// A day and its start, if it is not dirty, was sealed for this layout, and belongs entirely to this household. Those that are no longer
/// kept, and not deleted yet, are not marked as dirty when the layout changes.
fn valid_day(
    site: MeasuredSite<'_>,
    number: i64,
    starts_at: Millis,
    sealed_for: &str,
    dirty: i64,
) -> Result<Option<(SiteDay, Millis)>> {
    let day = SiteDay::from_number(number).ok_or(Error::Damaged("sealed_days.day"))?;
    let start = site.zone.start_of(day);
    let is_current = sealed_for == site.layout_key() && starts_at == start;
    let is_valid = is_current && dirty & day_bit(day) == 0 && start >= site.history_from;
    Ok(is_valid.then_some((day, start)))
}

async fn unpack_days<T: Send + 'static>(
    days: Vec<(SiteDay, Millis, Vec<u8>)>,
    unpack: impl Fn(&[u8], Millis) -> Result<T> + Send + 'static,
) -> Result<BTreeMap<SiteDay, T>> {
    let many = days.len() >= BLOCKING_MIN_DAYS;
    let all = move || {
        days.iter()
            .map(|(day, start, packed)| Ok((*day, unpack(packed, *start)?)))
            .collect()
    };
    if many {
        let done = tokio::task::spawn_blocking(all).await;
        done.map_err(|_| Error::Damaged("the thread that unpacks sealed days panicked"))?
    } else {
        all()
    }
}
