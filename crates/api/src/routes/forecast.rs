//! Forecasts of load and PV power, and their accuracy.
use crate::Portal;
use crate::caller_systems::{Selection, Systems};
use crate::error::{Refusal, Result};
use crate::form::Query;
use crate::parameter::OneOrAllSystems;
use axum::Json;
use axum::extract::State;
use domain::Series;
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::series::{Method, Resolution};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::Access;
use store::planning::{IssuedForecast, Percentiles};
use utoipa::{IntoParams, ToSchema};

const QUARTER: Millis = 15 * MINUTE;
/// Accuracy compares the forecasts of this period with measurements: one forecast per interval, each for its first day.
const AUDIT_PERIOD: Millis = 7 * DAY;
const AUDIT_INTERVAL: Millis = 6 * HOUR;
const QUARTERS_PER_DAY: usize = 96;

#[derive(Deserialize, IntoParams)]
pub(crate) struct ForecastQuery {
    /// One serial number, or -1 (default) for all systems combined.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
}

/// The forecast for the next two days, per quarter-hour.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForecastBody {
    /// When the forecast was issued; Unix time in milliseconds. Null if there is none; the oldest of several systems.
    #[schema(required)]
    issued: Option<Millis>,
    /// The load of the house.
    load: Vec<ForecastPoint>,
    /// The PV power.
    pv: Vec<ForecastPoint>,
    /// The accuracy for a single system. Null for several systems, and until there are enough measurements.
    #[schema(required)]
    accuracy: Option<ForecastAccuracy>,
}

/// The forecast for one quarter-hour, in W.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForecastPoint {
    /// When the quarter-hour starts; Unix time in milliseconds.
    start: Millis,
    /// 10th percentile.
    p10: i64,
    /// The median.
    p50: i64,
    /// 90th percentile.
    p90: i64,
}

/// The accuracy of last week's forecasts for their first day.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForecastAccuracy {
    load: AccuracyEntry,
    pv: AccuracyEntry,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AccuracyEntry {
    /// Mean absolute error in % of the measured mean; null if nothing was measured.
    #[schema(required)]
    error: Option<f64>,
    /// Share of quarter-hours between P10 and P90, in %. The target is 80 %.
    #[schema(required)]
    inside: Option<f64>,
}

/// Get the forecast of load and PV power.
#[utoipa::path(get, path = "/api/auth/forecast/", tag = "plan", params(ForecastQuery),
    responses((status = 200, body = ForecastBody), (status = 404, body = Refusal)))]
pub(crate) async fn forecast(
    State(portal): State<Portal>,
    systems: Systems,
    Query(query): Query<ForecastQuery>,
) -> Result<Json<ForecastBody>> {
    let choice = systems.one_or_all(&query.sn)?;
    let now = portal.now();
    let mut issues = Vec::new();
    for access in choice.accesses() {
        issues.extend(portal.store.newest_forecast(access, now).await?);
    }
    let accuracy = match choice {
        Selection::One(access) | Selection::All([access]) => accuracy(&portal, access, now).await?,
        Selection::All(_) => None,
    };
    Ok(Json(ForecastBody {
        issued: issues.iter().map(|issue| issue.issued_at).min(),
        load: sum_forecasts(&issues, |issue| &issue.load),
        pv: sum_forecasts(&issues, |issue| &issue.pv),
        accuracy,
    }))
}

/// The sums over several systems. Their weather is the same, so low and high values coincide and may be added.
fn sum_forecasts(
    issues: &[IssuedForecast],
    of: fn(&IssuedForecast) -> &Vec<Percentiles>,
) -> Vec<ForecastPoint> {
    let mut points: BTreeMap<Millis, (usize, Percentiles)> = BTreeMap::new();
    for issue in issues {
        for (band, place) in of(issue).iter().zip(0..) {
            let (count, sum) = points.entry(issue.start + place * QUARTER).or_default();
            *count += 1;
            for (sum, value) in sum.iter_mut().zip(band) {
                *sum += value;
            }
        }
    }
    // If one system has no value, the sum would be too low: leave the point out.
    let whole = points
        .into_iter()
        .filter(|(_, (count, _))| *count == issues.len());
    let point = |(start, (_, [p10, p50, p90])): (Millis, (usize, Percentiles))| ForecastPoint {
        start,
        p10,
        p50,
        p90,
    };
    whole.map(point).collect()
}

async fn accuracy(
    portal: &Portal,
    access: &Access,
    now: Millis,
) -> Result<Option<ForecastAccuracy>> {
    let mut issues = portal
        .store
        .forecasts(access, now - AUDIT_PERIOD..now)
        .await?;
    issues.dedup_by_key(|issue| issue.issued_at / AUDIT_INTERVAL);
    let zone = access.zone();
    let days = zone.day_of(now - AUDIT_PERIOD)..zone.day_of(now).next();
    let series = [Series::House, Series::PvPower];
    let chart = portal
        .store
        .chart(access, days, Resolution::Quarter, Method::Mean, &series)
        .await?;
    let over = chart.time.partition_point(|at| at + QUARTER <= now);
    let measured = |line: usize| -> BTreeMap<Millis, i64> {
        let points = chart.time[..over].iter().zip(&chart.lines[line].values);
        points
            .filter_map(|(at, value)| Some((*at, (*value)?)))
            .collect()
    };
    let load = Audit::of(&issues, |issue| &issue.load, &measured(0));
    let pv = Audit::of(&issues, |issue| &issue.pv, &measured(1));
    Ok((load.count > 0).then(|| ForecastAccuracy {
        load: load.entry(),
        pv: pv.entry(),
    }))
}

#[derive(Default)]
struct Audit {
    off: i64,
    measured: i64,
    inside: i64,
    count: i64,
}

impl Audit {
    fn of(
        issues: &[IssuedForecast],
        bands: fn(&IssuedForecast) -> &Vec<Percentiles>,
        measured: &BTreeMap<Millis, i64>,
    ) -> Self {
        let mut audit = Self::default();
        for issue in issues {
            for (band, place) in bands(issue).iter().take(QUARTERS_PER_DAY).zip(0..) {
                if let Some(measured) = measured.get(&(issue.start + place * QUARTER)) {
                    audit.off += (measured - band[1]).abs();
                    audit.measured += measured.abs();
                    audit.inside += i64::from((band[0]..=band[2]).contains(measured));
                    audit.count += 1;
                }
            }
        }
        audit
    }

    fn entry(&self) -> AccuracyEntry {
        // To the tenth of a percent.
        let percent =
            |part: i64, whole: i64| (whole > 0).then(|| (part * 1000 / whole) as f64 / 10.0);
        AccuracyEntry {
            error: percent(self.off, self.measured),
            inside: percent(self.inside, self.count),
        }
    }
}
