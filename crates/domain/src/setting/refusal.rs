//! Why a battery refuses a value. The battery has the final decision about its own limits.
use crate::Lang;
use crate::message::text;
use strum::{EnumString, IntoStaticStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum SettingRefusal {
    /// More than the unit's rating.
    AboveRated,
    /// Its firmware does not know this meter.
    UnknownMeter,
    /// This meter is available over the network only.
    NeedsTcp,
    /// The unit has no such part.
    NotSupported,
    /// For a reason that this server does not know.
    Refused,
}

impl SettingRefusal {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// A code that only newer batteries know is [`Self::Refused`].
    pub fn of(code: &str) -> Self {
        code.parse().unwrap_or(Self::Refused)
    }

    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "refusal", self.as_str())
    }
}
