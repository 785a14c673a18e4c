//! Finds the time of a sample. A battery's own clock is used while it agrees with ours. Otherwise the time follows from the
//! uptime and the start of the device. If neither gives a time, the sample is stored as undated.
//!
//! Our clock decides, even against batteries that use NTP. Sessions, prices, plans and samples then share one time, and it never
//! matters which of two clocks stamped a row. When our clock is wrong, `clock_check` warns the operator.
use domain::clock::{DAY, MAX_CLOCK_SKEW as SKEW, MINUTE, Millis};
use store::device::BOOTS_REMEMBERED;

/// A known start is replaced when a message disagrees by more: messages travel for seconds, not for minutes.
const MAX_START_DRIFT: Millis = MINUTE;
/// No battery keeps samples for longer; an older time is wrong.
const MAX_SAMPLE_AGE: Millis = 400 * DAY;
/// The clock was set over the network.
const QUALITY_NETWORK: u8 = 2;

/// The time fields of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceTime {
    pub(crate) boot: u32,
    /// The battery's own clock.
    pub(crate) time: Option<Millis>,
    pub(crate) uptime: Millis,
    /// Quality of the clock: 0 none, 1 battery-backed, 2 set over the network.
    pub(crate) quality: u8,
}

/// The starts of one device by our clock, and the offset of its own clock.
#[derive(Debug, Default)]
pub(crate) struct ClockCorrection {
    /// By boot number; at most [`BOOTS_REMEMBERED`].
    starts: Vec<(u32, Millis)>,
    /// How much the battery's clock was behind ours at its last live message.
    behind: Option<Millis>,
    /// By how much our clock was ahead of the battery's at its last hello or live sample, if the battery's was set over the
    /// network.
    ahead: Option<Millis>,
}

impl ClockCorrection {
    pub(crate) fn new(starts: Vec<(u32, Millis)>) -> Self {
        Self {
            starts,
            behind: None,
            ahead: None,
        }
    }

    /// By how much our clock was ahead of the battery's, if the battery's was set over the network. Returned once per message.
    pub(crate) fn take_ahead(&mut self) -> Option<Millis> {
        self.ahead.take()
    }

    fn compare(&mut self, device_time: DeviceTime, received: Millis) {
        let set = device_time
            .time
            .filter(|_| device_time.quality >= QUALITY_NETWORK);
        self.ahead = set.map(|time| received - time);
    }

    /// The start of the device: a hello shows the present uptime. The first answer stays unless it is clearly wrong, so that a
    /// repeated sample gets the same time.
    pub(crate) fn start_from_hello(&mut self, device_time: DeviceTime, received: Millis) -> Millis {
        self.compare(device_time, received);
        self.behind = device_time.time.map(|time| received - time);
        let implied_start = received - device_time.uptime;
        let start = self.start_or_insert(device_time.boot, implied_start);
        if (*start - implied_start).abs() > MAX_START_DRIFT {
            *start = implied_start;
        }
        *start
    }

    /// The time of a live sample. A delayed sample is dated by its uptime.
    pub(crate) fn time_of_live(&mut self, device_time: DeviceTime, received: Millis) -> Millis {
        self.compare(device_time, received);
        let implied_start = received - device_time.uptime;
        let start = self.start_or_insert(device_time.boot, implied_start);
        // A sample cannot be measured after its arrival: then the known start came from a delayed message. Nor can a live sample
        // arrive so long after it was measured: then that message had a wrong uptime.
        let delay = implied_start - *start;
        if !(-MAX_START_DRIFT..=MAX_SAMPLE_AGE).contains(&delay) {
            *start = implied_start;
        }
        let expected = (*start + device_time.uptime).min(received);
        let close = |time: &Millis| near(*time, received) || near(*time, expected);
        let own = device_time
            .time
            .filter(|time| device_time.quality >= QUALITY_NETWORK && close(time));
        if expected == received {
            self.behind = device_time.time.map(|time| received - time);
        }
        own.unwrap_or(expected)
    }

