//! The browser's data about the page on which a passkey was created or used. The passkey signs its hash.
use super::PasskeyRefusal;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Ceremony {
    /// A passkey is created.
    #[serde(rename = "webauthn.create")]
    Create,
    /// A passkey is used.
    #[serde(rename = "webauthn.get")]
    Get,
}

#[derive(Debug)]
pub(super) struct ClientData {
    pub(super) ceremony: Ceremony,
    pub(super) challenge: Vec<u8>,
    pub(super) origin: String,
    pub(super) cross_origin: bool,
}

/// Browsers may add more fields.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientDataJson {
    #[serde(rename = "type")]
    ceremony: Ceremony,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

impl ClientData {
    pub(super) fn parse(json: &[u8]) -> Result<Self, PasskeyRefusal> {
        let read = serde_json::from_slice::<ClientDataJson>(json);
        let read = read.map_err(|_| PasskeyRefusal::ClientData)?;
        let challenge = BASE64.decode(&read.challenge);
        Ok(Self {
            ceremony: read.ceremony,
            challenge: challenge.map_err(|_| PasskeyRefusal::ClientData)?,
            origin: read.origin,
            cross_origin: read.cross_origin,
        })
    }
}
