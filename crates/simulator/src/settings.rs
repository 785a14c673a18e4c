//! What people set on a battery. The battery obeys at once; its rating, its protection and the grid operator stay stronger.
use crate::meter::MeterType;

/// A part of the day, in minutes from midnight on the site's clock. It may pass midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: u16,
    pub end: u16,
}

impl Window {
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
pub enum Tariff {
    Off,
    /// As the portal plans it.
    Plan,
    /// While the price is low.
    Price,
}

/// Where it learns what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// From the smart meter: nothing in, nothing out.
    Meter,
    /// From the grid operator's box.
    GridOperator,
}

/// How it talks to what it learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    Rs485,
    Tcp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Kept for a blackout, in percent.
    pub reserve_soc: u8,
    /// In W; the rating where nothing lower is set.
    pub charge_limit: i32,
    pub discharge_limit: i32,
    pub charge_window: Window,
    pub discharge_window: Window,
    pub meter_type: MeterType,
    /// Where the battery looks for its meter, 1 to 250.
    pub meter_address: u8,
    pub tariff: Tariff,
    /// Where prices come from; only a fixed one is known without being told.
    pub provider: &'static str,
    /// With so many W it charges from the grid …
    pub charge_power: i32,
    /// … below this price, in hundredths of a cent.
    pub charge_price: i32,
    /// What a kWh costs, in hundredths of a cent.
    pub import_price: Option<i32>,
    /// In a blackout it feeds the house after a moment, or without one.
    pub emergency_power: bool,
    pub ups: bool,
    /// On a socket instead of a circuit of its own.
    pub plugin: bool,
    /// It listens to limits over the network.
    pub p_limit_tcp: bool,
    pub control: Control,
    pub wire: Wire,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reserve_soc: 10,
            charge_limit: i32::MAX,
            discharge_limit: i32::MAX,
            charge_window: Window::ALL_DAY,
            discharge_window: Window::ALL_DAY,
            meter_type: MeterType::Adl400,
            meter_address: crate::meter::DEFAULT_ADDRESS,
            tariff: Tariff::Off,
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

impl Settings {
    /// What a kWh costs now, as far as the battery knows.
    pub fn price(&self) -> Option<i32> {
        self.import_price.filter(|_| self.provider == "fixed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_pass_midnight() {
        let night = Window {
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
        assert!((0..1440).all(|minute| Window::ALL_DAY.contains(minute)));
    }
}
