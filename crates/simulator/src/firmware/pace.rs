//! How long the steps of an update take. A battery that samples faster than real ones do everything faster, so that a test
//! sees in half a second what takes half a minute in a demo.
use std::time::Duration;

/// No battery is slower than one with this interval.
const USUAL: Duration = Duration::from_secs(2);

/// Of a part from the first byte to the first word of the new version, in seconds of a real battery.
const PART: u32 = 31;

#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// A second of a real battery.
    second: Duration,
}

impl Pace {
    pub(crate) fn of(interval: Duration) -> Self {
        let second = interval.min(USUAL) / 2;
        Self {
            second: second.max(Duration::from_millis(1)),
        }
    }

    /// At which one part takes so long.
    pub fn part_in(time: Duration) -> Self {
        Self {
            second: (time / PART).max(Duration::from_millis(1)),
        }
    }

    /// For a whole image, however large it is.
    pub(crate) fn download(self) -> Duration {
        self.second * 15
    }

    pub(crate) fn verify(self) -> Duration {
        self.second
    }

    pub(crate) fn install(self) -> Duration {
        self.second * 10
    }

    /// Before it begins and before it restarts, so that what it says about it gets through.
    pub(crate) fn settle(self) -> Duration {
        self.second
    }

    /// From the old version's last word to the new one's first.
    pub(crate) fn restart(self) -> Duration {
        self.second * 3
    }

    /// The main switch has to have been on for so long between two parts.
    pub(crate) fn switched_on(self) -> Duration {
        self.second * 5
    }

    /// Between two looks at a step that takes its time.
    pub(crate) fn look(self) -> Duration {
        self.second / 4
    }

    /// Progress within a stage is told no more often than this: nobody asks for it more often …
    pub(crate) fn report(self) -> Duration {
        self.second * 3
    }

    /// … and something no less often than this while an update is open.
    pub(crate) fn heartbeat(self) -> Duration {
        self.second * 20
    }

    /// Before the next try after so many that failed.
    pub(crate) fn retry(self, failed: u32) -> Duration {
        self.second * 2_u32.pow(failed.clamp(1, 6) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(pace: Pace) -> Duration {
        pace.download() + pace.verify() + pace.install() + pace.restart() + 2 * pace.settle()
    }

    #[test]
    fn a_part_takes_half_a_minute_in_a_demo_and_half_a_second_in_a_test() {
        for seconds in [2, 30] {
            let whole = whole(Pace::of(Duration::from_secs(seconds))).as_secs();
            assert!((20..=40).contains(&whole), "{whole} s");
        }
        assert!(whole(Pace::of(Duration::from_millis(25))) < Duration::from_millis(500));
        assert!(Pace::of(Duration::from_secs(30)).heartbeat() <= Duration::from_secs(30));
        assert!(whole(Pace::of(Duration::ZERO)) > Duration::ZERO);
    }

    #[test]
    fn a_part_takes_as_long_as_is_said() {
        for seconds in [31, 62] {
            let time = Duration::from_secs(seconds);
            assert_eq!(whole(Pace::part_in(time)), time);
        }
    }
}
