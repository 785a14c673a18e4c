//! Savings: what a household's electricity cost in a day, and what it had cost without the battery.
use crate::energy;
use crate::sample::Counter;
use crate::tariff::Tariff;

/// What went over the meter and through the battery in one stretch of time, in Wh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flowed {
    pub import: i64,
    pub feed_in: i64,
    pub charge: i64,
    pub discharge: i64,
}

impl Flowed {
    /// From energies in the order of [`Counter::ALL`]; what was not measured in this stretch did not flow in it.
    pub fn of(energy: [Option<i64>; Counter::ALL.len()]) -> Self {
        let wh = |counter: Counter| energy[counter as usize].unwrap_or(0);
        Self {
            import: wh(Counter::Import),
            feed_in: wh(Counter::FeedIn),
            charge: wh(Counter::Charge),
            discharge: wh(Counter::Discharge),
        }
    }

    /// What had gone over the meter without the battery. What it gave had not been fed in, and where that is not enough
    /// had been imported; what it took had not been imported, and where that is not enough had been fed in.
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

/// A day as a system measured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredDay {
    /// All of it in the order of [`Counter::ALL`]; `None` when nothing was measured.
    pub energy: [Option<i64>; Counter::ALL.len()],
    /// Its quarter-hours, and after them what has no place in any; `None` when they are no longer kept.
    pub parts: Option<Vec<Flowed>>,
}

impl MeasuredDay {
    /// From the quarter-hours of each counter and what has no place among them.
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
            parts: Some(parts.map(Flowed::of).collect()),
        }
    }

    fn knows(&self, counter: Counter) -> bool {
        self.energy[counter as usize].is_some()
    }
}

/// What a day came to, in whole cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bill {
    /// For import.
    pub cost: i64,
    /// From feed-in.
    pub income: i64,
    /// Cost less income, had there been no battery; `None` when nobody knows what it did.
    pub without_battery: Option<i64>,
}

