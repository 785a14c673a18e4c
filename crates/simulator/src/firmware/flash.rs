//! The battery's flash memory: all firmware state that survives a power cut.
use crate::wire::FirmwareVersions;
use domain::firmware::{FirmwareReport, InstalledPart, JobId, Manifest, Part, Stage, Version};

/// An image with this prefix does not start. It may be signed and complete like any other; the simulated battery has no
/// other way to recognise a broken image.
pub(super) const BROKEN_IMAGE_PREFIX: &[u8] = b"BROKEN";

#[derive(Debug)]
pub(crate) struct Flash {
    parts: [Slots; 3],
    /// The number of the newest accepted assignment.
    pub(super) newest_number: i64,
    /// The update in progress.
    pub(super) task: Option<Task>,
    /// The final report of the previous update, for a portal that asks again.
    pub(super) last_report: Option<FirmwareReport>,
}

/// A/B slots of a part: the active one runs, the spare one can be written.
#[derive(Debug)]
struct Slots {
    active: Slot,
    spare: Option<Slot>,
    /// The sequence number of the newest confirmed release; it only grows.
    seq: i64,
}

#[derive(Debug)]
struct Slot {
    version: String,
    /// The bytes written so far. They are freed once the version is confirmed: ten thousand batteries would otherwise hold
    /// gigabytes.
    image: Vec<u8>,
    complete: bool,
}

impl Slot {
    fn starts(&self) -> bool {
        self.complete && !self.image.starts_with(BROKEN_IMAGE_PREFIX)
    }
}

/// A verified assignment and its progress.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) job: JobId,
    /// The update service.
    pub(super) url: String,
    pub(super) parts: Vec<Manifest>,
    /// The part in progress.
    pub(super) part_index: usize,
    pub(super) step: UpdateStep,
    /// The bytes of its image downloaded so far; their number is the offset to resume from.
    pub(super) image: Vec<u8>,
}

impl Task {
    pub(super) fn manifest(&self) -> &Manifest {
        &self.parts[self.part_index]
    }

    pub(super) fn is_last(&self) -> bool {
        self.part_index + 1 == self.parts.len()
    }
}

/// The present step of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateStep {
    /// Starts by itself, once the main switch is off if that is required.
    Begin,
    /// Starts after the main switch was turned on for a while and off again. `seen_on`: it was on for long enough.
    AwaitSwitch {
        seen_on: bool,
    },
    Download,
    Verify,
    Install,
    /// Boots the spare slot.
    Restart,
    /// The new version runs and awaits the acknowledgement of its hello.
    AwaitConfirmation,
}

impl UpdateStep {
    pub(super) fn stage(self) -> Stage {
        match self {
            Self::Begin | Self::AwaitSwitch { .. } => Stage::Waiting,
            Self::Download => Stage::Downloading,
            Self::Verify => Stage::Verifying,
            Self::Install => Stage::Installing,
            Self::Restart | Self::AwaitConfirmation => Stage::Rebooting,
        }
    }
}

fn oldest() -> Version {
    "0.0".parse().expect("0.0 is a valid version")
}

impl Flash {
    /// The state from the factory.
    pub(crate) fn new(firmware: &FirmwareVersions) -> Self {
        let slots = |part: Part| Slots {
            active: Slot {
                version: firmware.version(part).to_owned(),
                image: Vec::new(),
                complete: true,
            },
            spare: None,
            seq: 0,
        };
        Self {
            parts: Part::ALL.map(slots),
            newest_number: 0,
            task: None,
            last_report: None,
        }
    }

    /// The running versions.
    pub(crate) fn firmware(&self) -> FirmwareVersions {
        let version = |part: Part| self.slots(part).active.version.as_str();
        FirmwareVersions::of(
            version(Part::Master),
            version(Part::Gateway),
            version(Part::Slave),
        )
    }

    pub(super) fn installed_part<'a>(&self, part: Part, hardware: &'a str) -> InstalledPart<'a> {
        let slots = self.slots(part);
        InstalledPart {
            hardware,
            // An unparsable version predates this format and counts as older than all others.
            version: slots.active.version.parse().unwrap_or_else(|_| oldest()),
            seq: slots.seq,
        }
    }

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
            complete: false,
        });
        let until = until.min(task.image.len());
        if let Some(more) = task.image.get(spare.image.len()..until) {
            spare.image.extend_from_slice(more);
        }
        spare.complete = spare.image.len() == task.image.len();
    }

    /// Boots the spare slot. Returns whether that worked; otherwise the old version keeps running and the spare slot is empty.
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

    /// The new version is confirmed: older releases are refused from now on.
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
