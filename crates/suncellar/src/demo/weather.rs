//! The sky over the street: what a weather service would have said of it. It knows what comes as well as such services do.
use super::street::{Site, serial};
use domain::Zone;
use domain::clock::{DAY, MINUTE, Millis};
use domain::source::{QUARTER, SourceState};
use domain::{Clock, Source};
use simulator::home::Home;
use simulator::{Household, Seed};
use std::sync::Arc;
use store::Store;
use store::source::Weather;

/// A whole day is mistaken by up to so much.
const MISTAKEN: f64 = 0.25;
/// Draws the mistakes.
const MISTAKES: u64 = 41;
/// What is known of a home is learned from so many days.
const SAID: i64 = 30;
/// Beams of a clear noon on panels that give their peak, in W/m².
const FULL_SUN: f64 = 1_000.0;

#[derive(Clone, Copy)]
struct Roof {
    place: (f64, f64),
    seed: Seed,
    household: Household,
}

impl Roof {
    fn of(site: &Site, number: usize) -> anyhow::Result<Option<Self>> {
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

    /// In W/m²: single clouds are nobody's to foresee, and no day is foreseen exactly.
    fn said(&self, starts: &[Millis]) -> Vec<f64> {
        let mut home = Home::new(self.seed, self.household, Zone::default());
        let mistakes = self.seed.with(MISTAKES);
        let said = starts.iter().map(|start| {
            let around = (-3..=6).map(|n| home.pv(start + n * 5 * MINUTE));
            let mean = f64::from(around.sum::<i32>()) / 10.0;
            let day = mistakes.with(start.div_euclid(DAY).unsigned_abs());
            let sun = FULL_SUN * mean / self.household.panels.max(1.0);
            (10.0 * sun * day.between(1.0 - MISTAKEN, 1.0 + MISTAKEN)).round() / 10.0
        });
        said.collect()
    }
}

/// What the service says of a place: the sky over the nearest home.
pub(super) fn sky(sites: &[Site]) -> anyhow::Result<api::Sky> {
    let mut roofs = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        roofs.extend(Roof::of(site, number)?);
    }
    Ok(Arc::new(move |place: (f64, f64), starts: &[Millis]| {
        let near = |a: &&Roof, b: &&Roof| a.distance(place).total_cmp(&b.distance(place));
        let nearest = roofs.iter().min_by(near);
        nearest.map_or_else(|| vec![0.0; starts.len()], |roof| roof.said(starts))
    }))
}

/// What it said each midnight of the last weeks, so that it is known what the roofs make of it; once.
pub(super) async fn remember(store: &Store, clock: &Clock, sites: &[Site]) -> anyhow::Result<()> {
    let today = clock.now().div_euclid(DAY) * DAY;
    for (number, site) in sites.iter().enumerate() {
        let Some(roof) = Roof::of(site, number)? else {
            continue;
        };
        let mut systems = Vec::new();
        for (sn, _) in site.units {
            let access = store.household(&serial(sn)?).await?;
            if let Some(access) = access
                && store.weather(&access).await?.is_none()
            {
                systems.push(serial(sn)?);
            }
        }
        let peak = roof.household.panels / site.units.len() as f64;
        for day in (1..=SAID).rev() {
            let start = today - day * DAY;
            let starts: Vec<Millis> = (0..DAY / QUARTER).map(|n| start + n * QUARTER).collect();
            let watts = roof.said(&starts).into_iter();
            let said = Weather {
                source: Source::OpenMeteo,
                issued_at: start,
                start,
                watts: watts
                    .map(|sun| Some((sun / FULL_SUN * peak).round() as i64))
                    .collect(),
            };
            let state = SourceState {
                success_at: Some(start),
                ..SourceState::default()
            };
            store.keep_weather(&systems, &said, state).await?;
        }
    }
    Ok(())
}
