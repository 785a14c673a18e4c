//! The state of polling a source: errors, back-off and the time of the next poll.
use crate::Zone;
use crate::clock::{HOUR, MINUTE, Millis};
use crate::names::{UnknownName, unknown};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// Why a source gave no answer: a code for users, never the service's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum SourceError {
    /// No connection, or no trusted one.
    Unreachable,
    TimedOut,
    /// It wants fewer requests.
    RateLimited,
    /// It rejects the household's token.
    TokenRefused,
    /// The token is valid, but has no contract with prices.
    NoContract,
    /// It reported an error on its side.
    Failed,
    /// It reported that the request is invalid.
    Rejected,
    /// Its answer does not have the expected format.
    Unreadable,
    /// It answered without data for the requested time.
    Empty,
    /// Its prices are not in the household's currency.
    Currency,
}

impl SourceError {
    pub const ALL: &[Self] = Self::VARIANTS;

    pub const fn code(self) -> &'static str {
        self.into_str()
    }
}

impl std::error::Error for SourceError {}

/// The stored state of polling one source for one area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceState {
    pub success_at: Option<Millis>,
    /// The error of the last poll; `None` after an answer.
    pub error: Option<SourceError>,
    /// Since when every poll has failed.
    pub failing_since: Option<Millis>,
    /// How many polls have failed in a row.
    pub tries: i64,
    /// The earliest time of the next poll.
    pub next_at: Millis,
}

/// The result of one poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollOutcome {
    /// With an answer; the next poll is due at `next_at`.
    Answered { next_at: Millis },
    Failed {
        error: SourceError,
        /// How long the service asked to wait.
        retry_after: Option<Millis>,
    },
}

/// The pause before the first retry; it doubles up to [`MAX_BACKOFF`].
const FIRST_RETRY_AFTER: Millis = 2 * MINUTE;
const MAX_BACKOFF: Millis = 2 * HOUR;
/// Retrying does not make a wrong token right; a new token is tried at once.
const TOKEN_RETRY_AFTER: Millis = 12 * HOUR;
/// A service is polled again after a day at the latest, whatever it asks for.
const MAX_RETRY_AFTER: Millis = 24 * HOUR;

impl SourceState {
    pub fn is_due(&self, now: Millis) -> bool {
        self.next_at <= now
    }

    /// The state after a poll. `chance` from 0 to 1 adds jitter, so retries do not all come in the same second.
    #[must_use]
    pub fn after(self, outcome: PollOutcome, chance: f64, now: Millis) -> Self {
        match outcome {
            PollOutcome::Answered { next_at } => Self {
                success_at: Some(now),
                next_at,
                ..Self::default()
            },
            PollOutcome::Failed { error, retry_after } => {
                let doubled = FIRST_RETRY_AFTER << self.tries.clamp(0, 10);
                let pause = match error {
                    SourceError::TokenRefused | SourceError::NoContract => TOKEN_RETRY_AFTER,
                    _ => doubled.min(MAX_BACKOFF),
                };
                let spread = (pause as f64 * 0.5 * chance.clamp(0.0, 1.0)) as Millis;
                let pause = (pause + spread)
                    .max(retry_after.unwrap_or(0))
                    .min(MAX_RETRY_AFTER);
                Self {
                    success_at: self.success_at,
                    error: Some(error),
                    failing_since: self.failing_since.or(Some(now)),
                    tries: self.tries + 1,
                    next_at: now + pause,
                }
            }
        }
    }
}

/// The hour at which prices are published, an hour after the auctions end.
const PUBLISHED_HOUR: i8 = 13;
/// How often a source is polled whose prices for tomorrow are due but missing: at first, and after three hours.
const POLL_INTERVAL: Millis = 10 * MINUTE;
const LATE_POLL_INTERVAL: Millis = 30 * MINUTE;
/// The most jitter of a poll, so portals do not all ask at exactly one o'clock.
const MAX_JITTER: Millis = 5 * MINUTE;

