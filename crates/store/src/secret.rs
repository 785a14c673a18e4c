//! The operator's secret. It only wraps the keys in the table `secret_keys`, so it can be changed without re-encrypting the data
//! that those keys protect.
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use std::fmt;
use std::sync::Arc;

/// The shortest secret accepted: 256 bits are 64 characters in hexadecimal and 43 in base 64.
const MIN_LENGTH: usize = 32;
const MIN_DISTINCT: usize = 10;
/// How many characters must differ from their predecessor by more than one step. `0123…` has no such character.
const MIN_JUMPS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakSecret {
    #[error("the signing secret is shorter than {MIN_LENGTH} characters")]
    Short,
    #[error(
        "the signing secret is a default, a sequence or a repetition: draw one with `openssl rand -hex 32`; \
         a database that has the weak one takes the new one with `suncellar admin change-secret`"
    )]
    Guessable,
}

#[derive(Clone)]
pub struct Secret(Arc<[u8]>);

impl Secret {
    pub fn parse(text: &str) -> Result<Self, WeakSecret> {
        if text.len() < MIN_LENGTH {
            return Err(WeakSecret::Short);
        }
        if is_guessable(&text.to_lowercase()) {
            return Err(WeakSecret::Guessable);
        }
        Ok(Self::unchecked(text))
    }

    /// The present secret of a database, to be replaced. It may be weaker than what is accepted today.
    pub fn unchecked(text: &str) -> Self {
        Self(text.as_bytes().into())
    }

    /// The key from which all keys were derived before there were versions. It is version 1 of an older database.
    pub(crate) fn first_key(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    pub(crate) fn wrap(&self, version: u16, nonce: [u8; NONCE_LEN], key: &[u8]) -> Vec<u8> {
        let mut wrapped = key.to_vec();
        self.cipher()
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(version.to_be_bytes()),
                &mut wrapped,
            )
            .expect("a key is far below the cipher's limit");
        [nonce.as_slice(), &wrapped].concat()
    }

    /// `None` if it was wrapped with another secret.
    pub(crate) fn unwrap(&self, version: u16, wrapped: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = wrapped.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut body = body.to_vec();
        let aad = Aad::from(version.to_be_bytes());
        let key = self.cipher().open_in_place(nonce, aad, &mut body).ok()?;
        Some(key.to_vec())
    }

    fn cipher(&self) -> LessSafeKey {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let key = hmac::sign(&secret, b"KeyWrapping");
        let key = UnboundKey::new(&CHACHA20_POLY1305, key.as_ref());
        LessSafeKey::new(key.expect("HMAC-SHA256 has the cipher's length"))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

fn is_guessable(lower: &str) -> bool {
    const WORDS: [&str; 8] = [
        "change",
        "secret",
        "default",
        "example",
        "password",
        "suncellar",
        "qwert",
        "asdf",
    ];
    let characters: Vec<char> = lower.chars().collect();
    let mut distinct = characters.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let jumps = characters
        .windows(2)
        .filter(|pair| u32::from(pair[0]).abs_diff(u32::from(pair[1])) > 1);
    let repeats = |period: usize| {
        characters
            .iter()
            .skip(period)
            .eq(characters.iter().take(characters.len() - period))
    };
    distinct.len() < MIN_DISTINCT
        || jumps.count() < MIN_JUMPS
        || (1..=characters.len() / 2).any(repeats)
        || WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "9f2c4e7a1b8d3056e4c7a9f1b2d8e6035a7c";

    #[test]
    fn a_default_or_short_secret_is_refused() {
        assert_eq!(Secret::parse("short").err(), Some(WeakSecret::Short));
        for weak in [
            "ababababababababababababababababababab",
            "please-change-me-7f3a9c1e5b8d2064c7e1",
            "01234567890123456789012345678901",
            "0123456789abcdefghijklmnopqrstuvwxyz",
            "zyxwvutsrqponmlkjihgfedcba9876543210",
            "00112233445566778899aabbccddeeff0011",
            "k7x2p9q4m1z8k7x2p9q4m1z8k7x2p9q4m1z8",
            "qwertzuiopasdfghjklyxcvbnm7294615038",
        ] {
            assert_eq!(
                Secret::parse(weak).err(),
                Some(WeakSecret::Guessable),
                "{weak}"
            );
        }
        assert!(Secret::parse(GOOD).is_ok());
    }

    #[test]
    fn a_wrapped_key_opens_only_with_its_secret_and_version() {
        let secret = Secret::parse(GOOD).unwrap();
        let wrapped = secret.wrap(2, [7; 12], &[5; 32]);
        assert_eq!(secret.unwrap(2, &wrapped), Some(vec![5; 32]));
        assert_eq!(secret.unwrap(3, &wrapped), None);
        let other = Secret::parse("kq3v9x7w2z8p4m6n1b5c0d-hjtry-another").unwrap();
        assert_eq!(other.unwrap(2, &wrapped), None);
        assert!(!format!("{secret:?}").contains("9f2c"));
    }
}
