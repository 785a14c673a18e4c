//! The life of a grant.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantState {
    /// An electrician asks, the owner has to decide.
    Asked,
    /// The owner does not want it. The electrician goes on seeing `asked`: whether there is such a system is nobody's business.
    Refused,
    /// The owner offers, somebody has to accept.
    Invited,
    /// It works, but began before there was an owner, who should confirm it.
    Unconfirmed,
    Active,
    Ended,
}

/// What can happen to a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantEvent {
    /// The owner says how far it reaches and until when: approves, confirms, renews or changes it.
    Given,
    /// Whoever was invited accepts.
    Accepted,
    /// Somebody has become the owner of the system.
    Claimed,
    /// The owner wants none of it: refuses, withdraws or ends it.
    Withdrawn,
    /// Whoever holds it, asked for it or was invited gives it up.
    GivenUp,
    /// Its time is over.
    RanOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a grant in this state does not take that")]
pub struct Refused;

impl GrantState {
    pub const ALL: [Self; 6] = [
        Self::Asked,
        Self::Refused,
        Self::Invited,
        Self::Unconfirmed,
        Self::Active,
        Self::Ended,
    ];

    pub fn next(self, event: GrantEvent) -> Result<Self, Refused> {
        use GrantEvent as On;
        match (self, event) {
            (Self::Asked, On::Withdrawn) => Ok(Self::Refused),
            // Nobody looks at it any more but the one who asked.
            (Self::Refused, On::Withdrawn) => Err(Refused),
            (_, On::Withdrawn | On::GivenUp) => Ok(Self::Ended),
            (Self::Ended, On::RanOut) => Err(Refused),
            (_, On::RanOut) => Ok(Self::Ended),
            (Self::Asked | Self::Unconfirmed | Self::Active | Self::Ended, On::Given) => {
                Ok(Self::Active)
            }
            (Self::Invited, On::Given) => Ok(Self::Invited),
            (Self::Invited, On::Accepted) => Ok(Self::Active),
            (Self::Active, On::Claimed) => Ok(Self::Unconfirmed),
            _ => Err(Refused),
        }
    }

    /// Whether it opens anything.
    pub const fn opens(self) -> bool {
        matches!(self, Self::Active | Self::Unconfirmed)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Refused => "refused",
            Self::Invited => "invited",
            Self::Unconfirmed => "unconfirmed",
            Self::Active => "active",
            Self::Ended => "ended",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GrantEvent::{Accepted, Claimed, Given, GivenUp, RanOut, Withdrawn};
    use GrantState::{Active, Asked, Ended, Invited, Refused as Declined, Unconfirmed};

    #[test]
    fn the_table_of_transitions() {
        let events = [Given, Accepted, Claimed, Withdrawn, GivenUp, RanOut];
        let no = None;
        for (state, want) in [
            (
                Asked,
                [
                    Some(Active),
                    no,
                    no,
                    Some(Declined),
                    Some(Ended),
                    Some(Ended),
                ],
            ),
            (Declined, [no, no, no, no, Some(Ended), Some(Ended)]),
            (
                Invited,
                [
                    Some(Invited),
                    Some(Active),
                    no,
                    Some(Ended),
                    Some(Ended),
                    Some(Ended),
                ],
            ),
            (
                Unconfirmed,
                [Some(Active), no, no, Some(Ended), Some(Ended), Some(Ended)],
            ),
            (
                Active,
                [
                    Some(Active),
                    no,
                    Some(Unconfirmed),
                    Some(Ended),
                    Some(Ended),
                    Some(Ended),
                ],
            ),
            (Ended, [Some(Active), no, no, Some(Ended), Some(Ended), no]),
        ] {
            for (event, want) in events.into_iter().zip(want) {
                assert_eq!(state.next(event).ok(), want, "{state:?} {event:?}");
            }
        }
    }

    #[test]
    fn only_what_is_active_or_unconfirmed_opens_anything() {
        let open = GrantState::ALL.into_iter().filter(|state| state.opens());
        assert_eq!(open.collect::<Vec<_>>(), [Unconfirmed, Active]);
    }
}