/// When to poll again for prices that are known until `known_until`.
pub fn next_price_poll(known_until: Millis, chance: f64, now: Millis) -> Millis {
    let market = Zone::default();
    let today = market.day_of(now);
    let published = market.hour_of(today, PUBLISHED_HOUR);
    let next = if known_until >= market.start_of(today.plus(2)) {
        market.hour_of(today.next(), PUBLISHED_HOUR)
    } else if now < published {
        published
    } else if now < published + 3 * HOUR {
        now + POLL_INTERVAL
    } else {
        now + LATE_POLL_INTERVAL
    };
    next + (MAX_JITTER as f64 * chance.clamp(0.0, 1.0)) as Millis
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failed(error: SourceError) -> PollOutcome {
        PollOutcome::Failed {
            error,
            retry_after: None,
        }
    }

    #[test]
    fn pauses_double_up_to_two_hours_and_an_answer_ends_them() {
        let mut state = SourceState::default();
        let mut pauses = Vec::new();
        for _ in 0..9 {
            state = state.after(failed(SourceError::TimedOut), 0.0, 0);
            pauses.push(state.next_at / MINUTE);
        }
        assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 120, 120, 120]);
        let well = state.after(PollOutcome::Answered { next_at: 77 }, 0.5, 50);
        let want = SourceState {
            success_at: Some(50),
            next_at: 77,
            ..SourceState::default()
        };
        assert_eq!(well, want);
    }

    #[test]
    fn a_source_is_left_alone_as_long_as_it_asks_but_not_for_ever() {
        let after = |retry_after| {
            let asked = PollOutcome::Failed {
                error: SourceError::RateLimited,
                retry_after: Some(retry_after),
            };
            SourceState::default().after(asked, 0.0, 1_000).next_at - 1_000
        };
        assert_eq!(after(HOUR), HOUR);
        assert_eq!(after(0), FIRST_RETRY_AFTER);
        assert_eq!(after(900 * HOUR), MAX_RETRY_AFTER);
    }

    #[test]
    fn a_refused_token_is_not_tried_again_and_again() {
        let state = SourceState::default().after(failed(SourceError::TokenRefused), 0.0, 0);
        assert_eq!(state.next_at, TOKEN_RETRY_AFTER);
        assert_eq!(state.error, Some(SourceError::TokenRefused));
    }

    #[test]
    fn since_when_it_fails_and_the_last_answer_are_kept() {
        let well = SourceState::default().after(PollOutcome::Answered { next_at: 5 }, 0.0, 1);
        let ill = well.after(failed(SourceError::Failed), 0.0, 10);
        let still = ill.after(failed(SourceError::TimedOut), 0.0, 20);
        assert_eq!((still.success_at, still.failing_since), (Some(1), Some(10)));
    }

    #[test]
    fn tomorrows_prices_are_asked_for_from_one_oclock_until_they_are_there() {
        let market = Zone::default();
        for date in ["2026-11-16", "2026-03-29", "2026-10-25"] {
            let today = date.parse().unwrap();
            let at = |hour| market.hour_of(today, hour);
            let (today_ends, tomorrow_ends) = (
                market.start_of(today.plus(1)),
                market.start_of(today.plus(2)),
            );
            let tomorrow = market.hour_of(today.next(), 13);
            for (known, now, want) in [
                (today_ends, at(8), at(13)),
                (today_ends, at(13), at(13) + POLL_INTERVAL),
                (today_ends, at(15), at(15) + POLL_INTERVAL),
                (today_ends, at(18), at(18) + LATE_POLL_INTERVAL),
                (tomorrow_ends, at(14), tomorrow),
                (tomorrow_ends, at(8), tomorrow),
            ] {
                assert_eq!(next_price_poll(known, 0.0, now), want, "{date}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_next_try_is_always_in_the_future_and_within_a_day(
            tries in 0i64..100, chance in any::<f64>(), retry in any::<Option<i64>>(), error in 0..SourceError::ALL.len(),
        ) {
            let state = SourceState { tries, ..SourceState::default() };
            let asked = PollOutcome::Failed { error: SourceError::ALL[error], retry_after: retry };
            let next = state.after(asked, chance, 0).next_at;
            prop_assert!((FIRST_RETRY_AFTER..=MAX_RETRY_AFTER).contains(&next));
        }
    }
}
