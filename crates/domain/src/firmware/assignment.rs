//! The document that the portal signs for one battery: install these parts, in this order.
use super::{Fault, JobId, Manifest, PublicKey, SecretKey, SignedText, Signer};
use crate::Serial;
use crate::clock::Millis;
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub sn: Serial,
    pub job: JobId,
    /// Grows with every assignment of a battery, which protects against replay: the battery rejects older ones.
    pub number: i64,
    /// The manifests that the manufacturer signed, part by part.
    pub parts: Vec<SignedText>,
    pub expires_at: Millis,
}

/// An assignment whose signatures are both valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedAssignment {
    pub job: JobId,
    pub number: i64,
    pub parts: Vec<Manifest>,
}

impl Assignment {
    pub fn sign(&self, key: &SecretKey) -> SignedText {
        let part =
            |part: &SignedText| json!({ "manifest": part.text(), "sig": part.signature_hex() });
        let parts: Vec<Value> = self.parts.iter().map(part).collect();
        let text = json!({
            "sn": self.sn.as_str(), "job": self.job.as_str(), "n": self.number, "parts": parts, "exp": self.expires_at,
        });
        key.sign(Signer::Director, text.to_string())
    }

    /// Verifies both signatures and that the assignment is for this battery. `last` is the number of the newest one that the
    /// battery has accepted.
    pub fn verify(
        signed: &SignedText,
        director: &PublicKey,
        release: &PublicKey,
        sn: &Serial,
        last: i64,
        now: Millis,
    ) -> Result<VerifiedAssignment, Fault> {
        let text = signed.verify(Signer::Director, director)?;
        let assignment = Self::read(text).ok_or(Fault::Malformed)?;
        if assignment.sn != *sn {
            return Err(Fault::WrongBattery);
        }
        if assignment.expires_at <= now {
            return Err(Fault::Expired);
        }
        if assignment.number < last {
            return Err(Fault::OldSequence);
        }
        let parts = assignment.parts.iter();
        let parts: Vec<Manifest> = parts
            .map(|part| Manifest::verify(part, release))
            .collect::<Result<_, Fault>>()?;
        let in_order = parts.windows(2).all(|pair| pair[0].part < pair[1].part);
        if parts.is_empty() || !in_order {
            return Err(Fault::Malformed);
        }
        Ok(VerifiedAssignment {
            job: assignment.job,
            number: assignment.number,
            parts,
        })
    }

    fn read(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let part = |part: &Value| {
            SignedText::new(part["manifest"].as_str()?.to_owned(), part["sig"].as_str()?).ok()
        };
        Some(Self {
            sn: json["sn"].as_str()?.parse().ok()?,
            job: json["job"].as_str()?.parse().ok()?,
            number: json["n"].as_i64()?,
            parts: json["parts"]
                .as_array()?
                .iter()
                .map(part)
                .collect::<Option<_>>()?,
            expires_at: json["exp"].as_i64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::super::manifest::digest_of;
    use super::*;

    const NOW: Millis = 1_794_740_400_000;

    fn keys() -> (SecretKey, SecretKey) {
        (SecretKey::new([1; 32]), SecretKey::new([2; 32]))
    }

    fn manifest(part: Part) -> Manifest {
        Manifest {
            part,
            hardware: "SC10".into(),
            version: "2.7".parse().unwrap(),
            seq: 3,
            size: 3,
            sha256: digest_of(b"abc"),
            min_from: None,
            expires_at: NOW + 1_000,
        }
    }

    fn assignment(parts: &[Part]) -> Assignment {
        let (release, _) = keys();
        Assignment {
            sn: "SC000001".parse().unwrap(),
            job: "0123456789abcdef01234567".parse().unwrap(),
            number: 4,
            parts: parts
                .iter()
                .map(|part| manifest(*part).sign(&release))
                .collect(),
            expires_at: NOW + 1,
        }
    }

    fn open(
        signed: &SignedText,
        sn: &str,
        last: i64,
        now: Millis,
    ) -> Result<VerifiedAssignment, Fault> {
        let (release, director) = keys();
        let sn = sn.parse().unwrap();
        Assignment::verify(
            signed,
            &director.public(),
            &release.public(),
            &sn,
            last,
            now,
        )
    }

    #[test]
    fn it_is_obeyed_by_its_battery_in_time_and_never_again_after_a_newer_one() {
        let (_, director) = keys();
        let signed = assignment(&[Part::Gateway, Part::Master]).sign(&director);
        let assigned = open(&signed, "SC000001", 4, NOW).unwrap();
        assert_eq!(
            assigned.parts,
            [manifest(Part::Gateway), manifest(Part::Master)]
        );
        assert_eq!(open(&signed, "SC000002", 4, NOW), Err(Fault::WrongBattery));
        assert_eq!(open(&signed, "SC000001", 5, NOW), Err(Fault::OldSequence));
        assert_eq!(open(&signed, "SC000001", 4, NOW + 1), Err(Fault::Expired));
    }

    #[test]
    fn both_signers_have_to_stand_for_it() {
        let (release, director) = keys();
        let by_release = assignment(&[Part::Master]).sign(&release);
        assert_eq!(open(&by_release, "SC000001", 0, NOW), Err(Fault::Signature));
        let mut forged = assignment(&[Part::Master]);
        forged.parts = vec![manifest(Part::Master).sign(&director)];
        let forged = forged.sign(&director);
        assert_eq!(open(&forged, "SC000001", 0, NOW), Err(Fault::Signature));
    }

    #[test]
    fn parts_out_of_order_or_none_at_all_are_refused() {
        let (_, director) = keys();
        for parts in [
            &[Part::Slave, Part::Master][..],
            &[Part::Master, Part::Master],
            &[],
        ] {
            let signed = assignment(parts).sign(&director);
            assert_eq!(open(&signed, "SC000001", 0, NOW), Err(Fault::Malformed));
        }
    }
}
