//! What a battery says about a command.
use super::CommandId;
use crate::Lang;
use crate::message::text;

/// How a battery answers a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerCode {
    Ok,
    /// The meter answers on every phase.
    Passed,
    MeterSilent,
    SwitchedOff,
    Faulty,
    AboveRated,
    /// Something else runs that must not be interrupted.
    Busy,
    /// It came after its time.
    Late,
    NotSupported,
    /// For a reason of its own that we do not know.
    Refused,
}

impl AnswerCode {
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::Passed,
        Self::MeterSilent,
        Self::SwitchedOff,
        Self::Faulty,
        Self::AboveRated,
        Self::Busy,
        Self::Late,
        Self::NotSupported,
        Self::Refused,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Passed => "passed",
            Self::MeterSilent => "meter_silent",
            Self::SwitchedOff => "switched_off",
            Self::Faulty => "faulty",
            Self::AboveRated => "above_rated",
            Self::Busy => "busy",
            Self::Late => "late",
            Self::NotSupported => "not_supported",
            Self::Refused => "refused",
        }
    }

    /// A code that a newer battery made up says no more than whether it went well.
    pub fn of(code: &str, ok: bool) -> Self {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == code);
        known.unwrap_or(if ok { Self::Ok } else { Self::Refused })
    }

    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "answer", self.as_str())
    }
}

/// What a battery says about a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub command: CommandId,
    /// Whether it went well; `None` while it runs.
    pub ok: Option<bool>,
    pub code: AnswerCode,
    /// What it brought: a JSON object as text, or nothing.
    pub data: Option<String>,
}
