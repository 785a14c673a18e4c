//! A stored command and how it is read.
use crate::{Error, Result};
use db::FromRow;
use domain::clock::Millis;
use domain::command::{CommandEvent, CommandState};
use domain::{CommandId, Serial};
use serde_json::Value;

/// A command in its present state.
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
    /// Result code of the battery's answer.
    pub code: Option<String>,
    /// Data of the battery's answer; may already be present while the command runs.
    pub data: Option<Value>,
}

impl CommandEntry {
    /// The command as of `now`: expired if its time has run out, even if this is not stored yet.
    pub fn as_of(mut self, now: Millis) -> Self {
        if now > self.expires_at
            && let Ok(state) = self.state.next(CommandEvent::RanOut)
        {
            (self.state, self.ended_at) = (state, Some(self.expires_at));
        }
        self
    }
}

/// Selects commands; `$which` is the rest of the query.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT id, sn, command, args, state, created_at, expires_at, sent_at, ended_at, code, data FROM commands ",
            $which
        )
    };
}
pub(crate) use select;

#[derive(Debug, FromRow)]
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
    text.parse().map_err(|_| Error::Damaged("commands.state"))
}
