//! Passkeys: the portal's half of WebAuthn (level 2, sections 7.1 and 7.2). A device signs the portal's challenge after it has
//! verified its user by fingerprint, face or PIN, so a passkey is two factors at once.
//!
//! Attestation, which identifies the device's model, is neither requested nor read.
mod authenticator_data;
mod client_data;
mod public_key;

pub use public_key::{ALGORITHMS, PublicKey};

use crate::clock::{MINUTE, Millis};
use crate::{Message, required_line};
use authenticator_data::AuthenticatorData;
use client_data::{Ceremony, ClientData};
use ring::digest::{SHA256, digest};
use std::str::FromStr;

/// How long a challenge may be answered.
pub const CHALLENGE_TTL: Millis = 5 * MINUTE;

/// Passkeys per account.
pub const MAX_PASSKEYS: usize = 20;

/// The longest credential ID that WebAuthn allows, in bytes.
const MAX_CREDENTIAL_ID: usize = 1023;

/// The name that a person gives a passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyName(String);

impl PasskeyName {
    /// In characters.
    pub const MAX_LENGTH: usize = 60;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PasskeyName {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        required_line(text, Self::MAX_LENGTH).map(Self)
    }
}

/// Why a browser's answer was refused, for the log. People see the same text whatever the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyRefusal {
    #[error("the client data cannot be read")]
    ClientData,
    #[error("the answer belongs to the other ceremony")]
    Ceremony,
    #[error("the answer was given to another website")]
    Origin,
    #[error("the authenticator data cannot be read")]
    AuthenticatorData,
    #[error("the passkey is for another website")]
    RelyingParty,
    #[error("nobody was at the device")]
    NotPresent,
    #[error("the device did not verify its user")]
    NotVerified,
    #[error("the public key is of an unknown kind")]
    PublicKey,
    #[error("the signature is wrong")]
    Signature,
}

/// A browser's answer to `navigator.credentials.create`.
#[derive(Clone, Debug)]
pub struct Registration {
    pub client_data: Vec<u8>,
    pub authenticator_data: Vec<u8>,
}

/// A browser's answer to `navigator.credentials.get`.
#[derive(Clone, Debug)]
pub struct Assertion {
    pub credential_id: Vec<u8>,
    pub client_data: Vec<u8>,
    pub authenticator_data: Vec<u8>,
    pub signature: Vec<u8>,
    /// The account's random identifier on the device.
    pub user_handle: Option<Vec<u8>>,
}

/// A new passkey. The caller still has to check the challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPasskey {
    pub challenge: Vec<u8>,
    pub credential_id: Vec<u8>,
    pub public_key: PublicKey,
    /// 0 if the device does not count.
    pub sign_count: u32,
}

/// A passkey that was used. The caller still has to check the challenge and the counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPasskey {
    pub challenge: Vec<u8>,
    pub sign_count: u32,
}

/// The website that the passkeys belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// Its host name. Browsers offer a passkey only there.
    id: String,
    /// Scheme, host and port, as browsers write them.
    origin: String,
}

impl RelyingParty {
    /// `None` where browsers do not allow passkeys: at an IP address, or without TLS except on localhost.
    pub fn of(public_url: &str) -> Option<Self> {
        let origin = public_url.trim_end_matches('/').to_ascii_lowercase();
        let (scheme, rest) = origin.split_once("://")?;
        if rest.starts_with('[') || rest.contains(['/', '@']) {
            return None;
        }
        let id = rest.split(':').next().filter(|host| !host.is_empty())?;
        let is_address = id.parse::<std::net::IpAddr>().is_ok();
        let is_secure = scheme == "https" || scheme == "http" && is_this_machine(id);
        (is_secure && !is_address).then(|| Self {
            id: id.to_owned(),
            origin: origin.clone(),
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Section 7.1, without attestation.
    pub fn check_registration(&self, answer: &Registration) -> Result<NewPasskey, PasskeyRefusal> {
        let client = self.client_data(&answer.client_data, Ceremony::Create)?;
        let data = self.authenticator_data(&answer.authenticator_data)?;
        let created = data.created.ok_or(PasskeyRefusal::AuthenticatorData)?;
        if created.credential_id.len() > MAX_CREDENTIAL_ID {
            return Err(PasskeyRefusal::AuthenticatorData);
        }
        Ok(NewPasskey {
            challenge: client.challenge,
            credential_id: created.credential_id.to_vec(),
            public_key: created.public_key,
            sign_count: data.sign_count,
        })
    }

    /// Section 7.2.
    pub fn check_assertion(
        &self,
        answer: &Assertion,
        key: &PublicKey,
    ) -> Result<ShownPasskey, PasskeyRefusal> {
        let client = self.client_data(&answer.client_data, Ceremony::Get)?;
        let data = self.authenticator_data(&answer.authenticator_data)?;
        let hash = digest(&SHA256, &answer.client_data);
        let signed = [answer.authenticator_data.as_slice(), hash.as_ref()].concat();
        key.verify(&signed, &answer.signature)?;
        Ok(ShownPasskey {
            challenge: client.challenge,
            sign_count: data.sign_count,
        })
    }

    fn client_data(&self, json: &[u8], ceremony: Ceremony) -> Result<ClientData, PasskeyRefusal> {
        let client = ClientData::parse(json)?;
        if client.ceremony != ceremony {
            return Err(PasskeyRefusal::Ceremony);
        }
        // The portal is never embedded in another page, so a cross-origin frame belongs to another website.
        match client.origin == self.origin && !client.cross_origin {
            true => Ok(client),
            false => Err(PasskeyRefusal::Origin),
        }
    }

    fn authenticator_data<'b>(
        &self,
        bytes: &'b [u8],
    ) -> Result<AuthenticatorData<'b>, PasskeyRefusal> {
        let data = AuthenticatorData::parse(bytes)?;
        if data.relying_party != digest(&SHA256, self.id.as_bytes()).as_ref() {
            return Err(PasskeyRefusal::RelyingParty);
        }
        if !data.user_present {
            return Err(PasskeyRefusal::NotPresent);
        }
        match data.user_verified {
            true => Ok(data),
            false => Err(PasskeyRefusal::NotVerified),
        }
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests;
