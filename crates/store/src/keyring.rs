//! The server's keys, in versions. The newest active version hashes, signs and encrypts. Data of older versions stays readable,
//! and their tokens are accepted for a while.
use crate::secret::Secret;
use domain::clock::Millis;
use domain::names::variants;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use strum::VariantArray;

/// The use of a key. Each purpose has its own key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
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
    LimitedName,
    PasskeyChallenge,
    AcmeSecret,
}

impl Purpose {
    const ALL: [Self; Self::VARIANTS.len()] = variants();

    /// Whether the key alone is enough to forge an accepted value. All other hashes are of random values and must be in the
    /// database, so the key alone does not help.
    fn is_forgeable(self) -> bool {
        matches!(
            self,
            Self::AccessToken | Self::RefreshToken | Self::KnownBrowser | Self::PasskeyChallenge
        )
    }
}

/// The length of the version prefix of a hash. Hashes of version 1 have none.
const VERSION_LENGTH: usize = 2;
const HASH_LENGTH: usize = 32;

/// One version: a key for each purpose.
pub(crate) struct DataKey {
    pub(crate) version: u16,
    keys: [[u8; 32]; Purpose::ALL.len()],
}

impl DataKey {
    pub(crate) fn new(version: u16, root: &[u8]) -> Self {
        let root = hmac::Key::new(hmac::HMAC_SHA256, root);
        let key = |purpose| mac(&root, format!("{purpose:?}").as_bytes());
        Self {
            version,
            keys: Purpose::ALL.map(key),
        }
    }

    fn key(&self, purpose: Purpose) -> &[u8; 32] {
        &self.keys[purpose as usize]
    }

    fn hash(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key(purpose));
        let mac = mac(&key, message);
        match self.version {
            1 => mac.to_vec(),
            version => [version.to_be_bytes().as_slice(), &mac].concat(),
        }
    }

    fn cipher(&self, purpose: Purpose) -> LessSafeKey {
        let key = UnboundKey::new(&CHACHA20_POLY1305, self.key(purpose));
        LessSafeKey::new(key.expect("a derived key has the cipher's length"))
    }

    pub(crate) fn decrypt(&self, purpose: Purpose, encrypted: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = encrypted.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut body = body.to_vec();
        let clear = self
            .cipher(purpose)
            .open_in_place(nonce, Aad::empty(), &mut body);
        Some(clear.ok()?.to_vec())
    }
}

/// A version with its validity from the table.
#[derive(Clone)]
pub(crate) struct LoadedKey {
    pub(crate) key: Arc<DataKey>,
    pub(crate) active_from: Millis,
    pub(crate) accepted_until: Option<Millis>,
}

/// All versions as last read, newest first.
struct KeyVersions {
    known: Vec<LoadedKey>,
    read_at: Millis,
}

impl KeyVersions {
    /// The version in use: the newest one that every process has read.
    fn current(&self) -> &DataKey {
        let active = self
            .known
            .iter()
            .find(|known| known.active_from <= self.read_at);
        let first = active.or(self.known.last());
        &first.expect("an open store has read its keys").key
    }

    fn accepts(&self, known: &LoadedKey, purpose: Purpose) -> bool {
        !purpose.is_forgeable()
            || known
                .accepted_until
                .is_none_or(|until| self.read_at < until)
    }

    fn accepted(&self, purpose: Purpose) -> impl Iterator<Item = &DataKey> {
        let known = self.known.iter();
        known
            .filter(move |known| self.accepts(known, purpose))
            .map(|known| &*known.key)
    }
}

/// The key versions of one database, shared by the whole process. Cheap to clone.
#[derive(Clone)]
pub struct Keyring {
    secret: Secret,
    versions: Arc<RwLock<Arc<KeyVersions>>>,
}

impl Keyring {
    /// A keyring without versions; they are read when the store is opened.
    pub(crate) fn new(secret: Secret) -> Self {
        let none = KeyVersions {
            known: Vec::new(),
            read_at: 0,
        };
        Self {
            secret,
            versions: Arc::new(RwLock::new(Arc::new(none))),
        }
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    fn versions(&self) -> Arc<KeyVersions> {
        let versions = self.versions.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&versions)
    }

