//! `up/rep`: the settings that a battery uses, and those that it refused.
use super::number::settings_version;
use super::payload::{OUT_OF_RANGE, RejectReason};
use domain::Settings;
use domain::sample::MessageId;
use domain::setting::{Field, SettingRefusal, SettingsReport};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Generous: every field takes a few dozen bytes.
pub(super) const MAX_BYTES: usize = 8 * 1024;

#[derive(Debug, Deserialize)]
pub(crate) struct SettingsMessage {
    #[serde(rename = "b")]
    boot: u32,
    #[serde(rename = "s")]
    seq: u32,
    #[serde(rename = "ver")]
    version: i64,
    #[serde(default, rename = "state")]
    applied: Map<String, Value>,
    /// The reason, by field name.
    #[serde(default, rename = "err")]
    refused: Map<String, Value>,
}

impl SettingsMessage {
    pub(crate) fn into_report(self) -> Result<SettingsReport, RejectReason> {
        let refused = self.refused.iter().filter_map(|(name, code)| {
            let field: Field = name.parse().ok()?;
            Some((field, SettingRefusal::of(code.as_str()?)))
        });
        Ok(SettingsReport {
            id: MessageId::new(self.boot, self.seq),
            version: settings_version(self.version)?,
            applied: Settings::from_json(&self.applied).map_err(|_| OUT_OF_RANGE)?,
            refused: refused.collect(),
        })
    }
}
