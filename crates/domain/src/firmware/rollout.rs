//! Who is offered a release, and when more are: a share of all batteries, wave by wave, as long as it goes well.
use crate::Serial;
use crate::clock::Millis;
use ring::digest::{SHA256, digest};

/// The share of the fleet that a release is offered to, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wave(usize);

const SHARES: [u64; 4] = [1, 10, 50, 100];
/// The next wave begins only when at least so many percent of the updates ended well.
const GOOD: u64 = 95;
/// So many failed updates stop it, …
const MANY_FAILED: u64 = 3;
/// … or this share of those that ended, in percent, once so many have: one of five is not a share.
const SHARE_FAILED: u64 = 2;
const COUNTS_FROM: u64 = 50;

impl Wave {
    pub const FIRST: Self = Self(0);
    /// Everybody.
    pub const LAST: Self = Self(SHARES.len() - 1);

    pub fn of(number: i64) -> Option<Self> {
        let number = usize::try_from(number).ok()?;
        (number < SHARES.len()).then_some(Self(number))
    }

    pub fn number(self) -> i64 {
        self.0 as i64
    }

    pub fn percent(self) -> u64 {
        SHARES[self.0]
    }

    pub fn next(self) -> Option<Self> {
        (self.0 + 1 < SHARES.len()).then_some(Self(self.0 + 1))
    }

    /// Whether the battery is in this wave or one before. Every release shuffles the fleet anew, so that not always the
    /// same households come first.
    pub fn includes(self, sn: &Serial, release: i64) -> bool {
        let digest = digest(&SHA256, format!("{release} {sn}").as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_ref()[..8]);
        u64::from_be_bytes(first) % 100 < self.percent()
    }
}

/// How the updates to a release have ended so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub done: u64,
    pub failed: u64,
    /// Batteries that it is offered to now and that have not ended it.
    pub open: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Wait,
    /// More may be offered it.
    Next,
    /// Nobody else may.
    Stop,
}

impl Tally {
    /// `since` is when the present wave began; it has to last for `soak`.
    pub fn judge(self, since: Millis, soak: Millis, now: Millis) -> Verdict {
        let ended = self.done + self.failed;
        let many = self.failed >= MANY_FAILED;
        let share = ended >= COUNTS_FROM && 100 * self.failed >= SHARE_FAILED * ended;
        if many || share {
            return Verdict::Stop;
        }
        // A wave without a battery in it teaches nothing, and is not waited for.
        let empty = ended == 0 && self.open == 0;
        let good = ended > 0 && 100 * self.done >= GOOD * ended;
        if empty || good && now >= since + soak {
            Verdict::Next
        } else {
            Verdict::Wait
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(done: u64, failed: u64, open: u64, now: Millis) -> Verdict {
        Tally { done, failed, open }.judge(0, 1_000, now)
    }

    #[test]
    fn three_failures_stop_it_and_so_does_a_share_of_many() {
        assert_eq!(judge(100_000, 3, 0, 0), Verdict::Stop);
        assert_eq!(judge(0, 3, 9, 0), Verdict::Stop);
        assert_eq!(judge(49, 1, 0, 9_999), Verdict::Stop);
        assert_eq!(judge(48, 1, 0, 9_999), Verdict::Next);
        assert_eq!(judge(98, 1, 0, 9_999), Verdict::Next);
        assert_eq!(judge(4, 2, 0, 9_999), Verdict::Wait);
    }

    #[test]
    fn the_next_wave_comes_after_its_time_when_it_went_well() {
        assert_eq!(judge(10, 0, 5, 999), Verdict::Wait);
        assert_eq!(judge(10, 0, 5, 1_000), Verdict::Next);
        assert_eq!(judge(0, 0, 5, 1_000), Verdict::Wait);
    }

    #[test]
    fn a_wave_without_a_battery_is_not_waited_for() {
        assert_eq!(judge(0, 0, 0, 0), Verdict::Next);
        assert_eq!(judge(0, 0, 1, 1_000), Verdict::Wait);
    }

    #[test]
    fn a_wave_holds_its_share_and_those_before() {
        let serials: Vec<Serial> = (0..5_000)
            .map(|n| format!("SC{n:06}").parse().unwrap())
            .collect();
        let mut wave = Wave::FIRST;
        loop {
            let inside = serials.iter().filter(|sn| wave.includes(sn, 7)).count() as u64;
            let want = wave.percent() * 50;
            assert!(inside.abs_diff(want) <= 15 + want / 10, "{wave:?} {inside}");
            let Some(next) = wave.next() else { break };
            assert!(
                serials
                    .iter()
                    .all(|sn| !wave.includes(sn, 7) || next.includes(sn, 7))
            );
            wave = next;
        }
        assert_eq!(wave.percent(), 100);
        let other = serials.iter().filter(|sn| Wave::FIRST.includes(sn, 8));
        assert!(other.clone().any(|sn| !Wave::FIRST.includes(sn, 7)));
    }
}
