//! What a battery reports about its settings.
use super::{Field, SettingRefusal, Settings};
use crate::sample::MessageId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsReport {
    pub id: MessageId,
    /// The version of the newest document that it has processed.
    pub version: i64,
    /// The settings that are applied now, whoever set them.
    pub applied: Settings,
    /// The fields of that document that it refused, and why.
    pub refused: Vec<(Field, SettingRefusal)>,
}
