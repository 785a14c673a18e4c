//! Messages to batteries. All use QoS 0; what must arrive is repeated until the battery answers.
use super::DownTopic;
use bus::Delivery;
use domain::clock::Millis;
use serde::Serialize;
use serde_json::{Map, Value};
use store::command::CommandEntry;
use store::order::SettingsOrder;
use store::planning::{ChargePlanMode, PlanOrder};

/// A message in the form that the battery reads.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Down<'a> {
    /// Our current time.
    Time {
        now: Millis,
    },
    /// Until when the battery is watched.
    Watch {
        until: Millis,
    },
    Settings(SettingsDocument),
    Command(CommandDocument<'a>),
    Plan(PlanDocument),
    Firmware(FirmwareDocument<'a>),
}

/// All desired settings.
#[derive(Debug, Serialize)]
pub(crate) struct SettingsDocument {
    #[serde(rename = "state")]
    settings: Map<String, Value>,
    #[serde(rename = "ver")]
    version: i64,
}

#[derive(Debug, Serialize)]
pub(crate) struct CommandDocument<'a> {
    args: &'a Value,
    #[serde(rename = "cmd")]
    command: &'a str,
    #[serde(rename = "exp")]
    expires_at: Millis,
    id: &'a str,
}

/// The part of a plan that the battery needs. It follows the plan until it expires or a newer one arrives.
#[derive(Debug, Serialize)]
pub(crate) struct PlanDocument {
    #[serde(rename = "exp")]
    expires_at: Millis,
    steps: Vec<PlanStep>,
    #[serde(rename = "ver")]
    version: Millis,
}

#[derive(Debug, Serialize)]
struct PlanStep {
    from: Millis,
    mode: &'static str,
    power: i64,
    until: Millis,
}

/// The assignment is kept as text, because the signature covers its bytes.
#[derive(Debug, Serialize)]
pub(crate) struct FirmwareDocument<'a> {
    assignment: &'a str,
    #[serde(rename = "sig")]
    signature: String,
    #[serde(rename = "url")]
    updates_url: &'a str,
}

impl Down<'_> {
    pub(crate) const fn topic(&self) -> DownTopic {
        match self {
            Self::Time { .. } => DownTopic::Time,
            Self::Watch { .. } => DownTopic::Watch,
            Self::Settings(_) => DownTopic::Settings,
            Self::Command(_) => DownTopic::Command,
            Self::Plan(_) => DownTopic::Plan,
            Self::Firmware(_) => DownTopic::Firmware,
        }
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("names are texts and no value fails to serialize")
    }
}

impl<'a> From<&'a Delivery> for Down<'a> {
    fn from(delivery: &'a Delivery) -> Self {
        match delivery {
            Delivery::Watch { until } => Self::Watch { until: *until },
            Delivery::Settings(order) => Self::Settings(SettingsDocument::from(order)),
            Delivery::Command(entry) => Self::Command(CommandDocument::from(entry)),
            Delivery::Plan(order) => Self::Plan(PlanDocument::from(order)),
            Delivery::Update(update) => Self::Firmware(FirmwareDocument {
                assignment: update.assignment.text(),
                signature: update.assignment.signature_hex(),
                updates_url: &update.updates_url,
            }),
        }
    }
}

impl From<&SettingsOrder> for SettingsDocument {
    fn from(order: &SettingsOrder) -> Self {
        Self {
            settings: order.settings.json(),
            version: order.version,
        }
    }
}

impl<'a> From<&'a CommandEntry> for CommandDocument<'a> {
    fn from(entry: &'a CommandEntry) -> Self {
        Self {
            args: &entry.args,
            command: &entry.command,
            expires_at: entry.expires_at,
            id: entry.id.as_str(),
        }
    }
}

impl From<&PlanOrder> for PlanDocument {
    fn from(order: &PlanOrder) -> Self {
        let step = |(from, until, mode, power): &(_, _, ChargePlanMode, _)| PlanStep {
            from: *from,
            mode: mode.as_str(),
            power: *power,
            until: *until,
        };
        Self {
            expires_at: order.expires_at,
            steps: order.segments.iter().map(step).collect(),
            version: order.version,
        }
    }
}

#[cfg(test)]
mod tests;
