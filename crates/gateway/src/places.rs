//! When something was measured. A battery's own clock counts while it agrees with ours; otherwise its uptime does,
//! within one start of the device, and what cannot be placed is hidden.
//!
//! Our clock is the one that counts, also against batteries that say NTP: sessions, prices, plans and samples then have the same
//! time, and nobody has to know which of two clocks a row was stamped by. When it is wrong, `clock_check` tells the operator.
use domain::clock::{DAY, MAX_CLOCK_SKEW as SKEW, MINUTE, Millis};

/// A start is looked at again when a hello disagrees by more: messages travel for seconds, not for minutes.
const STEADY: Millis = MINUTE;
/// Nothing kept this long was ever measured by a battery of ours.
const OLDEST: Millis = 400 * DAY;
/// The clock was set over the network.
const SET: u8 = 2;

/// What a message says about its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) boot: u32,
    /// The battery's own clock.
    pub(crate) time: Option<Millis>,
    pub(crate) uptime: Millis,
    /// 0 none, 1 a clock with a battery, 2 set over the network.
    pub(crate) quality: u8,
}

/// When the starts of one device were, by our clock.
#[derive(Debug, Default)]
pub(crate) struct Places {
    starts: Vec<(u32, Millis)>,
    /// How much the battery's clock was behind ours at its last live message.
    behind: Option<Millis>,
    /// By how much we were ahead of a clock that was set over the network, at its last message about the present.
    ahead: Option<Millis>,
}

impl Places {
    pub(crate) fn new(starts: Vec<(u32, Millis)>) -> Self {
        Self {
            starts,
            behind: None,
            ahead: None,
        }
    }

    /// By how much our clock was ahead of the battery's, where that was set over the network; once for each message.
    pub(crate) fn take_ahead(&mut self) -> Option<Millis> {
        self.ahead.take()
    }

    fn compare(&mut self, stamp: Stamp, received: Millis) {
        let set = stamp.time.filter(|_| stamp.quality >= SET);
        self.ahead = set.map(|time| received - time);
    }

    /// A hello shows its uptime as it is now. The first answer stays unless it is clearly wrong,
    /// so that a repeat lands on the same time.
    pub(crate) fn hello(&mut self, stamp: Stamp, received: Millis) -> Millis {
        self.compare(stamp, received);
        self.behind = stamp.time.map(|time| received - time);
        let seen = received - stamp.uptime;
        let start = self.start(stamp.boot, seen);
        if (*start - seen).abs() > STEADY {
            *start = seen;
        }
        *start
    }

    /// A sample that is sent as it is measured. One that comes late is older by its uptime.
    pub(crate) fn live(&mut self, stamp: Stamp, received: Millis) -> Millis {
        self.compare(stamp, received);
        let seen = received - stamp.uptime;
        let start = self.start(stamp.boot, seen);
        // It cannot be measured after it came: the start was taken from a message that travelled longer.
        if *start - seen > STEADY {
            *start = seen;
        }
        let expected = (*start + stamp.uptime).min(received);
        let close = |time: &Millis| near(*time, received) || near(*time, expected);
        let own = stamp
            .time
            .filter(|time| stamp.quality >= SET && close(time));
        if expected == received {
            self.behind = stamp.time.map(|time| received - time);
        }
        own.unwrap_or(expected)
    }

    /// A sample that was kept, perhaps over several starts. `None` cannot be placed.
    pub(crate) fn kept(&self, stamp: Stamp, received: Millis) -> Option<Millis> {
        let own = stamp.time.filter(|_| stamp.quality >= SET);
        let placed = match (self.started(stamp.boot), own) {
            (Some(start), Some(own)) if near(own, start + stamp.uptime) => own,
            (Some(start), _) => start + stamp.uptime,
            (None, own) => own?,
        };
        believable(placed, received)
    }

    /// An event that shows the battery's clock only: wrong by as much as the battery's last live message was.
    pub(crate) fn by_clock(&self, time: Millis, received: Millis) -> Option<Millis> {
        let behind = self.behind.unwrap_or(0);
        let placed = if behind.abs() <= SKEW {
            time
        } else {
            time + behind
        };
        believable(placed, received)
    }

    fn start(&mut self, boot: u32, seen: Millis) -> &mut Millis {
        let place = self.starts.iter().position(|(known, _)| *known == boot);
        let place = place.unwrap_or_else(|| {
            self.starts.push((boot, seen));
            self.starts.len() - 1
        });
        &mut self.starts[place].1
    }

