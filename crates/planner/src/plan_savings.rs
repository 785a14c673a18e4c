//! What a plan saved. Measured days are replayed: as they were, without the plan, and without the battery.
use crate::{BatteryModel, HOURS_PER_QUARTER, Mode, SlotPrice};
use domain::SiteDay;
use domain::savings::EnergyBalance;

/// The energies measured in one quarter-hour, with its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredQuarter {
    pub flowed: EnergyBalance,
    pub price: SlotPrice,
}

/// The bills of one day in whole cents: cost less income.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedDay {
    pub day: SiteDay,
    pub actual: i64,
    pub without_plan: i64,
    pub without_battery: i64,
    /// Whether enough of the day was measured.
    pub counted: bool,
}

impl SavedDay {
    /// Savings of the plan alone; negative when self-consumption would have been cheaper.
    pub fn saved(&self) -> i64 {
        self.without_plan - self.actual
    }
}

/// The battery as it would have run without a plan. It keeps its own stored energy from day to day, so energy that a plan carries
/// over midnight is neither lost nor counted twice.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    battery: BatteryModel,
    stored: f64,
}

/// A day counts only if at most a twentieth of it is missing.
const MISSING_ALLOWED_ONE_IN: usize = 20;

impl Replay {
    /// Starts from the measured stored energy, in kWh.
    pub fn new(battery: BatteryModel, stored: f64) -> Self {
        Self { battery, stored }
    }

    /// In kWh.
    pub fn stored(&self) -> f64 {
        self.stored
    }

    /// Replays one day. `stored_after` is the stored energy measured at its end; after a day that does not count the replay
    /// continues from it.
    pub fn day(
        &mut self,
        day: SiteDay,
        quarters: &[Option<MeasuredQuarter>],
        stored_after: Option<f64>,
    ) -> SavedDay {
        let missing = quarters.iter().filter(|quarter| quarter.is_none()).count();
        let counted = missing * MISSING_ALLOWED_ONE_IN <= quarters.len() && !quarters.is_empty();
        let (mut actual, mut alone, mut without) = (
            ExactBill::default(),
            ExactBill::default(),
            ExactBill::default(),
        );
        for MeasuredQuarter { flowed, price } in quarters.iter().flatten() {
            actual.add(flowed.import as f64, flowed.feed_in as f64, *price);
            let bare = flowed.without_battery();
            without.add(bare.import as f64, bare.feed_in as f64, *price);
            let net =
                (flowed.import - flowed.feed_in + flowed.discharge - flowed.charge) as f64 / 1000.0;
            let flow = self
                .battery
                .step(self.stored, Mode::SelfUse, net, HOURS_PER_QUARTER, None);
            self.stored = flow.stored;
            alone.add(1000.0 * flow.import, 1000.0 * flow.feed_in, *price);
        }
        if !counted && let Some(stored) = stored_after {
            self.stored = stored.clamp(0.0, self.battery.capacity);
        }
        SavedDay {
            day,
            actual: actual.cents(),
            without_plan: alone.cents(),
            without_battery: without.cents(),
            counted,
        }
    }
}

/// An exact sum in integers. A replay gives fractions of a Wh; they are carried over to the next quarter-hour and never lost.
#[derive(Clone, Copy, Debug, Default)]
struct ExactBill {
    amount: i128,
    import_rest: f64,
    feed_in_rest: f64,
}

impl ExactBill {
    fn add(&mut self, import: f64, feed_in: f64, price: SlotPrice) {
        let import = whole(&mut self.import_rest, import);
        let feed_in = whole(&mut self.feed_in_rest, feed_in);
        self.amount += i128::from(import) * i128::from(price.import)
            - i128::from(feed_in) * i128::from(price.feed_in);
    }

    /// Rounded half away from zero, once a day.
    fn cents(self) -> i64 {
        const CENT: i128 = 100 * 1000;
        let cents = (2 * self.amount + self.amount.signum() * CENT) / (2 * CENT);
        i64::try_from(cents).unwrap_or(i64::MAX)
    }
}

/// Rounds to whole Wh and carries the remainder over in `rest`.
fn whole(rest: &mut f64, wh: f64) -> i64 {
    let sum = *rest + wh;
    let whole = sum.round();
    *rest = sum - whole;
    whole as i64
}

/// The days that decide whether a plan stays on, and how many of them have to count.
const DECISION_DAYS: usize = 30;
const MIN_COUNTED_DAYS: usize = 20;

/// What the plan saved in the last 30 days, in cents; `None` while too few of them count.
pub fn saved_in_30_days(days: &[SavedDay]) -> Option<i64> {
    let last = &days[days.len().saturating_sub(DECISION_DAYS)..];
    let counted: Vec<i64> = last
        .iter()
        .filter(|day| day.counted)
        .map(SavedDay::saved)
        .collect();
    (counted.len() >= MIN_COUNTED_DAYS).then(|| counted.iter().sum())
}

