//! Signatures (Ed25519). A document is sent as exactly the text that was signed, so no canonical form is needed.
use super::Fault;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use std::fmt;
use std::str::FromStr;

/// Who signs. The signer's name is part of the signed message, so one signer's text is never accepted as the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The manufacturer, with an offline key: this image is firmware.
    Release,
    /// The portal: this battery is to install it now.
    Director,
}

impl Signer {
    const fn name(self) -> &'static str {
        match self {
            Self::Release => "suncellar release\n",
            Self::Director => "suncellar director\n",
        }
    }

    fn message(self, text: &str) -> Vec<u8> {
        [self.name().as_bytes(), text.as_bytes()].concat()
    }
}

/// The 32-byte seed of a key pair.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

impl SecretKey {
    pub fn new(seed: [u8; 32]) -> Self {
        Self(seed)
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The form in key files.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    fn pair(&self) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&self.0).expect("any 32 bytes are a valid seed")
    }

    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair().public_key().as_ref());
        PublicKey(bytes)
    }

    pub fn sign(&self, signer: Signer, text: String) -> SignedText {
        let made = self.pair().sign(&signer.message(&text));
        let mut signature = [0; 64];
        signature.copy_from_slice(made.as_ref());
        SignedText { text, signature }
    }
}

/// Hides the key from logs.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

impl FromStr for SecretKey {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        unhex(text.trim()).map(Self).ok_or(Fault::Malformed)
    }
}

/// Every battery has the public keys of both signers from the factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        unhex(text.trim()).map(Self).ok_or(Fault::Malformed)
    }
}

/// A text with its signature, which is not trusted before [`SignedText::verify`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedText {
    text: String,
    signature: [u8; 64],
}

impl SignedText {
    pub fn new(text: String, signature_hex: &str) -> Result<Self, Fault> {
        let signature = unhex(signature_hex).ok_or(Fault::Malformed)?;
        Ok(Self { text, signature })
    }

    /// The text, if this signer signed it.
    pub fn verify(&self, signer: Signer, key: &PublicKey) -> Result<&str, Fault> {
        UnparsedPublicKey::new(&ED25519, key.0)
            .verify(&signer.message(&self.text), &self.signature)
            .map_err(|_| Fault::Signature)?;
        Ok(&self.text)
    }

    /// The unverified text: to be forwarded, not to be trusted.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn signature_hex(&self) -> String {
        hex(&self.signature)
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let plain = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 2 * N || !text.bytes().all(plain) {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(number: u8) -> SecretKey {
        SecretKey::new([number; 32])
    }

    #[test]
    fn only_the_signer_with_the_key_opens_it() {
        let signed = key(1).sign(Signer::Release, "text".into());
        assert_eq!(signed.verify(Signer::Release, &key(1).public()), Ok("text"));
        let fault = Err(Fault::Signature);
        assert_eq!(signed.verify(Signer::Release, &key(2).public()), fault);
        assert_eq!(signed.verify(Signer::Director, &key(1).public()), fault);
    }

    #[test]
    fn keys_are_read_as_they_are_written_and_a_secret_is_never_printed() {
        let secret = key(0xa7);
        let read: SecretKey = format!("{}\n", secret.hex()).parse().unwrap();
        assert_eq!(read.bytes(), secret.bytes());
        let public = secret.public();
        assert_eq!(public.to_string().parse(), Ok(public));
        assert!("ABCD".parse::<PublicKey>().is_err());
        assert!(!format!("{secret:?}").contains("a7"));
    }

    proptest! {
        #[test]
        fn one_flipped_bit_is_noticed(text in "\\PC{1,200}", place in any::<prop::sample::Index>(), bit in 0..8_u8) {
            let public = key(3).public();
            let signed = key(3).sign(Signer::Director, text.clone());
            let mut signature = signed.signature;
            signature[place.index(64)] ^= 1 << bit;
            let forged = SignedText { text: text.clone(), signature };
            prop_assert!(forged.verify(Signer::Director, &public).is_err());
            let mut bytes = text.into_bytes();
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
            if let Ok(text) = String::from_utf8(bytes) {
                let forged = SignedText { text, signature: signed.signature };
                prop_assert!(forged.verify(Signer::Director, &public).is_err());
            }
        }
    }
}
