//! Entry points for the fuzz targets in `fuzz/`: signed texts about firmware, whose signers may be wrong.
#![allow(clippy::unwrap_used, reason = "a panic is what fuzzing looks for")]
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{
    Assignment, Fault, InstalledPart, Manifest, PublicKey, SecretKey, SignedText, Signer,
};

const NOW: Millis = 1_794_740_400_000;
/// The number of the newest assignment that the battery has accepted.
const LAST: i64 = 3;

/// Verifies a text that is signed by the manufacturer or the portal, or not signed.
pub fn manifests(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    check_manifest(text);
    check_assignment(text);
    let _ = SignedText::new(String::new(), text);
    let _ = (text.parse::<PublicKey>(), text.parse::<SecretKey>());
}

fn release() -> SecretKey {
    SecretKey::new([1; 32])
}

fn director() -> SecretKey {
    SecretKey::new([2; 32])
}

fn check_manifest(text: &str) {
    let signed = |key: SecretKey, signer| {
        let signed = key.sign(signer, text.to_owned());
        Manifest::verify(&signed, &release().public())
    };
    assert_eq!(signed(director(), Signer::Release), Err(Fault::Signature));
    assert_eq!(signed(release(), Signer::Director), Err(Fault::Signature));
    let Ok(manifest) = signed(release(), Signer::Release) else {
        return;
    };
    let again = Manifest::verify(&manifest.sign(&release()), &release().public());
    assert_eq!(again.as_ref(), Ok(&manifest));
    let installed = InstalledPart {
        hardware: "SC10",
        version: "2.6".parse().unwrap(),
        seq: 11,
    };
    if manifest.suits(installed, NOW).is_ok() {
        assert!(manifest.version > installed.version && manifest.seq > installed.seq);
        assert!(manifest.expires_at > NOW && manifest.hardware == installed.hardware);
    }
    assert!(!manifest.describes(input_of_another_size(&manifest)));
}

fn input_of_another_size(manifest: &Manifest) -> &'static [u8] {
    match manifest.size {
        0 => b"x",
        _ => b"",
    }
}

fn check_assignment(text: &str) {
    let sn: Serial = "SC000001".parse().unwrap();
    let (director, release) = (director(), release());
    let signed = director.sign(Signer::Director, text.to_owned());
    let verify = |last| {
        let keys = (director.public(), release.public());
        Assignment::verify(&signed, &keys.0, &keys.1, &sn, last, NOW)
    };
    let Ok(assignment) = verify(LAST) else { return };
    assert!(assignment.number >= LAST && !assignment.parts.is_empty());
    if let Some(newer) = assignment.number.checked_add(1) {
        assert_eq!(verify(newer), Err(Fault::OldSequence));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::firmware::{Part, digest_of};
    use testkit::corpus;

    #[test]
    fn no_known_text_does_harm() {
        corpus::run_each("manifests", manifests);
    }

    #[test]
    #[ignore = "writes the corpus"]
    fn write_corpus() {
        let manifest = |part| Manifest {
            part,
            hardware: "SC10".into(),
            version: "2.7".parse().unwrap(),
            seq: 12,
            size: 3,
            sha256: digest_of(b"abc"),
            min_from: Some("2.4".parse().unwrap()),
            expires_at: NOW + 1,
        };
        let parts = [Part::Gateway, Part::Master].map(|part| manifest(part).sign(&release()));
        let assignment = Assignment {
            sn: "SC000001".parse().unwrap(),
            job: "0123456789abcdef01234567".parse().unwrap(),
            number: LAST + 1,
            parts: parts.to_vec(),
            expires_at: NOW + 1,
        };
        corpus::write("manifests", "manifest", parts[0].text().as_bytes());
        let signed = assignment.sign(&director());
        corpus::write("manifests", "assignment", signed.text().as_bytes());
    }
}
