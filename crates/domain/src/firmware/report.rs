//! What a battery says about an update that it works on.
use super::{Fault, JobId, Part, Version};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// How far a part has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// For its turn, or for the main switch.
    Waiting,
    Downloading,
    Verifying,
    Installing,
    Rebooting,
    /// It runs, and said so.
    Confirmed,
    Failed,
}

impl Stage {
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Downloading,
        Self::Verifying,
        Self::Installing,
        Self::Rebooting,
        Self::Confirmed,
        Self::Failed,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Downloading => "downloading",
            Self::Verifying => "verifying",
            Self::Installing => "installing",
            Self::Rebooting => "rebooting",
            Self::Confirmed => "confirmed",
            Self::Failed => "failed",
        }
    }

    /// The percentages that are its own.
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

    /// The percentage when so much of this stage is done.
    pub fn percent(self, done: u64, of: u64) -> u8 {
        let range = self.range();
        let width = u64::from(range.end() - range.start());
        let within = width * done.min(of) / of.max(1);
        range.start() + u8::try_from(within).unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a stage of an update")]
pub struct UnknownStage;

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<Self, UnknownStage> {
        let known = Self::ALL.into_iter().find(|stage| stage.as_str() == text);
        known.ok_or(UnknownStage)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirmwareReport {
    pub job: JobId,
    pub part: Part,
    /// The one that is being installed.
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
