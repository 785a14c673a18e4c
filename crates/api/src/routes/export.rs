//! Export of all samples in a range of days. Streamed day by day, so memory use does not depend on the range.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::{Selection, Systems};
use crate::csv::{self, Column, CsvStyle, CsvTable};
use crate::error::{FieldErrors, Problem, Refusal, Result, language};
use crate::form::Query;
use crate::parameter::{Day, OneOrAllSystems};
use crate::period::{date, range};
use crate::session_slots::SessionSlot;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::flags::{MESSAGE1, MESSAGE2, MESSAGE3, MESSAGE5, MESSAGE6};
use domain::grant::Right;
use domain::message::{text, text_with};
use domain::{Lang, Sample, SiteDay};
use futures_util::stream;
use serde::Deserialize;
use std::ops::Range;
use store::Access;
use utoipa::IntoParams;

/// Rows written at once, so no request blocks a thread for long.
const ROWS_PER_CHUNK: usize = 1_000;

#[derive(Deserialize, IntoParams)]
pub(crate) struct SamplesQuery {
    /// One serial number, or -1 (default) for all systems, one after the other.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
    /// The first day, `YYYY-MM-DD` in the site's time zone. Default: today.
    #[serde(default)]
    #[param(value_type = Day)]
    from: String,
    /// The last day, included. Default: the first day. At most 366 days.
    #[serde(default)]
    #[param(value_type = Day)]
    to: String,
}