impl Bill {
    /// `None` unless both import and feed-in were measured.
    pub fn of(day: &MeasuredDay, tariff: &Tariff) -> Option<Self> {
        if !day.knows(Counter::Import) || !day.knows(Counter::FeedIn) {
            return None;
        }
        let (cost, income) = Flowed::of(day.energy).cents(tariff);
        let battery_known = day.knows(Counter::Charge) && day.knows(Counter::Discharge);
        let parts = day.parts.as_ref().filter(|_| battery_known);
        let without_battery = parts.map(|parts| {
            let parts = parts.iter().map(|part| part.without_battery());
            // Rounded as the day itself, so that a battery that did nothing saves nothing.
            let (cost, income) = parts.fold(Flowed::default(), Flowed::plus).cents(tariff);
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

/// What one system adds to a day of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// It measured nothing that day and takes no part in it.
    Silent,
    /// It measured something, but what it came to is not known.
    Unknown,
    Known(Bill),
}

impl Share {
    pub fn of(day: &MeasuredDay, tariff: Option<&Tariff>) -> Self {
        if day.energy.iter().all(Option::is_none) {
            return Self::Silent;
        }
        let bill = tariff.and_then(|tariff| Bill::of(day, tariff));
        bill.map_or(Self::Unknown, Self::Known)
    }
}

/// What a day came to for several systems together: known when it is known of each that took part, and at least one did.
pub fn together(shares: impl IntoIterator<Item = Share>) -> Option<Bill> {
    let mut sum: Option<Bill> = None;
    for share in shares {
        match share {
            Share::Silent => {}
            Share::Unknown => return None,
            Share::Known(bill) => sum = Some(sum.map_or(bill, |sum| sum.plus(bill))),
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

    fn flowed(import: i64, feed_in: i64, charge: i64, discharge: i64) -> Flowed {
        Flowed {
            import,
            feed_in,
            charge,
            discharge,
        }
    }

    /// A day of these stretches.
    fn day(parts: &[Flowed]) -> MeasuredDay {
        let column = |of: fn(&Flowed) -> i64| parts.iter().map(|part| Some(of(part))).collect();
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
            // Gave 600 Wh: all of it had been imported.
            (flowed(100, 0, 0, 600), (700, 0)),
            // Gave 600 Wh while 200 were fed in: the rest had been imported.
            (flowed(0, 200, 0, 600), (400, 0)),
            (flowed(0, 900, 0, 600), (0, 300)),
            // Took 600 Wh of sun: it had been fed in.
            (flowed(0, 100, 600, 0), (0, 700)),
            // Took 600 Wh, 250 of them from the grid.
            (flowed(250, 0, 600, 0), (0, 350)),
            (flowed(900, 0, 600, 0), (300, 0)),
            // Gave and took within the same quarter-hour.
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
        let bill = Bill::of(&day, &tariff("31.90", "7.94")).unwrap();
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
        let bill = Bill::of(&day, &tariff("30", "10")).unwrap();
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
            assert_eq!(Bill::of(&blind, &prices), None, "{counter:?}");
        }
        for counter in [Counter::Charge, Counter::Discharge] {
            let mut blind = whole.clone();
            blind.energy[counter as usize] = None;
            let bill = Bill::of(&blind, &prices).unwrap();
            assert_eq!((bill.cost, bill.without_battery), (30, None));
        }
        let forgotten = MeasuredDay {
            parts: None,
            ..whole
        };
        let bill = Bill::of(&forgotten, &prices).unwrap();
        assert_eq!((bill.cost, bill.without_battery), (30, None));
    }

    #[test]
    fn several_systems_add_up_when_each_that_measured_is_known() {
        let bill = |cost, without_battery| Bill {
            cost,
            income: 1,
            without_battery,
        };
        let (one, two) = (bill(10, Some(20)), bill(5, Some(6)));
        let both = together([Share::Known(one), Share::Silent, Share::Known(two)]).unwrap();
        assert_eq!((both.cost, both.income, both.actual()), (15, 2, 13));
        assert_eq!(both.without_battery, Some(26));
        assert_eq!(together([Share::Known(one), Share::Unknown]), None);
        assert_eq!(together([Share::Silent, Share::Silent]), None);
        assert_eq!(together([]), None);
        let partly = together([Share::Known(one), Share::Known(bill(5, None))]).unwrap();
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
        assert_eq!(Share::of(&empty, Some(&prices)), Share::Silent);
        assert_eq!(Share::of(&measured, None), Share::Unknown);
        let known = Share::of(&measured, Some(&prices));
        assert!(matches!(known, Share::Known(bill) if bill.cost == 30));
    }

    /// The plainest rule: Wh by Wh, as a person would tell it.
    fn told(with: Flowed) -> (i64, i64) {
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

    fn any_flow(most: i64) -> impl Strategy<Value = Flowed> {
        (0..most, 0..most, 0..most, 0..most).prop_map(|(i, f, c, d)| flowed(i, f, c, d))
    }

    proptest! {
        #[test]
        fn the_rule_is_the_one_told_wh_by_wh(with in any_flow(400)) {
            let without = with.without_battery();
            prop_assert_eq!((without.import, without.feed_in), told(with));
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
            let bill = Bill::of(&day(&idle), &tariff).unwrap();
            prop_assert_eq!(bill.without_battery, Some(bill.actual()));
        }

        #[test]
        fn a_days_cents_are_exact_to_the_rounding(parts in prop::collection::vec(any_flow(25_000), 1..100)) {
            let prices = tariff("31.90", "7.94");
            let bill = Bill::of(&day(&parts), &prices).unwrap();
            // In hundred-thousandths of a cent; nothing here is below zero, so that half a cent goes up.
            let cents = |exact: i64| (exact + 50_000) / 100_000;
            let sum = |of: fn(&Flowed) -> i64| parts.iter().map(of).sum::<i64>();
            prop_assert_eq!(bill.cost, cents(3190 * sum(|part| part.import)));
            prop_assert_eq!(bill.income, cents(794 * sum(|part| part.feed_in)));
            let (import, feed_in) = parts.iter().map(|part| told(*part))
                .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            prop_assert_eq!(bill.without_battery, Some(cents(3190 * import) - cents(794 * feed_in)));
        }
    }
}
