//! What is known of a system at one moment, and which faults it shows.
use super::AlarmKind;
use crate::Sample;
use crate::clock::{MINUTE, Millis, SECOND};
use crate::flags::{MESSAGE1, MESSAGE2, is_set};
use crate::sample::BatteryStatus;

/// An older sample does not describe the present state.
const MAX_SAMPLE_AGE: Millis = 90 * SECOND;
/// A battery's clock may be a little ahead of ours.
const MAX_CLOCK_LEAD: Millis = MINUTE;

/// Whether the fault of one alarm kind is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// The fault is present, since this time.
    Faulty(Millis),
    Healthy,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatteryPresence {
    /// It has never connected, so its absence is no fault.
    NeverSeen,
    Online,
    OfflineSince(Millis),
}

/// How the newest firmware update ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// It has not ended, or there was none.
    Unknown,
    Failed,
    /// It was installed or withdrawn, or no update is offered any more.
    NoFailure,
}

/// A system as it is at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub now: Millis,
    pub presence: BatteryPresence,
    /// Since when batteries can reach the server without a break; `None` while they cannot.
    pub reachable_since: Option<Millis>,
    /// The newest sample.
    pub sample: Option<&'a Sample>,
    pub update: UpdateOutcome,
}

impl<'a> Evidence<'a> {
    /// The newest sample, if the battery is online and the sample is recent.
    pub(super) fn fresh_sample(&self) -> Option<&'a Sample> {
        let age = |sample: &&Sample| self.now - sample.at;
        let fresh = |sample: &&Sample| (-MAX_CLOCK_LEAD..=MAX_SAMPLE_AGE).contains(&age(sample));
        let sample = self.sample.filter(fresh);
        sample.filter(|_| self.presence == BatteryPresence::Online)
    }

    /// The diagnosis for every kind except `CounterStopped`, which needs more than one moment.
    pub(super) fn diagnosis(&self, kind: AlarmKind) -> Diagnosis {
        match kind {
            AlarmKind::Offline => self.offline(),
            AlarmKind::UpdateFailed => match (self.presence, self.update) {
                (BatteryPresence::Online, UpdateOutcome::Failed) => Diagnosis::Faulty(self.now),
                (BatteryPresence::Online, UpdateOutcome::NoFailure) => Diagnosis::Healthy,
                _ => Diagnosis::Unknown,
            },
            AlarmKind::CounterStopped => Diagnosis::Unknown,
            _ => {
                let faulty = self
                    .fresh_sample()
                    .and_then(|sample| shows_fault(kind, sample));
                match faulty {
                    Some(true) => Diagnosis::Faulty(self.now),
                    Some(false) => Diagnosis::Healthy,
                    None => Diagnosis::Unknown,
                }
            }
        }
    }

    /// A silent battery and a server that cannot be reached look the same. So an absence counts from when the server became
    /// reachable at the earliest, and is unknown while it is not.
    fn offline(&self) -> Diagnosis {
        match (self.presence, self.reachable_since) {
            (BatteryPresence::Online, _) => Diagnosis::Healthy,
            (BatteryPresence::OfflineSince(gone), Some(reachable)) => {
                Diagnosis::Faulty(gone.max(reachable))
            }
            _ => Diagnosis::Unknown,
        }
    }
}

/// Whether a sample shows this fault; `None` if it cannot show it.
fn shows_fault(kind: AlarmKind, sample: &Sample) -> Option<bool> {
    let flags = &sample.flags;
    let any = |names: &[&str]| {
        let set = |name: &&str| is_set(flags.message2, MESSAGE2, name);
        names.iter().any(set)
    };
    let on = flags.switched_on();
    match kind {
        AlarmKind::BatteryError => {
            Some(any(&["bat", "hw", "m"]) || sample.status == BatteryStatus::Fault)
        }
        AlarmKind::NaSchutz => Some(any(&["na_schutz"])),
        AlarmKind::MeterError => {
            let testing = is_set(flags.message1, MESSAGE1, "sm_test");
            let second = is_set(flags.message1, MESSAGE1, "sm2");
            // The meter may be silent while the battery is switched off or the meter is being tested.
            (on && !testing).then_some(any(&["sm1"]) || second)
        }
        AlarmKind::SocFloor => on.then_some(sample.status == BatteryStatus::Empty),
        AlarmKind::Offline | AlarmKind::CounterStopped | AlarmKind::UpdateFailed => None,
    }
}
