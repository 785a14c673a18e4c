//! A device that makes and shows a passkey, for tests: real keys and signatures. What it says about itself and about the page can be
//! changed, so that each check of the portal has something to refuse.
use crate::{PASSWORD, PUBLIC_URL, Person, TestApp, TestResponse};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

const PRESENT_AND_VERIFIED: u8 = 0b101;
const CREATED: u8 = 0b100_0000;

pub struct SoftwarePasskey {
    random: SystemRandom,
    pair: EcdsaKeyPair,
    pub credential_id: Vec<u8>,
    pub user_handle: Value,
    /// The page that it is shown on.
    pub origin: String,
    pub relying_party: String,
    /// Whether somebody is there, and whether the device has verified who.
    pub flags: u8,
    /// 0: the device does not count.
    pub sign_count: u32,
}

impl SoftwarePasskey {
    /// A key for what the portal asks for.
    pub fn for_options(options: &Value) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let mut credential_id = vec![0; 32];
        random.fill(&mut credential_id).unwrap();
        Self {
            pair: EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap(),
            random,
            credential_id,
            user_handle: options["user"]["id"].clone(),
            origin: PUBLIC_URL.to_owned(),
            relying_party: options["rp"]["id"].as_str().unwrap().to_owned(),
            flags: PRESENT_AND_VERIFIED,
            sign_count: 0,
        }
    }

    /// The answer to "make a passkey".
    pub fn made(&self, options: &Value) -> String {
        let point: &[u8] = self.pair.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        let length = u16::try_from(self.credential_id.len()).unwrap();
        let make = [0_u8; 16];
        let created = [
            make.as_slice(),
            &length.to_be_bytes(),
            &self.credential_id,
            &[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20],
            x,
            &[0x22, 0x58, 0x20],
            y,
        ]
        .concat();
        let data = self.authenticator_data(self.flags | CREATED, &created);
        let response = json!({
            "clientDataJSON": BASE64.encode(self.client_data("webauthn.create", options)),
            "authenticatorData": BASE64.encode(data),
        });
        self.credential(response)
    }

    /// The answer to "show a passkey".
    pub fn shown(&self, options: &Value) -> String {
        let client = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(self.flags, &[]);
        let signed = [data.as_slice(), digest(&SHA256, client.as_bytes()).as_ref()].concat();
        let signature = self.pair.sign(&self.random, &signed).unwrap();
        let response = json!({
            "clientDataJSON": BASE64.encode(client),
            "authenticatorData": BASE64.encode(data),
            "signature": BASE64.encode(signature),
            "userHandle": self.user_handle,
        });
        self.credential(response)
    }

    fn client_data(&self, ceremony: &str, options: &Value) -> String {
        let challenge = &options["challenge"];
        json!({"type": ceremony, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
    }

    fn authenticator_data(&self, flags: u8, created: &[u8]) -> Vec<u8> {
        let party = digest(&SHA256, self.relying_party.as_bytes());
        let party: &[u8] = party.as_ref();
        let count = self.sign_count.to_be_bytes();
        [party, &[flags], &count, created].concat()
    }

    fn credential(&self, response: Value) -> String {
        let id = BASE64.encode(&self.credential_id);
        let credential = json!({
            "id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {},
        });
        credential.to_string()
    }
}

impl TestApp {
    /// What a browser needs to make a passkey, after the password.
    pub async fn begin_passkey(&self, person: &Person) -> Value {
        let call = self.post(
            "/api/auth/account/passkey/options/",
            &[("password", PASSWORD)],
        );
        call.bearer(&person.access).send().await.expect(200).json()
    }

    /// Sends what a browser made.
    pub async fn send_passkey(&self, person: &Person, name: &str, made: &str) -> TestResponse {
        let fields = [("name", name), ("passkey", made)];
        let call = self.post("/api/auth/account/passkey/", &fields);
        call.bearer(&person.access).send().await
    }

    /// A passkey that opens the person's account.
    pub async fn add_passkey(&self, person: &Person, name: &str) -> SoftwarePasskey {
        let options = self.begin_passkey(person).await;
        let passkey = SoftwarePasskey::for_options(&options);
        let made = passkey.made(&options);
        self.send_passkey(person, name, &made).await.expect(201);
        passkey
    }

    /// The same for somebody with two-step login, by a recovery code.
    pub async fn add_passkey_with_code(&self, person: &Person, code: &str) -> SoftwarePasskey {
        let proof = [("password", PASSWORD), ("totp", code)];
        let call = self.post("/api/auth/account/passkey/options/", &proof);
        let options = call.bearer(&person.access).send().await.expect(200).json();
        let passkey = SoftwarePasskey::for_options(&options);
        let made = passkey.made(&options);
        self.send_passkey(person, "Telefon", &made)
            .await
            .expect(201);
        passkey
    }

    /// What a browser needs to show a passkey.
    pub async fn ask_for_passkey(&self) -> Value {
        let call = self.post("/api/auth/passkey/options/", &[]);
        call.send().await.expect(200).json()
    }

    /// A passkey as it is shown to a new challenge.
    pub async fn show_passkey(&self, passkey: &SoftwarePasskey) -> String {
        passkey.shown(&self.ask_for_passkey().await)
    }
}
