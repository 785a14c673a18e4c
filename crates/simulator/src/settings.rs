//! What people set on a battery. The battery obeys them at once; its rating stays the stronger limit.

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Kept for a blackout, in percent.
    pub reserve_soc: u8,
    /// In W; the rating where nothing lower is set.
    pub charge_limit: i32,
    pub discharge_limit: i32,
    pub charge_window: Window,
    pub discharge_window: Window,
    /// Where the battery looks for its meter, 1 to 250.
    pub meter_address: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reserve_soc: 10,
            charge_limit: i32::MAX,
            discharge_limit: i32::MAX,
            charge_window: Window::ALL_DAY,
            discharge_window: Window::ALL_DAY,
            meter_address: crate::meter::DEFAULT_ADDRESS,
        }
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
