//! One version of the server's keys, with a key for each purpose, and the form of its hashes.
use domain::names::variants;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
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
    pub(super) const ALL: [Self; Self::VARIANTS.len()] = variants();

    /// Whether the key alone is enough to forge an accepted value. All other hashes are of random values and must be in the
    /// database, so the key alone does not help.
    pub(super) fn is_forgeable(self) -> bool {
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

    pub(super) fn key(&self, purpose: Purpose) -> &[u8; 32] {
        &self.keys[purpose as usize]
    }

    pub(super) fn hash(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key(purpose));
        let mac = mac(&key, message);
        match self.version {
            1 => mac.to_vec(),
            version => [version.to_be_bytes().as_slice(), &mac].concat(),
        }
    }

    pub(super) fn cipher(&self, purpose: Purpose) -> LessSafeKey {
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

/// The version of a hash, and the hash itself.
pub(super) fn split(hash: &[u8]) -> Option<(u16, &[u8])> {
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
