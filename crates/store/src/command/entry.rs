//! A command as it stands, and how it is read.
use crate::{Error, Result};
use domain::clock::Millis;
use domain::command::{CommandEvent, CommandState};
use domain::{CommandId, Serial};
use serde_json::Value;

/// A command as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandEntry {
    pub id: CommandId,
    pub sn: Serial,
    pub command: String,
    pub args: Value,
    pub state: CommandState,
    pub created_at: Millis,
    pub expires_at: Millis,
    pub sent_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    /// How the battery answered.
    pub code: Option<String>,
    /// What it brought, also while it runs.
    pub data: Option<Value>,
}

impl CommandEntry {
    /// As it stands at this moment, whether or not somebody has written down that its time ran out.
    pub fn seen_at(mut self, now: Millis) -> Self {
        if now > self.expires_at
            && let Ok(state) = self.state.next(CommandEvent::RanOut)
        {
            (self.state, self.ended_at) = (state, Some(self.expires_at));
        }
        self
    }
}

/// Commands as they stand; what follows says which.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT id, sn, command, args, state, created_at, expires_at, sent_at, ended_at, code, data FROM commands ",
            $which
        )
    };
}
pub(crate) use select;

#[derive(Debug)]
pub(crate) struct Row {
    id: String,
    sn: String,
    command: String,
    args: String,
    state: String,
    created_at: Millis,
    expires_at: Millis,
    sent_at: Option<Millis>,
    ended_at: Option<Millis>,
    code: Option<String>,
    data: Option<String>,
}
row!(Row {
    id,
    sn,
    command,
    args,
    state,
    created_at,
    expires_at,
    sent_at,
    ended_at,
    code,
    data
});

impl Row {
    pub(crate) fn entry(self) -> Result<CommandEntry> {
        let json =
            |text: &str| serde_json::from_str(text).map_err(|_| Error::Damaged("commands.args"));
        Ok(CommandEntry {
            id: self.id.parse().map_err(|_| Error::Damaged("commands.id"))?,
            sn: self.sn.parse().map_err(|_| Error::Damaged("commands.sn"))?,
            command: self.command,
            args: json(&self.args)?,
            state: state(&self.state)?,
            created_at: self.created_at,
            expires_at: self.expires_at,
            sent_at: self.sent_at,
            ended_at: self.ended_at,
            code: self.code,
            data: self.data.as_deref().map(json).transpose()?,
        })
    }
}

fn state(text: &str) -> Result<CommandState> {
    let known = CommandState::ALL
        .into_iter()
        .find(|state| state.as_str() == text);
    known.ok_or(Error::Damaged("commands.state"))
}
