//! Checks our own clock against batteries whose clocks were set over the network. One battery may be wrong; the median of
//! several is not.
use crate::gateway::Gateway;
use domain::Serial;
use domain::clock::{Millis, SECOND};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::server_clock::CLOCK_TOLERANCE;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// Long enough to hear every battery: they report every 30 seconds.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// With fewer batteries it is unclear whose clock is wrong.
const MIN_BATTERIES: usize = 3;
/// More batteries do not improve the median.
const MAX_BATTERIES: usize = 101;

/// By how much our clock was ahead of each battery's since the last check.
#[derive(Debug, Default)]
pub(crate) struct ClockCheck {
    ahead: Mutex<HashMap<Serial, Millis>>,
}

impl ClockCheck {
    /// By how much our clock was ahead of this battery's when its message arrived.
    pub(crate) fn record(&self, sn: &Serial, ahead: Millis) {
        let mut by_battery = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if by_battery.len() < MAX_BATTERIES || by_battery.contains_key(sn) {
            by_battery.insert(sn.clone(), ahead);
        }
    }

    /// By how much our clock is ahead of the batteries' (negative: behind); `None` when too few reported since the last check.
    pub(crate) fn median_ahead(&self) -> Option<Millis> {
        let by_battery =
            std::mem::take(&mut *self.ahead.lock().unwrap_or_else(PoisonError::into_inner));
        let mut ahead: Vec<Millis> = by_battery.into_values().collect();
        if ahead.len() < MIN_BATTERIES {
            return None;
        }
        ahead.sort_unstable();
        Some(ahead[ahead.len() / 2])
    }
}

/// Compares the clocks until `stop`.
pub(crate) async fn run(gateway: Gateway, check: Arc<ClockCheck>, stop: CancellationToken) {
    let mut tick = tokio::time::interval(CHECK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut was_wrong = false;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {
                let Some(ahead) = check.median_ahead() else { continue };
                report(ahead, &mut was_wrong);
                if let Err(error) = gateway.store.save_clock_check(ahead, gateway.clock.now()).await {
                    tracing::warn!(%error, "clock_check_not_saved: retrying with the next check");
                }
            }
        }
    }
}

/// Logs when the clock becomes wrong, and when it is right again.
fn report(ahead: Millis, was_wrong: &mut bool) {
    metrics::gauge!("server_clock_ahead_seconds").set(ahead as f64 / SECOND as f64);
    let seconds = ahead / SECOND;
    let wrong = ahead.abs() > CLOCK_TOLERANCE;
    if wrong && !*was_wrong {
        tracing::warn!(
            ahead_seconds = seconds,
            "server_clock_wrong: it differs from the clocks of the batteries; set it, and keep it right by NTP"
        );
    } else if !wrong && *was_wrong {
        tracing::info!(
            ahead_seconds = seconds,
            "server_clock_right: within the tolerance again"
        );
    }
    *was_wrong = wrong;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ahead: &[Millis]) -> ClockCheck {
        let check = ClockCheck::default();
        for (n, ahead) in ahead.iter().enumerate() {
            check.record(&format!("SC{n:06}").parse().unwrap(), *ahead);
        }
        check
    }

    #[test]
    fn the_median_of_several_batteries_says_how_wrong_our_clock_is() {
        let hour = 3_600 * SECOND;
        assert_eq!(check(&[hour, hour + 200, 100]).median_ahead(), Some(hour));
        assert_eq!(check(&[-hour, 0, 50, 80, hour]).median_ahead(), Some(50));
        assert_eq!(check(&[hour, hour]).median_ahead(), None, "too few");
    }

    #[test]
    fn a_verdict_is_about_the_time_since_the_last_one() {
        let check = check(&[1, 2, 3]);
        assert!(check.median_ahead().is_some());
        assert_eq!(check.median_ahead(), None);
    }
}
