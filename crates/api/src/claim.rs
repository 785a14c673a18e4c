//! Keys and claims in answers.
use domain::key::KeyStatus;
use domain::{Key, Lang, Serial};
use serde::Serialize;
use service::key::KeyOutcome;
use store::claim::WaitingClaim;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimEntry {
    sn: String,
    /// `waiting`, `lapsed` or `contested`.
    status: &'static str,
    /// When the claim expires; Unix time in milliseconds.
    expires_at: i64,
}

impl From<WaitingClaim> for ClaimEntry {
    fn from(claim: WaitingClaim) -> Self {
        Self {
            sn: claim.sn,
            status: claim.state.as_str(),
            expires_at: claim.expires_at,
        }
    }
}

/// The result for one key.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyResult {
    key: String,
    /// `linked`, `waiting`, `unknown` (codes only), `wrong_format` or `used`.
    status: &'static str,
    /// The serial numbers of the systems that the key belongs to.
    sns: Vec<String>,
    /// The result as a sentence in the caller's language.
    text: &'static str,
}

impl KeyResult {
    pub(crate) fn new(key: &Key, outcome: &KeyOutcome, lang: Lang) -> Self {
        let text = match key {
            Key::Serial(sn) => sn.as_str(),
            Key::Code(code) => code.as_str(),
        };
        let mut result = Self::plain(text, outcome.status, lang);
        // A code that does not work reveals nothing about its systems.
        if matches!(outcome.status, KeyStatus::Linked | KeyStatus::Waiting) {
            result.sns = outcome.systems.iter().map(Serial::to_string).collect();
        }
        result
    }

    pub(crate) fn plain(key: &str, status: KeyStatus, lang: Lang) -> Self {
        Self {
            key: key.to_owned(),
            status: status.as_str(),
            sns: Vec::new(),
            text: status.message().text(lang),
        }
    }
}
