//! Which installed firmware a security advisory is about.
use super::{Part, Version};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedFirmware {
    pub part: Part,
    /// `None`: any hardware.
    pub hardware: Option<String>,
    /// The first affected version. `None`: all from the beginning.
    pub from: Option<Version>,
    /// The first version that is not affected any more. `None`: there is none yet.
    pub fixed_in: Option<Version>,
}

impl AffectedFirmware {
    /// Whether it covers a unit with this hardware and version, as the battery has reported them. A version that cannot be read
    /// is covered: nobody knows that it is a good one.
    pub fn covers(&self, hardware: Option<&str>, version: &str) -> bool {
        let same_hardware = match &self.hardware {
            Some(affected) => hardware == Some(affected.as_str()),
            None => true,
        };
        let Ok(version) = version.parse::<Version>() else {
            return same_hardware;
        };
        same_hardware
            && self.from.is_none_or(|from| from <= version)
            && self.fixed_in.is_none_or(|fixed_in| version < fixed_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_covers_the_versions_from_the_first_until_the_fix() {
        let version = |text: &str| Some(text.parse::<Version>().unwrap());
        let affected = |hardware: Option<&str>, from, fixed_in| AffectedFirmware {
            part: Part::Master,
            hardware: hardware.map(str::to_owned),
            from,
            fixed_in,
        };
        let range = affected(Some("SC10"), version("2.9"), version("2.11"));
        for (hardware, installed, covered) in [
            (Some("SC10"), "2.8", false),
            (Some("SC10"), "2.9", true),
            (Some("SC10"), "2.10", true),
            (Some("SC10"), "2.11", false),
            (Some("SC10"), "two", true),
            (Some("SC12"), "2.10", false),
            (Some("SC12"), "two", false),
            (None, "2.10", false),
        ] {
            assert_eq!(range.covers(hardware, installed), covered, "{installed}");
        }
        let all = affected(None, None, None);
        assert!(all.covers(None, "0.1") && all.covers(Some("SC12"), "99.99"));
    }
}
