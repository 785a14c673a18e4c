//! Polls prices and weather when they are due: each request once, however many systems need it and however many processes poll.

mod prices;
mod weather;

use domain::clock::Millis;
use domain::source::{PollOutcome, SourceState};
use domain::{Random, Source};
use futures_util::StreamExt as _;
use sources::{SourceFailure, Sources};
use store::{Result, Store};

const MAX_CONCURRENT_REQUESTS: usize = 8;
/// The most requests to a source in one round; the others come in the next rounds.
const MAX_REQUESTS_A_ROUND: i64 = 64;

/// One round: requests what is due. Failed requests are retried later; known values stay meanwhile.
pub async fn run(store: &Store, sources: &Sources, random: &Random, now: Millis) {
    let round = PollRound {
        store,
        sources,
        random,
        now,
    };
    if let Err(error) = round.poll_prices().await {
        tracing::error!(%error, "price_polls_failed: retrying at the next tick");
    }
    if let Err(error) = round.poll_weather().await {
        tracing::error!(%error, "weather_polls_failed: retrying at the next tick");
    }
}

/// Corrects which requests are made at all.
pub async fn update_needed(store: &Store) {
    if let Err(error) = store.update_needed_polls().await {
        tracing::error!(%error, "needed_polls_not_updated: retrying at the next tick");
    }
}

struct PollRound<'a> {
    store: &'a Store,
    sources: &'a Sources,
    random: &'a Random,
    now: Millis,
}

impl PollRound<'_> {
    fn failed(
        &self,
        source: Source,
        state: SourceState,
        SourceFailure { error, retry_after }: SourceFailure,
    ) -> SourceState {
        let outcome = PollOutcome::Failed { error, retry_after };
        let after = state.after(outcome, self.jitter(), self.now);
        tracing::warn!(source = source.name(), %error, tries = after.tries, "source_request_failed: known values stay in use");
        after
    }

    fn jitter(&self) -> f64 {
        f64::from(u32::from_le_bytes(self.random.bytes())) / f64::from(u32::MAX)
    }
}

/// Runs a few at a time; an error does not stop the others.
async fn run_all(polls: impl Iterator<Item = impl Future<Output = Result<()>>>) -> Result<()> {
    let results: Vec<Result<()>> = futures_util::stream::iter(polls)
        .buffer_unordered(MAX_CONCURRENT_REQUESTS)
        .collect()
        .await;
    results.into_iter().collect()
}
