//! The detailed chart of one system or of all systems combined, as JSON or as a table for a spreadsheet.
use crate::Portal;
use crate::caller_systems::{Selection, Systems};
use crate::chart::{self, ChartQuery, CombinedChart};
use crate::csv::{self, Column, CsvStyle};
use crate::error::{FieldErrors, Problem, Refusal, Result, language};
use crate::form::Query;
use crate::number;
use crate::parameter::{
    Day, FileFormat, IntervalChoice, MethodChoice, OneOrAllSystems, ResolutionChoice, SeriesCodes,
};
use crate::period::date;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use domain::clock::Millis;
use domain::series::{Interval, Method, Resolution};
use domain::{Lang, Message, Series, SiteDay, Zone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use telemetry::ChartLine;
use utoipa::{IntoParams, ToSchema};

/// The most numbers in one answer: a day of minutes or a month of quarter-hours, with every series.
const MAX_NUMBERS: usize = 50_000;

#[derive(Deserialize, IntoParams)]
pub(crate) struct GraphQuery {
    /// `Day` (default), `Month` or `Year` that contains the date, or `Week`, the seven days that end with it. `Minute`, `Quarter`
    /// and `Hour` select a day in that resolution.
    #[serde(default)]
    #[param(value_type = IntervalChoice)]
    interval: String,
    /// The date, `YYYY-MM-DD` in the site's time zone. Default: today.
    #[serde(default)]
    #[param(value_type = Day)]
    from_date: String,
    /// How the samples of a point are combined: `mean` (default), `min`, `max` or `sum`. Energies are always summed.
    #[serde(default)]
    #[param(value_type = MethodChoice)]
    method: String,
    /// One serial number, or -1 (default) for all systems combined.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
    /// `minute`, `quarter` (default), `hour`, `day` (default for a year) or `month`.
    #[serde(default)]
    #[param(value_type = ResolutionChoice)]
    resolution: String,
    /// Codes of series, separated by commas. Default: every series.
    #[serde(default)]
    #[param(value_type = SeriesCodes)]
    series: String,
    /// `json` (default) or `csv`. With `Accept-Language`, the CSV is written for spreadsheets in that language: with a byte order
    /// mark and, except in English, with semicolons and decimal commas.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// Points of one or more series, in W, V, % or Wh. Energies with an N in their code are negative.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "names the shape in the OpenAPI document")]
pub(crate) struct GraphAnswer {
    sn: String,
    /// `Day`, `Week`, `Month` or `Year`.
    interval: String,
    resolution: String,
    method: String,
    /// The site's time zone, as an IANA name.
    time_zone: String,
    /// How many of the `systems` have data in this period.
    reporting: usize,
    /// How many systems are combined.
    systems: usize,
    /// The start of each point; Unix time in milliseconds.
    time: Vec<Millis>,
    /// By code: one value per point, null where nothing was measured.
    series: BTreeMap<String, Vec<Option<f64>>>,
}

/// The parsed request.
#[derive(Debug, PartialEq, Eq)]
struct GraphRequest {
    interval: Interval,
    date: SiteDay,
    resolution: Resolution,
    method: Method,
    series: Vec<Series>,
    csv: bool,
}

/// Get the series of a chart.
#[utoipa::path(get, path = "/api/auth/graph/", tag = "charts", params(GraphQuery),
    responses((status = 200, content((GraphAnswer = "application/json"), (String = "text/csv"))),
        (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn graph(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<GraphQuery>,
) -> Result<Response> {
    let choice = systems.one_or_all(&query.sn)?;
    let zone = choice.zone();
    let request = GraphRequest::parse(&query, &zone, portal.now())?;
    let chart_query = ChartQuery {
        days: request.date.around(request.interval),
        resolution: request.resolution,
        method: request.method,
        series: &request.series,
    };
    let combined = chart::read(&portal.store, choice.accesses(), &chart_query).await?;
    if request.csv {
        let name = format!("suncellar_{}_{}.csv", choice.sn(), request.date);
        let style = CsvStyle::for_caller(&headers);
        let table = table(&combined, &zone, language(&headers), style);
        return Ok(csv::file(&name, table));
    }
    let body = write(choice, &zone, &request, &combined);
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

impl GraphRequest {
    fn parse(query: &GraphQuery, zone: &Zone, now: Millis) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let interval = errors.check("interval", interval(&query.interval));
        let date = errors.check("from_date", date(&query.from_date, zone, now));
        let method = choice(&query.method, Method::ALL, Method::as_str);
        let method = errors.check("method", method.map(|found| found.unwrap_or(Method::Mean)));
        let resolution = choice(&query.resolution, Resolution::ALL, Resolution::as_str);
        let resolution = errors.check("resolution", resolution);
        let series = errors.check("series", series(&query.series));
        let csv = errors.check("format", csv::is_wanted(&query.format));
        if let (Some((interval, implied)), Some(date), Some(method)) = (interval, date, method)
            && let (Some(resolution), Some(series), Some(csv)) = (resolution, series, csv)
        {
            let request = Self {
                resolution: resolution
                    .or(implied)
                    .unwrap_or(default_resolution(interval)),
                interval,
                date,
                method,
                series,
                csv,
            };
            if request.numbers() <= MAX_NUMBERS {
                return Ok(request);
            }
            errors.add("resolution", Message::TooManyPoints);
        }
        errors.into_result()?;
        Err(crate::error::Error::internal())
    }

    /// How many numbers the answer has, rounded up: every day could have 25 hours.
    fn numbers(&self) -> usize {
        let days = match self.interval {
            Interval::Day => 1,
            Interval::Week => 7,
            Interval::Month => 31,
            Interval::Year => 366,
        };
        let points = match self.resolution {
            Resolution::Minute => days * 25 * 60,
            Resolution::Quarter => days * 25 * 4,
            Resolution::Hour => days * 25,
            Resolution::Day => days,
            Resolution::Month => 12,
        };
        points * self.series.len()
    }
}

/// A year of quarter-hours would exceed `MAX_NUMBERS`.
const fn default_resolution(interval: Interval) -> Resolution {
    match interval {
        Interval::Day | Interval::Week | Interval::Month => Resolution::Quarter,
        Interval::Year => Resolution::Day,
    }
}

/// The choice named `text`, ignoring case; `None` if empty.
fn choice<T: Copy, const N: usize>(
    text: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Message> {
    if text.is_empty() {
        return Ok(None);
    }
    let found = all
        .into_iter()
        .find(|one| name(*one).eq_ignore_ascii_case(text));
    found.map(Some).ok_or(Message::ChoiceUnknown)
}

/// The period, and the resolution that its name implies.
fn interval(text: &str) -> Result<(Interval, Option<Resolution>), Message> {
    let fine = [Resolution::Minute, Resolution::Quarter, Resolution::Hour];
    if let Ok(Some(resolution)) = choice(text, fine, Resolution::as_str) {
        return Ok((Interval::Day, Some(resolution)));
    }
    let interval = choice(text, Interval::ALL, Interval::as_str)?;
    Ok((interval.unwrap_or(Interval::Day), None))
}

fn series(text: &str) -> Result<Vec<Series>, Message> {
    if text.is_empty() {
        return Ok(Series::ALL.to_vec());
    }
    let mut chosen = Vec::new();
    for code in text.split(',') {
        let series = Series::from_code(code.trim()).ok_or(Message::ChoiceUnknown)?;
        if chosen.contains(&series) {
            return Err(Message::KeyRepeated);
        }
        chosen.push(series);
    }
    Ok(chosen)
}

/// The JSON of a [`GraphAnswer`], written directly from the columns.
fn write(
    choice: Selection<'_>,
    zone: &Zone,
    request: &GraphRequest,
    combined: &CombinedChart,
) -> Vec<u8> {
    let chart = &combined.chart;
    let numbers: usize = chart.lines.iter().map(|line| line.values.len()).sum();
    let mut out = Vec::with_capacity(300 + 14 * chart.time.len() + 7 * numbers);
    let mut text = |name: &str, value: &str| {
        // Zone names and codes need no escaping.
        out.extend_from_slice(format!("\"{name}\":\"{value}\",").as_bytes());
    };
    text("sn", choice.sn());
    text("interval", request.interval.as_str());
    text("resolution", request.resolution.as_str());
    text("method", request.method.as_str());
    text("time_zone", zone.name());
    out.insert(0, b'{');
    out.extend_from_slice(b"\"reporting\":");
    number::digits(&mut out, combined.reporting as u64, 1);
    out.extend_from_slice(b",\"systems\":");
    number::digits(&mut out, choice.accesses().len() as u64, 1);
    out.extend_from_slice(b",\"time\":");
    number::list(&mut out, chart.time.iter().copied().map(Some), 0);
    out.extend_from_slice(b",\"series\":{");
    for (place, line) in chart.lines.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(line.series.code().as_bytes());
        out.extend_from_slice(b"\":");
        let sign = if line.series.shown_negative() { -1 } else { 1 };
        let values = line.values.iter().map(|value| value.map(|v| sign * v));
        number::list(&mut out, values, line.decimals);
    }
    out.extend_from_slice(b"}}");
    out
}

/// The columns of a series in a table for people, who read words instead of signs.
fn columns(series: Series) -> &'static [(&'static str, Column)] {
    use Column::{Negative, Plain, Positive};
    match series {
        Series::GridPower => &[("import_power", Positive), ("feed_in_power", Negative)],
        Series::BatteryPower => &[("discharge_power", Positive), ("charge_power", Negative)],
        Series::Import => &[("import_energy", Plain)],
        Series::FeedIn => &[("feed_in_energy", Plain)],
        Series::Soc => &[("soc", Plain)],
        Series::PvEnergy => &[("pv_energy", Plain)],
        Series::Discharge => &[("discharge_energy", Plain)],
        Series::Charge => &[("charge_energy", Plain)],
        Series::PvPower => &[("pv_power", Plain)],
        Series::GridVoltage => &[("grid_voltage", Plain)],
        Series::House => &[("house_power", Plain)],
        Series::EnergyForecast => &[("energy_forecast", Plain)],
        Series::LoadForecast => &[("load_forecast", Plain)],
    }
}

fn table(combined: &CombinedChart, zone: &Zone, lang: Lang, style: CsvStyle) -> Vec<u8> {
    let chart = &combined.chart;
    let mut table = csv::CsvTable::new(style);
    for name in ["site_time", "utc"] {
        table.text(domain::message::text(lang, "csv", name));
    }
    let shown = |line: &ChartLine| columns(line.series).iter().map(|(name, _)| *name);
    for name in chart.lines.iter().flat_map(shown) {
        table.text(domain::message::text(lang, "csv", name));
    }
    table.end_row();
    for (place, at) in chart.time.iter().enumerate() {
        table.moment(zone, *at);
        for line in &chart.lines {
            for (_, column) in columns(line.series) {
                let value = line.values.get(place).copied().flatten();
                table.number(column.of(value), line.decimals);
            }
        }
        table.end_row();
    }
    table.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::NOON;

    fn parse(change: impl FnOnce(&mut GraphQuery)) -> Result<GraphRequest> {
        let mut query = GraphQuery {
            interval: String::new(),
            from_date: String::new(),
            method: String::new(),
            sn: String::new(),
            resolution: String::new(),
            series: String::new(),
            format: String::new(),
        };
        change(&mut query);
        GraphRequest::parse(&query, &Zone::default(), NOON)
    }

    #[test]
    fn nothing_said_is_today_in_quarter_hours_with_every_series() {
        let request = parse(|_| {}).unwrap();
        assert_eq!(request.interval, Interval::Day);
        assert_eq!(request.date, "2026-11-15".parse().unwrap());
        assert_eq!(request.resolution, Resolution::Quarter);
        assert_eq!(request.method, Method::Mean);
        assert_eq!(request.series, Series::ALL);
    }

    #[test]
    fn a_resolution_as_interval_means_a_day() {
        for (text, interval, resolution) in [
            ("Minute", Interval::Day, Resolution::Minute),
            ("Quarter", Interval::Day, Resolution::Quarter),
            ("hour", Interval::Day, Resolution::Hour),
            ("Day", Interval::Day, Resolution::Quarter),
            ("week", Interval::Week, Resolution::Quarter),
            ("Month", Interval::Month, Resolution::Quarter),
            ("Year", Interval::Year, Resolution::Day),
        ] {
            let request = parse(|query| query.interval = text.into()).unwrap();
            assert_eq!(
                (request.interval, request.resolution),
                (interval, resolution),
                "{text}"
            );
        }
    }

    #[test]
    fn more_numbers_than_the_cap_are_refused() {
        let fits = |interval: &str, resolution: &str, series: &str| {
            let ask = |query: &mut GraphQuery| {
                (query.interval, query.resolution) = (interval.into(), resolution.into());
                query.series = series.into();
            };
            parse(ask).is_ok()
        };
        assert!(fits("Day", "minute", ""));
        assert!(fits("Week", "minute", "m0,m1,m3,m6"));
        assert!(!fits("Week", "minute", ""));
        assert!(!fits("Month", "minute", "m0,m1"));
        assert!(fits("Month", "quarter", ""));
        assert!(fits("Year", "quarter", "m0"));
        assert!(!fits("Year", "quarter", "m0,m1"));
        assert!(!fits("Year", "minute", "m0"));
        assert!(fits("Year", "day", ""));
    }
}
