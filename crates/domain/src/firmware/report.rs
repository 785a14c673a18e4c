//! What a battery reports about the update that it works on.
use super::{Fault, JobId, Part, Version};
use crate::names::{unknown, variants};
use std::ops::RangeInclusive;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The progress of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownStage, parse_err_fn = unknown)]
pub enum Stage {
    /// Waiting for the parts before it, or for the main switch.
    Waiting,
    Downloading,
    Verifying,
    Installing,
    Rebooting,
    /// The new version runs and has reported.
    Confirmed,
    Failed,
}

impl Stage {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// The percentages of progress that belong to this stage.
    pub const fn range(self) -> RangeInclusive<u8> {
        match self {
            Self::Waiting | Self::Failed => 0..=0,
            Self::Downloading => 1..=60,
            Self::Verifying => 61..=64,
            Self::Installing => 65..=95,
            Self::Rebooting => 96..=99,
            Self::Confirmed => 100..=100,
        }
    }

    /// The percentage when `done` of `of` units of this stage are done.
    pub fn percent(self, done: u64, of: u64) -> u8 {
        let range = self.range();
        let width = u64::from(range.end() - range.start());
        let within = width * done.min(of) / of.max(1);
        range.start() + u8::try_from(within).unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("unknown update stage")]
pub struct UnknownStage;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirmwareReport {
    pub job: JobId,
    pub part: Part,
    /// The version that is being installed.
    pub version: Version,
    pub stage: Stage,
    /// 0 to 100, within the range of its stage.
    pub progress: u8,
    pub fault: Option<Fault>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_each_other_without_a_gap() {
        for stage in Stage::ALL {
            assert_eq!(stage.as_str().parse(), Ok(stage));
        }
        let order = [
            Stage::Waiting,
            Stage::Downloading,
            Stage::Verifying,
            Stage::Installing,
            Stage::Rebooting,
            Stage::Confirmed,
        ];
        for pair in order.windows(2) {
            assert_eq!(pair[0].range().end() + 1, *pair[1].range().start());
        }
    }

    #[test]
    fn a_percentage_stays_in_its_stage() {
        assert_eq!(Stage::Downloading.percent(0, 1_000), 1);
        assert_eq!(Stage::Downloading.percent(500, 1_000), 30);
        assert_eq!(Stage::Downloading.percent(1_000, 1_000), 60);
        assert_eq!(Stage::Downloading.percent(9_000, 1_000), 60);
        assert_eq!(Stage::Installing.percent(0, 0), 65);
        assert_eq!(Stage::Confirmed.percent(1, 1), 100);
    }
}
