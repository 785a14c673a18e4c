//! Firmware: its parts and versions, what its maker and the portal sign, and how an update fares.

mod assignment;
mod job;
mod manifest;
mod report;
mod rollout;
mod seal;
mod version;

pub use assignment::{Assigned, Assignment};
pub use job::{JobId, JobState, STALLED, SwitchStep, WAITS_AT_MOST};
pub use manifest::{Manifest, Standing, digest_of};
pub use report::{FirmwareReport, Stage};
pub use rollout::{Tally, Verdict, Wave};
pub use seal::{PublicKey, Sealed, SecretKey, Signer};
pub use version::Version;

use crate::Lang;
use crate::message::text;
use std::fmt;
use std::str::FromStr;

/// What is updated by itself, in the order in which a battery takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Gateway,
    Master,
    Slave,
}

impl Part {
    pub const ALL: [Self; 3] = [Self::Gateway, Self::Master, Self::Slave];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Master => "master",
            Self::Slave => "slave",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a part of a battery: gateway, master or slave")]
pub struct NotAPart;

impl FromStr for Part {
    type Err = NotAPart;

    fn from_str(text: &str) -> Result<Self, NotAPart> {
        let known = Self::ALL.into_iter().find(|part| part.as_str() == text);
        known.ok_or(NotAPart)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why firmware is not taken: by the server when it is published, by the battery before and after it was downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Fault {
    #[error("the signature is not right")]
    Signature,
    #[error("it cannot be read")]
    Malformed,
    #[error("it is for another battery")]
    WrongBattery,
    #[error("it is for other hardware")]
    WrongHardware,
    #[error("something newer was installed before")]
    OldSequence,
    #[error("its time has run out")]
    Expired,
    #[error("what is installed is too old for it")]
    TooOld,
    #[error("the image is not the one that was signed")]
    WrongImage,
    #[error("the image cannot be loaded")]
    NotLoaded,
    #[error("the new version did not start; the old one is back")]
    RolledBack,
    /// For a reason of its own that we do not know.
    #[error("the battery refused it")]
    Refused,
}

impl Fault {
    pub const ALL: [Self; 11] = [
        Self::Signature,
        Self::Malformed,
        Self::WrongBattery,
        Self::WrongHardware,
        Self::OldSequence,
        Self::Expired,
        Self::TooOld,
        Self::WrongImage,
        Self::NotLoaded,
        Self::RolledBack,
        Self::Refused,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Malformed => "malformed",
            Self::WrongBattery => "wrong_battery",
            Self::WrongHardware => "wrong_hardware",
            Self::OldSequence => "old_sequence",
            Self::Expired => "expired",
            Self::TooOld => "too_old",
            Self::WrongImage => "wrong_image",
            Self::NotLoaded => "not_loaded",
            Self::RolledBack => "rolled_back",
            Self::Refused => "refused",
        }
    }

    /// A code that a newer battery made up is a fault all the same.
    pub fn of(code: &str) -> Self {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == code);
        known.unwrap_or(Self::Refused)
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
