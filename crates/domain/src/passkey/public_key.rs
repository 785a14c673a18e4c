//! Public keys of passkeys in COSE format, as devices send them and the database stores them.
//!
//! WebAuthn (section 6.5.1) fixes every byte around the key itself: canonical CBOR without optional parameters. A key is
//! recognised by its prefix and suffix, so no general CBOR parser has to read untrusted input.
use super::PasskeyRefusal;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};

/// The COSE numbers of the accepted algorithms, best first. Windows Hello uses RS256 on many machines.
pub const ALGORITHMS: [i64; 3] = [-7, -8, -257];

/// {kty: OKP, alg: EdDSA, crv: Ed25519, x: 32 bytes …
const ED25519_HEAD: &[u8] = &[0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20];
/// {kty: EC2, alg: ES256, crv: P-256, x: 32 bytes …
const P256_HEAD: &[u8] = &[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
/// … y: 32 bytes}
const P256_MIDDLE: &[u8] = &[0x22, 0x58, 0x20];
/// {kty: RSA, alg: RS256, n: as many bytes as the next two say …
const RSA_HEAD: &[u8] = &[0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59];
/// … e: 65537}
const RSA_TAIL: &[u8] = &[0x21, 0x43, 0x01, 0x00, 0x01];
const RSA_EXPONENT: &[u8] = &[0x01, 0x00, 0x01];

const COORDINATE: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    key: Key,
    /// As it was sent.
    cose: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Ed25519(Vec<u8>),
    /// The uncompressed point.
    P256(Vec<u8>),
    /// The modulus.
    Rsa(Vec<u8>),
}

impl PublicKey {
    /// A stored key.
    pub fn parse(cose: &[u8]) -> Result<Self, PasskeyRefusal> {
        match Self::read(cose)? {
            (key, []) => Ok(key),
            _ => Err(PasskeyRefusal::PublicKey),
        }
    }

    /// The key at the beginning of `bytes`, and what follows it.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), PasskeyRefusal> {
        let found = ed25519(bytes).or_else(|| p256(bytes));
        let found = found.or_else(|| rsa(bytes));
        let (key, rest) = found.ok_or(PasskeyRefusal::PublicKey)?;
        let cose = bytes[..bytes.len() - rest.len()].to_vec();
        Ok((Self { key, cose }, rest))
    }

    pub fn as_cose(&self) -> &[u8] {
        &self.cose
    }

    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), PasskeyRefusal> {
        let verified = match &self.key {
            Key::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
            Key::P256(point) => {
                let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point);
                key.verify(message, signature)
            }
            Key::Rsa(n) => {
                let key = RsaPublicKeyComponents {
                    n: n.as_slice(),
                    e: RSA_EXPONENT,
                };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.map_err(|_| PasskeyRefusal::Signature)
    }
}

fn ed25519(bytes: &[u8]) -> Option<(Key, &[u8])> {
    let (x, rest) = bytes
        .strip_prefix(ED25519_HEAD)?
        .split_at_checked(COORDINATE)?;
    Some((Key::Ed25519(x.to_vec()), rest))
}

fn p256(bytes: &[u8]) -> Option<(Key, &[u8])> {
    let (x, rest) = bytes
        .strip_prefix(P256_HEAD)?
        .split_at_checked(COORDINATE)?;
    let (y, rest) = rest
        .strip_prefix(P256_MIDDLE)?
        .split_at_checked(COORDINATE)?;
    Some((Key::P256([&[0x04], x, y].concat()), rest))
}

fn rsa(bytes: &[u8]) -> Option<(Key, &[u8])> {
    let (length, rest) = bytes.strip_prefix(RSA_HEAD)?.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (n, rest) = rest.split_at_checked(length)?;
    Some((Key::Rsa(n.to_vec()), rest.strip_prefix(RSA_TAIL)?))
}
