//! One system over time: when each of its alarms opens and closes.
use super::evidence::{Evidence, Verdict};
use super::flow::{Flow, STANDS_FOR};
use super::{Kind, Presence};
use crate::clock::{MINUTE, Millis};
use crate::sample::Counter;

/// An alarm that was wanted and is not there is wanted again after so long: nobody may have looked after the system then.
const AGAIN: Millis = 15 * MINUTE;

/// An alarm that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    pub kind: Kind,
    /// Which counter stands still.
    pub counter: Option<Counter>,
}

/// What has to be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Open {
        kind: Kind,
        /// When it began to be wrong.
        since: Millis,
        counter: Option<Counter>,
    },
    Close(Kind),
}

/// What was seen of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    wrong_since: Option<Millis>,
    right_since: Option<Millis>,
    /// When it was last said that this has to be opened.
    asked_at: Option<Millis>,
}

/// The memory of one system. It may be lost at any time: what is open is in the database, and what is not yet begins anew
/// but for its [sign](Watch::sign).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    seen: [Seen; 7],
    flow: Flow,
}

impl Watch {
    /// Looks at the system once. `open` are the alarms that it has.
    pub fn look(&mut self, evidence: &Evidence<'_>, open: &[Open]) -> Vec<Change> {
        let mut changes = Vec::new();
        if evidence.presence != Presence::Here {
            // What was counted before is another story when it comes back.
            self.flow = Flow::default();
        }
        if let Some(sample) = evidence.fresh_sample() {
            self.flow.take(sample);
        }
        for kind in Kind::ALL {
            let found = open.iter().find(|open| open.kind == kind);
            let (verdict, counter) = match kind {
                Kind::CounterStopped => self.counters(evidence, found),
                kind => (evidence.verdict(kind), None),
            };
            let seen = &mut self.seen[kind as usize];
            if kind == Kind::Offline {
                seen.begin_not_before(evidence.reachable_since);
            }
            let change = seen.take(kind, verdict, found.is_some(), counter, evidence.now);
            changes.extend(change.map(|change| since_last_contact(change, evidence.presence)));
        }
        changes
    }

    /// Goes on where an earlier process was: the battery has been at its floor since then.
    pub fn with_sign(since: Millis) -> Self {
        let mut watch = Self::default();
        watch.seen[Kind::SocFloor as usize].wrong_since = Some(since);
        watch
    }

    /// Since when something is wrong that takes so long to become an alarm that a restart must not begin anew.
    pub fn sign(&self) -> Option<Millis> {
        self.seen[Kind::SocFloor as usize].wrong_since
    }

    /// What was to be opened could not be written: it is said again at the next look.
    pub fn ask_again(&mut self) {
        for seen in &mut self.seen {
            seen.asked_at = None;
        }
    }

    fn counters(&self, evidence: &Evidence<'_>, open: Option<&Open>) -> (Verdict, Option<Counter>) {
        if evidence.fresh_sample().is_none() {
            return (Verdict::Unknown, None);
        }
        if let Some(stopped) = self.flow.stopped() {
            return (Verdict::Wrong(evidence.now - STANDS_FOR), Some(stopped));
        }
        match open.map(|open| open.counter) {
            // That another one counts says nothing about the one that stood.
            Some(Some(counter)) if !self.flow.counts(counter) => (Verdict::Unknown, None),
            _ => (Verdict::Right, None),
        }
    }
}

/// Everybody is told the same moment of a battery that is gone, however long it took until somebody could miss it.
fn since_last_contact(change: Change, presence: Presence) -> Change {
    match (change, presence) {
        (
            Change::Open {
                kind: kind @ Kind::Offline,
                counter,
                ..
            },
            Presence::GoneSince(since),
        ) => Change::Open {
            kind,
            since,
            counter,
        },
        (other, _) => other,
    }
}

impl Seen {
    /// What was before does not count: nobody could have known better.
    fn begin_not_before(&mut self, at: Option<Millis>) {
        self.wrong_since = self.wrong_since.max(self.wrong_since.and(at));
    }

    fn take(
        &mut self,
        kind: Kind,
        verdict: Verdict,
        open: bool,
        counter: Option<Counter>,
        now: Millis,
    ) -> Option<Change> {
        if open {
            self.asked_at = None;
        }
        match verdict {
            Verdict::Unknown => {
                self.right_since = None;
                // Whoever could not reach us begins anew; any other fault goes on if it is still there afterwards.
                if kind == Kind::Offline {
                    self.wrong_since = None;
                }
                None
            }
            Verdict::Wrong(since) => {
                self.right_since = None;
                let since = *self.wrong_since.get_or_insert(since);
                let asked = self.asked_at.is_some_and(|at| now - at < AGAIN);
                if open || asked || now - since < kind.opens_after() {
                    return None;
                }
                self.asked_at = Some(now);
                Some(Change::Open {
                    kind,
                    since,
                    counter,
                })
            }
            Verdict::Right => {
                let since = *self.right_since.get_or_insert(now);
                if now - since < kind.closes_after() {
                    return None;
                }
                self.wrong_since = None;
                self.asked_at = None;
                open.then_some(Change::Close(kind))
            }
        }
    }
}

#[cfg(test)]
mod tests;
