//! Savings: what a household's electricity cost in a day, and what it would have cost without the battery.
use crate::energy;
use crate::sample::Counter;
use crate::tariff::Tariff;

/// What went over the meter and through the battery in one period, in Wh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnergyBalance {
    pub import: i64,
    pub feed_in: i64,
    pub charge: i64,
    pub discharge: i64,
}

impl EnergyBalance {
    /// From energies in the order of [`Counter::ALL`]; a missing value counts as 0.
    pub fn of(energy: [Option<i64>; Counter::ALL.len()]) -> Self {
        let wh = |counter: Counter| energy[counter as usize].unwrap_or(0);
        Self {
            import: wh(Counter::Import),
            feed_in: wh(Counter::FeedIn),
            charge: wh(Counter::Charge),
            discharge: wh(Counter::Discharge),
        }
    }

    /// What would have gone over the meter without the battery. Discharged energy reduces the feed-in, and what exceeds the
    /// feed-in would have been imported. Charged energy reduces the import, and what exceeds the import would have been fed in.
    pub fn without_battery(self) -> Self {
        let given = (self.discharge - self.charge).max(0);
        let taken = (self.charge - self.discharge).max(0);
        let not_fed_in = given.min(self.feed_in);
        let not_imported = taken.min(self.import);
        Self {
            import: self.import - not_imported + (given - not_fed_in),
            feed_in: self.feed_in - not_fed_in + (taken - not_imported),
            charge: 0,
            discharge: 0,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            import: self.import + other.import,
            feed_in: self.feed_in + other.feed_in,
            charge: self.charge + other.charge,
            discharge: self.discharge + other.discharge,
        }
    }

    /// What the meter's import costs and its feed-in earns, each in whole cents.
    fn cents(self, tariff: &Tariff) -> (i64, i64) {
        let cost = tariff.import_price.of(self.import);
        let income = tariff.feed_in_price.of(self.feed_in);
        (cost.cents(), income.cents())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredDay {
    /// The whole day, in the order of [`Counter::ALL`]; `None` when nothing was measured.
    pub energy: [Option<i64>; Counter::ALL.len()],
    /// The quarters of the day, followed by the unplaced energy; `None` when they are no longer stored.
    pub parts: Option<Vec<EnergyBalance>>,
}

impl MeasuredDay {
    /// From the quarters of each counter and the unplaced energy.
    pub fn of(
        quarters: &[Vec<Option<i64>>; Counter::ALL.len()],
        unplaced: [Option<i64>; Counter::ALL.len()],
    ) -> Self {
        let quarter = |n: usize| Counter::ALL.map(|counter| quarters[counter as usize][n]);
        let parts = (0..quarters[0].len()).map(quarter).chain([unplaced]);
        let total = |counter: Counter| {
            energy::total(&quarters[counter as usize], unplaced[counter as usize])
        };
        Self {
            energy: Counter::ALL.map(total),
            parts: Some(parts.map(EnergyBalance::of).collect()),
        }
    }

    fn knows(&self, counter: Counter) -> bool {
        self.energy[counter as usize].is_some()
    }
}

/// The money of one day, in whole cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayBill {
    /// For import.
    pub cost: i64,
    /// From feed-in.
    pub income: i64,
    /// Cost less income as it would have been without a battery; `None` when the battery's energy per quarter is not known.
    pub without_battery: Option<i64>,
}

impl DayBill {
    /// `None` unless both import and feed-in were measured.
    pub fn of(day: &MeasuredDay, tariff: &Tariff) -> Option<Self> {
        if !day.knows(Counter::Import) || !day.knows(Counter::FeedIn) {
            return None;
        }
        let (cost, income) = EnergyBalance::of(day.energy).cents(tariff);
        let battery_known = day.knows(Counter::Charge) && day.knows(Counter::Discharge);
        let parts = day.parts.as_ref().filter(|_| battery_known);
        let without_battery = parts.map(|parts| {
            let parts = parts.iter().map(|part| part.without_battery());
            // Rounded like the actual day, so an idle battery saves exactly nothing.
            let (cost, income) = parts
                .fold(EnergyBalance::default(), EnergyBalance::plus)
                .cents(tariff);
            cost - income
        });
        Some(Self {
            cost,
            income,
            without_battery,
        })
    }

    /// Cost less income.
    pub fn actual(&self) -> i64 {
        self.cost - self.income
    }

    fn plus(self, other: Self) -> Self {
        let both = self.without_battery.zip(other.without_battery);
        Self {
            cost: self.cost + other.cost,
            income: self.income + other.income,
            without_battery: both.map(|(one, other)| one + other),
        }
    }
}

/// What one system contributes to the bill of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BillShare {
    /// It measured nothing that day and is left out.
    NotMeasured,
    /// It measured something, but its bill is not known.
    Unknown,
    Known(DayBill),
}

