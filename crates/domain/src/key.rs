//! What a person types to connect a system: a serial number or a registration code. A dash tells them apart.
use crate::code::Code;
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
        if text.contains('-') {
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
    Waiting,
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
            Self::Unknown => Message::SerialUnknown,
            Self::WrongFormat => Message::SerialFormat,
            Self::Used => Message::SerialUsed,
        }
    }
}
