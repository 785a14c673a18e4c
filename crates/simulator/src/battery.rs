//! The battery cells: stored energy, charge and discharge limits. Integers only, for the same results on every machine.

/// A full state of charge; the unit is ‰.
pub const FULL_SOC: i64 = 1_000;

/// One Wh in µJ.
const WATT_HOUR: i64 = 3_600_000_000;

/// Charging tapers off above this state of charge (‰), discharging this far above the reserve.
const TAPER_FULL: i64 = 900;
const TAPER_EMPTY: i64 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rating {
    /// Usable, in Wh.
    pub capacity: i64,
    /// In W, at the terminals.
    pub charge: i32,
    pub discharge: i32,
    /// In ‰: from the terminals into the cells, and from the cells to the terminals.
    pub charge_efficiency: i64,
    pub discharge_efficiency: i64,
    /// Permanent loss of electronics and cells, in mW.
    pub standby: i64,
}

impl Rating {
    /// A standard battery of this capacity: half the capacity per hour, 95 % efficiency each way, 8 W standby.
    pub fn of_kwh(kwh: i64) -> Self {
        let power = i32::try_from(kwh * 500).unwrap_or(i32::MAX).min(4_600);
        Self {
            capacity: kwh * 1_000,
            charge: power,
            discharge: power,
            charge_efficiency: 955,
            discharge_efficiency: 950,
            standby: 8_000,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Battery {
    rating: Rating,
    /// In µJ.
    stored: i64,
}

impl Battery {
    /// `charge` is the state of charge in ‰.
    pub fn new(rating: Rating, charge: i64) -> Self {
        let whole = rating.capacity * WATT_HOUR;
        Self {
            rating,
            stored: whole / FULL_SOC * charge.clamp(0, FULL_SOC),
        }
    }

    pub fn rating(&self) -> &Rating {
        &self.rating
    }

    /// State of charge in ‰.
    pub fn soc(&self) -> i64 {
        self.stored / (self.whole() / FULL_SOC)
    }

    fn whole(&self) -> i64 {
        self.rating.capacity * WATT_HOUR
    }

    /// Maximum charging power over the next `millis`, in W.
    pub fn max_charge_power(&self, millis: i64) -> i32 {
        let rated = i64::from(self.rating.charge);
        let taper = rated * (FULL_SOC - self.soc()).max(5) / (FULL_SOC - TAPER_FULL);
        let room = (self.whole() - self.stored) / (millis * self.rating.charge_efficiency);
        watts(rated.min(taper).min(room))
    }

    /// Maximum discharging power over the next `millis` that does not fall below `reserve` (‰), in W.
    pub fn max_discharge_power(&self, reserve: i64, millis: i64) -> i32 {
        let rated = i64::from(self.rating.discharge);
        let above = self.soc() - reserve;
        let taper = rated * above.max(5) / TAPER_EMPTY;
        let left = self.stored - self.whole() / FULL_SOC * reserve;
        // The standby loss over the same time must remain.
        let left = (left - self.rating.standby * millis).max(0);
        let available = left / millis * self.rating.discharge_efficiency / 1_000_000;
        watts(rated.min(taper).min(available))
    }

    /// Applies `power` for `millis`: at the terminals, discharge positive, within the limits above.
    pub fn flow(&mut self, power: i32, millis: i64) {
        let energy = i64::from(power) * millis;
        let change = if power < 0 {
            -energy * self.rating.charge_efficiency
        } else {
            -energy * 1_000 / self.rating.discharge_efficiency * FULL_SOC
        };
        let loss = self.rating.standby * millis;
        self.stored = (self.stored + change - loss).clamp(0, self.whole());
    }
}

fn watts(power: i64) -> i32 {
    i32::try_from(power.max(0)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::clock::{HOUR, MINUTE};
    use proptest::prelude::*;

    #[test]
    fn a_full_cycle_loses_what_the_efficiencies_say() {
        let mut battery = Battery::new(Rating::of_kwh(10), 0);
        let (mut taken, mut given) = (0, 0);
        while battery.soc() < FULL_SOC - 1 {
            let power = battery.max_charge_power(MINUTE);
            battery.flow(-power, MINUTE);
            taken += i64::from(power);
        }
        while battery.max_discharge_power(0, MINUTE) > 0 {
            let power = battery.max_discharge_power(0, MINUTE);
            battery.flow(power, MINUTE);
            given += i64::from(power);
        }
        let efficiency = given as f64 / taken as f64;
        assert!((0.88..0.91).contains(&efficiency), "{efficiency}");
    }

    #[test]
    fn charging_tapers_near_full_and_discharging_near_the_reserve() {
        let rating = Rating::of_kwh(8);
        let takes = |charge| Battery::new(rating, charge).max_charge_power(MINUTE);
        assert_eq!(takes(500), rating.charge);
        assert!(takes(950) < rating.charge * 6 / 10);
        assert!(takes(990) < rating.charge / 5);
        let gives = |charge| Battery::new(rating, charge).max_discharge_power(100, MINUTE);
        assert_eq!(gives(500), rating.discharge);
        assert!(gives(120) < rating.discharge / 2);
        assert_eq!(gives(100), 0);
        assert_eq!(gives(40), 0);
    }

    #[test]
    fn a_resting_battery_loses_its_standby() {
        let mut battery = Battery::new(Rating::of_kwh(10), 500);
        for _ in 0..24 * 30 {
            battery.flow(0, HOUR);
        }
        // 8 W × 720 h = 5.76 kWh, more than the 5 kWh that were stored.
        assert_eq!(battery.soc(), 0);
    }

    proptest! {
        #[test]
        fn no_flow_within_its_limits_leaves_empty_or_full(
            start in 0..=FULL_SOC, reserve in 0i64..=100, targets in prop::collection::vec((-9_000i32..9_000, 1i64..300_000), 1..200)
        ) {
            let mut battery = Battery::new(Rating::of_kwh(5), start);
            for (target, millis) in targets {
                let before = battery;
                let power = target.clamp(-battery.max_charge_power(millis), battery.max_discharge_power(reserve * 10, millis));
                battery.flow(power, millis);
                prop_assert!((0..=FULL_SOC).contains(&battery.soc()));
                if power > 0 {
                    prop_assert!(battery.stored >= battery.whole() / FULL_SOC * reserve * 10);
                    prop_assert!(battery.stored < before.stored);
                }
            }
        }
    }
}
