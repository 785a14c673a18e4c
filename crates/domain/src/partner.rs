//! A partner app that an owner lets in: what it may see, and for how long its tokens live.
use crate::clock::{DAY, HOUR, MINUTE, Millis};
use std::str::FromStr;

/// The version of the words on the consent screen; stored with the consent and its time. Another meaning, another version.
pub const CONSENT_VERSION: &str = "2026-11";

pub const CODE_LIFE: Millis = 5 * MINUTE;
pub const ACCESS_LIFE: Millis = HOUR;
pub const REFRESH_LIFE: Millis = 90 * DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The list of systems.
    Systems,
    /// Live values.
    Live,
}

impl Scope {
    pub const ALL: [Self; 2] = [Self::Systems, Self::Live];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Systems => "systems",
            Self::Live => "live",
        }
    }
}

/// The scopes of one consent, never empty, as OAuth writes them: separated by spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown or no scope")]
pub struct UnknownScope;

impl Scopes {
    pub fn contains(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|scope| scope.as_str()).collect()
    }
}

impl FromStr for Scopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let known = |name| {
            Scope::ALL
                .into_iter()
                .find(|scope| scope.as_str() == name)
                .ok_or(UnknownScope)
        };
        let mut scopes = text
            .split_ascii_whitespace()
            .map(known)
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
