//! The battery's flash memory: everything about firmware that a power cut leaves as it was.
use crate::wire::Firmware;
use domain::firmware::{FirmwareReport, JobId, Manifest, Part, Stage, Standing, Version};

/// An image that begins with these bytes does not start: the simulated battery has nothing else to run it on. It may be
/// signed and whole like any other.
pub(super) const DOES_NOT_START: &[u8] = b"BROKEN";

#[derive(Debug)]
pub(crate) struct Flash {
    parts: [Slots; 3],
    /// The number of the newest assignment that was taken.
    pub(super) newest: i64,
    /// The update that is worked on.
    pub(super) task: Option<Task>,
    /// The last word about the update before, for a portal that asks again.
    pub(super) last: Option<FirmwareReport>,
}

/// Two places for the image of a part: one runs, the other can be written.
#[derive(Debug)]
struct Slots {
    active: Slot,
    spare: Option<Slot>,
    /// Of the newest release that was confirmed; it only rises.
    seq: i64,
}

#[derive(Debug)]
struct Slot {
    version: String,
    /// What has been written. A version that has proved itself lets go of its bytes: ten thousand batteries would hold
    /// gigabytes that nobody looks at.
    image: Vec<u8>,
    whole: bool,
}

impl Slot {
    fn starts(&self) -> bool {
        self.whole && !self.image.starts_with(DOES_NOT_START)
    }
}

/// An assignment that both signers stand for, and how far it has come.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) job: JobId,
    /// Where images come from.
    pub(super) url: String,
    pub(super) parts: Vec<Manifest>,
    /// The part that is worked on.
    pub(super) place: usize,
    pub(super) step: Step,
    /// What has been downloaded of its image; its length is the offset.
    pub(super) image: Vec<u8>,
}

impl Task {
    pub(super) fn manifest(&self) -> &Manifest {
        &self.parts[self.place]
    }

    pub(super) fn is_last(&self) -> bool {
        self.place + 1 == self.parts.len()
    }
}

/// What comes next for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To begin by itself, as soon as the main switch is off where that has to be.
    Begin,
    /// To begin when the main switch is turned on for a while and off again; whether it has been on for long enough.
    AwaitSwitch {
        seen_on: bool,
    },
    Download,
    Verify,
    Install,
    /// To start the other slot.
    Restart,
    /// The new version runs, and has to be heard.
    Prove,
}

impl Step {
    pub(super) fn stage(self) -> Stage {
        match self {
            Self::Begin | Self::AwaitSwitch { .. } => Stage::Waiting,
            Self::Download => Stage::Downloading,
            Self::Verify => Stage::Verifying,
            Self::Install => Stage::Installing,
            Self::Restart | Self::Prove => Stage::Rebooting,
        }
    }
}

fn oldest() -> Version {
    "0.0".parse().expect("it is a version")
}

impl Flash {
    /// As it leaves the factory.
    pub(crate) fn new(firmware: &Firmware) -> Self {
        let slots = |part: Part| Slots {
            active: Slot {
                version: firmware.version(part).to_owned(),
                image: Vec::new(),
                whole: true,
            },
            spare: None,
            seq: 0,
        };
        Self {
            parts: Part::ALL.map(slots),
            newest: 0,
            task: None,
            last: None,
        }
    }

    /// What runs.
    pub(crate) fn firmware(&self) -> Firmware {
        let version = |part: Part| self.slots(part).active.version.as_str();
        Firmware::of(
            version(Part::Master),
            version(Part::Gateway),
            version(Part::Slave),
        )
    }

    pub(super) fn standing<'a>(&self, part: Part, hardware: &'a str) -> Standing<'a> {
        let slots = self.slots(part);
        Standing {
            hardware,
            // A version from before versions had this form is older than all that have it.
            version: slots.active.version.parse().unwrap_or_else(|_| oldest()),
            seq: slots.seq,
        }
    }

    /// The spare slot is empty then; whatever was in it is gone.
    pub(super) fn erase_spare(&mut self, part: Part) {
        self.slots_mut(part).spare = None;
    }

    /// Writes the spare slot up to this byte of the downloaded image.
    pub(super) fn write_spare(&mut self, until: usize) {
        let Some(task) = &self.task else { return };
        let manifest = task.manifest();
        let slots = &mut self.parts[manifest.part as usize];
        let spare = slots.spare.get_or_insert_with(|| Slot {
            version: manifest.version.to_string(),
            image: Vec::with_capacity(task.image.len()),
            whole: false,
        });
        let until = until.min(task.image.len());
        if let Some(more) = task.image.get(spare.image.len()..until) {
            spare.image.extend_from_slice(more);
        }
        spare.whole = spare.image.len() == task.image.len();
    }

    /// Starts what is in the spare slot. Whether it did; otherwise the old version runs on and the spare slot is empty.
    pub(super) fn start_spare(&mut self, part: Part) -> bool {
        let slots = self.slots_mut(part);
        match slots.spare.take() {
            Some(new) if new.starts() => {
                slots.spare = Some(std::mem::replace(&mut slots.active, new));
                true
            }
            _ => false,
        }
    }

    /// The new version was heard: nothing older is taken from now on.
    pub(super) fn confirm(&mut self, part: Part, seq: i64) {
        let slots = self.slots_mut(part);
        slots.seq = slots.seq.max(seq);
        slots.active.image = Vec::new();
    }

    fn slots(&self, part: Part) -> &Slots {
        &self.parts[part as usize]
    }

    fn slots_mut(&mut self, part: Part) -> &mut Slots {
        &mut self.parts[part as usize]
    }

    #[cfg(test)]
    pub(super) fn seq(&self, part: Part) -> i64 {
        self.slots(part).seq
    }
}
