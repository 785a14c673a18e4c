//! What is learned from a home once a day and kept in memory: how it uses energy, and what its panels yield.
use super::inputs::quarter_of;
use domain::clock::{DAY, Millis};
use domain::sample::Counter;
use domain::series::{Method, Resolution};
use domain::{Series, SiteDay};
use planner::forecast::{AHEAD, Envelope, Forecast, History, LoadModel, PvModel};
use planner::{QUARTER, QUARTERS_A_DAY};
use store::{Access, Error, Result, Store};

/// Learning looks so many days back …
const LEARNS_FROM: i32 = 180;
/// … weather is kept for fewer …
const WEATHER_FROM: usize = 45 * QUARTERS_A_DAY;
/// … and a forecast needs only the last ones.
const LOOKS_BACK: i32 = 21;
/// Of weather, what was said for the last hours.
const SAID_LATELY: usize = 2 * QUARTERS_A_DAY;
/// A forecast needs a day of measuring.
const ENOUGH: usize = QUARTERS_A_DAY;
/// Of a household that has not shown its own use yet, in kWh.
const YEARLY: f64 = 3_500.0;
/// A usual day's sun is the middle of so many.
const USUAL: i32 = 30;

#[derive(Clone, Debug)]
pub(super) struct Models {
    pub(super) learned_at: Millis,
    load: LoadModel,
    pv: PvModel,
    /// The middle of the last 30 days' sun, in kWh.
    pub(super) usual_pv: f64,
    measured: usize,
    knows_place: bool,
}

impl Models {
    /// `None` while too little was measured.
    pub(super) async fn learn(store: &Store, access: &Access, now: Millis) -> Result<Option<Self>> {
        if !store.has_measured_before(access, now - DAY).await? {
            return Ok(None);
        }
        let history = history(store, access, LEARNS_FROM, WEATHER_FROM, now).await?;
        let measured = history.load.iter().flatten().count();
        if measured < ENOUGH {
            return Ok(None);
        }
        let site = store.site(access).await?;
        let place = site.and_then(|site| {
            let (at, peak) = site.coordinates.zip(site.planes.peak())?;
            let degrees = |hundredths: i64| hundredths as f64 / 100.0;
            let (latitude, longitude) = (at.latitude().hundredths(), at.longitude().hundredths());
            Envelope::at_place(
                degrees(latitude),
                degrees(longitude),
                peak as f64 / 1000.0,
                now,
            )
        });
        let knows_place = place.is_some();
        let usual_pv = usual_pv(store, access, now).await?;
        let learn = move || {
            let past = history.until(history.load.len());
            let load = LoadModel::learn(&past, YEARLY);
            (load, PvModel::learn(&past, place))
        };
        let (load, pv) = aside(learn).await?;
        Ok(Some(Self {
            learned_at: now,
            load,
            pv,
            usual_pv,
            measured,
            knows_place,
        }))
    }

    /// Whether enough is known of the sun to buy energy on it.
    pub(super) fn may_plan(&self, days: usize) -> bool {
        self.knows_place || self.measured >= days * QUARTERS_A_DAY * 9 / 10
    }

    /// Of the next two days.
    pub(super) async fn forecast(
        &self,
        store: &Store,
        access: &Access,
        now: Millis,
    ) -> Result<Forecast> {
        let history = history(store, access, LOOKS_BACK, SAID_LATELY, now).await?;
        let models = self.clone();
        let forecast = move || {
            let past = history.until(history.load.len());
            Forecast {
                issued: now,
                load: models.load.forecast(&past),
                pv: models.pv.forecast(&past),
            }
        };
        aside(forecast).await
    }
}

/// Reckons where nobody waits for it.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::Damaged("a forecast stopped the thread that made it"))
}

/// What was measured in the whole quarter-hours of so many days, with the weather as it was said for the last of them.
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
        .unwrap_or_else(|| quarter_of(now));
    let from = over.saturating_sub(weather);
    let time = |n: usize| start + n as Millis * QUARTER;
    let said = store
        .weather_said(access, time(from)..time(over + AHEAD))
        .await?;
    let said = std::iter::repeat_n(None, from).chain(said);
    Ok(History::new(start, zone, line(0), line(1)).with_weather(said.collect()))
}

async fn usual_pv(store: &Store, access: &Access, now: Millis) -> Result<f64> {
    let today: SiteDay = access.zone().day_of(now);
    let days = store
        .daily_totals(access, today.plus(-USUAL)..today)
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