    /// A version that is already loaded.
    pub(crate) fn find_key(&self, version: u16) -> Option<Arc<DataKey>> {
        let versions = self.versions();
        let known = versions
            .known
            .iter()
            .find(|known| known.key.version == version);
        known.map(|known| Arc::clone(&known.key))
    }

    pub(crate) fn replace(&self, mut known: Vec<LoadedKey>, read_at: Millis) {
        known.sort_by_key(|known| std::cmp::Reverse(known.key.version));
        let versions = Arc::new(KeyVersions { known, read_at });
        *self
            .versions
            .write()
            .unwrap_or_else(PoisonError::into_inner) = versions;
    }

    /// The version that hashes, signs and encrypts.
    pub fn version(&self) -> u16 {
        self.versions().current().version
    }

    /// The current key for `purpose`.
    pub fn key(&self, purpose: Purpose) -> [u8; 32] {
        *self.versions().current().key(purpose)
    }

    /// The keys of all versions that are accepted for `purpose`, newest first.
    pub fn accepted_keys(&self, purpose: Purpose) -> Vec<[u8; 32]> {
        let versions = self.versions();
        versions
            .accepted(purpose)
            .map(|key| *key.key(purpose))
            .collect()
    }

    /// A keyed hash, which the database may store in place of a secret.
    pub fn hash(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        self.versions().current().hash(purpose, message)
    }

    /// All hashes that the database may hold of a message, newest version first.
    pub fn hashes(&self, purpose: Purpose, message: &[u8]) -> Vec<Vec<u8>> {
        let versions = self.versions();
        versions
            .accepted(purpose)
            .map(|key| key.hash(purpose, message))
            .collect()
    }

    /// Verifies a hash in constant time.
    pub fn verify(&self, purpose: Purpose, message: &[u8], hash: &[u8]) -> bool {
        let versions = self.versions();
        let Some((version, mac)) = split(hash) else {
            return false;
        };
        let key = versions
            .accepted(purpose)
            .find(|key| key.version == version);
        key.is_some_and(|key| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, key.key(purpose));
            hmac::verify(&key, message, mac).is_ok()
        })
    }

    /// Whether the hash was made with the current version.
    pub(crate) fn is_current(&self, hash: &[u8]) -> bool {
        split(hash).is_some_and(|(version, _)| version == self.version())
    }

    /// Encrypts with a random nonce from the caller. The nonce is stored in front.
    pub(crate) fn encrypt(
        &self,
        purpose: Purpose,
        nonce: [u8; NONCE_LEN],
        clear: &[u8],
    ) -> Vec<u8> {
        let mut encrypted = clear.to_vec();
        self.versions()
            .current()
            .cipher(purpose)
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::empty(),
                &mut encrypted,
            )
            .expect("a mail or a token is far below the cipher's limit");
        [nonce.as_slice(), &encrypted].concat()
    }

    pub(crate) fn decrypt(&self, purpose: Purpose, encrypted: &[u8]) -> Option<Vec<u8>> {
        let versions = self.versions();
        versions
            .known
            .iter()
            .find_map(|known| known.key.decrypt(purpose, encrypted))
    }

    /// Re-encrypts a value with the current version. `None` when it has this version already, or when it cannot be decrypted.
    pub(crate) fn reencrypt(
        &self,
        purpose: Purpose,
        nonce: [u8; NONCE_LEN],
        encrypted: &[u8],
    ) -> Option<Vec<u8>> {
        if self
            .versions()
            .current()
            .decrypt(purpose, encrypted)
            .is_some()
        {
            return None;
        }
        let clear = self.decrypt(purpose, encrypted)?;
        Some(self.encrypt(purpose, nonce, &clear))
    }
}

/// The version of a hash, and the hash itself.
fn split(hash: &[u8]) -> Option<(u16, &[u8])> {
    match hash.len().checked_sub(HASH_LENGTH)? {
        0 => Some((1, hash)),
        VERSION_LENGTH => {
            let (version, mac) = hash.split_at(VERSION_LENGTH);
            let version = u16::from_be_bytes(version.try_into().ok()?);
            (version > 1).then_some((version, mac))
        }
        _ => None,
    }
}

