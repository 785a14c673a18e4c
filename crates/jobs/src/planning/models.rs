//! The models of a home: its load and the yield of its panels. They are stored, so that a restart or another process goes on
//! with them.
use super::inputs::quarter_start;
use domain::clock::{DAY, Millis};
use domain::sample::Counter;
use domain::series::{Method, Resolution};
use domain::{Series, SiteDay};
use planner::forecast::{Envelope, FORECAST_QUARTERS, Forecast, History, LoadModel, PvModel};
use planner::{QUARTER, QUARTERS_A_DAY};
use store::planning::StoredModels;
use store::{Access, Error, Result, Store};

/// How far back training looks.
const TRAINING_DAYS: i32 = 180;
/// Weather is stored for fewer days.
const TRAINING_WEATHER_QUARTERS: usize = 45 * QUARTERS_A_DAY;
/// A forecast only needs the last days.
const FORECAST_LOOKBACK_DAYS: i32 = 21;
/// A forecast only needs the weather forecasts of the last hours.
const RECENT_WEATHER_QUARTERS: usize = 2 * QUARTERS_A_DAY;
/// One day.
const MIN_MEASURED_QUARTERS: usize = QUARTERS_A_DAY;
/// A home that is measured for less than this changes its models fast.
const NEW_HOME_QUARTERS: usize = 60 * QUARTERS_A_DAY;
/// For a household that has not been measured yet.
const DEFAULT_YEARLY_KWH: f64 = 3_500.0;
/// The days whose median is the yield of a usual day.
const USUAL_PV_DAYS: i32 = 30;

#[derive(Clone, Debug)]
pub(super) struct HomeModels {
    pub(super) trained_at: Millis,
    load: LoadModel,
    pv: PvModel,
    /// The median daily yield of the last 30 days, in kWh.
    pub(super) usual_pv: f64,
    measured: usize,
    knows_site: bool,
}

impl HomeModels {
    /// `None` while too little has been measured.
    pub(super) async fn train(store: &Store, access: &Access, now: Millis) -> Result<Option<Self>> {
        if !store
            .telemetry
            .has_measured_before(access.site(), now - DAY)
            .await?
        {
            return Ok(None);
        }
        let history = history(store, access, TRAINING_DAYS, TRAINING_WEATHER_QUARTERS, now).await?;
        let measured = history.load.iter().flatten().count();
        if measured < MIN_MEASURED_QUARTERS {
            return Ok(None);
        }
        let site = store.site(access).await?;
        let envelope = site.and_then(|site| {
            let (at, peak) = site.coordinates.zip(site.planes.peak())?;
            let degrees = |hundredths: i64| hundredths as f64 / 100.0;
            let (latitude, longitude) = (at.latitude().hundredths(), at.longitude().hundredths());
            Envelope::at_site(
                degrees(latitude),
                degrees(longitude),
                peak as f64 / 1000.0,
                now,
            )
        });
        let knows_site = envelope.is_some();
        let usual_pv = usual_pv(store, access, now).await?;
        let learn = move || {
            let past = history.until(history.load.len());
            let load = LoadModel::train(&past, DEFAULT_YEARLY_KWH);
            (load, PvModel::train(&past, envelope))
        };
        let (load, pv) = run_blocking(learn).await?;
        Ok(Some(Self {
            trained_at: now,
            load,
            pv,
            usual_pv,
            measured,
            knows_site,
        }))
    }

    /// The stored models of the present household, if this release can read them.
    pub(super) async fn load(store: &Store, access: &Access) -> Result<Option<Self>> {
        let stored = store.forecast_models(access).await?;
        Ok(stored.and_then(|stored| {
            let (load, pv) = planner::forecast::stored::decode(&stored.body)?;
            Some(Self {
                trained_at: stored.trained_at,
                load,
                pv,
                usual_pv: stored.usual_pv as f64 / 1000.0,
                measured: usize::try_from(stored.measured).ok()?,
                knows_site: stored.knows_site,
            })
        }))
    }

    pub(super) async fn save(&self, store: &Store, access: &Access) -> Result<()> {
        let models = StoredModels {
            trained_at: self.trained_at,
            usual_pv: (1000.0 * self.usual_pv).round() as i64,
            measured: self.measured as i64,
            knows_site: self.knows_site,
            body: planner::forecast::stored::encode(&self.load, &self.pv),
        };
        store.save_forecast_models(access, &models).await
    }

    /// Whether they have to be trained again: daily while the home is new, then weekly.
    pub(super) fn is_old(&self, now: Millis) -> bool {
        let max_age = match self.measured < NEW_HOME_QUARTERS {
            true => DAY,
            false => 7 * DAY,
        };
        now - self.trained_at >= max_age
    }

    /// Whether the sun is known well enough to buy energy by the forecast.
    pub(super) fn may_plan(&self, days: usize) -> bool {
        self.knows_site || self.measured >= days * QUARTERS_A_DAY * 9 / 10
    }

    /// The next two days.
    pub(super) async fn forecast(
        &self,
        store: &Store,
        access: &Access,
        now: Millis,
    ) -> Result<Forecast> {
        let history = history(
            store,
            access,
            FORECAST_LOOKBACK_DAYS,
            RECENT_WEATHER_QUARTERS,
            now,
        )
        .await?;
        let models = self.clone();
        let forecast = move || {
            let past = history.until(history.load.len());
            Forecast {
                issued: now,
                load: models.load.forecast(&past),
                pv: models.pv.forecast(&past),
            }
        };
        run_blocking(forecast).await
    }
}

/// Runs a computation on a blocking thread.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::Damaged("a forecast or plan panicked in its blocking thread"))
}

/// The measurements of the last days in complete quarter-hours, with the weather forecasts for the last `weather` of them and for
/// the next two days.
async fn history(
    store: &Store,
    access: &Access,
    days: i32,
    weather: usize,
    now: Millis,
) -> Result<History> {
    let zone = access.zone();
    let today = zone.day_of(now);
    let series = [Series::House, Series::PvPower];
    let days = today.plus(-days)..today.next();
    let chart = store
        .chart(access, days, Resolution::Quarter, Method::Mean, &series)
        .await?;
    let over = chart.time.partition_point(|at| *at + QUARTER <= now);
    let line = |n: usize| -> Vec<Option<f64>> {
        let values = chart.lines[n].values[..over].iter();
        values.map(|watt| watt.map(|watt| watt as f64)).collect()
    };
    let start = chart
        .time
        .first()
        .copied()
        .unwrap_or_else(|| quarter_start(now));
    let from = over.saturating_sub(weather);
    let time = |n: usize| start + n as Millis * QUARTER;
    let weather = store
        .weather_as_forecast(access, time(from)..time(over + FORECAST_QUARTERS))
        .await?;
    let weather = std::iter::repeat_n(None, from).chain(weather);
    Ok(History::new(start, zone, line(0), line(1)).with_weather(weather.collect()))
}

async fn usual_pv(store: &Store, access: &Access, now: Millis) -> Result<f64> {
    let today: SiteDay = access.zone().day_of(now);
    let days = store
        .telemetry
        .daily_totals(access.site(), today.plus(-USUAL_PV_DAYS)..today)
        .await?;
    let mut known: Vec<i64> = days
        .iter()
        .filter_map(|day| day.energy[Counter::Pv as usize])
        .collect();
    known.sort_unstable();
    Ok(known
        .get(known.len() / 2)
        .map_or(0.0, |wh| *wh as f64 / 1000.0))
}
