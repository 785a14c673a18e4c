//! How asking a source stands: what went wrong, and when it is asked again.
use super::Unknown;
use crate::Zone;
use crate::clock::{HOUR, MINUTE, Millis};
use std::str::FromStr;

macro_rules! errors {
    ($($(#[$doc:meta])* $error:ident $code:literal),* $(,)?) => {
        /// Why a source gave no answer: a code that people are told about, never what the service wrote.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum SourceError { $($(#[$doc])* #[error($code)] $error),* }

        impl SourceError {
            pub const ALL: &[Self] = &[$(Self::$error),*];

            pub const fn code(self) -> &'static str {
                match self { $(Self::$error => $code),* }
            }
        }
    };
}

errors! {
    /// No connection, or none that may be trusted.
    Unreachable "unreachable",
    TimedOut "timed_out",
    /// It asks to be asked less often.
    RateLimited "rate_limited",
    /// It does not know the household's token.
    TokenRefused "token_refused",
    /// The token is right, but there is no contract behind it that has prices.
    NoContract "no_contract",
    /// It answered that something is wrong on its side.
    Failed "failed",
    /// It says that our question is wrong.
    Rejected "rejected",
    /// Its answer is not of the shape it should be.
    Unreadable "unreadable",
    /// It answered, and has nothing for the time that is asked about.
    Empty "empty",
    /// Its prices are in another currency than the household pays in.
    Currency "currency",
}

impl FromStr for SourceError {
    type Err = Unknown;

    fn from_str(code: &str) -> Result<Self, Unknown> {
        let found = Self::ALL.iter().find(|error| error.code() == code);
        found.copied().ok_or(Unknown)
    }
}

/// What is kept about asking one source about one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceState {
    pub success_at: Option<Millis>,
    /// Of the last time; `None` after an answer.
    pub error: Option<SourceError>,
    /// Since when every try has failed.
    pub failing_since: Option<Millis>,
    /// How many tries have failed one after another.
    pub tries: i64,
    /// Not asked again before.
    pub next_at: Millis,
}

/// How one question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// With an answer; the next question is due then.
    Answered { next_at: Millis },
    Failed {
        error: SourceError,
        /// How long the service itself wants to be left alone.
        retry_after: Option<Millis>,
    },
}

/// The first repetition, and the longest pause between two.
const FIRST: Millis = 2 * MINUTE;
const LONGEST: Millis = 2 * HOUR;
/// A wrong token does not become right by asking; a new one is tried at once.
const REFUSED: Millis = 12 * HOUR;
/// Whatever a service says, it is asked again on the next day.
const MOST: Millis = 24 * HOUR;

impl SourceState {
    pub fn is_due(&self, now: Millis) -> bool {
        self.next_at <= now
    }

    /// After a question; `chance` from 0 to 1 spreads repetitions, so that not all come at the same second.
    #[must_use]
    pub fn after(self, asked: Asked, chance: f64, now: Millis) -> Self {
        match asked {
            Asked::Answered { next_at } => Self {
                success_at: Some(now),
                next_at,
                ..Self::default()
            },
            Asked::Failed { error, retry_after } => {
                let doubled = FIRST << self.tries.clamp(0, 10);
                let pause = match error {
                    SourceError::TokenRefused | SourceError::NoContract => REFUSED,
                    _ => doubled.min(LONGEST),
                };
                let spread = (pause as f64 * 0.5 * chance.clamp(0.0, 1.0)) as Millis;
                let pause = (pause + spread).max(retry_after.unwrap_or(0)).min(MOST);
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

/// Auctions end at noon; prices are published an hour later.
const PUBLISHED: i8 = 13;
/// How often a source is asked that should have tomorrow's prices and has not: at first, and when it is late.
const SOON: Millis = 10 * MINUTE;
const LATE: Millis = 30 * MINUTE;
/// So much chance moves a question, as not every portal is to ask at one o'clock sharp.
const SPREAD: Millis = 5 * MINUTE;

/// When prices that are known until some time are asked for again.
pub fn next_prices(known_until: Millis, chance: f64, now: Millis) -> Millis {
    let market = Zone::default();
    let today = market.day_of(now);
    let published = market.hour_of(today, PUBLISHED);
    let next = if known_until >= market.start_of(today.plus(2)) {
        market.hour_of(today.next(), PUBLISHED)
    } else if now < published {
        published
    } else if now < published + 3 * HOUR {
        now + SOON
    } else {
        now + LATE
    };
    next + (SPREAD as f64 * chance.clamp(0.0, 1.0)) as Millis
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failed(error: SourceError) -> Asked {
        Asked::Failed {
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
        let well = state.after(Asked::Answered { next_at: 77 }, 0.5, 50);
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
            let asked = Asked::Failed {
                error: SourceError::RateLimited,
                retry_after: Some(retry_after),
            };
            SourceState::default().after(asked, 0.0, 1_000).next_at - 1_000
        };
        assert_eq!(after(HOUR), HOUR);
        assert_eq!(after(0), FIRST);
        assert_eq!(after(900 * HOUR), MOST);
    }

    #[test]
    fn a_refused_token_is_not_tried_again_and_again() {
        let state = SourceState::default().after(failed(SourceError::TokenRefused), 0.0, 0);
        assert_eq!(state.next_at, REFUSED);
        assert_eq!(state.error, Some(SourceError::TokenRefused));
    }

    #[test]
    fn since_when_it_fails_and_the_last_answer_are_kept() {
        let well = SourceState::default().after(Asked::Answered { next_at: 5 }, 0.0, 1);
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
                (today_ends, at(13), at(13) + SOON),
                (today_ends, at(15), at(15) + SOON),
                (today_ends, at(18), at(18) + LATE),
                (tomorrow_ends, at(14), tomorrow),
                (tomorrow_ends, at(8), tomorrow),
            ] {
                assert_eq!(next_prices(known, 0.0, now), want, "{date}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_next_try_is_always_in_the_future_and_within_a_day(
            tries in 0i64..100, chance in any::<f64>(), retry in any::<Option<i64>>(), error in 0..SourceError::ALL.len(),
        ) {
            let state = SourceState { tries, ..SourceState::default() };
            let asked = Asked::Failed { error: SourceError::ALL[error], retry_after: retry };
            let next = state.after(asked, chance, 0).next_at;
            prop_assert!((FIRST..=MOST).contains(&next));
        }
    }
}
