//! Tokens. Access: a JWT (HS256) that names a session. Refresh: a MAC over (session, generation), so the same successor can be
//! issued again within its grace period without being stored.
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::AccountId;
use domain::claim::CLAIM_TTL;
use domain::clock::{Millis, SECOND};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use ring::hmac;
use serde::{Deserialize, Serialize};
use signature::{Error as SignatureError, Signer, Verifier};
use store::session::SessionId;
use store::{Keyring, Purpose};

const ISSUER: &str = "suncellar";
const AUDIENCE: &str = "portal";
const TYPE: &str = "access";
/// Shows the claims of a new account before its first login, and nothing else.
const WATCH_TYPE: &str = "watch";

#[derive(Clone)]
pub struct Tokens {
    keyring: Keyring,
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    typ: String,
    sub: String,
    /// The session, looked up on every call.
    sid: String,
    iat: i64,
    exp: i64,
}

impl Tokens {
    pub fn new(keyring: Keyring) -> Self {
        // Fails only if another portal in the same process has installed it before.
        let _ = RING.install_default();
        Self { keyring }
    }

    pub fn access(
        &self,
        account: AccountId,
        session: &SessionId,
        now: Millis,
        life: Millis,
    ) -> String {
        self.sign(TYPE, account, BASE64.encode(session), now, life)
    }

    /// Valid for as long as a claim can be pending.
    pub fn watch(&self, account: AccountId, now: Millis) -> String {
        self.sign(WATCH_TYPE, account, String::new(), now, CLAIM_TTL)
    }

    fn sign(
        &self,
        kind: &str,
        account: AccountId,
        session: String,
        now: Millis,
        life: Millis,
    ) -> String {
        let claims = Claims {
            iss: ISSUER.into(),
            aud: AUDIENCE.into(),
            typ: kind.into(),
            sub: account.to_string(),
            sid: session,
            iat: now / SECOND,
            exp: (now + life) / SECOND,
        };
        let key = EncodingKey::from_secret(&self.keyring.key(Purpose::AccessToken));
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key)
            .expect("HS256 signs any claims")
    }

    /// The session that an access token names, if the token is ours, of the right kind and not expired.
    pub fn read_access(&self, token: &str, now: Millis) -> Option<SessionId> {
        let claims = self.read(TYPE, token, now)?;
        BASE64.decode(&claims.sid).ok()?.try_into().ok()
    }

    pub fn read_watch(&self, token: &str, now: Millis) -> Option<AccountId> {
        let claims = self.read(WATCH_TYPE, token, now)?;
        claims.sub.parse().ok().map(AccountId)
    }

    fn read(&self, kind: &str, token: &str, now: Millis) -> Option<Claims> {
        let mut rules = Validation::new(Algorithm::HS256);
        rules.set_issuer(&[ISSUER]);
        rules.set_audience(&[AUDIENCE]);
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // The portal's clock decides about expiry, not the library's.
        rules.validate_exp = false;
        let keys = self.keyring.accepted_keys(Purpose::AccessToken);
        let claims = keys.iter().find_map(|key| {
            let key = DecodingKey::from_secret(key);
            jsonwebtoken::decode::<Claims>(token, &key, &rules).ok()
        });
        let claims = claims?.claims;
        let valid = claims.typ == kind && now / SECOND < claims.exp;
        valid.then_some(claims)
    }

    pub fn refresh(&self, session: &SessionId, generation: i64) -> String {
        let message = refresh_message(session, generation);
        let tag = self.keyring.hash(Purpose::RefreshToken, &message);
        BASE64.encode([message.as_slice(), &tag].concat())
    }

    pub fn read_refresh(&self, token: &str) -> Option<(SessionId, i64)> {
        let bytes = BASE64.decode(token).ok()?;
        let (message, tag) = bytes.split_at_checked(24)?;
        if !self.keyring.verify(Purpose::RefreshToken, message, tag) {
            return None;
        }
        let (session, generation) = message.split_at(16);
        Some((
            session.try_into().ok()?,
            i64::from_be_bytes(generation.try_into().ok()?),
        ))
    }
}

fn refresh_message(session: &SessionId, generation: i64) -> Vec<u8> {
    [session.as_slice(), &generation.to_be_bytes()].concat()
}

/// HS256 with `ring`, which TLS already uses; the library's own providers pull in RSA and two curves.
struct Hs256(hmac::Key);

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        Ok(hmac::sign(&self.0, message).as_ref().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], tag: &Vec<u8>) -> Result<(), SignatureError> {
        hmac::verify(&self.0, message, tag).map_err(|_| SignatureError::new())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256(hmac::Key::new(
            hmac::HMAC_SHA256,
            key.as_bytes(),
        )))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    verifier_factory: |algorithm, key| match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256(hmac::Key::new(
            hmac::HMAC_SHA256,
            key.try_get_as_bytes()?,
        )))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    key_utils: KeyUtils::new_unimplemented(),
};
