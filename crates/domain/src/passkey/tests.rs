use super::*;
use crate::passkey::authenticator_data::AuthenticatorData;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

/// Section "Test Vectors" of WebAuthn level 3: one device per algorithm, one of which has verified its user.
fn vectors() -> Vec<Value> {
    serde_json::from_str(include_str!("../../data/webauthn-vectors.json")).unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

#[test]
fn keys_and_signatures_are_those_of_the_standard() {
    let mut keys = Vec::new();
    for vector in vectors() {
        let name = &vector["algorithm"];
        let created = hex(&vector["created"]["authenticator_data"]);
        let created = AuthenticatorData::parse(&created).unwrap().created.unwrap();
        assert_eq!(created.credential_id, hex(&vector["credential_id"]));
        let key = created.public_key;
        assert_eq!(PublicKey::parse(key.as_cose()), Ok(key.clone()), "{name}");

        let shown = &vector["shown"];
        let client = shown["client_data"].as_str().unwrap();
        let hash = digest(&SHA256, client.as_bytes());
        let signed = [hex(&shown["authenticator_data"]).as_slice(), hash.as_ref()].concat();
        let signature = hex(&shown["signature"]);
        assert_eq!(key.verify(&signed, &signature), Ok(()), "{name}");
        let wrong = Err(PasskeyRefusal::Signature);
        for place in 0..signature.len() {
            let mut flipped = signature.clone();
            flipped[place] ^= 1;
            assert_eq!(key.verify(&signed, &flipped), wrong, "{name}, byte {place}");
        }
        for other in &keys {
            assert_eq!(
                PublicKey::verify(other, &signed, &signature),
                wrong,
                "{name}"
            );
        }
        keys.push(key);
    }
    assert_eq!(keys.len(), ALGORITHMS.len());
}

#[test]
fn a_registration_of_the_standard_is_read() {
    let vectors = vectors();
    let vector = vectors
        .iter()
        .find(|one| one["algorithm"] == "RS256")
        .unwrap();
    let answer = Registration {
        client_data: vector["created"]["client_data"].as_str().unwrap().into(),
        authenticator_data: hex(&vector["created"]["authenticator_data"]),
    };
    let read = |url: &str| RelyingParty::of(url).unwrap().check_registration(&answer);
    let new = read("https://example.org").unwrap();
    assert_eq!(new.challenge, hex(&vector["challenge"]));
    assert_eq!(new.credential_id, hex(&vector["credential_id"]));
    assert_eq!(new.sign_count, 0);
    let origin = Err(PasskeyRefusal::Origin);
    assert_eq!(read("https://example.com"), origin);
    assert_eq!(read("https://example.org:8443"), origin);
}

#[test]
fn passkeys_belong_to_a_host_with_a_name_and_a_safe_way_to_it() {
    for (url, id) in [
        ("https://portal.example", Some("portal.example")),
        ("https://Portal.example:8443/", Some("portal.example")),
        ("http://localhost:8080", Some("localhost")),
        ("http://demo.localhost", Some("demo.localhost")),
        ("http://portal.example", None),
        ("https://192.0.2.7", None),
        ("http://127.0.0.1:8080", None),
        ("https://[::1]:8443", None),
        ("https://", None),
        ("portal.example", None),
    ] {
        let party = RelyingParty::of(url);
        assert_eq!(party.as_ref().map(RelyingParty::id), id, "{url}");
    }
}

#[test]
fn a_name_is_one_visible_line() {
    let name = |text: &str| text.parse::<PasskeyName>();
    assert_eq!(
        name(" Annas\u{202e}\n Telefon ").unwrap().as_str(),
        "Annas Telefon"
    );
    assert_eq!(name(" \u{200f} "), Err(Message::Required));
    assert_eq!(name(&"x".repeat(61)), Err(Message::TooLong));
    assert!(name(&"ł".repeat(60)).is_ok());
}

/// A device with a key for `portal.test`, and a valid answer of it.
struct Device {
    pair: Ed25519KeyPair,
    client: Value,
    party: &'static str,
    flags: u8,
}

impl Device {
    fn new() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self {
            pair: Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap(),
            client: json!({
                "type": "webauthn.get", "challenge": BASE64.encode(b"challenge"), "origin": "https://portal.test",
            }),
            party: "portal.test",
            flags: 0b101,
        }
    }

    fn key(&self) -> PublicKey {
        let head = [
            0xa4_u8, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20,
        ];
        let cose = [head.as_slice(), self.pair.public_key().as_ref()].concat();
        PublicKey::parse(&cose).unwrap()
    }

    fn answer(&self, after: &[u8]) -> Assertion {
        let client_data = self.client.to_string().into_bytes();
        let party = digest(&SHA256, self.party.as_bytes());
        let party: &[u8] = party.as_ref();
        let data = [party, &[self.flags], &7_u32.to_be_bytes(), after].concat();
        let hash = digest(&SHA256, &client_data);
        let signature = self.pair.sign(&[data.as_slice(), hash.as_ref()].concat());
        Assertion {
            credential_id: vec![1],
            client_data,
            authenticator_data: data,
            signature: signature.as_ref().to_vec(),
            user_handle: None,
        }
    }

    fn checked(&self) -> Result<ShownPasskey, PasskeyRefusal> {
        checked(&self.answer(&[]), &self.key())
    }
}