    /// The time of a back-fill sample, possibly of an earlier start. `None` if it cannot be dated.
    pub(crate) fn time_of_backfill(
        &self,
        device_time: DeviceTime,
        received: Millis,
    ) -> Option<Millis> {
        let own = device_time
            .time
            .filter(|_| device_time.quality >= QUALITY_NETWORK);
        let corrected = match (self.known_start(device_time.boot), own) {
            (Some(start), Some(own)) if near(own, start + device_time.uptime) => own,
            // The start may be late by the travel time of the hello, and nothing is measured after its arrival.
            (Some(start), _) => (start + device_time.uptime).min(received),
            (None, own) => own?,
        };
        plausible(corrected, received)
    }

    /// The time of an event that carries only the battery's clock, corrected by the clock's error at the last live message.
    pub(crate) fn time_by_device_clock(&self, time: Millis, received: Millis) -> Option<Millis> {
        let behind = self.behind.unwrap_or(0);
        let corrected = if behind.abs() <= SKEW {
            time
        } else {
            time + behind
        };
        plausible(corrected, received)
    }

    fn start_or_insert(&mut self, boot: u32, implied_start: Millis) -> &mut Millis {
        let index = self.starts.iter().position(|(known, _)| *known == boot);
        let index = index.unwrap_or_else(|| {
            if self.starts.len() >= BOOTS_REMEMBERED {
                self.forget_oldest_start();
            }
            self.starts.push((boot, implied_start));
            self.starts.len() - 1
        });
        &mut self.starts[index].1
    }

    fn forget_oldest_start(&mut self) {
        let numbered = self.starts.iter().enumerate();
        let oldest = numbered.min_by_key(|(_, (_, start))| *start);
        if let Some((index, _)) = oldest {
            self.starts.swap_remove(index);
        }
    }

    fn known_start(&self, boot: u32) -> Option<Millis> {
        let start = self.starts.iter().find(|(known, _)| *known == boot);
        start.map(|(_, start)| *start)
    }
}

fn near(a: Millis, b: Millis) -> bool {
    (a - b).abs() <= SKEW
}

