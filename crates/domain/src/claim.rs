//! A waiting claim: somebody gave a bare serial number, and the battery must confirm it by its main switch.
use crate::clock::{MINUTE, Millis};

/// How long the switch may take.
pub const CLAIM_LIFE: Millis = 30 * MINUTE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimState {
    Waiting,
    Linked,
    /// The time ran out.
    Lapsed,
    /// Two accounts were waiting for the same switch, so nobody may have it; the printed code decides.
    Contested,
}

/// What can happen to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimEvent {
    /// The battery reported that its main switch was turned off and on at this time.
    SwitchCycled { at: Millis, rivals: usize },
    /// Somebody looks at the claim at this time.
    Looked { at: Millis },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the claim has ended already")]
pub struct Refused;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub state: ClaimState,
    pub created_at: Millis,
    pub expires_at: Millis,
}

impl Claim {
    pub fn begin(now: Millis) -> Self {
        Self {
            state: ClaimState::Waiting,
            created_at: now,
            expires_at: now + CLAIM_LIFE,
        }
    }

    pub fn next(self, event: ClaimEvent) -> Result<Self, Refused> {
        if self.state != ClaimState::Waiting {
            return Err(Refused);
        }
        let state = match event {
            ClaimEvent::SwitchCycled { at, .. } | ClaimEvent::Looked { at }
                if at > self.expires_at =>
            {
                ClaimState::Lapsed
            }
            // A switch that was turned before the claim proves nothing.
            ClaimEvent::SwitchCycled { at, .. } if at < self.created_at => ClaimState::Waiting,
            ClaimEvent::SwitchCycled { rivals, .. } if rivals > 0 => ClaimState::Contested,
            ClaimEvent::SwitchCycled { .. } => ClaimState::Linked,
            ClaimEvent::Looked { .. } => ClaimState::Waiting,
        };
        Ok(Self { state, ..self })
    }
}

impl ClaimState {
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Linked, Self::Lapsed, Self::Contested];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Linked => "linked",
            Self::Lapsed => "lapsed",
            Self::Contested => "contested",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimEvent::{Looked, SwitchCycled};
    use ClaimState::{Contested, Lapsed, Linked, Waiting};

    #[test]
    fn the_table_of_transitions() {
        let claim = Claim::begin(1_000);
        let end = 1_000 + CLAIM_LIFE;
        for (event, want) in [
            (SwitchCycled { at: 999, rivals: 0 }, Waiting),
            (
                SwitchCycled {
                    at: 1_000,
                    rivals: 0,
                },
                Linked,
            ),
            (SwitchCycled { at: end, rivals: 0 }, Linked),
            (
                SwitchCycled {
                    at: end + 1,
                    rivals: 0,
                },
                Lapsed,
            ),
            (
                SwitchCycled {
                    at: 2_000,
                    rivals: 1,
                },
                Contested,
            ),
            (
                SwitchCycled {
                    at: end + 1,
                    rivals: 1,
                },
                Lapsed,
            ),
            (Looked { at: end }, Waiting),
            (Looked { at: end + 1 }, Lapsed),
        ] {
            assert_eq!(claim.next(event).unwrap().state, want, "{event:?}");
        }
    }

    #[test]
    fn an_ended_claim_takes_no_further_event() {
        for state in [Linked, Lapsed, Contested] {
            let ended = Claim {
                state,
                ..Claim::begin(0)
            };
            assert_eq!(ended.next(Looked { at: 0 }), Err(Refused));
            assert_eq!(ended.next(SwitchCycled { at: 0, rivals: 0 }), Err(Refused));
        }
    }
}
