//! The document that the manufacturer signs about an image, and whether a battery may install it.
use super::signature::{hex, unhex};
use super::{Fault, Part, PublicKey, SecretKey, SignedText, Signer, Version};
use crate::clock::Millis;
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    pub part: Part,
    pub hardware: String,
    pub version: Version,
    /// Grows with every release of this part; batteries never downgrade.
    pub seq: i64,
    /// Size of the image in bytes.
    pub size: u64,
    pub sha256: [u8; 32],
    /// The oldest installed version that can be updated.
    pub min_from: Option<Version>,
    pub expires_at: Millis,
}

/// What a battery has installed of a part.
#[derive(Clone, Copy, Debug)]
pub struct InstalledPart<'a> {
    pub hardware: &'a str,
    pub version: Version,
    /// The sequence number of the newest release that was ever confirmed.
    pub seq: i64,
}

impl Manifest {
    pub fn sign(&self, key: &SecretKey) -> SignedText {
        let text = json!({
            "part": self.part.as_str(), "hw": self.hardware, "version": self.version.to_string(), "seq": self.seq,
            "size": self.size, "sha256": self.digest(), "min_from": self.min_from.map(|version| version.to_string()),
            "exp": self.expires_at,
        });
        key.sign(Signer::Release, text.to_string())
    }

    pub fn verify(signed: &SignedText, key: &PublicKey) -> Result<Self, Fault> {
        Self::read(signed.verify(Signer::Release, key)?).ok_or(Fault::Malformed)
    }

    fn read(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let word = |name: &str| json[name].as_str();
        Some(Self {
            part: word("part")?.parse().ok()?,
            hardware: word("hw")?.to_owned(),
            version: word("version")?.parse().ok()?,
            seq: json["seq"].as_i64()?,
            size: json["size"].as_u64()?,
            sha256: unhex(word("sha256")?)?,
            min_from: match &json["min_from"] {
                Value::Null => None,
                version => Some(version.as_str()?.parse().ok()?),
            },
            expires_at: json["exp"].as_i64()?,
        })
    }

    /// The SHA-256 of the image in hexadecimal, which is also the image's name.
    pub fn digest(&self) -> String {
        hex(&self.sha256)
    }

    /// Whether a battery with this part may install it.
    pub fn suits(&self, installed: InstalledPart<'_>, now: Millis) -> Result<(), Fault> {
        if self.hardware != installed.hardware {
            return Err(Fault::WrongHardware);
        }
        if self.expires_at <= now {
            return Err(Fault::Expired);
        }
        if self.seq <= installed.seq || self.version <= installed.version {
            return Err(Fault::OldSequence);
        }
        if self
            .min_from
            .is_some_and(|oldest| installed.version < oldest)
        {
            return Err(Fault::TooOld);
        }
        Ok(())
    }

    /// Whether this is the image that was signed.
    pub fn describes(&self, image: &[u8]) -> bool {
        let digest = ring::digest::digest(&ring::digest::SHA256, image);
        image.len() as u64 == self.size && digest.as_ref() == self.sha256
    }
}

/// The SHA-256 of an image.
pub fn digest_of(image: &[u8]) -> [u8; 32] {
    let digest = ring::digest::digest(&ring::digest::SHA256, image);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest.as_ref());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_794_740_400_000;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn manifest() -> Manifest {
        Manifest {
            part: Part::Master,
            hardware: "SC10".into(),
            version: version("2.7"),
            seq: 12,
            size: 3,
            sha256: digest_of(b"abc"),
            min_from: Some(version("2.4")),
            expires_at: NOW + 1,
        }
    }

    #[test]
    fn it_is_read_as_it_was_signed() {
        let key = SecretKey::new([7; 32]);
        let signed = manifest().sign(&key);
        assert_eq!(Manifest::verify(&signed, &key.public()), Ok(manifest()));
        let mine = key.sign(Signer::Release, r#"{"part":"toaster"}"#.into());
        assert_eq!(
            Manifest::verify(&mine, &key.public()),
            Err(Fault::Malformed)
        );
    }

    #[test]
    fn a_battery_takes_only_what_is_newer_and_meant_for_it() {
        let suits = |hardware, installed: &str, seq, now| {
            let installed = InstalledPart {
                hardware,
                version: version(installed),
                seq,
            };
            manifest().suits(installed, now)
        };
        assert_eq!(suits("SC10", "2.6", 11, NOW), Ok(()));
        assert_eq!(suits("SC8", "2.6", 11, NOW), Err(Fault::WrongHardware));
        assert_eq!(suits("SC10", "2.6", 12, NOW), Err(Fault::OldSequence));
        assert_eq!(suits("SC10", "2.7", 11, NOW), Err(Fault::OldSequence));
        assert_eq!(suits("SC10", "2.3", 11, NOW), Err(Fault::TooOld));
        assert_eq!(suits("SC10", "2.6", 11, NOW + 1), Err(Fault::Expired));
    }

    #[test]
    fn the_image_is_known_to_the_bit() {
        assert!(manifest().describes(b"abc"));
        for wrong in [b"abd".as_slice(), b"ab", b"abcd", b""] {
            assert!(!manifest().describes(wrong));
        }
    }
}
