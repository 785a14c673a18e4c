//! What names a command: the portal's id for it, and the key of whoever gave it.
use crate::{Message, Random};
use std::fmt;
use std::str::FromStr;

/// Drawn at random: a number that came again after a restored backup would be taken for the command it was before.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandId(String);

impl CommandId {
    pub fn random(random: &Random) -> Self {
        let bytes = random.bytes::<12>();
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a command")]
pub struct NotAnId;

impl FromStr for CommandId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let right = text.len() == 24 && text.bytes().all(hex);
        right.then(|| Self(text.to_owned())).ok_or(NotAnId)
    }
}

/// Names one intended act, so that a repeated request acts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandKey(String);

impl CommandKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CommandKey {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match text {
            "" => Err(Message::Required),
            key if (8..=64).contains(&key.len()) && key.bytes().all(plain) => Ok(Self(key.into())),
            _ => Err(Message::KeyInvalid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_ids_are_plain() {
        assert!("a-key_of-8".parse::<CommandKey>().is_ok());
        assert_eq!("".parse::<CommandKey>(), Err(Message::Required));
        for wrong in ["short", "with space", "ä-umlaut-key", &"x".repeat(65)] {
            assert_eq!(wrong.parse::<CommandKey>(), Err(Message::KeyInvalid));
        }
        let random = Random::new(|bytes| bytes.fill(0xa7));
        let id = CommandId::random(&random);
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_eq!("../../etc".parse::<CommandId>(), Err(NotAnId));
    }
}
