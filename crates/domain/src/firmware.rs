//! Firmware: parts and versions, the documents that the manufacturer and the portal sign, and the progress of an update.

mod affected;
mod assignment;
mod job;
mod manifest;
mod report;
mod rollout;
mod signature;
mod version;

pub use affected::AffectedFirmware;
pub use assignment::{Assignment, VerifiedAssignment};
pub use job::{JobId, JobState, MAX_UPDATE_WAIT, SwitchStep, UPDATE_STALLED_AFTER};
pub use manifest::{InstalledPart, Manifest, digest_of};
pub use report::{FirmwareReport, Stage};
pub use rollout::{Wave, WaveDecision, WaveTally};
pub use signature::{PublicKey, SecretKey, SignedText, Signer};
pub use version::Version;

use crate::Lang;
use crate::message::text;
use crate::names::{unknown, variants};
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The parts that are updated one by one, in the order in which a battery installs them.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = NotAPart, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Gateway,
    Master,
    Slave,
}

impl Part {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("unknown part: it must be gateway, master or slave")]
pub struct NotAPart;

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why firmware is rejected: by the server when it is published, or by the battery before or after the download.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    #[error("the signature is not valid")]
    Signature,
    #[error("the document or key is malformed")]
    Malformed,
    #[error("the assignment is for another battery")]
    WrongBattery,
    #[error("the firmware is for other hardware")]
    WrongHardware,
    #[error("it is not newer than what was installed before")]
    OldSequence,
    #[error("the signed document has expired")]
    Expired,
    #[error("the installed version is too old to update from")]
    TooOld,
    #[error("the image differs from the one that was signed")]
    WrongImage,
    #[error("the image could not be downloaded")]
    NotLoaded,
    #[error("the new version did not start; the old one is back")]
    RolledBack,
    /// For a reason that this server does not know.
    #[error("the battery refused it")]
    Refused,
}

impl Fault {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// A code that only newer batteries know is [`Fault::Refused`].
    pub fn of(code: &str) -> Self {
        code.parse().unwrap_or(Self::Refused)
    }

    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "fault", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_the_order_in_which_they_are_updated() {
        assert!(Part::Gateway < Part::Master && Part::Master < Part::Slave);
        for part in Part::ALL {
            assert_eq!(part.as_str().parse(), Ok(part));
        }
        assert_eq!("toaster".parse::<Part>(), Err(NotAPart));
    }

    #[test]
    fn every_fault_is_found_by_its_code_and_has_a_text() {
        for fault in Fault::ALL {
            assert_eq!(Fault::of(fault.as_str()), fault);
            for lang in Lang::ALL {
                assert!(!fault.text(lang).is_empty());
            }
        }
        assert_eq!(Fault::of("cosmic_rays"), Fault::Refused);
    }
}
