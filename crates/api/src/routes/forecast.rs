//! Forecasts of load and sun, and how well they came true.
use crate::Portal;
use crate::error::{Refusal, Result};
use crate::form::Query;
use crate::own::{Choice, Systems};
use axum::Json;
use axum::extract::State;
use domain::Series;
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::series::{Method, Resolution};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::Access;
use store::planning::{Issue, Percentiles};
use utoipa::{IntoParams, ToSchema};

const QUARTER: Millis = 15 * MINUTE;
/// Issues of so long are held against what came, one in each of these, each for its first day.
const AUDITED: Millis = 7 * DAY;
const EVERY: Millis = 6 * HOUR;
const FIRST_DAY: usize = 96;

#[derive(Deserialize, IntoParams)]
pub(crate) struct ForecastQuery {
    /// A serial number, or -1 (default) for all systems as one.
    #[serde(default)]
    sn: String,
}

/// The next two days by quarter-hours.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForecastBody {
    /// When it was made; null until there is one. Of several systems, the oldest.
    #[schema(required)]
    issued: Option<Millis>,
    load: Vec<ForecastPoint>,
    pv: Vec<ForecastPoint>,
    /// Of one system, once enough has come to say so.
    #[schema(required)]
    accuracy: Option<ForecastAccuracy>,
}

/// What one quarter-hour may bring, in W.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForecastPoint {
    start: Millis,
    /// One in ten is below.
    p10: i64,
    p50: i64,
    /// One in ten is above.
    p90: i64,
}

/// How the forecasts of the last week came true in their first day.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForecastAccuracy {
    load: AccuracyEntry,
    pv: AccuracyEntry,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AccuracyEntry {
    /// How far they were off on the average, in % of what was measured; null where nothing was.
    #[schema(required)]
    error: Option<f64>,
    /// Of the quarter-hours, so many % were between P10 and P90; eight in ten should be.
    #[schema(required)]
    inside: Option<f64>,
}

/// What is expected of load and sun.
#[utoipa::path(get, path = "/api/auth/forecast/", tag = "plan", params(ForecastQuery),
    responses((status = 200, body = ForecastBody), (status = 401, body = Refusal), (status = 404, body = Refusal)))]
pub(crate) async fn forecast(
    State(portal): State<Portal>,
    systems: Systems,
    Query(query): Query<ForecastQuery>,
) -> Result<Json<ForecastBody>> {
    let choice = systems.choose(&query.sn)?;
    let now = portal.now();
    let mut issues = Vec::new();
    for access in choice.accesses() {
        issues.extend(portal.store.newest_forecast(access, now).await?);
    }
    let accuracy = match choice {
        Choice::One(access) | Choice::All([access]) => accuracy(&portal, access, now).await?,
        Choice::All(_) => None,
    };
    Ok(Json(ForecastBody {
        issued: issues.iter().map(|issue| issue.issued_at).min(),
        load: together(&issues, |issue| &issue.load),
        pv: together(&issues, |issue| &issue.pv),
        accuracy,
    }))
}

/// Of several systems the sums: their weather is the same, so that low and high come together.
fn together(issues: &[Issue], of: fn(&Issue) -> &Vec<Percentiles>) -> Vec<ForecastPoint> {
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
    // Where one of them says nothing a sum would look like less.
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
    let mut issues = portal.store.forecasts(access, now - AUDITED..now).await?;
    issues.dedup_by_key(|issue| issue.issued_at / EVERY);
    let zone = access.zone();
    let days = zone.day_of(now - AUDITED)..zone.day_of(now).next();
    let series = [Series::House, Series::PvPower];
    let chart = portal
        .store
        .chart(access, days, Resolution::Quarter, Method::Mean, &series)
        .await?;
    let over = chart.time.partition_point(|at| at + QUARTER <= now);
    let came = |line: usize| -> BTreeMap<Millis, i64> {
        let points = chart.time[..over].iter().zip(&chart.lines[line].values);
        points
            .filter_map(|(at, value)| Some((*at, (*value)?)))
            .collect()
    };
    let load = Audit::of(&issues, |issue| &issue.load, &came(0));
    let pv = Audit::of(&issues, |issue| &issue.pv, &came(1));
    Ok((load.count > 0).then(|| ForecastAccuracy {
        load: load.entry(),
        pv: pv.entry(),
    }))
}

#[derive(Default)]
struct Audit {
    off: i64,
    came: i64,
    inside: i64,
    count: i64,
}

impl Audit {
    fn of(
        issues: &[Issue],
        bands: fn(&Issue) -> &Vec<Percentiles>,
        came: &BTreeMap<Millis, i64>,
    ) -> Self {
        let mut audit = Self::default();
        for issue in issues {
            for (band, place) in bands(issue).iter().take(FIRST_DAY).zip(0..) {
                if let Some(came) = came.get(&(issue.start + place * QUARTER)) {
                    audit.off += (came - band[1]).abs();
                    audit.came += came.abs();
                    audit.inside += i64::from((band[0]..=band[2]).contains(came));
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
            error: percent(self.off, self.came),
            inside: percent(self.inside, self.count),
        }
    }
}
