//! The lifetime of a session and the rotation of its refresh token.
use crate::clock::{DAY, HOUR, MINUTE, Millis};
use strum::{EnumString, IntoStaticStr};

/// An access token is short-lived; the session behind it is looked up on every call anyway.
pub const ACCESS_TOKEN_TTL: Millis = 15 * MINUTE;
/// The limited token of an owner without systems is valid as long as a waiting claim.
pub const CLAIM_ACCESS_TOKEN_TTL: Millis = 30 * MINUTE;

const SHORT_SESSION_TTL: Millis = 12 * HOUR;
const LONG_SESSION_IDLE_TTL: Millis = 30 * DAY;
const LONG_SESSION_TTL: Millis = 90 * DAY;

/// What a session may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum SessionKind {
    /// "Stay logged in" was not chosen.
    Short,
    Long,
    /// For an owner without systems: only the page for keys, no refresh.
    Claim,
}

impl SessionKind {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// When the session ends if it is not used again after `used_at`.
    pub fn ends_at(self, created_at: Millis, used_at: Millis) -> Millis {
        match self {
            Self::Short => created_at + SHORT_SESSION_TTL,
            Self::Long => (used_at + LONG_SESSION_IDLE_TTL).min(created_at + LONG_SESSION_TTL),
            Self::Claim => created_at + CLAIM_ACCESS_TOKEN_TTL,
        }
    }
}

/// What a presented refresh token means to its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshCheck {
    /// The current token: hand out the next generation.
    Current,
    /// The previous token, whose successor was not used yet: hand out the successor again. Two tabs may refresh at once, answers
    /// get lost, and a client may keep only the access token of an answer.
    Previous,
    /// An older token: it was stolen or copied, so the whole session ends.
    Reused,
    /// A generation that was never handed out.
    Unknown,
}

/// Compares a token of `generation` with the session's newest generation `current`.
pub fn check_generation(generation: i64, current: i64) -> RefreshCheck {
    if generation == current {
        RefreshCheck::Current
    } else if generation > current || generation < 0 {
        RefreshCheck::Unknown
    } else if generation == current - 1 {
        RefreshCheck::Previous
    } else {
        RefreshCheck::Reused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_presented_tokens() {
        for (generation, want) in [
            (5, RefreshCheck::Current),
            (4, RefreshCheck::Previous),
            (3, RefreshCheck::Reused),
            (0, RefreshCheck::Reused),
            (6, RefreshCheck::Unknown),
            (-1, RefreshCheck::Unknown),
        ] {
            assert_eq!(
                check_generation(generation, 5),
                want,
                "generation {generation}"
            );
        }
        assert_eq!(check_generation(-1, 0), RefreshCheck::Unknown);
    }

    #[test]
    fn a_long_session_ends_after_30_idle_days_or_90_in_all() {
        assert_eq!(SessionKind::Short.ends_at(0, 11 * HOUR), 12 * HOUR);
        assert_eq!(SessionKind::Long.ends_at(0, 10 * DAY), 40 * DAY);
        assert_eq!(SessionKind::Long.ends_at(0, 70 * DAY), 90 * DAY);
    }
}
