//! How long a session lives and how its refresh token rotates.
use crate::clock::{DAY, HOUR, MINUTE, Millis};

/// An access token is short-lived; the session behind it is looked up on every call anyway.
pub const ACCESS_LIFE: Millis = 15 * MINUTE;
/// The limited token of an owner without systems: as long as a waiting claim.
pub const CLAIM_ACCESS_LIFE: Millis = 30 * MINUTE;

const SHORT_LIFE: Millis = 12 * HOUR;
const LONG_IDLE: Millis = 30 * DAY;
const LONG_LIFE: Millis = 90 * DAY;

/// What a session may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// "Stay logged in" was not chosen.
    Short,
    Long,
    /// An owner without systems: the key page only, no refresh.
    Claim,
}

impl SessionKind {
    pub const ALL: [Self; 3] = [Self::Short, Self::Long, Self::Claim];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Long => "long",
            Self::Claim => "claim",
        }
    }

    /// When the session ends if it is not used again after `used_at`.
    pub fn ends_at(self, created_at: Millis, used_at: Millis) -> Millis {
        match self {
            Self::Short => created_at + SHORT_LIFE,
            Self::Long => (used_at + LONG_IDLE).min(created_at + LONG_LIFE),
            Self::Claim => created_at + CLAIM_ACCESS_LIFE,
        }
    }
}

/// What a presented refresh token means to its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// The current token: hand out the next generation.
    Current,
    /// The one before, whose successor nobody has used yet: hand that out again. Two tabs ask at once, answers get lost, and a
    /// client may keep only the access token of an answer.
    Previous,
    /// An older one: it was stolen or copied, so the whole session ends.
    Reused,
    /// A generation that was never handed out.
    Unknown,
}

/// Holds a token of `generation` against a session that has handed out `current`.
pub fn present(generation: i64, current: i64) -> Presented {
    if generation == current {
        Presented::Current
    } else if generation > current || generation < 0 {
        Presented::Unknown
    } else if generation == current - 1 {
        Presented::Previous
    } else {
        Presented::Reused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_presented_tokens() {
        for (generation, want) in [
            (5, Presented::Current),
            (4, Presented::Previous),
            (3, Presented::Reused),
            (0, Presented::Reused),
            (6, Presented::Unknown),
            (-1, Presented::Unknown),
        ] {
            assert_eq!(present(generation, 5), want, "generation {generation}");
        }
        assert_eq!(present(-1, 0), Presented::Unknown);
    }

    #[test]
    fn a_long_session_ends_after_30_idle_days_or_90_in_all() {
        assert_eq!(SessionKind::Short.ends_at(0, 11 * HOUR), 12 * HOUR);
        assert_eq!(SessionKind::Long.ends_at(0, 10 * DAY), 40 * DAY);
        assert_eq!(SessionKind::Long.ends_at(0, 70 * DAY), 90 * DAY);
    }
}
