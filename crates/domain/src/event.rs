//! Events that a battery reports: `last_messages` of the live data.
use crate::clock::Millis;
use crate::names::{unknown, variants};
use crate::sample::MessageId;
use serde_json::{Number, Value};
use std::ops::RangeInclusive;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What happened. The code is also the key of the text for users.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownEventCode, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventCode {
    /// The main switch was turned off and on: completes a waiting claim.
    SwitchCycled,
    NaULow,
    NaUHigh,
    NaFLow,
    NaFHigh,
    NaIsland,
    MeterLost,
    BmsFault,
    RelayFault,
    HwFault,
    CalibrationDue,
    CalibrationDone,
    FloatCharge,
    /// The reserve is reached, so the battery does not discharge further.
    ReserveHeld,
    /// The battery would charge or discharge, but is not allowed to at this time of day.
    WindowClosed,
    /// The battery charges from the grid because the price is low.
    PriceCharge,
    /// The grid operator limits the power that it may draw (§14a EnWG).
    GridLimit,
}

/// The number that belongs to an event: its name among the arguments, and its possible values. Other values are dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct EventNumber {
    pub name: &'static str,
    pub unit: &'static str,
    pub range: RangeInclusive<f64>,
}

impl EventNumber {
    /// `None` when it is missing or impossible.
    pub fn of(&self, args: &Value) -> Option<Number> {
        let number = args[self.name].as_number()?;
        let value = number.as_f64()?;
        self.range.contains(&value).then(|| number.clone())
    }
}

/// The lists in which users see messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Grid and system protection tripped.
    Protection,
    BatteryError,
    Other,
}

impl EventCode {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    /// Events that only explain why the battery acted. They are journal entries, not messages that a person must see.
    pub const REASONS: [Self; 4] = [
        Self::ReserveHeld,
        Self::WindowClosed,
        Self::PriceCharge,
        Self::GridLimit,
    ];

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub const fn kind(self) -> EventKind {
        match self {
            Self::NaULow | Self::NaUHigh | Self::NaFLow | Self::NaFHigh | Self::NaIsland => {
                EventKind::Protection
            }
            Self::MeterLost | Self::BmsFault | Self::RelayFault | Self::HwFault => {
                EventKind::BatteryError
            }
            _ => EventKind::Other,
        }
    }

    /// The number that is shown with the event.
    pub fn number(self) -> Option<EventNumber> {
        let (name, unit, range) = match self {
            Self::ReserveHeld => ("soc", "%", 0.0..=100.0),
            Self::GridLimit => ("limit", "W", 0.0..=1e6),
            Self::PriceCharge => ("price", "ct/kWh", -1e4..=1e4),
            _ => return None,
        };
        Some(EventNumber { name, unit, range })
    }

    pub fn is_message(self) -> bool {
        !Self::REASONS.contains(&self)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("unknown event code")]
pub struct UnknownEventCode;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: MessageId,
    /// When it happened, after clock correction. An event whose time is unknown (`None`) is stored, never shown,
    /// and does not confirm a claim.
    pub at: Option<Millis>,
    pub code: EventCode,
    /// `true` at its beginning, `false` at its end.
    pub on: bool,
    /// Details as the battery sent them: a JSON object as text, if there are any.
    pub args: Option<String>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn every_code_is_found_by_its_name() {
        for code in EventCode::ALL {
            assert_eq!(code.as_str().parse(), Ok(code));
        }
        assert!("switch".parse::<EventCode>().is_err());
    }

    #[test]
    fn an_impossible_number_is_none() {
        let number = |code: EventCode, args| {
            let number = code.number().unwrap().of(&args);
            number.map(|number| number.to_string())
        };
        let limit = |value| number(EventCode::GridLimit, json!({"limit": value}));
        assert_eq!(limit(json!(4200)), Some("4200".to_owned()));
        for impossible in [json!(-1e300), json!(1e308), json!("4200"), json!(null)] {
            assert_eq!(limit(impossible.clone()), None, "{impossible}");
        }
        assert_eq!(number(EventCode::ReserveHeld, json!({"soc": -5})), None);
        assert_eq!(number(EventCode::PriceCharge, json!({})), None);
        let price = number(EventCode::PriceCharge, json!({"price": -3.5}));
        assert_eq!(price, Some("-3.5".to_owned()));
    }
}
