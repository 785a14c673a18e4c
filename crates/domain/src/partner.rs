//! Partner apps that an owner gives access to: their scopes and the lifetime of their tokens.
use crate::clock::{DAY, HOUR, MINUTE, Millis};
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr};

/// The version of the consent screen's text; stored with the consent and its time. A change of meaning needs a new version.
pub const CONSENT_VERSION: &str = "2026-11";

pub const AUTHORIZATION_CODE_TTL: Millis = 5 * MINUTE;
pub const ACCESS_TOKEN_TTL: Millis = HOUR;
pub const REFRESH_TOKEN_TTL: Millis = 90 * DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum PartnerScope {
    /// The list of systems.
    Systems,
    /// Live values.
    Live,
}

impl PartnerScope {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// The scopes of one consent, never empty, as OAuth writes them: separated by spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerScopes(Vec<PartnerScope>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown or missing scope")]
pub struct UnknownScope;

impl PartnerScopes {
    pub fn contains(&self, scope: PartnerScope) -> bool {
        self.0.contains(&scope)
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|scope| scope.as_str()).collect()
    }
}

impl FromStr for PartnerScopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let mut scopes = text
            .split_ascii_whitespace()
            .map(|name| name.parse().map_err(|_| UnknownScope))
            .collect::<Result<Vec<_>, _>>()?;
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            Err(UnknownScope)
        } else {
            Ok(Self(scopes))
        }
    }
}