fn plausible(corrected: Millis, received: Millis) -> Option<Millis> {
    let past = received - MAX_SAMPLE_AGE..=received + SKEW;
    past.contains(&corrected).then_some(corrected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::clock::HOUR;

    const NOW: Millis = 1_794_740_400_000;
    const NOON_THERE: Millis = NOW - HOUR;

    fn device_time(time: Millis, uptime: Millis, quality: u8) -> DeviceTime {
        DeviceTime {
            boot: 1,
            time: Some(time),
            uptime,
            quality,
        }
    }

    #[test]
    fn a_clock_that_agrees_counts() {
        let mut correction = ClockCorrection::default();
        assert_eq!(
            correction.time_of_live(device_time(NOW - 900, 5_000, 2), NOW),
            NOW - 900
        );
        assert_eq!(
            correction.time_of_backfill(device_time(NOW - 3_000, 2_000, 2), NOW),
            Some(NOW - 3_000)
        );
    }

    #[test]
    fn a_clock_that_is_an_hour_off_does_not_count() {
        for off in [HOUR, -HOUR] {
            let mut correction = ClockCorrection::default();
            correction.start_from_hello(device_time(NOW + off, 100_000, 2), NOW);
            let later = NOW + 30_000;
            assert_eq!(
                correction.time_of_live(device_time(later + off, 130_000, 2), later),
                later,
                "{off}"
            );
            assert_eq!(
                correction.time_of_backfill(device_time(NOW + off - 60_000, 40_000, 2), later),
                Some(NOW - 60_000)
            );
            assert_eq!(correction.time_by_device_clock(NOW + off, later), Some(NOW));
        }
    }

    #[test]
    fn only_a_clock_that_was_set_over_the_network_says_something_about_ours() {
        let mut correction = ClockCorrection::default();
        correction.start_from_hello(device_time(NOON_THERE, 100_000, 2), NOW);
        assert_eq!(correction.take_ahead(), Some(HOUR));
        assert_eq!(correction.take_ahead(), None, "once for each message");
        correction.time_of_live(device_time(NOON_THERE + 30_000, 130_000, 2), NOW + 30_000);
        assert_eq!(correction.take_ahead(), Some(HOUR));
        correction.time_of_live(device_time(NOON_THERE, 160_000, 1), NOW + 60_000);
        assert_eq!(correction.take_ahead(), None);
    }

    #[test]
    fn a_clock_that_was_never_set_does_not_count() {
        let mut correction = ClockCorrection::default();
        assert_eq!(correction.time_of_live(device_time(0, 50_000, 0), NOW), NOW);
        assert_eq!(
            correction.time_of_backfill(device_time(0, 20_000, 1), NOW),
            Some(NOW - 30_000)
        );
    }

    #[test]
    fn a_repeat_lands_on_the_same_time() {
        let mut correction = ClockCorrection::default();
        let first = correction.time_of_live(device_time(0, 50_000, 0), NOW);
        assert_eq!(
            correction.time_of_live(device_time(0, 50_000, 0), NOW + 20_000),
            first
        );
        // Also when the battery reconnects after minutes and says hello again.
        correction.start_from_hello(device_time(0, 650_000, 0), NOW + 600_700);
        assert_eq!(
            correction.time_of_live(device_time(0, 50_000, 0), NOW + 601_000),
            first
        );
    }

    #[test]
    fn a_start_taken_from_a_message_that_came_late_is_corrected() {
        let mut correction = ClockCorrection::default();
        correction.time_of_live(device_time(0, 50_000, 0), NOW);
        let sooner = NOW - 200_000;
        assert_eq!(
            correction.time_of_live(device_time(0, 51_000, 0), sooner),
            sooner
        );
        // A start that drifted over months is corrected by the next hello.
        correction.start_from_hello(device_time(0, 60_000, 0), NOW + 300_000);
        assert_eq!(
            correction.time_of_backfill(device_time(0, 60_000, 0), NOW + 300_000),
            Some(NOW + 300_000)
        );
    }

    #[test]
    fn a_start_from_before_any_battery_keeps_samples_dates_no_live_sample() {
        let mut correction = ClockCorrection::default();
        correction.start_from_hello(device_time(0, 500 * DAY, 0), NOW);
        let sample = device_time(0, 0, 0);
        assert_eq!(correction.time_of_live(sample, NOW), NOW);
    }

    #[test]
    fn after_a_hello_that_took_long_no_sample_is_from_the_future() {
        let mut correction = ClockCorrection::default();
        correction.start_from_hello(device_time(0, 10_000, 0), NOW + 5_000);
        let sample = device_time(0, 12_000, 0);
        assert_eq!(
            correction.time_of_backfill(sample, NOW + 6_000),
            Some(NOW + 6_000)
        );
    }

    #[test]
    fn a_connection_remembers_only_the_newest_starts_however_many_a_battery_reports() {
        let mut correction = ClockCorrection::default();
        let boots = 10_000;
        for boot in 1..=boots {
            let now = NOW + Millis::from(boot) * MINUTE;
            let started = DeviceTime {
                boot,
                ..device_time(0, 5_000, 0)
            };
            correction.start_from_hello(started, now);
        }
        assert_eq!(correction.starts.len(), BOOTS_REMEMBERED);
        let newest = NOW + Millis::from(boots) * MINUTE - 5_000;
        assert_eq!(correction.known_start(boots), Some(newest));
        assert_eq!(correction.known_start(1), None);
    }

    #[test]
    fn another_start_of_the_device_is_placed_only_by_a_clock_that_was_set() {
        let correction = ClockCorrection::new(vec![(2, NOW - 10_000)]);
        assert_eq!(
            correction.time_of_backfill(device_time(NOW - HOUR, 5_000, 1), NOW),
            None
        );
        assert_eq!(
            correction.time_of_backfill(device_time(NOW - HOUR, 5_000, 2), NOW),
            Some(NOW - HOUR)
        );
        assert_eq!(
            correction.time_of_backfill(device_time(NOW + HOUR, 5_000, 2), NOW),
            None
        );
        assert_eq!(
            correction.time_of_backfill(device_time(1_000, 5_000, 2), NOW),
            None
        );
    }
}
