//! Why a battery does not take a value. It has the last word over its own limits.
use crate::Lang;
use crate::message::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// More than it is built for.
    AboveRated,
    /// Its firmware does not know this meter.
    UnknownMeter,
    /// This meter speaks over the network only.
    NeedsTcp,
    /// The unit has no such part.
    NotSupported,
    /// For a reason of its own that we do not know.
    Refused,
}

impl Refusal {
    pub const ALL: [Self; 5] = [
        Self::AboveRated,
        Self::UnknownMeter,
        Self::NeedsTcp,
        Self::NotSupported,
        Self::Refused,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AboveRated => "above_rated",
            Self::UnknownMeter => "unknown_meter",
            Self::NeedsTcp => "needs_tcp",
            Self::NotSupported => "not_supported",
            Self::Refused => "refused",
        }
    }

    /// A code that a newer battery made up is a refusal all the same.
    pub fn of(code: &str) -> Self {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == code);
        known.unwrap_or(Self::Refused)
    }

    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "refusal", self.as_str())
    }
}
