//! How a command fares, as a table of transitions.

/// How a command fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandState {
    /// It waits for the battery.
    Queued,
    /// Handed to the battery's connection.
    Sent,
    Done,
    Failed,
    /// Its time ran out without an answer.
    Expired,
}

/// What can happen to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEvent {
    Sent,
    Answered { ok: bool },
    RanOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the command has ended already")]
pub struct Ended;

impl CommandState {
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Sent,
        Self::Done,
        Self::Failed,
        Self::Expired,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    pub fn next(self, event: CommandEvent) -> Result<Self, Ended> {
        match (self, event) {
            (Self::Done | Self::Failed, _) => Err(Ended),
            // The battery acted in time and its answer came late: what it says is the truth.
            (_, CommandEvent::Answered { ok: true }) => Ok(Self::Done),
            (_, CommandEvent::Answered { ok: false }) => Ok(Self::Failed),
            (Self::Expired, _) => Err(Ended),
            (Self::Queued | Self::Sent, CommandEvent::Sent) => Ok(Self::Sent),
            (Self::Queued | Self::Sent, CommandEvent::RanOut) => Ok(Self::Expired),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CommandEvent::{Answered, RanOut};
    use CommandState::{Done, Expired, Failed, Queued, Sent};

    #[test]
    fn the_table_of_transitions() {
        let (good, bad) = (Answered { ok: true }, Answered { ok: false });
        for (state, event, want) in [
            (Queued, CommandEvent::Sent, Ok(Sent)),
            (Queued, good, Ok(Done)),
            (Queued, bad, Ok(Failed)),
            (Queued, RanOut, Ok(Expired)),
            (Sent, CommandEvent::Sent, Ok(Sent)),
            (Sent, good, Ok(Done)),
            (Sent, bad, Ok(Failed)),
            (Sent, RanOut, Ok(Expired)),
            (Expired, CommandEvent::Sent, Err(Ended)),
            (Expired, good, Ok(Done)),
            (Expired, bad, Ok(Failed)),
            (Expired, RanOut, Err(Ended)),
            (Done, CommandEvent::Sent, Err(Ended)),
            (Done, good, Err(Ended)),
            (Done, bad, Err(Ended)),
            (Done, RanOut, Err(Ended)),
            (Failed, good, Err(Ended)),
            (Failed, RanOut, Err(Ended)),
        ] {
            assert_eq!(state.next(event), want, "{state:?} {event:?}");
        }
    }
}
