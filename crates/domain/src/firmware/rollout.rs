//! Which batteries a release is offered to: a growing share of the fleet, wave by wave, as long as updates succeed.
use crate::Serial;
use crate::clock::Millis;
use ring::digest::{SHA256, digest};

/// The share of the fleet that a release is offered to, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wave(usize);

const WAVE_PERCENTS: [u64; 4] = [1, 10, 50, 100];
/// The next wave needs this share of successes among the batteries whose update ended, in percent.
const MIN_SUCCESS_PERCENT: u64 = 95;
/// It also needs this many successes, or one in [`MIN_DONE_ONE_IN`] of the batteries that can take it, whichever is more.
const MIN_DONE: u64 = 5;
const MIN_DONE_ONE_IN: u64 = 100;
/// But it never needs more than one in this many: some owners do not start the update.
const MAX_NEEDED_ONE_IN: u64 = 2;
/// The rollout stops if the update failed in at least this many households …
const STOP_FAILED_HOUSEHOLDS: u64 = 3;
/// … and on at least this share of the batteries whose update ended, in percent. Otherwise the operator is only alerted, because
/// in a fleet of thousands some updates fail.
const STOP_FAILED_PERCENT: u64 = 2;

impl Wave {
    pub const FIRST: Self = Self(0);
    /// The whole fleet.
    pub const LAST: Self = Self(WAVE_PERCENTS.len() - 1);

    pub fn of(number: i64) -> Option<Self> {
        let number = usize::try_from(number).ok()?;
        (number < WAVE_PERCENTS.len()).then_some(Self(number))
    }

    pub fn number(self) -> i64 {
        self.0 as i64
    }

    pub fn percent(self) -> u64 {
        WAVE_PERCENTS[self.0]
    }

    pub fn next(self) -> Option<Self> {
        (self.0 + 1 < WAVE_PERCENTS.len()).then_some(Self(self.0 + 1))
    }

    /// Whether the battery is in this wave or an earlier one. Every release shuffles the fleet differently, so the same
    /// households are not always first.
    pub fn includes(self, sn: &Serial, release: i64) -> bool {
        let digest = digest(&SHA256, format!("{release} {sn}").as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_ref()[..8]);
        u64::from_be_bytes(first) % 100 < self.percent()
    }
}

/// The results of a release in its present wave. Each battery counts once, with its last result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaveTally {
    /// Batteries that have the release now.
    pub done: u64,
    /// Batteries on which it failed.
    pub failed: u64,
    /// Households in which it failed: three batteries of one owner count as one.
    pub failed_households: u64,
    /// Batteries that are offered the release and can take it: they have an owner and were online recently.
    pub open: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveDecision {
    Wait,
    /// Offer it to the next wave.
    Next,
    /// Offer it to no more batteries.
    Stop,
}

impl WaveTally {
    /// Whether the failures are blamed on the release. One household alone never stops it for all.
    pub fn is_bad(self) -> bool {
        let ended = self.done + self.failed;
        self.failed_households >= STOP_FAILED_HOUSEHOLDS
            && 100 * self.failed >= STOP_FAILED_PERCENT * ended
    }

    /// How many batteries must have it before the next wave.
    pub fn needed(self) -> u64 {
        let all = self.done + self.failed + self.open;
        MIN_DONE
            .max(all / MIN_DONE_ONE_IN)
            .min(all / MAX_NEEDED_ONE_IN)
    }

    /// `since` is when the present wave began; a wave lasts at least `soak`.
    pub fn decide(self, since: Millis, soak: Millis, now: Millis) -> WaveDecision {
        if self.is_bad() {
            return WaveDecision::Stop;
        }
        // A wave in which no battery can take it shows nothing, so there is no wait.
        if self == Self::default() {
            return WaveDecision::Next;
        }
        if self.is_good() && self.done >= self.needed() && now >= since + soak {
            WaveDecision::Next
        } else {
            WaveDecision::Wait
        }
    }

    /// A single failing household does not hold up the others once enough of them have it.
    fn is_good(self) -> bool {
        let ended = self.done + self.failed;
        100 * self.done >= MIN_SUCCESS_PERCENT * ended
            || self.failed_households == 1 && self.done >= MIN_DONE
    }

