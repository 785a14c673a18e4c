//! Predicts grid and battery power from PV. An active battery keeps the grid power constant; an idle one keeps its own power
//! constant. In both cases the house's power changes less than the powers that feed it.
use super::predict::SmoothedLevel;

/// A larger residual moves a level at once: an appliance was switched.
const JUMP: i64 = 64;

pub(super) struct Balance {
    house: SmoothedLevel,
    grid: SmoothedLevel,
    /// The last two powers of the battery.
    battery: [i64; 2],
}

impl Balance {
    pub(super) fn new(slow: u32) -> Self {
        Self {
            house: SmoothedLevel::new(slow, 0, JUMP),
            grid: SmoothedLevel::new(3, 0, JUMP),
            battery: [0; 2],
        }
    }

    fn rests(&self) -> bool {
        self.battery[0] == self.battery[1]
    }

    pub(super) fn predict_grid(&self, pv: i64) -> i64 {
        if self.rests() {
            let without = pv.wrapping_add(self.battery[1]);
            self.house.now().wrapping_sub(without)
        } else {
            self.grid.now()
        }
    }

    pub(super) fn predict_battery(&self, pv: i64, grid: i64) -> i64 {
        if self.rests() {
            self.battery[1]
        } else {
            self.house.now().wrapping_sub(pv).wrapping_sub(grid)
        }
    }

    pub(super) fn update(&mut self, pv: i64, grid: i64, battery: i64) {
        self.house
            .follow(pv.wrapping_add(grid).wrapping_add(battery));
        self.grid.follow(grid);
        self.battery = [self.battery[1], battery];
    }
}

/// Residuals of grid and battery, given PV.
pub(super) fn residuals(slow: u32, pv: &[i64], grid: &[i64], battery: &[i64]) -> [Vec<i64>; 2] {
    let mut balance = Balance::new(slow);
    let mut out = [Vec::with_capacity(pv.len()), Vec::with_capacity(pv.len())];
    for ((pv, grid), battery) in pv.iter().zip(grid).zip(battery) {
        out[0].push(grid.wrapping_sub(balance.predict_grid(*pv)));
        out[1].push(battery.wrapping_sub(balance.predict_battery(*pv, *grid)));
        balance.update(*pv, *grid, *battery);
    }
    out
}

pub(super) fn restore(slow: u32, pv: &[i64], grid: &mut [i64], battery: &mut [i64]) {
    let mut balance = Balance::new(slow);
    for ((pv, grid), battery) in pv.iter().zip(grid).zip(battery) {
        *grid = grid.wrapping_add(balance.predict_grid(*pv));
        *battery = battery.wrapping_add(balance.predict_battery(*pv, *grid));
        balance.update(*pv, *grid, *battery);
    }
}
