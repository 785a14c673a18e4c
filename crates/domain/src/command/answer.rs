//! A battery's answer to a command.
use super::CommandId;
use crate::Lang;
use crate::message::text;
use strum::{EnumString, IntoStaticStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum AnswerCode {
    Ok,
    /// The meter answers on every phase.
    Passed,
    MeterSilent,
    SwitchedOff,
    Faulty,
    AboveRated,
    /// The battery is doing something that must not be interrupted.
    Busy,
    /// The command arrived after it had expired.
    Late,
    NotSupported,
    /// For a reason that this server does not know.
    Refused,
}

impl AnswerCode {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// A code that only newer batteries know is reduced to success or refusal.
    pub fn of(code: &str, ok: bool) -> Self {
        code.parse()
            .unwrap_or(if ok { Self::Ok } else { Self::Refused })
    }

    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "answer", self.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandAnswer {
    pub command: CommandId,
    /// Whether it succeeded; `None` while it runs.
    pub ok: Option<bool>,
    pub code: AnswerCode,
    /// The result: a JSON object as text, if there is one.
    pub data: Option<String>,
}
