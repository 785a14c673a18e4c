//! What a person types to connect a system: a serial number or a registration code. A dash tells them apart, and without one
//! the length: people type spaces between the groups of a code, or nothing.
use crate::code::{self, Code};
use crate::{Message, Serial};
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Serial(Serial),
    Code(Code),
}

/// How many keys one request may carry: three at registration, and no more when adding.
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

/// How a key ended, as registration and adding report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStatus {
    Linked,
    /// For the main switch; so are serial numbers that do not exist, and those that only a code links.
    Waiting,
    /// Only of a code: it cannot be guessed.
    Unknown,
    WrongFormat,
    Used,
}

impl KeyStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Linked => "linked",
            Self::Waiting => "waiting",
            Self::Unknown => "unknown",
            Self::WrongFormat => "wrong_format",
            Self::Used => "used",
        }
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
