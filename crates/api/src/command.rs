//! A command as clients see it.
use domain::Lang;
use domain::clock::Millis;
use domain::command::{AnswerCode, CommandState};
use serde::Serialize;
use store::command::CommandEntry;
use utoipa::ToSchema;

/// A command and its state.
#[derive(Serialize, ToSchema)]
pub(crate) struct CommandBody {
    id: String,
    sn: String,
    command: String,
    /// The arguments of the command.
    #[schema(value_type = Object)]
    args: serde_json::Value,
    #[schema(inline)]
    state: CommandStateName,
    /// When the command was given; Unix time in milliseconds.
    created_at: Millis,
    /// When the command expires if the battery has not answered; Unix time in milliseconds. The battery never executes it later.
    expires_at: Millis,
    /// When the command was sent to the battery; Unix time in milliseconds. Null if it was not.
    sent_at: Option<Millis>,
    /// When the command ended; Unix time in milliseconds. Null while it is open.
    ended_at: Option<Millis>,
    /// The battery's answer, as a stable code.
    code: Option<String>,
    /// The battery's answer in the caller's language.
    text: Option<&'static str>,
    /// The results so far, also while the command runs.
    #[schema(value_type = Option<Object>)]
    data: Option<serde_json::Value>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CommandStateName {
    Queued,
    Sent,
    Done,
    Failed,
    Expired,
}

impl From<CommandState> for CommandStateName {
    fn from(state: CommandState) -> Self {
        match state {
            CommandState::Queued => Self::Queued,
            CommandState::Sent => Self::Sent,
            CommandState::Done => Self::Done,
            CommandState::Failed => Self::Failed,
            CommandState::Expired => Self::Expired,
        }
    }
}

impl CommandBody {
    pub(crate) fn new(entry: CommandEntry, now: Millis, lang: Lang) -> Self {
        let entry = entry.as_of(now);
        let went_well = entry.state == CommandState::Done;
        let text = |code: &String| AnswerCode::of(code, went_well).text(lang);
        Self {
            id: entry.id.to_string(),
            sn: entry.sn.to_string(),
            command: entry.command,
            args: entry.args,
            state: entry.state.into(),
            created_at: entry.created_at,
            expires_at: entry.expires_at,
            sent_at: entry.sent_at,
            ended_at: entry.ended_at,
            text: entry.code.as_ref().map(text),
            code: entry.code,
            data: entry.data,
        }
    }
}
