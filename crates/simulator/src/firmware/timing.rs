//! Durations of the update steps, scaled with the sampling interval: half a minute in a demo becomes half a second in a
//! test.
use std::time::Duration;

/// Longer sampling intervals do not slow an update down further.
const MAX_INTERVAL: Duration = Duration::from_secs(2);

/// Duration of one part's update, from the first byte to the new version's hello, in scaled seconds.
const PART_SECONDS: u32 = 31;

#[derive(Clone, Copy, Debug)]
pub struct UpdateTiming {
    /// The duration of a scaled second.
    second: Duration,
}

impl UpdateTiming {
    pub(crate) fn for_interval(interval: Duration) -> Self {
        let second = interval.min(MAX_INTERVAL) / 2;
        Self {
            second: second.max(Duration::from_millis(1)),
        }
    }

    /// One part's update takes `time`.
    pub fn with_part_duration(time: Duration) -> Self {
        Self {
            second: (time / PART_SECONDS).max(Duration::from_millis(1)),
        }
    }

    /// For one image of any size.
    pub(crate) fn download_time(self) -> Duration {
        self.second * 15
    }

    pub(crate) fn verify_time(self) -> Duration {
        self.second
    }

    pub(crate) fn install_time(self) -> Duration {
        self.second * 10
    }

    /// The pause before an update begins and before a restart; it leaves time to deliver reports.
    pub(crate) fn settle_time(self) -> Duration {
        self.second
    }

    /// From the old version's last message to the new version's first.
    pub(crate) fn restart_time(self) -> Duration {
        self.second * 3
    }

    /// How long the main switch must be on between two parts.
    pub(crate) fn min_switched_on(self) -> Duration {
        self.second * 5
    }

    /// Between two ticks of a long step.
    pub(crate) fn poll_interval(self) -> Duration {
        self.second / 4
    }

    /// Minimum time between progress reports within a stage.
    pub(crate) fn report_interval(self) -> Duration {
        self.second * 3
    }

    /// Maximum time between reports while an update is in progress.
    pub(crate) fn heartbeat_interval(self) -> Duration {
        self.second * 20
    }

    /// Back-off after this many failed attempts.
    pub(crate) fn retry_delay(self, failed: u32) -> Duration {
        self.second * 2_u32.pow(failed.clamp(1, 6) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(timing: UpdateTiming) -> Duration {
        timing.download_time()
            + timing.verify_time()
            + timing.install_time()
            + timing.restart_time()
            + 2 * timing.settle_time()
    }

    #[test]
    fn a_part_takes_half_a_minute_in_a_demo_and_half_a_second_in_a_test() {
        for seconds in [2, 30] {
            let whole = whole(UpdateTiming::for_interval(Duration::from_secs(seconds))).as_secs();
            assert!((20..=40).contains(&whole), "{whole} s");
        }
        assert!(
            whole(UpdateTiming::for_interval(Duration::from_millis(25)))
                < Duration::from_millis(500)
        );
        assert!(
            UpdateTiming::for_interval(Duration::from_secs(30)).heartbeat_interval()
                <= Duration::from_secs(30)
        );
        assert!(whole(UpdateTiming::for_interval(Duration::ZERO)) > Duration::ZERO);
    }

    #[test]
    fn a_part_takes_as_long_as_is_said() {
        for seconds in [31, 62] {
            let time = Duration::from_secs(seconds);
            assert_eq!(whole(UpdateTiming::with_part_duration(time)), time);
        }
    }
}
