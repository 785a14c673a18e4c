//! What identifies a command: the portal's id, and the idempotency key of the client that gave it.
use crate::Message;
use crate::id::random_id;
use std::str::FromStr;

random_id!(
    /// The portal's id of a command.
    CommandId
);

/// An idempotency key: a request that is repeated with the same key has an effect only once.
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
    use crate::Random;
    use crate::id::NotAnId;

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
