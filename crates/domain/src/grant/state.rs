//! The states of a grant.
use crate::names::variants;
use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum GrantState {
    /// An electrician asked; the owner has to decide.
    #[strum(serialize = "asked")]
    Requested,
    /// The owner refused. The electrician still sees `asked`, which does not reveal whether such a system exists.
    Refused,
    /// The owner offered it; the invited person has to accept.
    Invited,
    /// It is valid, but began before the system had an owner. The owner should confirm it.
    Unconfirmed,
    Active,
    Ended,
}

/// What can happen to a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantEvent {
    /// The owner sets scope and end: approves, confirms, renews or changes it.
    TermsSet,
    /// The invited person accepts.
    Accepted,
    /// The system got an owner.
    Claimed,
    /// The owner refuses, withdraws or ends it.
    Withdrawn,
    /// The person who holds it, requested it or was invited gives it up.
    GivenUp,
    RanOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state of the grant does not allow this event")]
pub struct InvalidGrantTransition;

impl GrantState {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub fn next(self, event: GrantEvent) -> Result<Self, InvalidGrantTransition> {
        use GrantEvent as On;
        match (self, event) {
            (Self::Requested, On::Withdrawn) => Ok(Self::Refused),
            // Only the electrician who asked still sees it.
            (Self::Refused, On::Withdrawn) => Err(InvalidGrantTransition),
            (_, On::Withdrawn | On::GivenUp) => Ok(Self::Ended),
            (Self::Ended, On::RanOut) => Err(InvalidGrantTransition),
            (_, On::RanOut) => Ok(Self::Ended),
            (Self::Requested | Self::Unconfirmed | Self::Active | Self::Ended, On::TermsSet) => {
                Ok(Self::Active)
            }
            (Self::Invited, On::TermsSet) => Ok(Self::Invited),
            (Self::Invited, On::Accepted) => Ok(Self::Active),
            (Self::Active, On::Claimed) => Ok(Self::Unconfirmed),
            _ => Err(InvalidGrantTransition),
        }
    }

    /// Whether it gives access.
    pub const fn opens(self) -> bool {
        matches!(self, Self::Active | Self::Unconfirmed)
    }

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GrantEvent::{Accepted, Claimed, GivenUp, RanOut, TermsSet, Withdrawn};
    use GrantState::{Active, Ended, Invited, Refused as Declined, Requested, Unconfirmed};

    #[test]
    fn the_table_of_transitions() {
        let events = [TermsSet, Accepted, Claimed, Withdrawn, GivenUp, RanOut];
        let no = None;
        for (state, want) in [
            (
                Requested,
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
