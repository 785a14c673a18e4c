//! The states of a command, as a table of transitions.
use strum::{EnumString, IntoStaticStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum CommandState {
    /// It waits to be delivered to the battery.
    Queued,
    /// It was handed to the battery's connection.
    Sent,
    Done,
    Failed,
    /// There was no answer in time.
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
#[error("the command has already ended")]
pub struct CommandEnded;

impl CommandState {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub fn next(self, event: CommandEvent) -> Result<Self, CommandEnded> {
        match (self, event) {
            (Self::Done | Self::Failed, _) => Err(CommandEnded),
            // An answer counts even after `Expired`: the battery acted in time, only its answer was late.
            (_, CommandEvent::Answered { ok: true }) => Ok(Self::Done),
            (_, CommandEvent::Answered { ok: false }) => Ok(Self::Failed),
            (Self::Expired, _) => Err(CommandEnded),
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
            (Expired, CommandEvent::Sent, Err(CommandEnded)),
            (Expired, good, Ok(Done)),
            (Expired, bad, Ok(Failed)),
            (Expired, RanOut, Err(CommandEnded)),
            (Done, CommandEvent::Sent, Err(CommandEnded)),
            (Done, good, Err(CommandEnded)),
            (Done, bad, Err(CommandEnded)),
            (Done, RanOut, Err(CommandEnded)),
            (Failed, good, Err(CommandEnded)),
            (Failed, RanOut, Err(CommandEnded)),
        ] {
            assert_eq!(state.next(event), want, "{state:?} {event:?}");
        }
    }
}