/// A plan that lost money in the last 30 days is turned off.
pub fn should_turn_off(days: &[SavedDay]) -> bool {
    saved_in_30_days(days).is_some_and(|saved| saved < 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::battery::tests::ten_kwh;
    use proptest::prelude::*;

    fn today() -> SiteDay {
        SiteDay::new(2026, 11, 15).unwrap()
    }

    fn price(import: i64) -> SlotPrice {
        SlotPrice {
            import,
            feed_in: 790,
            known: true,
        }
    }

    /// The measurements of a day with these modes, from net loads in kWh; and the stored energy after it.
    fn lived(
        stored: f64,
        nets: &[f64],
        mode: impl Fn(usize) -> Mode,
        import: impl Fn(usize) -> i64,
    ) -> (Vec<Option<MeasuredQuarter>>, f64) {
        let mut now = stored;
        let quarters = nets.iter().enumerate().map(|(n, net)| {
            let flow = ten_kwh().step(now, mode(n), *net, HOURS_PER_QUARTER, None);
            now = flow.stored;
            let wh = |kwh: f64| (1000.0 * kwh).round() as i64;
            let flowed = EnergyBalance {
                import: wh(flow.import),
                feed_in: wh(flow.feed_in),
                charge: wh(flow.charge),
                discharge: wh(flow.discharge),
            };
            Some(MeasuredQuarter {
                flowed,
                price: price(import(n)),
            })
        });
        (quarters.collect(), now)
    }

    #[test]
    fn a_plan_that_did_nothing_saved_nothing() {
        let nets: Vec<f64> = (0..96)
            .map(|n| if (36..64).contains(&n) { -0.6 } else { 0.2 })
            .collect();
        let (quarters, _) = lived(3.0, &nets, |_| Mode::SelfUse, |_| 3_000);
        let day = Replay::new(ten_kwh(), 3.0).day(today(), &quarters, None);
        assert!(day.counted && day.saved().abs() <= 1, "{day:?}");
        assert!(day.without_battery > day.actual);
    }

    #[test]
    fn a_bad_plan_is_shown_as_a_loss() {
        // It bought in the most expensive hours and held while the house imported.
        let nets = [0.2; 96];
        let mode = |n: usize| if n < 8 { Mode::Charge(4.6) } else { Mode::Hold };
        let (quarters, _) = lived(3.0, &nets, mode, |n| if n < 8 { 6_000 } else { 2_000 });
        let day = Replay::new(ten_kwh(), 3.0).day(today(), &quarters, None);
        assert!(day.saved() < -100, "{day:?}");
    }

    #[test]
    fn what_a_plan_keeps_over_midnight_counts_when_it_is_used() {
        let nets = [0.1; 96];
        let dear = |_: usize| 4_000;
        let (first, kept) = lived(8.0, &nets, |_| Mode::Hold, |_| 1_000);
        let (second, _) = lived(kept, &nets, |_| Mode::SelfUse, dear);
        let mut replay = Replay::new(ten_kwh(), 8.0);
        let one = replay.day(today(), &first, None);
        let two = replay.day(today().next(), &second, None);
        assert!(one.saved() < 0 && two.saved() > 0, "{one:?} {two:?}");
        assert!(one.saved() + two.saved() > 100);
    }

    #[test]
    fn a_day_with_more_than_a_twentieth_missing_is_not_counted_and_the_replay_goes_on_from_what_was_measured()
     {
        let (mut quarters, _) = lived(3.0, &[0.1; 100], |_| Mode::SelfUse, |_| 3_000);
        for quarter in &mut quarters[..5] {
            *quarter = None;
        }
        let mut replay = Replay::new(ten_kwh(), 3.0);
        assert!(replay.day(today(), &quarters, Some(7.0)).counted);
        assert!((replay.stored() - 7.0).abs() > 1.0);
        quarters[5] = None;
        assert!(!replay.day(today(), &quarters, Some(7.0)).counted);
        assert!((replay.stored() - 7.0).abs() < 1e-9);
        assert!(!replay.day(today(), &[], None).counted);
    }

    #[test]
    fn a_plan_that_lost_money_in_30_days_is_turned_off() {
        let day = |saved: i64, counted: bool| SavedDay {
            day: today(),
            actual: 100,
            without_plan: 100 + saved,
            without_battery: 300,
            counted,
        };
        assert!(!should_turn_off(&[day(-50, true); 19]));
        assert!(should_turn_off(&[day(-1, true); 20]));
        assert!(!should_turn_off(&[day(0, true); 30]));
        // Days that do not count and days before the last 30 decide nothing.
        let mut days = vec![day(-1_000, true); 10];
        days.extend([day(2, true); 30]);
        assert!(!should_turn_off(&days));
        days.extend([day(-500, false); 5]);
        assert_eq!(saved_in_30_days(&days), Some(50));
    }

    proptest! {
        #[test]
        fn money_is_exact_to_the_cent(
            flows in proptest::collection::vec((0_i64..3_000, 0_i64..3_000, -500_i64..6_000), 1..96),
        ) {
            let quarters: Vec<Option<MeasuredQuarter>> = flows.iter().map(|(import, feed_in, cents)| {
                let flowed = EnergyBalance { import: *import, feed_in: *feed_in, charge: 0, discharge: 0 };
                Some(MeasuredQuarter { flowed, price: price(*cents) })
            }).collect();
            let day = Replay::new(ten_kwh(), 5.0).day(today(), &quarters, None);
            let exact: i64 = flows.iter().map(|(import, feed_in, cents)| import * cents - feed_in * 790).sum();
            prop_assert!((exact - day.actual * 100_000).abs() <= 50_000);
            prop_assert_eq!(day.actual, day.without_battery);
        }
    }
}
