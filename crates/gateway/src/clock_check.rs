//! Whether our own clock is right, held against batteries whose clocks were set over the network. One battery may be wrong; the
//! median of several is not.
use crate::endpoint::Gateway;
use domain::Serial;
use domain::clock::{Millis, SECOND};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::server_clock::CLOCK_TOLERANCE;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// Batteries report every 30 seconds.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// With fewer batteries nobody knows who is wrong.
const MIN_BATTERIES: usize = 3;
/// More do not make the median better.
const MAX_BATTERIES: usize = 101;

/// What batteries said since the last verdict.
#[derive(Debug, Default)]
pub(crate) struct ClockCheck {
    ahead: Mutex<HashMap<Serial, Millis>>,
}

impl ClockCheck {
    /// By how much we were ahead of this battery's clock when its message came.
    pub(crate) fn note(&self, sn: &Serial, ahead: Millis) {
        let mut noted = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < MAX_BATTERIES || noted.contains_key(sn) {
            noted.insert(sn.clone(), ahead);
        }
    }

    /// By how much our clock is ahead of the batteries' (negative: behind); `None` when too few have said anything since.
    pub(crate) fn verdict(&self) -> Option<Millis> {
        let noted = std::mem::take(&mut *self.ahead.lock().unwrap_or_else(PoisonError::into_inner));
        let mut ahead: Vec<Millis> = noted.into_values().collect();
        if ahead.len() < MIN_BATTERIES {
            return None;
        }
        ahead.sort_unstable();
        Some(ahead[ahead.len() / 2])
    }
}

/// Compares the clocks until `stop`.
pub(crate) async fn watch(gateway: Gateway, check: Arc<ClockCheck>, stop: CancellationToken) {
    let mut tick = tokio::time::interval(CHECK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut was_wrong = false;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {
                let Some(ahead) = check.verdict() else { continue };
                report(ahead, &mut was_wrong);
                if let Err(error) = gateway.store.keep_clock_check(ahead, gateway.clock.now()).await {
                    tracing::warn!(%error, "whether the clock is right cannot be written down");
                }
            }
        }
    }
}

/// Tells the operator when the clock becomes wrong, and when it is right again.
fn report(ahead: Millis, was_wrong: &mut bool) {
    metrics::gauge!("server_clock_ahead_seconds").set(ahead as f64 / SECOND as f64);
    let seconds = ahead / SECOND;
    let wrong = ahead.abs() > CLOCK_TOLERANCE;
    if wrong && !*was_wrong {
        tracing::warn!(
            ahead_seconds = seconds,
            "the server's clock is wrong, by the clocks of its batteries: set it, and keep it right by NTP"
        );
    } else if !wrong && *was_wrong {
        tracing::info!(ahead_seconds = seconds, "the server's clock is right again");
    }
    *was_wrong = wrong;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ahead: &[Millis]) -> ClockCheck {
        let check = ClockCheck::default();
        for (n, ahead) in ahead.iter().enumerate() {
            check.note(&format!("SC{n:06}").parse().unwrap(), *ahead);
        }
        check
    }

    #[test]
    fn the_median_of_several_batteries_says_how_wrong_our_clock_is() {
        let hour = 3_600 * SECOND;
        assert_eq!(check(&[hour, hour + 200, 100]).verdict(), Some(hour));
        assert_eq!(check(&[-hour, 0, 50, 80, hour]).verdict(), Some(50));
        assert_eq!(check(&[hour, hour]).verdict(), None, "too few");
    }

    #[test]
    fn a_verdict_is_about_the_time_since_the_last_one() {
        let check = check(&[1, 2, 3]);
        assert!(check.verdict().is_some());
        assert_eq!(check.verdict(), None);
    }
}