    fn started(&self, boot: u32) -> Option<Millis> {
        let found = self.starts.iter().find(|(known, _)| *known == boot);
        found.map(|(_, start)| *start)
    }
}

fn near(a: Millis, b: Millis) -> bool {
    (a - b).abs() <= SKEW
}

fn believable(placed: Millis, received: Millis) -> Option<Millis> {
    let past = received - OLDEST..=received + SKEW;
    past.contains(&placed).then_some(placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::clock::HOUR;

    const NOW: Millis = 1_794_740_400_000;
    const NOON_THERE: Millis = NOW - HOUR;

    fn stamp(time: Millis, uptime: Millis, quality: u8) -> Stamp {
        Stamp {
            boot: 1,
            time: Some(time),
            uptime,
            quality,
        }
    }

    #[test]
    fn a_clock_that_agrees_counts() {
        let mut places = Places::default();
        assert_eq!(places.live(stamp(NOW - 900, 5_000, 2), NOW), NOW - 900);
        assert_eq!(
            places.kept(stamp(NOW - 3_000, 2_000, 2), NOW),
            Some(NOW - 3_000)
        );
    }

    #[test]
    fn a_clock_that_is_an_hour_off_does_not_count() {
        for off in [HOUR, -HOUR] {
            let mut places = Places::default();
            places.hello(stamp(NOW + off, 100_000, 2), NOW);
            let later = NOW + 30_000;
            assert_eq!(
                places.live(stamp(later + off, 130_000, 2), later),
                later,
                "{off}"
            );
            assert_eq!(
                places.kept(stamp(NOW + off - 60_000, 40_000, 2), later),
                Some(NOW - 60_000)
            );
            assert_eq!(places.by_clock(NOW + off, later), Some(NOW));
        }
    }

    #[test]
    fn only_a_clock_that_was_set_over_the_network_says_something_about_ours() {
        let mut places = Places::default();
        places.hello(stamp(NOON_THERE, 100_000, 2), NOW);
        assert_eq!(places.take_ahead(), Some(HOUR));
        assert_eq!(places.take_ahead(), None, "once for each message");
        places.live(stamp(NOON_THERE + 30_000, 130_000, 2), NOW + 30_000);
        assert_eq!(places.take_ahead(), Some(HOUR));
        places.live(stamp(NOON_THERE, 160_000, 1), NOW + 60_000);
        assert_eq!(places.take_ahead(), None);
    }

    #[test]
    fn a_clock_that_was_never_set_does_not_count() {
        let mut places = Places::default();
        assert_eq!(places.live(stamp(0, 50_000, 0), NOW), NOW);
        assert_eq!(places.kept(stamp(0, 20_000, 1), NOW), Some(NOW - 30_000));
    }

    #[test]
    fn a_repeat_lands_on_the_same_time() {
        let mut places = Places::default();
        let first = places.live(stamp(0, 50_000, 0), NOW);
        assert_eq!(places.live(stamp(0, 50_000, 0), NOW + 20_000), first);
        // Also when the battery comes back after minutes and says hello again.
        places.hello(stamp(0, 650_000, 0), NOW + 600_700);
        assert_eq!(places.live(stamp(0, 50_000, 0), NOW + 601_000), first);
    }

    #[test]
    fn a_start_taken_from_a_message_that_came_late_is_corrected() {
        let mut places = Places::default();
        places.live(stamp(0, 50_000, 0), NOW);
        let sooner = NOW - 200_000;
        assert_eq!(places.live(stamp(0, 51_000, 0), sooner), sooner);
        // An uptime that drifted over months is taken from the next hello.
        places.hello(stamp(0, 60_000, 0), NOW + 300_000);
        assert_eq!(
            places.kept(stamp(0, 60_000, 0), NOW + 300_000),
            Some(NOW + 300_000)
        );
    }

    #[test]
    fn another_start_of_the_device_is_placed_only_by_a_clock_that_was_set() {
        let places = Places::new(vec![(2, NOW - 10_000)]);
        assert_eq!(places.kept(stamp(NOW - HOUR, 5_000, 1), NOW), None);
        assert_eq!(
            places.kept(stamp(NOW - HOUR, 5_000, 2), NOW),
            Some(NOW - HOUR)
        );
        assert_eq!(places.kept(stamp(NOW + HOUR, 5_000, 2), NOW), None);
        assert_eq!(places.kept(stamp(1_000, 5_000, 2), NOW), None);
    }
}
