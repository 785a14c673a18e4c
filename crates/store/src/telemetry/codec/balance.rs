//! PV, grid and battery power together: a battery that follows the house keeps the grid still, a resting one keeps itself
//! still, and either way the house changes less than what feeds it.
use super::predict::Level;

/// Beyond these misses a level moves at once: an appliance was switched.
const JUMP: i64 = 64;

pub(super) struct Balance {
    house: Level,
    grid: Level,
    /// The last two powers of the battery.
    battery: [i64; 2],
}

impl Balance {
    pub(super) fn new(slow: u32) -> Self {
        Self {
            house: Level::new(slow, 0, JUMP),
            grid: Level::new(3, 0, JUMP),
            battery: [0; 2],
        }
    }

    fn rests(&self) -> bool {
        self.battery[0] == self.battery[1]
    }

    pub(super) fn expect_grid(&self, pv: i64) -> i64 {
        if self.rests() {
            let without = pv.wrapping_add(self.battery[1]);
            self.house.now().wrapping_sub(without)
        } else {
            self.grid.now()
        }
    }

    pub(super) fn expect_battery(&self, pv: i64, grid: i64) -> i64 {
        if self.rests() {
            self.battery[1]
        } else {
            self.house.now().wrapping_sub(pv).wrapping_sub(grid)
        }
    }

    pub(super) fn learn(&mut self, pv: i64, grid: i64, battery: i64) {
        self.house
            .follow(pv.wrapping_add(grid).wrapping_add(battery));
        self.grid.follow(grid);
        self.battery = [self.battery[1], battery];
    }
}

/// What grid and battery are missed by, given PV.
pub(super) fn misses(slow: u32, pv: &[i64], grid: &[i64], battery: &[i64]) -> [Vec<i64>; 2] {
    let mut balance = Balance::new(slow);
    let mut out = [Vec::with_capacity(pv.len()), Vec::with_capacity(pv.len())];
    for ((pv, grid), battery) in pv.iter().zip(grid).zip(battery) {
        out[0].push(grid.wrapping_sub(balance.expect_grid(*pv)));
        out[1].push(battery.wrapping_sub(balance.expect_battery(*pv, *grid)));
        balance.learn(*pv, *grid, *battery);
    }
    out
}

pub(super) fn restore(slow: u32, pv: &[i64], grid: &mut [i64], battery: &mut [i64]) {
    let mut balance = Balance::new(slow);
    for ((pv, grid), battery) in pv.iter().zip(grid).zip(battery) {
        *grid = grid.wrapping_add(balance.expect_grid(*pv));
        *battery = battery.wrapping_add(balance.expect_battery(*pv, *grid));
        balance.learn(*pv, *grid, *battery);
    }
}
