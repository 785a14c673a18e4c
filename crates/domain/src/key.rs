//! What a person types to link a system: a serial number or a registration code. Text with a dash is a code. Without a dash
//! the length decides, because people type spaces between the groups of a code, or nothing.
use crate::code::{self, Code};
use crate::{Message, Serial};
use std::str::FromStr;
use strum::IntoStaticStr;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Serial(Serial),
    Code(Code),
}

/// Keys per request, both at registration and when adding systems.
pub const MAX_KEYS: usize = 3;

impl FromStr for Key {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let text = text.trim();
        let symbols = text.chars().filter(|c| !c.is_whitespace()).count();
        let in_groups = text.contains(char::is_whitespace) && symbols > *Serial::LENGTH.end();
        if text.contains(code::is_dash) || symbols == code::SYMBOLS || in_groups {
            text.parse().map(Self::Code)
        } else {
            text.parse().map(Self::Serial)
        }
    }
}

/// The result for one key, at registration and when adding systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum KeyStatus {
    Linked,
    /// Waits for the main switch. Also the result for serial numbers that do not exist or that only a code can link.
    Waiting,
    /// Only for codes: they cannot be guessed, so this reveals nothing.
    Unknown,
    WrongFormat,
    Used,
}

impl KeyStatus {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub const fn message(self) -> Message {
        match self {
            Self::Linked => Message::KeyLinked,
            Self::Waiting => Message::KeyWaiting,
            Self::Unknown => Message::CodeUnknown,
            Self::WrongFormat => Message::SerialFormat,
            Self::Used => Message::SerialUsed,
        }
    }
}