impl BillShare {
    pub fn of(day: &MeasuredDay, tariff: Option<&Tariff>) -> Self {
        if day.energy.iter().all(Option::is_none) {
            return Self::NotMeasured;
        }
        let bill = tariff.and_then(|tariff| DayBill::of(day, tariff));
        bill.map_or(Self::Unknown, Self::Known)
    }
}

/// The bill of several systems for one day. `None` if no system measured anything, or the bill of one that did is unknown.
pub fn combined_bill(shares: impl IntoIterator<Item = BillShare>) -> Option<DayBill> {
    let mut sum: Option<DayBill> = None;
    for share in shares {
        match share {
            BillShare::NotMeasured => {}
            BillShare::Unknown => return None,
            BillShare::Known(bill) => sum = Some(sum.map_or(bill, |sum| sum.plus(bill))),
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tariff(import: &str, feed_in: &str) -> Tariff {
        Tariff {
            from: None,
            import_price: import.parse().unwrap(),
            feed_in_price: feed_in.parse().unwrap(),
        }
    }

    fn flowed(import: i64, feed_in: i64, charge: i64, discharge: i64) -> EnergyBalance {
        EnergyBalance {
            import,
            feed_in,
            charge,
            discharge,
        }
    }

    /// A day of these periods.
    fn day(parts: &[EnergyBalance]) -> MeasuredDay {
        let column =
            |of: fn(&EnergyBalance) -> i64| parts.iter().map(|part| Some(of(part))).collect();
        let quarters = [
            column(|part| part.import),
            column(|part| part.feed_in),
            column(|_| 0),
            column(|part| part.charge),
            column(|part| part.discharge),
        ];
        MeasuredDay::of(&quarters, [None; 5])
    }

    #[test]
    fn what_the_battery_gave_or_took_had_gone_over_the_meter() {
        for (with, without) in [
            // Discharged 600 Wh: all of it would have been imported.
            (flowed(100, 0, 0, 600), (700, 0)),
            // Discharged 600 Wh while 200 were fed in: the rest would have been imported.
            (flowed(0, 200, 0, 600), (400, 0)),
            (flowed(0, 900, 0, 600), (0, 300)),
            // Charged 600 Wh of sun: it would have been fed in.
            (flowed(0, 100, 600, 0), (0, 700)),
            // Charged 600 Wh, 250 of them from the grid.
            (flowed(250, 0, 600, 0), (0, 350)),
            (flowed(900, 0, 600, 0), (300, 0)),
            // Discharged and charged within the same quarter.
            (flowed(50, 20, 300, 200), (0, 70)),
            (flowed(50, 20, 0, 0), (50, 20)),
        ] {
            let meter = with.without_battery();
            assert_eq!((meter.import, meter.feed_in), without, "{with:?}");
        }
    }

    #[test]
    fn a_day_has_its_cost_its_income_and_what_it_had_cost_without_the_battery() {
        // 2 kWh of sun at noon into the battery, out again in the evening; the rest is imported or fed in.
        let day = day(&[
            flowed(0, 3_000, 2_000, 0),
            flowed(500, 0, 0, 1_900),
            flowed(1_000, 0, 0, 0),
        ]);
        let bill = DayBill::of(&day, &tariff("31.90", "7.94")).unwrap();
        // 1.5 kWh × 31.90 ct = 47.85 ct; 3 kWh × 7.94 ct = 23.82 ct.
        assert_eq!((bill.cost, bill.income, bill.actual()), (48, 24, 24));
        // 3.4 kWh × 31.90 ct = 108.46 ct; 5 kWh × 7.94 ct = 39.70 ct.
        assert_eq!(bill.without_battery, Some(108 - 40));
    }

    #[test]
    fn energy_without_a_place_counts_once() {
        let nothing = || vec![Some(0); 96];
        let quarters = [nothing(), nothing(), nothing(), nothing(), nothing()];
        let unplaced = [Some(1_000), Some(400), Some(0), Some(0), Some(600)];
        let day = MeasuredDay::of(&quarters, unplaced);
        assert_eq!(day.energy, unplaced);
        let bill = DayBill::of(&day, &tariff("30", "10")).unwrap();
        assert_eq!((bill.cost, bill.income), (30, 4));
        assert_eq!(bill.without_battery, Some(36));
    }

    #[test]
    fn what_is_not_known_is_not_zero() {
        let prices = tariff("30", "10");
        let whole = day(&[flowed(1_000, 0, 500, 0)]);
        for counter in [Counter::Import, Counter::FeedIn] {
            let mut blind = whole.clone();
            blind.energy[counter as usize] = None;
            assert_eq!(DayBill::of(&blind, &prices), None, "{counter:?}");
        }
        for counter in [Counter::Charge, Counter::Discharge] {
            let mut blind = whole.clone();
            blind.energy[counter as usize] = None;
            let bill = DayBill::of(&blind, &prices).unwrap();
            assert_eq!((bill.cost, bill.without_battery), (30, None));
        }
        let forgotten = MeasuredDay {
            parts: None,
            ..whole
        };
        let bill = DayBill::of(&forgotten, &prices).unwrap();
        assert_eq!((bill.cost, bill.without_battery), (30, None));
    }

    #[test]
    fn several_systems_add_up_when_each_that_measured_is_known() {
        let bill = |cost, without_battery| DayBill {
            cost,
            income: 1,
            without_battery,
        };
        let (one, two) = (bill(10, Some(20)), bill(5, Some(6)));
        let both = combined_bill([
            BillShare::Known(one),
            BillShare::NotMeasured,
            BillShare::Known(two),
        ])
        .unwrap();
        assert_eq!((both.cost, both.income, both.actual()), (15, 2, 13));
        assert_eq!(both.without_battery, Some(26));
        assert_eq!(
            combined_bill([BillShare::Known(one), BillShare::Unknown]),
            None
        );
        assert_eq!(
            combined_bill([BillShare::NotMeasured, BillShare::NotMeasured]),
            None
        );
        assert_eq!(combined_bill([]), None);
        let partly =
            combined_bill([BillShare::Known(one), BillShare::Known(bill(5, None))]).unwrap();
        assert_eq!((partly.cost, partly.without_battery), (15, None));
    }

    #[test]
    fn a_share_is_silent_without_data_and_unknown_without_a_price() {
        let prices = tariff("30", "10");
        let measured = day(&[flowed(1_000, 0, 0, 0)]);
        let empty = MeasuredDay {
            energy: [None; 5],
            parts: None,
        };
        assert_eq!(BillShare::of(&empty, Some(&prices)), BillShare::NotMeasured);
        assert_eq!(BillShare::of(&measured, None), BillShare::Unknown);
        let known = BillShare::of(&measured, Some(&prices));
        assert!(matches!(known, BillShare::Known(bill) if bill.cost == 30));
    }

    /// The same rule in its simplest form, Wh by Wh.
    fn wh_by_wh(with: EnergyBalance) -> (i64, i64) {
        let (mut import, mut feed_in) = (with.import, with.feed_in);
        for _ in with.charge..with.discharge {
            if feed_in > 0 {
                feed_in -= 1;
            } else {
                import += 1;
            }
        }
        for _ in with.discharge..with.charge {
            if import > 0 {
                import -= 1;
            } else {
                feed_in += 1;
            }
        }
        (import, feed_in)
    }

    fn any_flow(most: i64) -> impl Strategy<Value = EnergyBalance> {
        (0..most, 0..most, 0..most, 0..most).prop_map(|(i, f, c, d)| flowed(i, f, c, d))
    }

    proptest! {
        #[test]
        fn the_rule_is_the_one_told_wh_by_wh(with in any_flow(400)) {
            let without = with.without_battery();
            prop_assert_eq!((without.import, without.feed_in), wh_by_wh(with));
        }

        #[test]
        fn nothing_is_lost_and_nothing_negative_without_the_battery(with in any_flow(25_000)) {
            let without = with.without_battery();
            prop_assert!(without.import >= 0 && without.feed_in >= 0);
            let net = with.import - with.feed_in + with.discharge - with.charge;
            prop_assert_eq!(without.import - without.feed_in, net);
        }

        #[test]
        fn a_day_in_which_the_battery_did_nothing_costs_the_same_without_it(
            parts in prop::collection::vec(any_flow(25_000), 1..100), import in 0..=50_000_i64, feed_in in 0..=50_000_i64
        ) {
            let idle: Vec<_> = parts.iter().map(|part| flowed(part.import, part.feed_in, 0, 0)).collect();
            let price = |hundredths| crate::money::Price::from_hundredths(hundredths).unwrap();
            let tariff = Tariff { from: None, import_price: price(import), feed_in_price: price(feed_in) };
            let bill = DayBill::of(&day(&idle), &tariff).unwrap();
            prop_assert_eq!(bill.without_battery, Some(bill.actual()));
        }

        #[test]
        fn a_days_cents_are_exact_to_the_rounding(parts in prop::collection::vec(any_flow(25_000), 1..100)) {
            let prices = tariff("31.90", "7.94");
            let bill = DayBill::of(&day(&parts), &prices).unwrap();
            // In hundred-thousandths of a cent. Nothing here is negative, so half a cent is rounded up.
            let cents = |exact: i64| (exact + 50_000) / 100_000;
            let sum = |of: fn(&EnergyBalance) -> i64| parts.iter().map(of).sum::<i64>();
            prop_assert_eq!(bill.cost, cents(3190 * sum(|part| part.import)));
            prop_assert_eq!(bill.income, cents(794 * sum(|part| part.feed_in)));
            let (import, feed_in) = parts.iter().map(|part| wh_by_wh(*part))
                .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            prop_assert_eq!(bill.without_battery, Some(cents(3190 * import) - cents(794 * feed_in)));
        }
    }
}
