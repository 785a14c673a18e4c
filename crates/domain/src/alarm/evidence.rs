//! What is known of a system at one moment, and what each kind of alarm makes of it.
use super::Kind;
use crate::Sample;
use crate::clock::{MINUTE, Millis, SECOND};
use crate::flags::{MESSAGE1, MESSAGE2, is_set};
use crate::sample::BatteryStatus;

/// A sample that is older says nothing about now.
const FRESH: Millis = 90 * SECOND;
/// A battery's clock may be a little ahead of ours.
const AHEAD: Millis = MINUTE;

/// What a kind of alarm makes of what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Something is wrong, and has been since then.
    Wrong(Millis),
    Right,
    Unknown,
}

/// Whether the battery is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It never was: nobody misses it yet.
    Never,
    Here,
    GoneSince(Millis),
}

/// How the newest update of the firmware ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateEnd {
    /// It did not, or there was none: nobody knows.
    Open,
    Failed,
    /// It was installed or withdrawn, or nothing is offered any more.
    Well,
}

/// A system as it is at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub now: Millis,
    pub presence: Presence,
    /// Since when batteries can reach us without a break; `None` while they cannot.
    pub reachable_since: Option<Millis>,
    /// The newest.
    pub sample: Option<&'a Sample>,
    pub update: UpdateEnd,
}

impl<'a> Evidence<'a> {
    /// The newest sample, if it says how things are now.
    pub(super) fn fresh_sample(&self) -> Option<&'a Sample> {
        let age = |sample: &&Sample| self.now - sample.at;
        let fresh = |sample: &&Sample| (-AHEAD..=FRESH).contains(&age(sample));
        let sample = self.sample.filter(fresh);
        sample.filter(|_| self.presence == Presence::Here)
    }

    /// What this says of every kind but counters that stand still, which take more than a moment.
    pub(super) fn verdict(&self, kind: Kind) -> Verdict {
        match kind {
            Kind::Offline => self.offline(),
            Kind::UpdateFailed => match (self.presence, self.update) {
                (Presence::Here, UpdateEnd::Failed) => Verdict::Wrong(self.now),
                (Presence::Here, UpdateEnd::Well) => Verdict::Right,
                _ => Verdict::Unknown,
            },
            Kind::CounterStopped => Verdict::Unknown,
            _ => {
                let says = self.fresh_sample().and_then(|sample| says(kind, sample));
                match says {
                    Some(true) => Verdict::Wrong(self.now),
                    Some(false) => Verdict::Right,
                    None => Verdict::Unknown,
                }
            }
        }
    }

    /// Whoever cannot be reached is not told apart from whoever cannot reach us.
    fn offline(&self) -> Verdict {
        match (self.presence, self.reachable_since) {
            (Presence::Here, _) => Verdict::Right,
            (Presence::GoneSince(gone), Some(reachable)) => Verdict::Wrong(gone.max(reachable)),
            _ => Verdict::Unknown,
        }
    }
}

/// Whether a sample shows this fault; `None` when it cannot tell.
fn says(kind: Kind, sample: &Sample) -> Option<bool> {
    let flags = &sample.flags;
    let any = |names: &[&str]| {
        let set = |name: &&str| is_set(flags.message2, MESSAGE2, name);
        names.iter().any(set)
    };
    let on = flags.switched_on();
    match kind {
        Kind::BatteryError => {
            Some(any(&["bat", "hw", "m"]) || sample.status == BatteryStatus::Fault)
        }
        Kind::NaSchutz => Some(any(&["na_schutz"])),
        Kind::MeterError => {
            let testing = is_set(flags.message1, MESSAGE1, "sm_test");
            let second = is_set(flags.message1, MESSAGE1, "sm2");
            // Whoever switches a storage off, or tests its meter, may have it silent.
            (on && !testing).then_some(any(&["sm1"]) || second)
        }
        Kind::SocFloor => on.then_some(sample.status == BatteryStatus::Empty),
        Kind::Offline | Kind::CounterStopped | Kind::UpdateFailed => None,
    }
}
