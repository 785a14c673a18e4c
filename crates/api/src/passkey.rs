//! Requests for passkeys to browsers, and their answers, in the JSON of WebAuthn: `parseCreationOptionsFromJSON`,
//! `parseRequestOptionsFromJSON` and `PublicKeyCredential.toJSON` read and write it.
use crate::Portal;
use crate::error::{Error, Result};
use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Message;
use domain::passkey::{ALGORITHMS, Assertion, CHALLENGE_TTL, Registration, RelyingParty};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use service::passkey::PasskeyOffer;
use store::account::Account;
use store::passkey::Passkey;
use utoipa::ToSchema;

/// The only kind of credential that WebAuthn knows.
const KIND: &str = "public-key";
const REQUIRED: &str = "required";

/// A passkey in the account's list.
#[derive(Serialize, ToSchema)]
pub(crate) struct PasskeyEntry {
    id: i64,
    name: String,
    /// When the passkey was added; Unix time in milliseconds.
    created_at: i64,
    /// When the passkey was last used; Unix time in milliseconds. Null if never.
    #[schema(required)]
    used_at: Option<i64>,
}

impl From<Passkey> for PasskeyEntry {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id,
            name: passkey.name,
            created_at: passkey.created_at,
            used_at: passkey.used_at,
        }
    }
}

/// Options for `navigator.credentials.create`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeyCreation {
    rp: PasskeyPortal,
    user: PasskeyUser,
    challenge: String,
    pub_key_cred_params: Vec<PasskeyAlgorithm>,
    /// Timeout in milliseconds.
    timeout: i64,
    exclude_credentials: Vec<PasskeyReference>,
    authenticator_selection: PasskeySelection,
    attestation: &'static str,
}

#[derive(Serialize, ToSchema)]
struct PasskeyPortal {
    id: String,
    name: &'static str,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasskeyUser {
    /// A random id, so that it reveals nothing about the account to a finder of the device.
    id: String,
    name: String,
    display_name: String,
}

#[derive(Serialize, ToSchema)]
struct PasskeyAlgorithm {
    r#type: &'static str,
    alg: i64,
}

#[derive(Serialize, ToSchema)]
struct PasskeyReference {
    r#type: &'static str,
    id: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasskeySelection {
    resident_key: &'static str,
    require_resident_key: bool,
    user_verification: &'static str,
}

impl PasskeyCreation {
    pub(crate) fn new(party: &RelyingParty, account: &Account, offer: &PasskeyOffer) -> Self {
        let algorithm = |alg| PasskeyAlgorithm { r#type: KIND, alg };
        let known = offer.known.iter().map(|id| PasskeyReference {
            r#type: KIND,
            id: BASE64.encode(id),
        });
        Self {
            rp: PasskeyPortal {
                id: party.id().to_owned(),
                name: "Suncellar",
            },
            user: PasskeyUser {
                id: BASE64.encode(&offer.user_handle),
                name: account.email.clone(),
                display_name: account.email.clone(),
            },
            challenge: BASE64.encode(&offer.challenge),
            pub_key_cred_params: ALGORITHMS.map(algorithm).into(),
            timeout: CHALLENGE_TTL,
            exclude_credentials: known.collect(),
            authenticator_selection: PasskeySelection {
                resident_key: REQUIRED,
                require_resident_key: true,
                user_verification: REQUIRED,
            },
            attestation: "none",
        }
    }
}

/// Options for `navigator.credentials.get`. They name no passkey: the person chooses one, and the device returns the account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeyRequest {
    challenge: String,
    rp_id: String,
    /// Timeout in milliseconds.
    timeout: i64,
    user_verification: &'static str,
}

impl PasskeyRequest {
    pub(crate) fn new(party: &RelyingParty, challenge: &[u8]) -> Self {
        Self {
            challenge: BASE64.encode(challenge),
            rp_id: party.id().to_owned(),
            timeout: CHALLENGE_TTL,
            user_verification: REQUIRED,
        }
    }
}

/// The website that passkeys belong to, or the refusal if the portal does not support passkeys.
pub(crate) fn relying_party(portal: &Portal) -> Result<RelyingParty> {
    let unavailable = Error::Refused(StatusCode::CONFLICT, Message::PasskeysUnavailable);
    portal.service.relying_party().ok_or(unavailable)
}

/// The refusal of a passkey, used or new.
pub(crate) const fn refused(status: StatusCode) -> Error {
    Error::Refused(status, Message::PasskeyRefused)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Credential<R> {
    raw_id: Bytes,
    response: R,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AssertionResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Bytes,
    authenticator_data: Bytes,
    signature: Bytes,
    user_handle: Option<Bytes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RegistrationResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Bytes,
    authenticator_data: Bytes,
}

/// Parses the browser's answer to [`PasskeyRequest`]. `None` if it is unreadable.
pub(crate) fn parse_assertion(json: &str) -> Option<Assertion> {
    let Credential { raw_id, response } = parse::<AssertionResponse>(json)?;
    Some(Assertion {
        credential_id: raw_id.0,
        client_data: response.client_data.0,
        authenticator_data: response.authenticator_data.0,
        signature: response.signature.0,
        user_handle: response.user_handle.map(|handle| handle.0),
    })
}

/// Parses the browser's answer to [`PasskeyCreation`]. `None` if it is unreadable.
pub(crate) fn parse_registration(json: &str) -> Option<Registration> {
    let Credential { response, .. } = parse::<RegistrationResponse>(json)?;
    Some(Registration {
        client_data: response.client_data.0,
        authenticator_data: response.authenticator_data.0,
    })
}

fn parse<R: DeserializeOwned>(json: &str) -> Option<Credential<R>> {
    serde_json::from_str(json).ok()
}

/// Base64url in JSON.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64.decode(text).map(Self).map_err(D::Error::custom)
    }
}
