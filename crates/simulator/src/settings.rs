//! Settings of a battery. They apply at once; its rating, its protection and the grid operator take precedence.
use crate::meter::{DEFAULT_ADDRESS, Meter, MeterType, Wire};

/// A part of the day, in minutes from midnight in the site's local time. It may pass midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyWindow {
    pub start: u16,
    pub end: u16,
}

impl DailyWindow {
    pub const ALL_DAY: Self = Self {
        start: 0,
        end: 24 * 60,
    };

    pub fn contains(self, minute: u16) -> bool {
        if self.start <= self.end {
            (self.start..self.end).contains(&minute)
        } else {
            minute >= self.start || minute < self.end
        }
    }
}

/// When a battery charges from the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TariffMode {
    Off,
    /// Follows the portal's plan.
    Plan,
    /// While the price is low.
    Price,
}

/// The source of its control signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The smart meter: the battery aims at zero power there.
    Meter,
    /// The grid operator's control box.
    GridOperator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatterySettings {
    /// Reserved for a blackout, in percent.
    pub reserve_soc: u8,
    /// In W; the rating applies if it is lower.
    pub charge_limit: i32,
    pub discharge_limit: i32,
    pub charge_window: DailyWindow,
    pub discharge_window: DailyWindow,
    pub meter_type: MeterType,
    /// Where the battery expects its meter, 1 to 250.
    pub meter_address: u8,
    pub tariff: TariffMode,
    /// Source of prices. The battery knows only a fixed price by itself.
    pub provider: &'static str,
    /// Charging power from the grid in W, used …
    pub charge_power: i32,
    /// … below this price, in hundredths of a cent.
    pub charge_price: i32,
    /// Price of a kWh, in hundredths of a cent.
    pub import_price: Option<i32>,
    /// Supplies the house in a blackout: emergency power after a short gap, `ups` without one.
    pub emergency_power: bool,
    pub ups: bool,
    /// Plugged into a socket instead of a circuit of its own.
    pub plugin: bool,
    /// Accepts power limits over the network.
    pub p_limit_tcp: bool,
    pub control: Control,
    pub wire: Wire,
}

impl Default for BatterySettings {
    fn default() -> Self {
        Self {
            reserve_soc: 10,
            charge_limit: i32::MAX,
            discharge_limit: i32::MAX,
            charge_window: DailyWindow::ALL_DAY,
            discharge_window: DailyWindow::ALL_DAY,
            meter_type: MeterType::Adl400,
            meter_address: DEFAULT_ADDRESS,
            tariff: TariffMode::Off,
            provider: "none",
            charge_power: i32::MAX,
            charge_price: 1_000,
            import_price: None,
            emergency_power: false,
            ups: false,
            plugin: false,
            p_limit_tcp: false,
            control: Control::Meter,
            wire: Wire::Rs485,
        }
    }
}

impl BatterySettings {
    /// The price of a kWh now, if the battery knows it.
    pub fn price(&self) -> Option<i32> {
        self.import_price.filter(|_| self.provider == "fixed")
    }

    /// Whether the battery gets readings from this meter.
    pub fn reach(&self, meter: Meter) -> bool {
        meter.alive
            && meter.kind == self.meter_type
            && meter.address == self.meter_address
            && meter.kind.speaks(self.wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_pass_midnight() {
        let night = DailyWindow {
            start: 22 * 60,
            end: 6 * 60,
        };
        for (minute, inside) in [
            (0, true),
            (359, true),
            (360, false),
            (1319, false),
            (1320, true),
        ] {
            assert_eq!(night.contains(minute), inside, "{minute}");
        }
        assert!((0..1440).all(|minute| DailyWindow::ALL_DAY.contains(minute)));
    }
}
