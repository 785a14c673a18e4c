//! `up/res`: how a battery answers a command, also while it runs.
use super::{MALFORMED, Reason, TOO_LARGE};
use domain::command::{Answer, AnswerCode};
use serde::Deserialize;
use serde_json::{Map, Value};

const MAX_ANSWER: usize = 4 * 1024;

#[derive(Debug, Deserialize)]
struct AnswerText<'a> {
    id: &'a str,
    /// `1` or `true`, `0` or `false`; left out or null while it runs.
    #[serde(default)]
    ok: Value,
    #[serde(default)]
    code: &'a str,
    #[serde(default)]
    data: Option<Map<String, Value>>,
}

pub(crate) fn answer(payload: &[u8]) -> Result<Answer, Reason> {
    if payload.len() > MAX_ANSWER {
        return Err(TOO_LARGE);
    }
    let text: AnswerText<'_> = serde_json::from_slice(payload).map_err(|_| MALFORMED)?;
    let ok = match &text.ok {
        Value::Null => None,
        Value::Bool(ok) => Some(*ok),
        Value::Number(number) => Some(number.as_u64() != Some(0)),
        _ => return Err(MALFORMED),
    };
    Ok(Answer {
        command: text.id.parse().map_err(|_| MALFORMED)?,
        ok,
        code: AnswerCode::of(text.code, ok.unwrap_or(true)),
        data: text.data.map(|data| Value::Object(data).to_string()),
    })
}