fn checked(answer: &Assertion, key: &PublicKey) -> Result<ShownPasskey, PasskeyRefusal> {
    let party = RelyingParty::of("https://portal.test").unwrap();
    party.check_assertion(answer, key)
}

#[test]
fn each_thing_that_is_wrong_with_an_answer_is_refused() {
    let right = Device::new().checked().unwrap();
    assert_eq!(
        (right.challenge.as_slice(), right.sign_count),
        (&b"challenge"[..], 7)
    );
    let changed = |change: fn(&mut Device)| {
        let mut device = Device::new();
        change(&mut device);
        device.checked().map(drop)
    };
    let same = Ok(());
    assert_eq!(changed(|d| d.client["crossOrigin"] = json!(false)), same);
    assert_eq!(changed(|d| d.client["added"] = json!("by a browser")), same);
    let ceremony = Err(PasskeyRefusal::Ceremony);
    assert_eq!(
        changed(|d| d.client["type"] = json!("webauthn.create")),
        ceremony
    );
    let unreadable = Err(PasskeyRefusal::ClientData);
    assert_eq!(
        changed(|d| d.client["type"] = json!("payment.get")),
        unreadable
    );
    assert_eq!(
        changed(|d| d.client["challenge"] = json!("a+b/")),
        unreadable
    );
    assert_eq!(changed(|d| d.client = json!([])), unreadable);
    let origin = Err(PasskeyRefusal::Origin);
    for other in [
        "https://portal.test.evil",
        "http://portal.test",
        "https://portal.test:8443",
        "",
    ] {
        let mut device = Device::new();
        device.client["origin"] = json!(other);
        assert_eq!(device.checked().map(drop), origin, "{other}");
    }
    assert_eq!(changed(|d| d.client["crossOrigin"] = json!(true)), origin);
    assert_eq!(
        changed(|d| d.party = "other.test"),
        Err(PasskeyRefusal::RelyingParty)
    );
    assert_eq!(
        changed(|d| d.flags = 0b100),
        Err(PasskeyRefusal::NotPresent)
    );
    assert_eq!(
        changed(|d| d.flags = 0b001),
        Err(PasskeyRefusal::NotVerified)
    );
}

#[test]
fn what_a_device_adds_is_signed_and_must_be_announced() {
    let mut device = Device::new();
    let extensions = [0xa0];
    let unannounced = checked(&device.answer(&extensions), &device.key());
    assert_eq!(unannounced, Err(PasskeyRefusal::AuthenticatorData));
    device.flags |= 1 << 7;
    assert!(checked(&device.answer(&extensions), &device.key()).is_ok());
}

#[test]
fn no_bit_of_what_was_signed_can_be_changed() {
    let device = Device::new();
    let (answer, key) = (device.answer(&[]), device.key());
    let refused = |answer: Assertion| checked(&answer, &key).is_err();
    let bits = |length: usize| (0..length * 8).map(|bit| (bit / 8, 1_u8 << (bit % 8)));
    for (byte, bit) in bits(answer.client_data.len()) {
        let mut changed = answer.clone();
        changed.client_data[byte] ^= bit;
        assert!(refused(changed), "client data, byte {byte}");
    }
    for (byte, bit) in bits(answer.authenticator_data.len()) {
        let mut changed = answer.clone();
        changed.authenticator_data[byte] ^= bit;
        assert!(refused(changed), "authenticator data, byte {byte}");
    }
    for (byte, bit) in bits(answer.signature.len()) {
        let mut changed = answer.clone();
        changed.signature[byte] ^= bit;
        assert!(refused(changed), "signature, byte {byte}");
    }
    assert_eq!(
        checked(&answer, &Device::new().key()),
        Err(PasskeyRefusal::Signature)
    );
}

#[test]
fn what_was_cut_off_is_refused() {
    for vector in vectors() {
        let whole = hex(&vector["created"]["authenticator_data"]);
        assert!(AuthenticatorData::parse(&whole).is_ok());
        for length in 0..whole.len() {
            assert!(
                AuthenticatorData::parse(&whole[..length]).is_err(),
                "{length} bytes"
            );
        }
        let longer = [whole.as_slice(), &[0]].concat();
        assert!(AuthenticatorData::parse(&longer).is_err());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), head in 0..3_usize) {
        let head: &[u8] = match head {
            0 => &[],
            1 => &[0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59],
            _ => &[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20],
        };
        let bytes = [head, &bytes].concat();
        if let Ok(key) = PublicKey::parse(&bytes) {
            prop_assert_eq!(key.as_cose(), bytes.as_slice());
        }
        let _ = AuthenticatorData::parse(&bytes);
    }
}