    /// How many open batteries have to be counted to decide: with more of them the decision is the same. A fleet has too many to
    /// count them every few seconds.
    pub fn open_to_count(self, since: Millis, soak: Millis, now: Millis) -> u64 {
        let ended = self.done + self.failed;
        if self.is_bad() || ended > 0 && (now < since + soak || !self.is_good()) {
            return 0;
        }
        // With these, it needs more than it has: see `needed`.
        let share = if self.done < MIN_DONE {
            MAX_NEEDED_ONE_IN
        } else {
            MIN_DONE_ONE_IN
        };
        (share * (self.done + 1)).saturating_sub(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each failure is in a different household.
    fn tally(done: u64, failed: u64, open: u64) -> WaveTally {
        WaveTally {
            done,
            failed,
            failed_households: failed,
            open,
        }
    }

    fn decide(done: u64, failed: u64, open: u64, now: Millis) -> WaveDecision {
        tally(done, failed, open).decide(0, 1_000, now)
    }

    #[test]
    fn the_decision_needs_no_more_open_batteries_than_are_counted() {
        for (done, failed) in (0..30).flat_map(|done| (0..6).map(move |failed| (done, failed))) {
            for now in [0, 1_000] {
                let ended = tally(done, failed, 0);
                let counted = ended.open_to_count(0, 1_000, now);
                for open in (0..20).chain([counted, 99, 100, 600, 2_900, 10_000]) {
                    let all = decide(done, failed, open, now);
                    assert_eq!(
                        decide(done, failed, open.min(counted), now),
                        all,
                        "{done} {failed} {open}"
                    );
                }
            }
        }
        assert!(tally(4, 0, 0).open_to_count(0, 1_000, 1_000) < 10);
    }

    #[test]
    fn three_households_stop_it_unless_they_are_few_of_many() {
        assert_eq!(decide(0, 2, 9, 9_999), WaveDecision::Wait);
        assert_eq!(decide(0, 3, 9, 0), WaveDecision::Stop);
        assert_eq!(decide(147, 3, 0, 0), WaveDecision::Stop);
        assert_eq!(decide(148, 3, 0, 9_999), WaveDecision::Next);
        assert_eq!(decide(9_000, 180, 0, 0), WaveDecision::Wait);
        assert_eq!(decide(9_000, 184, 0, 0), WaveDecision::Stop);
    }

    #[test]
    fn one_household_alone_neither_stops_it_nor_holds_it_up() {
        let one = |done, failed| WaveTally {
            failed_households: 1,
            ..tally(done, failed, 0)
        };
        assert_eq!(one(0, 7).decide(0, 1_000, 9_999), WaveDecision::Wait);
        assert_eq!(one(4, 1).decide(0, 1_000, 9_999), WaveDecision::Wait);
        assert_eq!(one(5, 1).decide(0, 1_000, 9_999), WaveDecision::Next);
        assert_eq!(one(5, 3).decide(0, 1_000, 9_999), WaveDecision::Next);
        assert_eq!(decide(5, 2, 0, 9_999), WaveDecision::Wait);
    }

    #[test]
    fn the_next_wave_comes_after_its_time_when_enough_have_it() {
        assert_eq!(decide(10, 0, 5, 999), WaveDecision::Wait);
        assert_eq!(decide(10, 0, 5, 1_000), WaveDecision::Next);
        assert_eq!(decide(0, 0, 5, 1_000), WaveDecision::Wait);
        // Five, or one in a hundred, and at most every second one.
        assert_eq!(decide(1, 0, 99, 1_000), WaveDecision::Wait);
        assert_eq!(decide(4, 0, 96, 1_000), WaveDecision::Wait);
        assert_eq!(decide(5, 0, 95, 1_000), WaveDecision::Next);
        assert_eq!(decide(9, 0, 991, 1_000), WaveDecision::Wait);
        assert_eq!(decide(10, 0, 990, 1_000), WaveDecision::Next);
        assert_eq!(decide(1, 0, 2, 1_000), WaveDecision::Next);
    }

    #[test]
    fn a_wave_in_which_nobody_can_take_it_is_not_waited_for() {
        assert_eq!(decide(0, 0, 0, 0), WaveDecision::Next);
        // A single battery gets the soak time and no more. But if it failed there, a person decides.
        assert_eq!(decide(0, 0, 1, 999), WaveDecision::Wait);
        assert_eq!(decide(0, 0, 1, 1_000), WaveDecision::Next);
        assert_eq!(decide(0, 1, 0, 1_000), WaveDecision::Wait);
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
