//! Who is offered a release, and when more are: a share of all batteries, wave by wave, as long as it goes well.
use crate::Serial;
use crate::clock::Millis;
use ring::digest::{SHA256, digest};

/// The share of the fleet that a release is offered to, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wave(usize);

const SHARES: [u64; 4] = [1, 10, 50, 100];
/// The next wave begins only when at least so many percent of the batteries ended well, …
const GOOD: u64 = 95;
/// … and at least so many of them, or one in a hundred of those that can take it, whichever is more; …
const MIN_DONE: u64 = 5;
const DONE_OF: u64 = 100;
/// … but never more than every other one: some owners do not start it.
const DONE_AT_MOST_OF: u64 = 2;
/// It stops when it failed in so many households, and these are this share of the batteries that ended, in percent. Below
/// that share the operator is alerted: among thousands some fail.
const STOP_HOUSEHOLDS: u64 = 3;
const STOP_SHARE: u64 = 2;

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

/// How a release fares in its present wave. Batteries count once, however often they try; the last end counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Batteries that have it now.
    pub done: u64,
    /// Batteries on which it failed.
    pub failed: u64,
    /// Households on which it failed: three batteries of one owner are one.
    pub failed_households: u64,
    /// Batteries that it is offered to and that can take it: they have an owner and were online lately.
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
    /// Whether so many failures are the release's fault. One household alone never stops it for all.
    pub fn is_bad(self) -> bool {
        let ended = self.done + self.failed;
        self.failed_households >= STOP_HOUSEHOLDS && 100 * self.failed >= STOP_SHARE * ended
    }

    /// How many batteries have to have it before more are offered it.
    pub fn needed(self) -> u64 {
        let all = self.done + self.failed + self.open;
        MIN_DONE.max(all / DONE_OF).min(all / DONE_AT_MOST_OF)
    }

    /// `since` is when the present wave began; it has to last for `soak`.
    pub fn judge(self, since: Millis, soak: Millis, now: Millis) -> Verdict {
        if self.is_bad() {
            return Verdict::Stop;
        }
        // A wave in which nobody can take it teaches nothing, and is not waited for.
        if self == Self::default() {
            return Verdict::Next;
        }
        let ended = self.done + self.failed;
        // One household that fails does not hold up the others, once enough of them have it.
        let good =
            100 * self.done >= GOOD * ended || self.failed_households == 1 && self.done >= MIN_DONE;
        if good && self.done >= self.needed() && now >= since + soak {
            Verdict::Next
        } else {
            Verdict::Wait
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each failure in a household of its own.
    fn tally(done: u64, failed: u64, open: u64) -> Tally {
        Tally {
            done,
            failed,
            failed_households: failed,
            open,
        }
    }

    fn judge(done: u64, failed: u64, open: u64, now: Millis) -> Verdict {
        tally(done, failed, open).judge(0, 1_000, now)
    }

    #[test]
    fn three_households_stop_it_unless_they_are_few_of_many() {
        assert_eq!(judge(0, 2, 9, 9_999), Verdict::Wait);
        assert_eq!(judge(0, 3, 9, 0), Verdict::Stop);
        assert_eq!(judge(147, 3, 0, 0), Verdict::Stop);
        assert_eq!(judge(148, 3, 0, 9_999), Verdict::Next);
        assert_eq!(judge(9_000, 180, 0, 0), Verdict::Wait);
        assert_eq!(judge(9_000, 184, 0, 0), Verdict::Stop);
    }

    #[test]
    fn one_household_alone_neither_stops_it_nor_holds_it_up() {
        let one = |done, failed| Tally {
            failed_households: 1,
            ..tally(done, failed, 0)
        };
        assert_eq!(one(0, 7).judge(0, 1_000, 9_999), Verdict::Wait);
        assert_eq!(one(4, 1).judge(0, 1_000, 9_999), Verdict::Wait);
        assert_eq!(one(5, 1).judge(0, 1_000, 9_999), Verdict::Next);
        assert_eq!(one(5, 3).judge(0, 1_000, 9_999), Verdict::Next);
        assert_eq!(judge(5, 2, 0, 9_999), Verdict::Wait);
    }

    #[test]
    fn the_next_wave_comes_after_its_time_when_enough_have_it() {
        assert_eq!(judge(10, 0, 5, 999), Verdict::Wait);
        assert_eq!(judge(10, 0, 5, 1_000), Verdict::Next);
        assert_eq!(judge(0, 0, 5, 1_000), Verdict::Wait);
        // Five, or one in a hundred, and at most every other one.
        assert_eq!(judge(1, 0, 99, 1_000), Verdict::Wait);
        assert_eq!(judge(4, 0, 96, 1_000), Verdict::Wait);
        assert_eq!(judge(5, 0, 95, 1_000), Verdict::Next);
        assert_eq!(judge(9, 0, 991, 1_000), Verdict::Wait);
        assert_eq!(judge(10, 0, 990, 1_000), Verdict::Next);
        assert_eq!(judge(1, 0, 2, 1_000), Verdict::Next);
    }

    #[test]
    fn a_wave_in_which_nobody_can_take_it_is_not_waited_for() {
        assert_eq!(judge(0, 0, 0, 0), Verdict::Next);
        // A single battery has its time, and is not waited for longer; but if it failed there, a person decides.
        assert_eq!(judge(0, 0, 1, 999), Verdict::Wait);
        assert_eq!(judge(0, 0, 1, 1_000), Verdict::Next);
        assert_eq!(judge(0, 1, 0, 1_000), Verdict::Wait);
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
