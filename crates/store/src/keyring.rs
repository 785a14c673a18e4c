//! Keys derived from the one configured secret, each for a single purpose.
use ring::aead::{self, Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use std::fmt;
use std::sync::Arc;

/// What a key is used for; two purposes never share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    AccessToken,
    RefreshToken,
    MailedLink,
    Code,
    DeviceSecret,
    PartnerToken,
    KnownBrowser,
    MailBody,
    ProviderToken,
    DirectorKey,
    TotpSecret,
    RecoveryCode,
}

/// The shortest secret accepted: 256 bits as hexadecimal are 64 characters, as base 64 are 43.
const MIN_SECRET: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakSecret {
    #[error("the signing secret is shorter than {MIN_SECRET} characters")]
    Short,
    #[error("the signing secret is a default or repeats a few characters")]
    Default,
}

#[derive(Clone)]
pub struct Keyring(Arc<hmac::Key>);

impl Keyring {
    pub fn new(secret: &str) -> Result<Self, WeakSecret> {
        if secret.len() < MIN_SECRET {
            return Err(WeakSecret::Short);
        }
        let mut letters: Vec<char> = secret.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters.dedup();
        let told = [
            "change",
            "secret",
            "default",
            "example",
            "password",
            "suncellar",
        ];
        if letters.len() < 10 || told.iter().any(|word| secret.to_lowercase().contains(word)) {
            return Err(WeakSecret::Default);
        }
        Ok(Self(Arc::new(hmac::Key::new(
            hmac::HMAC_SHA256,
            secret.as_bytes(),
        ))))
    }

    /// A key of its own for `purpose`.
    pub fn key(&self, purpose: Purpose) -> [u8; 32] {
        self.mac_with(&self.0, format!("{purpose:?}").as_bytes())
    }

    /// A keyed hash: what the database may hold of a secret.
    pub fn hash(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.key(purpose));
        self.mac_with(&key, message).to_vec()
    }

    /// Compares a presented hash in constant time.
    pub fn verify(&self, purpose: Purpose, message: &[u8], tag: &[u8]) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.key(purpose));
        hmac::verify(&key, message, tag).is_ok()
    }

    /// Encrypts with a nonce the caller drew at random; the nonce is kept in front.
    pub(crate) fn seal(&self, purpose: Purpose, nonce: [u8; NONCE_LEN], clear: &[u8]) -> Vec<u8> {
        let mut sealed = clear.to_vec();
        self.cipher(purpose)
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::empty(),
                &mut sealed,
            )
            .expect("a mail or a token is far below the cipher's limit");
        [nonce.as_slice(), &sealed].concat()
    }

    pub(crate) fn open(&self, purpose: Purpose, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut body = body.to_vec();
        let clear = self
            .cipher(purpose)
            .open_in_place(nonce, Aad::empty(), &mut body)
            .ok()?;
        Some(clear.to_vec())
    }

    fn cipher(&self, purpose: Purpose) -> aead::LessSafeKey {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.key(purpose));
        LessSafeKey::new(key.expect("a derived key has the cipher's length"))
    }

    fn mac_with(&self, key: &hmac::Key, message: &[u8]) -> [u8; 32] {
        let tag = hmac::sign(key, message);
        tag.as_ref().try_into().expect("HMAC-SHA256 gives 32 bytes")
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "9f2c4e7a1b8d3056e4c7a9f1b2d8e6035a7c";

    #[test]
    fn a_default_or_short_secret_is_refused() {
        assert_eq!(Keyring::new("short").err(), Some(WeakSecret::Short));
        assert_eq!(
            Keyring::new(&"ab".repeat(40)).err(),
            Some(WeakSecret::Default)
        );
        assert_eq!(
            Keyring::new("please-change-me-0123456789-abcdefgh").err(),
            Some(WeakSecret::Default)
        );
        assert!(Keyring::new(SECRET).is_ok());
    }

    #[test]
    fn purposes_do_not_share_a_key_and_the_secret_stays_out_of_debug_output() {
        let ring = Keyring::new(SECRET).unwrap();
        assert_ne!(
            ring.key(Purpose::AccessToken),
            ring.key(Purpose::RefreshToken)
        );
        assert!(!format!("{ring:?}").contains("9f2c"));
    }

    #[test]
    fn a_sealed_mail_opens_only_unchanged_and_for_its_purpose() {
        let ring = Keyring::new(SECRET).unwrap();
        let sealed = ring.seal(Purpose::MailBody, [7; 12], b"hello");
        assert_eq!(
            ring.open(Purpose::MailBody, &sealed).as_deref(),
            Some(b"hello".as_slice())
        );
        assert_eq!(ring.open(Purpose::Code, &sealed), None);
        let mut broken = sealed.clone();
        broken[14] ^= 1;
        assert_eq!(ring.open(Purpose::MailBody, &broken), None);
    }
}
