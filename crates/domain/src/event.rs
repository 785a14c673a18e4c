//! What a battery reports when something happens: `last_messages` of the live data.
use crate::clock::Millis;
use crate::sample::MessageId;
use std::str::FromStr;

/// What happened. The texts for people are found by the code.
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
    /// Why it does what it does: the reserve is reached.
    ReserveHeld,
    /// It would charge or discharge, but not at this time of the day.
    WindowClosed,
    /// It charges from the grid because that is cheap now.
    PriceCharge,
    /// The grid operator limits what it may draw (§14a EnWG).
    GridLimit,
}

/// The lists in which people see messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Grid and system protection tripped.
    Protection,
    BatteryError,
    Other,
}

impl EventCode {
    pub const ALL: [Self; 17] = [
        Self::SwitchCycled,
        Self::NaULow,
        Self::NaUHigh,
        Self::NaFLow,
        Self::NaFHigh,
        Self::NaIsland,
        Self::MeterLost,
        Self::BmsFault,
        Self::RelayFault,
        Self::HwFault,
        Self::CalibrationDue,
        Self::CalibrationDone,
        Self::FloatCharge,
        Self::ReserveHeld,
        Self::WindowClosed,
        Self::PriceCharge,
        Self::GridLimit,
    ];

    /// What only says why the battery acted: lines of the journal, not messages that somebody has to see.
    pub const REASONS: [Self; 4] = [
        Self::ReserveHeld,
        Self::WindowClosed,
        Self::PriceCharge,
        Self::GridLimit,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SwitchCycled => "switch_cycled",
            Self::NaULow => "na_u_low",
            Self::NaUHigh => "na_u_high",
            Self::NaFLow => "na_f_low",
            Self::NaFHigh => "na_f_high",
            Self::NaIsland => "na_island",
            Self::MeterLost => "meter_lost",
            Self::BmsFault => "bms_fault",
            Self::RelayFault => "relay_fault",
            Self::HwFault => "hw_fault",
            Self::CalibrationDue => "calibration_due",
            Self::CalibrationDone => "calibration_done",
            Self::FloatCharge => "float_charge",
            Self::ReserveHeld => "reserve_held",
            Self::WindowClosed => "window_closed",
            Self::PriceCharge => "price_charge",
            Self::GridLimit => "grid_limit",
        }
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

    pub fn is_message(self) -> bool {
        !Self::REASONS.contains(&self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a code of an event")]
pub struct UnknownCode;

impl FromStr for EventCode {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let known = Self::ALL.into_iter().find(|code| code.as_str() == text);
        known.ok_or(UnknownCode)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: MessageId,
    /// When it happened, after the clock rules. `None` could not be placed in time: kept, never shown,
    /// and it proves nothing about a claim.
    pub at: Option<Millis>,
    pub code: EventCode,
    /// It began, or (`false`) it is over.
    pub on: bool,
    /// Details as the battery sent them: a JSON object as text, or nothing.
    pub args: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_name() {
        for code in EventCode::ALL {
            assert_eq!(code.as_str().parse(), Ok(code));
        }
        assert!("switch".parse::<EventCode>().is_err());
    }
}