fn mac(key: &hmac::Key, message: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(key, message);
    tag.as_ref().try_into().expect("HMAC-SHA256 gives 32 bytes")
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Keyring {
        Keyring::new(Secret::unchecked("9f2c4e7a1b8d3056e4c7a9f1b2d8e6035a7c"))
    }

    fn known(version: u16, active_from: Millis, accepted_until: Option<Millis>) -> LoadedKey {
        let root = [u8::try_from(version).unwrap(); 32];
        LoadedKey {
            key: Arc::new(DataKey::new(version, &root)),
            active_from,
            accepted_until,
        }
    }

    #[test]
    fn purposes_do_not_share_a_key_and_no_key_is_in_debug_output() {
        let ring = ring();
        ring.replace(vec![known(1, 0, None)], 0);
        assert_ne!(
            ring.key(Purpose::AccessToken),
            ring.key(Purpose::RefreshToken)
        );
        for (place, purpose) in Purpose::ALL.into_iter().enumerate() {
            assert_eq!(place, purpose as usize, "{purpose:?}");
        }
        assert_eq!(format!("{ring:?}"), "Keyring(…)");
    }

    #[test]
    fn an_encrypted_mail_opens_only_unchanged_and_for_its_purpose() {
        let ring = ring();
        ring.replace(vec![known(1, 0, None)], 0);
        let encrypted = ring.encrypt(Purpose::MailBody, [7; 12], b"hello");
        assert_eq!(
            ring.decrypt(Purpose::MailBody, &encrypted).as_deref(),
            Some(b"hello".as_slice())
        );
        assert_eq!(ring.decrypt(Purpose::Code, &encrypted), None);
        let mut broken = encrypted.clone();
        broken[14] ^= 1;
        assert_eq!(ring.decrypt(Purpose::MailBody, &broken), None);
    }

    #[test]
    fn a_new_version_is_understood_before_it_is_used_and_tokens_of_the_old_one_end() {
        let ring = ring();
        ring.replace(vec![known(1, 0, None)], 0);
        let old_token = ring.hash(Purpose::RefreshToken, b"session");
        let old_device = ring.hash(Purpose::DeviceSecret, b"secret");
        let encrypted = ring.encrypt(Purpose::MailBody, [7; 12], b"hello");

        let versions = || vec![known(1, 0, Some(50)), known(2, 10, None)];
        ring.replace(versions(), 10);
        assert_eq!(ring.version(), 2);
        let new_token = ring.hash(Purpose::RefreshToken, b"session");
        assert_ne!(new_token, old_token);

        ring.replace(versions(), 9);
        assert_eq!(ring.version(), 1, "not everybody has read it yet");
        assert!(ring.verify(Purpose::RefreshToken, b"session", &new_token));

        ring.replace(versions(), 49);
        assert!(ring.verify(Purpose::RefreshToken, b"session", &old_token));
        ring.replace(versions(), 50);
        assert!(!ring.verify(Purpose::RefreshToken, b"session", &old_token));
        assert!(ring.verify(Purpose::RefreshToken, b"session", &new_token));
        assert!(ring.verify(Purpose::DeviceSecret, b"secret", &old_device));
        assert!(!ring.is_current(&old_device));
        assert_eq!(
            ring.decrypt(Purpose::MailBody, &encrypted).as_deref(),
            Some(b"hello".as_slice())
        );

        let reencrypted = ring
            .reencrypt(Purpose::MailBody, [8; 12], &encrypted)
            .unwrap();
        assert_eq!(
            ring.reencrypt(Purpose::MailBody, [9; 12], &reencrypted),
            None
        );
        ring.replace(vec![known(2, 10, None)], 50);
        assert_eq!(
            ring.decrypt(Purpose::MailBody, &reencrypted).as_deref(),
            Some(b"hello".as_slice())
        );
    }

    #[test]
    fn a_hash_is_not_believed_under_another_version() {
        let ring = ring();
        ring.replace(vec![known(1, 0, None), known(2, 0, None)], 0);
        let mut hash = ring.hash(Purpose::Code, b"code");
        assert!(ring.verify(Purpose::Code, b"code", &hash));
        for version in [0_u16, 1, 3] {
            hash[..2].copy_from_slice(&version.to_be_bytes());
            assert!(!ring.verify(Purpose::Code, b"code", &hash), "{version}");
        }
        assert!(!ring.verify(Purpose::Code, b"code", &hash[..31]));
    }
}
