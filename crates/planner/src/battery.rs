//! A model of the battery for plans and savings: what one quarter-hour does to its stored energy and to the meter.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatteryModel {
    /// Usable kWh.
    pub capacity: f64,
    pub charge_kw: f64,
    pub discharge_kw: f64,
    /// The share of the charged energy that is stored.
    pub charge_efficiency: f64,
    /// The share of the energy taken from storage that comes out.
    pub discharge_efficiency: f64,
    /// The reserve below which it never discharges, in kWh.
    pub floor: f64,
}

/// What a plan tells the battery to do. It follows the meter in every mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Stores surplus sun and covers the net load of the house.
    SelfUse,
    /// Stores surplus sun and does not discharge.
    Hold,
    /// Charges at this power in kW, from the sun first and from the grid for the rest.
    Charge(f64),
}

impl Mode {
    pub fn buys(self) -> bool {
        matches!(self, Self::Charge(_))
    }
}

/// Energy flows of one time step, in kWh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatteryFlow {
    /// Stored energy afterwards.
    pub stored: f64,
    pub import: f64,
    pub feed_in: f64,
    /// Into the battery, before its losses.
    pub charge: f64,
    /// Out of the battery, after its losses.
    pub discharge: f64,
}

impl BatteryFlow {
    /// Cost less income, in cents.
    pub fn cents(&self, price: crate::SlotPrice) -> f64 {
        self.import * price.import_cents() - self.feed_in * price.feed_in_cents()
    }
}

impl BatteryModel {
    /// One time step of `hours` with a net load of `net` kWh (load less sun; negative: surplus sun). `grid_cap` is the grid
    /// operator's cap on what the battery draws from the grid (§14a EnWG), in kW.
    pub fn step(
        &self,
        stored: f64,
        mode: Mode,
        net: f64,
        hours: f64,
        grid_cap: Option<f64>,
    ) -> BatteryFlow {
        let surplus = (-net).max(0.0);
        let lack = net.max(0.0);
        let most = self.charge_kw * hours;
        let from_sun = surplus.min(most);
        let wanted = match mode {
            Mode::SelfUse | Mode::Hold => from_sun,
            Mode::Charge(kw) => {
                let cap = grid_cap.map_or(f64::INFINITY, |cap| cap.max(0.0) * hours);
                (kw * hours).min(from_sun + cap).clamp(from_sun, most)
            }
        };
        let room = (self.capacity - stored).max(0.0) / self.charge_efficiency;
        let charge = wanted.min(room);
        let discharge = if mode == Mode::SelfUse {
            let available = (stored - self.floor).max(0.0) * self.discharge_efficiency;
            lack.min(self.discharge_kw * hours).min(available)
        } else {
            0.0
        };
        let meter = net + charge - discharge;
        let after =
            stored + charge * self.charge_efficiency - discharge / self.discharge_efficiency;
        BatteryFlow {
            stored: after.clamp(0.0, self.capacity),
            import: meter.max(0.0),
            feed_in: (-meter).max(0.0),
            charge,
            discharge,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn ten_kwh() -> BatteryModel {
        BatteryModel {
            capacity: 10.0,
            charge_kw: 4.6,
            discharge_kw: 4.6,
            charge_efficiency: 0.92_f64.sqrt(),
            discharge_efficiency: 0.92_f64.sqrt(),
            floor: 0.5,
        }
    }

    #[test]
    fn self_use_covers_the_house_and_stores_the_sun() {
        let battery = ten_kwh();
        let evening = battery.step(5.0, Mode::SelfUse, 0.5, 0.25, None);
        assert!((evening.discharge - 0.5).abs() < 1e-9 && evening.import < 1e-9);
        let noon = battery.step(5.0, Mode::SelfUse, -0.5, 0.25, None);
        assert!((noon.charge - 0.5).abs() < 1e-9 && noon.feed_in < 1e-9);
        let peak = battery.step(5.0, Mode::SelfUse, 2.0, 0.25, None);
        assert!((peak.discharge - 1.15).abs() < 1e-9 && (peak.import - 0.85).abs() < 1e-9);
    }

    #[test]
    fn hold_keeps_the_charge_and_still_takes_the_sun() {
        let battery = ten_kwh();
        let evening = battery.step(5.0, Mode::Hold, 0.5, 0.25, None);
        assert_eq!((evening.discharge, evening.stored), (0.0, 5.0));
        let noon = battery.step(5.0, Mode::Hold, -0.5, 0.25, None);
        assert!((noon.charge - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_grid_operators_cap_counts_what_is_drawn_and_not_the_own_sun() {
        let battery = ten_kwh();
        let dimmed = battery.step(5.0, Mode::Charge(4.6), -0.3, 0.25, Some(2.0));
        assert!((dimmed.charge - 0.8).abs() < 1e-9, "{dimmed:?}");
        assert!((dimmed.import - 0.5).abs() < 1e-9);
    }

    pub(crate) fn any_mode() -> impl Strategy<Value = Mode> {
        prop_oneof![
            Just(Mode::SelfUse),
            Just(Mode::Hold),
            (0.0..6.0).prop_map(Mode::Charge)
        ]
    }

    proptest! {
        #[test]
        fn charge_stays_in_its_bounds_and_energy_is_kept(
            stored in 0.0..10.0, mode in any_mode(), net in -3.0..3.0,
            cap in proptest::option::of(0.0..5.0),
        ) {
            let battery = ten_kwh();
            let flow = battery.step(stored, mode, net, 0.25, cap);
            prop_assert!(flow.stored >= stored.min(battery.floor) - 1e-9);
            prop_assert!(flow.stored <= battery.capacity + 1e-9);
            prop_assert!(flow.charge <= battery.charge_kw * 0.25 + 1e-9);
            prop_assert!(flow.discharge <= battery.discharge_kw * 0.25 + 1e-9);
            let balance = net + flow.charge - flow.discharge - flow.import + flow.feed_in;
            prop_assert!(balance.abs() < 1e-9);
            let kept = stored + flow.charge * battery.charge_efficiency
                - flow.discharge / battery.discharge_efficiency;
            prop_assert!((flow.stored - kept).abs() < 1e-9);
            // The battery never feeds into the grid, and what it draws obeys the cap.
            prop_assert!(flow.discharge <= net.max(0.0) + 1e-9);
            if let Some(cap) = cap {
                let drawn = (flow.charge - (-net).max(0.0)).max(0.0);
                prop_assert!(drawn <= cap * 0.25 + 1e-9);
            }
        }
    }
}
