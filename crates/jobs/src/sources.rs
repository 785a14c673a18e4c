//! Asks for prices and weather when they are due: each question once, however many systems have it.
use domain::clock::{HOUR, Millis};
use domain::site::{Coordinates, Planes};
use domain::source::{Area, Asked, SourceError, SourceState, next_prices};
use domain::{Random, Serial, Source};
use futures_util::StreamExt as _;
use sources::{Failure, PriceQuestion, Sources, WeatherQuestion};
use store::source::{Wanted, Weather};
use store::{Result, Store};

/// So many questions are under way at once.
const AT_ONCE: usize = 8;
const WEATHER_EVERY: Millis = HOUR;

/// One round: whatever is due is asked, and whatever fails is asked again later. What is known stays meanwhile.
pub async fn run(store: &Store, sources: &Sources, random: &Random, now: Millis) {
    let asking = Asking {
        store,
        sources,
        random,
        now,
    };
    if let Err(error) = asking.prices().await {
        tracing::error!(%error, "prices cannot be kept; it is tried again");
    }
    if let Err(error) = asking.weather().await {
        tracing::error!(%error, "weather cannot be kept; it is tried again");
    }
}

struct Asking<'a> {
    store: &'a Store,
    sources: &'a Sources,
    random: &'a Random,
    now: Millis,
}

/// Systems with the same sun on the same planes.
struct Roof {
    coordinates: Coordinates,
    planes: Planes,
    systems: Vec<Serial>,
}

impl Asking<'_> {
    async fn prices(&self) -> Result<()> {
        let wanted = self.store.wanted_prices().await?;
        let asked = futures_util::stream::iter(wanted.into_iter().map(|it| self.price(it)));
        let results: Vec<Result<()>> = asked.buffer_unordered(AT_ONCE).collect().await;
        results.into_iter().collect()
    }

    async fn price(&self, wanted: Wanted) -> Result<()> {
        if self.ask(&wanted).await?.is_none() {
            return Ok(());
        }
        let Some(other) = wanted.source.fall_back(wanted.zone) else {
            return Ok(());
        };
        let instead = Wanted {
            source: other,
            zone: wanted.zone,
            household: None,
        };
        self.ask(&instead).await.map(drop)
    }

    /// Asks if it is due; what is wrong with the source, whether it was asked now or not.
    async fn ask(&self, wanted: &Wanted) -> Result<Option<SourceError>> {
        let Wanted { source, zone, .. } = *wanted;
        let Some(state) = self.due(source, &wanted.asked()).await? else {
            let area = &wanted.asked()[0];
            return Ok(self.store.source_state(source, area).await?.error);
        };
        let household = wanted.household.as_ref();
        let question = PriceQuestion {
            zone,
            token: household.map(|household| household.token.secret()),
            now: self.now,
        };
        match self.sources.prices(source, question).await {
            Ok(slots) => {
                let until = slots.last().map_or(0, |slot| slot.end);
                let next_at = next_prices(until, self.chance(), self.now);
                let state = state.after(Asked::Answered { next_at }, 0.0, self.now);
                self.store
                    .keep_prices(wanted, &slots, state, self.now)
                    .await?;
                Ok(None)
            }
            Err(failure) => {
                let state = self.failed(source, state, failure);
                self.store.keep_failure(wanted, state).await?;
                Ok(Some(failure.error))
            }
        }
    }

    async fn weather(&self) -> Result<()> {
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
        let asked = futures_util::stream::iter(roofs.into_iter().map(|roof| self.sun(roof)));
        let results: Vec<Result<()>> = asked.buffer_unordered(AT_ONCE).collect().await;
        results.into_iter().collect()
    }

    async fn sun(&self, roof: Roof) -> Result<()> {
        match self.sunshine(Source::OpenMeteo, &roof).await? {
            None => Ok(()),
            Some(_) => self.sunshine(Source::ForecastSolar, &roof).await.map(drop),
        }
    }

    async fn sunshine(&self, source: Source, roof: &Roof) -> Result<Option<SourceError>> {
        let areas: Vec<Area> = roof.systems.iter().cloned().map(Area::System).collect();
        let Some(state) = self.due(source, &areas).await? else {
            return Ok(self.store.source_state(source, &areas[0]).await?.error);
        };
        let question = WeatherQuestion {
            coordinates: roof.coordinates,
            planes: &roof.planes,
            now: self.now,
        };
        match self.sources.weather(source, question).await {
            Ok(sun) => {
                let pause = WEATHER_EVERY as f64 * (1.0 + 0.1 * self.chance());
                let next_at = self.now + pause as Millis;
                let state = state.after(Asked::Answered { next_at }, 0.0, self.now);
                let weather = Weather {
                    source,
                    issued_at: self.now,
                    start: sun.start,
                    watts: sun.watts,
                };
                self.store
                    .keep_weather(&roof.systems, &weather, state)
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

    /// How it stands where it is due for any of these; they are asked about together.
    async fn due(&self, source: Source, areas: &[Area]) -> Result<Option<SourceState>> {
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
        Failure { error, retry_after }: Failure,
    ) -> SourceState {
        let asked = Asked::Failed { error, retry_after };
        let after = state.after(asked, self.chance(), self.now);
        tracing::warn!(source = source.name(), %error, tries = after.tries, "a source gave no answer; what is known stays");
        after
    }

    fn chance(&self) -> f64 {
        f64::from(u32::from_le_bytes(self.random.bytes())) / f64::from(u32::MAX)
    }
}
