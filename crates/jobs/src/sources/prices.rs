//! Polls prices: a bidding zone once for all, a token once for its household.
use super::{MAX_REQUESTS_A_ROUND, PollRound, run_all};
use domain::Source;
use domain::source::{Area, PollOutcome, SourceError, next_price_poll};
use sources::PriceRequest;
use store::Result;
use store::source::PriceDemand;

impl PollRound<'_> {
    pub(super) async fn poll_prices(&self) -> Result<()> {
        let mut due = Vec::new();
        for source in Source::ALL.iter().copied().filter(|it| it.has_prices()) {
            let areas = self.store.due_polls(source, MAX_REQUESTS_A_ROUND, self.now);
            due.extend(areas.await?.into_iter().map(|area| (source, area)));
        }
        let polls = due.into_iter();
        run_all(polls.map(|(source, area)| self.poll_with_fallback(source, area))).await
    }

    async fn poll_with_fallback(&self, source: Source, area: Area) -> Result<()> {
        let Some(wanted) = self.demand(source, &area).await? else {
            return self.store.delete_poll(source, &area).await;
        };
        if self.poll_price_source(&wanted).await?.is_none() {
            return Ok(());
        }
        let Some(other) = source.fallback(wanted.zone) else {
            return Ok(());
        };
        let fallback = PriceDemand {
            source: other,
            zone: wanted.zone,
            household: None,
        };
        self.poll_price_source(&fallback).await.map(drop)
    }

    async fn demand(&self, source: Source, area: &Area) -> Result<Option<PriceDemand>> {
        match area {
            Area::System(sn) if source.needs_token() => {
                self.store.household_demand(source, sn).await
            }
            Area::Zone(zone) if !source.needs_token() => Ok(Some(PriceDemand {
                source,
                zone: *zone,
                household: None,
            })),
            _ => Ok(None),
        }
    }

    /// Polls the source if it is still due; returns its error. A fallback that was asked before keeps its own times.
    async fn poll_price_source(&self, wanted: &PriceDemand) -> Result<Option<SourceError>> {
        let PriceDemand { source, zone, .. } = *wanted;
        let areas = wanted.state_areas();
        let Some(state) = self.store.claim_poll(source, &areas, 1, self.now).await? else {
            return Ok(None);
        };
        let household = wanted.household.as_ref();
        let request = PriceRequest {
            zone,
            token: household.map(|household| household.token.secret()),
            now: self.now,
        };
        match self.sources.prices(source, request).await {
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
}
