//! Polls prices and weather when they are due: each request once, however many systems need it.
use domain::clock::{HOUR, Millis};
use domain::site::{Coordinates, Planes};
use domain::source::{Area, PollOutcome, SourceError, SourceState, next_price_poll};
use domain::{Random, Serial, Source};
use futures_util::StreamExt as _;
use sources::{PriceRequest, SourceFailure, Sources, WeatherRequest};
use store::source::{PriceDemand, WeatherForecast};
use store::{Result, Store};

const MAX_CONCURRENT_REQUESTS: usize = 8;
const WEATHER_INTERVAL: Millis = HOUR;

/// One round: requests everything that is due. Failed requests are retried later; known values stay meanwhile.
pub async fn run(store: &Store, sources: &Sources, random: &Random, now: Millis) {
    let round = PollRound {
        store,
        sources,
        random,
        now,
    };
    if let Err(error) = round.poll_prices().await {
        tracing::error!(%error, "polling prices failed; retrying at the next tick");
    }
    if let Err(error) = round.poll_weather().await {
        tracing::error!(%error, "polling weather failed; retrying at the next tick");
    }
}

struct PollRound<'a> {
    store: &'a Store,
    sources: &'a Sources,
    random: &'a Random,
    now: Millis,
}

/// Systems with the same coordinates and the same planes.
struct Roof {
    coordinates: Coordinates,
    planes: Planes,
    systems: Vec<Serial>,
}

impl PollRound<'_> {
    async fn poll_prices(&self) -> Result<()> {
        let wanted = self.store.price_demands().await?;
        let polls = wanted
            .into_iter()
            .map(|demand| self.poll_with_fallback(demand));
        let results: Vec<Result<()>> = futures_util::stream::iter(polls)
            .buffer_unordered(MAX_CONCURRENT_REQUESTS)
            .collect()
            .await;
        results.into_iter().collect()
    }

    async fn poll_with_fallback(&self, wanted: PriceDemand) -> Result<()> {
        if self.poll_price_source(&wanted).await?.is_none() {
            return Ok(());
        }
        let Some(other) = wanted.source.fallback(wanted.zone) else {
            return Ok(());
        };
        let fallback = PriceDemand {
            source: other,
            zone: wanted.zone,
            household: None,
        };
        self.poll_price_source(&fallback).await.map(drop)
    }

    /// Polls the source if it is due. Returns the source's error, whether it was polled now or earlier.
    async fn poll_price_source(&self, wanted: &PriceDemand) -> Result<Option<SourceError>> {
        let PriceDemand { source, zone, .. } = *wanted;
        let Some(state) = self.state_if_due(source, &wanted.state_areas()).await? else {
            let area = &wanted.state_areas()[0];
            return Ok(self.store.source_state(source, area).await?.error);
        };
        let household = wanted.household.as_ref();
        let question = PriceRequest {
            zone,
            token: household.map(|household| household.token.secret()),
            now: self.now,
        };
        match self.sources.prices(source, question).await {
            Ok(slots) => {
                let until = slots.last().map_or(0, |slot| slot.end);
                let next_at = next_price_poll(until, self.jitter(), self.now);
                let state = state.after(PollOutcome::Answered { next_at }, 0.0, self.now);
                self.store
                    .save_prices(wanted, &slots, state, self.now)
                    .await?;
                Ok(None)
            }
            Err(failure) => {
                let state = self.failed(source, state, failure);
                self.store.save_price_failure(wanted, state).await?;
                Ok(Some(failure.error))
            }
        }
    }

    async fn poll_weather(&self) -> Result<()> {
        let mut roofs: Vec<Roof> = Vec::new();
        for (sn, site) in self.store.sites().await? {
            let Some(coordinates) = site.coordinates else {
                continue;
            };
            let same = roofs
                .iter_mut()
                .find(|roof| roof.coordinates == coordinates && roof.planes == site.planes);
            match same {
                Some(roof) => roof.systems.push(sn),
                None => roofs.push(Roof {
                    coordinates,
                    planes: site.planes,
                    systems: vec![sn],
                }),
            }
        }
        let polls = roofs.into_iter().map(|roof| self.poll_roof(roof));
        let results: Vec<Result<()>> = futures_util::stream::iter(polls)
            .buffer_unordered(MAX_CONCURRENT_REQUESTS)
            .collect()
            .await;
        results.into_iter().collect()
    }

    async fn poll_roof(&self, roof: Roof) -> Result<()> {
        match self.poll_weather_source(Source::OpenMeteo, &roof).await? {
            None => Ok(()),
            Some(_) => self
                .poll_weather_source(Source::ForecastSolar, &roof)
                .await
                .map(drop),
        }
    }

    async fn poll_weather_source(
        &self,
        source: Source,
        roof: &Roof,
    ) -> Result<Option<SourceError>> {
        let areas: Vec<Area> = roof.systems.iter().cloned().map(Area::System).collect();
        let Some(state) = self.state_if_due(source, &areas).await? else {
            return Ok(self.store.source_state(source, &areas[0]).await?.error);
        };
        let question = WeatherRequest {
            coordinates: roof.coordinates,
            planes: &roof.planes,
            now: self.now,
        };
        match self.sources.weather(source, question).await {
            Ok(sun) => {
                let pause = WEATHER_INTERVAL as f64 * (1.0 + 0.1 * self.jitter());
                let next_at = self.now + pause as Millis;
                let state = state.after(PollOutcome::Answered { next_at }, 0.0, self.now);
                let weather = WeatherForecast {
                    source,
                    issued_at: self.now,
                    start: sun.start,
                    watts: sun.watts,
                };
                self.store
                    .save_weather(&roof.systems, &weather, state)
                    .await?;
                Ok(None)
            }
            Err(failure) => {
                let state = self.failed(source, state, failure);
                self.store.set_source_state(source, &areas, state).await?;
                Ok(Some(failure.error))
            }
        }
    }

    /// The state of the first area that is due. All areas share one request.
    async fn state_if_due(&self, source: Source, areas: &[Area]) -> Result<Option<SourceState>> {
        for area in areas {
            let state = self.store.source_state(source, area).await?;
            if state.is_due(self.now) {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    fn failed(
        &self,
        source: Source,
        state: SourceState,
        SourceFailure { error, retry_after }: SourceFailure,
    ) -> SourceState {
        let outcome = PollOutcome::Failed { error, retry_after };
        let after = state.after(outcome, self.jitter(), self.now);
        tracing::warn!(source = source.name(), %error, tries = after.tries, "source request failed; known values stay in use");
        after
    }

    fn jitter(&self) -> f64 {
        f64::from(u32::from_le_bytes(self.random.bytes())) / f64::from(u32::MAX)
    }
}
