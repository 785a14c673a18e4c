//! What a battery says about its settings.
use super::{Field, Refusal, Settings};
use crate::sample::MessageId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsReport {
    pub id: MessageId,
    /// The newest document that it has looked at.
    pub version: i64,
    /// What it works with now, whoever set it.
    pub applied: Settings,
    /// What it did not take from that document, and why.
    pub refused: Vec<(Field, Refusal)>,
}
