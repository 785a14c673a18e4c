//! Polls the weather: a cell of the grid once for all roofs in it. Where that fails, the roofs one by one from another source.
use super::{MAX_REQUESTS_A_ROUND, PollRound, run_all};
use domain::Source;
use domain::clock::{HOUR, Millis};
use domain::source::{Area, PollOutcome, SourceError, SourceState};
use domain::weather::WeatherCell;
use sources::RoofRequest;
use store::Result;
use store::source::{Roof, WeatherForecast};

const WEATHER_INTERVAL: Millis = HOUR;

impl PollRound<'_> {
    pub(super) async fn poll_weather(&self) -> Result<()> {
        let source = Source::OpenMeteo;
        let due = self.store.due_polls(source, MAX_REQUESTS_A_ROUND, self.now);
        let cells = due.await?.into_iter().filter_map(|area| match area {
            Area::Cell(cell) => Some(cell),
            _ => None,
        });
        run_all(cells.map(|cell| self.poll_cell(cell))).await
    }

    async fn poll_cell(&self, cell: WeatherCell) -> Result<()> {
        let (source, areas) = (Source::OpenMeteo, [Area::Cell(cell)]);
        let Some(state) = self.store.claim_poll(source, &areas, 1, self.now).await? else {
            return Ok(());
        };
        match self.sources.cell_weather(cell).await {
            Ok(forecast) => {
                let state = self.answered(state);
                let save = self
                    .store
                    .save_cell_weather(cell, self.now, &forecast, state);
                save.await
            }
            Err(failure) => {
                let state = self.failed(source, state, failure);
                self.store.set_source_state(source, &areas, state).await?;
                self.poll_roofs(cell).await
            }
        }
    }

    /// One after the other, until the source wants fewer requests.
    async fn poll_roofs(&self, cell: WeatherCell) -> Result<()> {
        let roofs = self.store.due_roofs(cell, MAX_REQUESTS_A_ROUND, self.now);
        for roof in roofs.await? {
            if self.poll_roof(&roof).await? == Some(SourceError::RateLimited) {
                break;
            }
        }
        Ok(())
    }

    async fn poll_roof(&self, roof: &Roof) -> Result<Option<SourceError>> {
        let source = Source::ForecastSolar;
        let areas: Vec<Area> = roof.systems.iter().cloned().map(Area::System).collect();
        let calls = roof.planes.iter().len();
        let Some(state) = self
            .store
            .claim_poll(source, &areas, calls, self.now)
            .await?
        else {
            return Ok(None);
        };
        let request = RoofRequest {
            coordinates: roof.coordinates,
            planes: &roof.planes,
            now: self.now,
        };
        match self.sources.roof_yield(request).await {
            Ok(sun) => {
                let weather = WeatherForecast {
                    source,
                    issued_at: self.now,
                    start: sun.start,
                    watts: sun.watts,
                };
                let state = self.answered(state);
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

    fn answered(&self, state: SourceState) -> SourceState {
        let pause = WEATHER_INTERVAL as f64 * (1.0 + 0.1 * self.jitter());
        let next_at = self.now + pause as Millis;
        state.after(PollOutcome::Answered { next_at }, 0.0, self.now)
    }
}
