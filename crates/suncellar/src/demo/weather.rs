//! A fake weather service for the demo: its forecasts of the simulated sky are about as good as real ones.
use super::sites::{DemoSite, serial};
use domain::clock::{DAY, MINUTE, Millis};
use domain::source::{QUARTER, SourceState};
use domain::weather::{CellForecast, Irradiance, WeatherCell};
use domain::{Clock, Zone};
use simulator::home::Home;
use simulator::{Household, Seed};
use std::sync::Arc;
use store::Store;
use store::access::InternalAccess;

/// Maximum relative error of a day's forecast.
const MAX_DAY_ERROR: f64 = 0.25;
const ERROR_SEED: u64 = 41;
/// Days of past forecasts from which the planner learns about a home.
const PAST_FORECAST_DAYS: i64 = 30;
/// Irradiance at which panels yield their peak, in W/m².
const CLEAR_NOON_W_PER_M2: f64 = 1_000.0;

#[derive(Clone, Copy)]
struct DemoRoof {
    place: (f64, f64),
    seed: Seed,
    household: Household,
}

impl DemoRoof {
    fn of(site: &DemoSite, number: usize) -> anyhow::Result<Option<Self>> {
        let (first, phase) = site.units[0];
        let roof = site.installation(&serial(first)?, phase, &Zone::default())?;
        let at = site.described(number)?.coordinates.flatten();
        let degrees = |hundredths: i64| hundredths as f64 / 100.0;
        Ok(at.map(|at| Self {
            place: (
                degrees(at.latitude().hundredths()),
                degrees(at.longitude().hundredths()),
            ),
            seed: roof.site,
            household: roof.household,
        }))
    }

    fn distance(&self, place: (f64, f64)) -> f64 {
        (self.place.0 - place.0).hypot(self.place.1 - place.1)
    }

    /// In W/m². Single clouds are averaged out, and each day has an error.
    fn forecast(&self, starts: &[Millis]) -> Vec<f64> {
        let mut home = Home::new(self.seed, self.household, Zone::default());
        let mistakes = self.seed.with(ERROR_SEED);
        let said = starts.iter().map(|start| {
            let around = (-3..=6).map(|n| home.pv(start + n * 5 * MINUTE));
            let mean = f64::from(around.sum::<i32>()) / 10.0;
            let day = mistakes.with(start.div_euclid(DAY).unsigned_abs());
            let sun = CLEAR_NOON_W_PER_M2 * mean / self.household.panels.max(1.0);
            (10.0 * sun * day.between(1.0 - MAX_DAY_ERROR, 1.0 + MAX_DAY_ERROR)).round() / 10.0
        });
        said.collect()
    }
}

/// The forecast for a location: the sky over the nearest home.
pub(super) fn sky(sites: &[DemoSite]) -> anyhow::Result<api::SunForecast> {
    let mut roofs = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        roofs.extend(DemoRoof::of(site, number)?);
    }
    Ok(Arc::new(move |place: (f64, f64), starts: &[Millis]| {
        let near = |a: &&DemoRoof, b: &&DemoRoof| a.distance(place).total_cmp(&b.distance(place));
        let nearest = roofs.iter().min_by(near);
        nearest.map_or_else(|| vec![0.0; starts.len()], |roof| roof.forecast(starts))
    }))
}

/// Stores the forecasts of past midnights once, for the planner to learn how the roofs respond.
pub(super) async fn seed_past_forecasts(
    store: &Store,
    clock: &Clock,
    sites: &[DemoSite],
) -> anyhow::Result<()> {
    let today = clock.now().div_euclid(DAY) * DAY;
    for (number, site) in sites.iter().enumerate() {
        let (first, _) = site.units[0];
        let access = store
            .household_access(InternalAccess::new(), &serial(first)?)
            .await?;
        let (Some(roof), Some(access)) = (DemoRoof::of(site, number)?, access) else {
            continue;
        };
        let at = store.site(&access).await?.and_then(|site| site.coordinates);
        let (Some(at), None) = (at, store.weather(&access).await?) else {
            continue;
        };
        for day in (1..=PAST_FORECAST_DAYS).rev() {
            let start = today - day * DAY;
            let starts: Vec<Millis> = (0..DAY / QUARTER).map(|n| start + n * QUARTER).collect();
            let quarter = |sun: f64| Irradiance {
                direct: 0,
                diffuse: sun.round() as i64,
            };
            let sun = roof.forecast(&starts).into_iter();
            let said = CellForecast {
                start,
                quarters: sun.map(|sun| Some(quarter(sun))).collect(),
            };
            let state = SourceState {
                success_at: Some(start),
                ..SourceState::default()
            };
            store
                .save_cell_weather(WeatherCell::of(at), start, &said, state)
                .await?;
        }
    }
    Ok(())
}
