//! `up/res`: answers to a command, also while it runs.
use super::payload::{MALFORMED, RejectReason};
use domain::command::{AnswerCode, CommandAnswer};
use serde::Deserialize;
use serde_json::{Map, Value};

pub(super) const MAX_BYTES: usize = 4 * 1024;

#[derive(Debug, Deserialize)]
pub(crate) struct AnswerMessage<'a> {
    #[serde(rename = "id")]
    command: &'a str,
    /// `1` or `true`, `0` or `false`; missing or null while the command runs.
    #[serde(default)]
    ok: Value,
    #[serde(default)]
    code: &'a str,
    #[serde(default)]
    data: Option<Map<String, Value>>,
}

impl AnswerMessage<'_> {
    pub(crate) fn into_answer(self) -> Result<CommandAnswer, RejectReason> {
        let ok = match &self.ok {
            Value::Null => None,
            Value::Bool(ok) => Some(*ok),
            Value::Number(number) => Some(number.as_u64() != Some(0)),
            _ => return Err(MALFORMED),
        };
        Ok(CommandAnswer {
            command: self.command.parse().map_err(|_| MALFORMED)?,
            ok,
            code: AnswerCode::of(self.code, ok.unwrap_or(true)),
            data: self.data.map(|data| Value::Object(data).to_string()),
        })
    }
}
