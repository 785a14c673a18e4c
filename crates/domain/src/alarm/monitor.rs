//! Follows one system over time and decides when each of its alarms opens and closes.
use super::counter_monitor::{COUNTER_STOPPED_AFTER, CounterMonitor};
use super::evidence::{Diagnosis, Evidence};
use super::{AlarmKind, BatteryPresence};
use crate::clock::{MINUTE, Millis};
use crate::sample::Counter;

/// If opening an alarm was requested and it is still not open after this time, opening is requested again: the system may have
/// had no owner or electrician the first time.
const REOPEN_AFTER: Millis = 15 * MINUTE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveAlarm {
    pub kind: AlarmKind,
    /// The counter that has stopped, for [`AlarmKind::CounterStopped`].
    pub counter: Option<Counter>,
}

/// A change to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmChange {
    Open {
        kind: AlarmKind,
        /// When the fault began.
        since: Millis,
        counter: Option<Counter>,
    },
    Close(AlarmKind),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KindState {
    faulty_since: Option<Millis>,
    healthy_since: Option<Millis>,
    /// When opening the alarm was last requested.
    open_requested_at: Option<Millis>,
}

/// The state of one system, in memory only. It may be lost at any time: open alarms are in the database. Faults that have not
/// become an alarm yet start over, except [low charge](AlarmMonitor::low_charge_since).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlarmMonitor {
    states: [KindState; 7],
    counters: CounterMonitor,
}

impl AlarmMonitor {
    /// Checks the system once. `open` are its open alarms.
    pub fn check(&mut self, evidence: &Evidence<'_>, open: &[ActiveAlarm]) -> Vec<AlarmChange> {
        let mut changes = Vec::new();
        if evidence.presence != BatteryPresence::Online {
            // Counter readings from before an absence say nothing about the time after it.
            self.counters = CounterMonitor::default();
        }
        if let Some(sample) = evidence.fresh_sample() {
            self.counters.add(sample);
        }
        for kind in AlarmKind::ALL {
            let active = open.iter().find(|open| open.kind == kind);
            let (diagnosis, counter) = match kind {
                AlarmKind::CounterStopped => self.diagnose_counters(evidence, active),
                kind => (evidence.diagnosis(kind), None),
            };
            let state = &mut self.states[kind as usize];
            if kind == AlarmKind::Offline {
                state.begin_not_before(evidence.reachable_since);
            }
            let change = state.update(kind, diagnosis, active.is_some(), counter, evidence.now);
            changes.extend(change.map(|change| since_last_contact(change, evidence.presence)));
        }
        changes
    }

    /// Continues the state of an earlier process: the battery has been at its SoC floor since then.
    pub fn with_low_charge_since(since: Millis) -> Self {
        let mut monitor = Self::default();
        monitor.states[AlarmKind::SocFloor as usize].faulty_since = Some(since);
        monitor
    }

    /// Since when the battery has been at its SoC floor. This fault takes a day to become an alarm, so it must survive a restart.
    pub fn low_charge_since(&self) -> Option<Millis> {
        self.states[AlarmKind::SocFloor as usize].faulty_since
    }

    /// The requested alarms could not be stored: they are requested again at the next check.
    pub fn retry_opening(&mut self) {
        for state in &mut self.states {
            state.open_requested_at = None;
        }
    }

    fn diagnose_counters(
        &self,
        evidence: &Evidence<'_>,
        open: Option<&ActiveAlarm>,
    ) -> (Diagnosis, Option<Counter>) {
        if evidence.fresh_sample().is_none() {
            return (Diagnosis::Unknown, None);
        }
        if let Some(stopped) = self.counters.stopped() {
            return (
                Diagnosis::Faulty(evidence.now - COUNTER_STOPPED_AFTER),
                Some(stopped),
            );
        }
        match open.map(|open| open.counter) {
            // The alarm stays open until the counter that stopped moves again; other counters do not matter.
            Some(Some(counter)) if !self.counters.counts(counter) => (Diagnosis::Unknown, None),
            _ => (Diagnosis::Healthy, None),
        }
    }
}

/// An offline alarm shows the time of the last contact, like every other view, even if its duration was counted from a later
/// moment.
fn since_last_contact(change: AlarmChange, presence: BatteryPresence) -> AlarmChange {
    match (change, presence) {
        (
            AlarmChange::Open {
                kind: kind @ AlarmKind::Offline,
                counter,
                ..
            },
            BatteryPresence::OfflineSince(since),
        ) => AlarmChange::Open {
            kind,
            since,
            counter,
        },
        (other, _) => other,
    }
}

impl KindState {
    /// Ignores the time before `at`, when the server could not be reached.
    fn begin_not_before(&mut self, at: Option<Millis>) {
        self.faulty_since = self.faulty_since.max(self.faulty_since.and(at));
    }

    fn update(
        &mut self,
        kind: AlarmKind,
        diagnosis: Diagnosis,
        open: bool,
        counter: Option<Counter>,
        now: Millis,
    ) -> Option<AlarmChange> {
        if open {
            self.open_requested_at = None;
        }
        match diagnosis {
            Diagnosis::Unknown => {
                self.healthy_since = None;
                // The server could not be reached: an absence starts over. Any other fault continues if it is still there later.
                if kind == AlarmKind::Offline {
                    self.faulty_since = None;
                }
                None
            }
            Diagnosis::Faulty(since) => {
                self.healthy_since = None;
                let since = *self.faulty_since.get_or_insert(since);
                let open_requested = self
                    .open_requested_at
                    .is_some_and(|at| now - at < REOPEN_AFTER);
                if open || open_requested || now - since < kind.opens_after() {
                    return None;
                }
                self.open_requested_at = Some(now);
                Some(AlarmChange::Open {
                    kind,
                    since,
                    counter,
                })
            }
            Diagnosis::Healthy => {
                let since = *self.healthy_since.get_or_insert(now);
                if now - since < kind.closes_after() {
                    return None;
                }
                self.faulty_since = None;
                self.open_requested_at = None;
                open.then_some(AlarmChange::Close(kind))
            }
        }
    }
}

#[cfg(test)]
mod tests;