/// Export samples as CSV.
///
/// Covers all days whose samples are still kept. Powers are positive, with one column per direction. `Accept-Language` sets the
/// separators and the number format for spreadsheets.
#[utoipa::path(get, path = "/api/auth/export/", operation_id = "export_samples", tag = "charts", params(SamplesQuery),
    responses((status = 200, description = "The file.", body = String, content_type = "text/csv"),
        (status = 400, body = Problem), (status = 404, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn samples(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SamplesQuery>,
) -> Result<Response> {
    let choice = systems.one_or_all(&query.sn)?;
    let days = days(choice, &query, portal.now())?;
    let name = format!("suncellar_{}_{}.csv", choice.sn(), days.start);
    let accesses: Vec<Access> = choice.accesses().to_vec();
    let mut rows = SampleExport {
        _slot: portal.export_slots.acquire(person.session)?,
        person,
        right: systems.right,
        style: CsvStyle::for_caller(&headers),
        portal,
        day: days.start,
        days,
        accesses: accesses.into_iter(),
        access: None,
        samples: Vec::new().into_iter(),
    };
    rows.access = rows.accesses.next();
    let head = stream::iter([Ok(header(language(&headers), rows.style))]);
    let rows = stream::try_unfold(rows, SampleExport::next);
    let body = Body::from_stream(futures_util::StreamExt::chain(head, rows));
    Ok(csv::file(&name, body))
}

fn days(choice: Selection<'_>, query: &SamplesQuery, now: i64) -> Result<Range<SiteDay>> {
    let zone = choice.zone();
    let mut errors = FieldErrors::default();
    let first = errors.check("from", date(&query.from, &zone, now));
    let last = match (query.to.as_str(), first) {
        ("", first) => first,
        (to, _) => errors.check("to", date(to, &zone, now)),
    };
    let days = first
        .zip(last)
        .and_then(|(first, last)| errors.check("to", range(first, last)));
    errors.into_result()?;
    days.ok_or(crate::error::Error::internal())
}

/// The state of a running export.
struct SampleExport {
    portal: Portal,
    person: PersonCaller,
    right: Right,
    style: CsvStyle,
    /// Held while the export runs.
    _slot: SessionSlot,
    days: Range<SiteDay>,
    accesses: std::vec::IntoIter<Access>,
    /// The system being written.
    access: Option<Access>,
    /// The next day to read.
    day: SiteDay,
    /// Samples not yet written of the day that was read last.
    samples: std::vec::IntoIter<Sample>,
}

impl SampleExport {
    /// The next chunk. If the database fails midway, the answer is cut off, so it cannot be mistaken for a complete one.
    async fn next(mut self) -> store::Result<Option<(Bytes, Self)>> {
        while let Some(access) = &self.access {
            let mut table = CsvTable::continued(self.style);
            for sample in self.samples.by_ref().take(ROWS_PER_CHUNK) {
                row(&mut table, access, &sample);
            }
            if !table.is_empty() {
                return Ok(Some((table.into_bytes().into(), self)));
            }
            if self.day < self.days.end {
                self.check_access(access).await?;
                let samples = self
                    .portal
                    .store
                    .telemetry
                    .day_samples(access.site(), self.day)
                    .await?;
                self.samples = samples.into_iter();
                self.day = self.day.next();
            } else {
                self.access = self.accesses.next();
                self.day = self.days.start;
            }
        }
        Ok(None)
    }

    /// A slow download may take days. It ends when the caller logs out, loses the right or gives the system away.
    async fn check_access(&self, access: &Access) -> store::Result<()> {
        let (session, now) = (&self.person.session, self.portal.now());
        let entered = self.portal.store.authenticate_session(session, now).await?;
        let systems = entered.map(|(_, systems)| systems).unwrap_or_default();
        let same = |now: &Access| {
            now.sn() == access.sn()
                && now.may(self.right)
                && now.owner() == access.owner()
                && now.history_from() == access.history_from()
        };
        match systems.iter().any(same) {
            true => Ok(()),
            false => Err(store::Error::Conflict),
        }
    }
}

/// Columns after serial number and time, in the order of [`row`].
const POWERS: [&str; 6] = [
    "import_power",
    "feed_in_power",
    "pv_power",
    "discharge_power",
    "charge_power",
    "house_power",
];
const COUNTERS: [&str; 5] = [
    "import_counter",
    "feed_in_counter",
    "pv_counter",
    "charge_counter",
    "discharge_counter",
];

fn header(lang: Lang, style: CsvStyle) -> Bytes {
    let mut table = CsvTable::new(style);
    let mut names = |names: &[&str]| {
        for name in names {
            table.text(text(lang, "csv", name));
        }
    };
    names(&["sn", "site_time", "utc"]);
    names(&POWERS);
    names(&["soc"]);
    for phase in ["1", "2", "3"] {
        for name in ["voltage", "meter_import", "meter_feed_in"] {
            table.text(&text_with(lang, "csv", name, [("phase", phase)]));
        }
    }
    let mut names = |names: &[&str]| {
        for name in names {
            table.text(text(lang, "csv", name));
        }
    };
    names(&["frequency"]);
    names(&COUNTERS);
    names(&["battery_status", "flags"]);
    table.end_row();
    table.into_bytes().into()
}

fn row(table: &mut CsvTable, access: &Access, sample: &Sample) {
    table.text(access.sn().as_str());
    table.moment(access.zone(), sample.at);
    let mut number = |value: Option<i32>, column: Column, decimals| {
        table.number(column.of(value.map(i64::from)), decimals);
    };
    number(sample.grid_power, Column::Positive, 0);
    number(sample.grid_power, Column::Negative, 0);
    number(sample.pv_power, Column::Plain, 0);
    number(sample.battery_power, Column::Positive, 0);
    number(sample.battery_power, Column::Negative, 0);
    number(sample.house_power(), Column::Plain, 0);
    number(sample.soc, Column::Plain, 1);
    for (voltage, power) in sample.voltage.into_iter().zip(sample.meter_power) {
        number(voltage, Column::Plain, 1);
        number(power, Column::Positive, 0);
        number(power, Column::Negative, 0);
    }
    number(sample.frequency, Column::Plain, 2);
    for counter in sample.counters {
        table.number(counter, 0);
    }
    table.text(sample.status.as_str());
    table.text(&flags(sample));
    table.end_row();
}

/// The names of the flags that are set.
fn flags(sample: &Sample) -> String {
    let flags = sample.flags;
    let sets = [
        (flags.message1, MESSAGE1),
        (flags.message2, MESSAGE2),
        (flags.message3, MESSAGE3),
        (flags.message5, MESSAGE5),
        (flags.message6, MESSAGE6),
    ];
    let set = sets.into_iter().flat_map(|(bits, names)| {
        let named = names.iter().enumerate();
        named.filter_map(move |(place, name)| (bits >> place & 1 == 1).then_some(*name))
    });
    set.collect::<Vec<_>>().join(" ")
}
