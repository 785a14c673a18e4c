//! How much of the share of perfect foresight is luck of single weeks: a few days decide it where little is at stake.
use super::backtest::{Backtest, battery};
use super::exact::{Convex, costs_to_come};
use planner::{HOURS_PER_QUARTER, Mode};

const WEEK: usize = 7 * planner::QUARTERS_A_DAY;

impl Backtest<'_> {
    /// By weeks: what these modes cost more, in cents, than the optimum with everything known from each quarter-hour on
    /// (`to_come`). The sum over all weeks is what they cost more than perfect foresight.
    fn lost_by_weeks(&self, modes: &[Mode], to_come: &[Convex]) -> Vec<f64> {
        let battery = battery();
        let at = |cost: &Convex, stored: f64| cost.at(stored - battery.floor);
        let mut weeks = vec![0.0; modes.len().div_ceil(WEEK)];
        let mut stored = battery.capacity / 2.0;
        for (place, mode) in modes.iter().enumerate() {
            let quarter = self.first + place;
            let flow = battery.step(
                stored,
                *mode,
                self.home.net(quarter),
                HOURS_PER_QUARTER,
                None,
            );
            let cost = flow.cents(self.price(quarter)) + at(&to_come[place + 1], flow.stored);
            weeks[place / WEEK] += cost - at(&to_come[place], stored);
            stored = flow.stored;
        }
        weeks
    }

    /// The standard error of these modes' share of the savings with perfect foresight, in percentage points.
    pub(crate) fn error_of_share(&self, modes: &[Mode]) -> f64 {
        let to_come = costs_to_come(&self.known(), &battery(), HOURS_PER_QUARTER, self.end());
        let alone = self.lost_by_weeks(&vec![Mode::SelfUse; modes.len()], &to_come);
        error_of_share(&alone, &self.lost_by_weeks(modes, &to_come))
    }
}

/// The standard error of the share that is saved, in percentage points, by leaving out one week at a time (jackknife of a ratio).
/// `alone` and `planned` are what following the meter and the plan lost in each week.
fn error_of_share(alone: &[f64], planned: &[f64]) -> f64 {
    let sum = |lost: &[f64], but: usize| lost.iter().sum::<f64>() - lost[but];
    let weeks = alone.len() as f64;
    let shares: Vec<f64> = (0..alone.len())
        .map(|week| 100.0 * (1.0 - sum(planned, week) / sum(alone, week)))
        .collect();
    let mean = shares.iter().sum::<f64>() / weeks;
    let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
    (squares * (weeks - 1.0) / weeks).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_that_are_all_alike_leave_nothing_to_chance() {
        assert!(error_of_share(&[50.0; 20], &[20.0; 20]) < 1e-9);
    }

    #[test]
    fn the_error_of_a_mean_is_found() {
        // With the same stake in each week the share is a mean; its error is the standard deviation of the weeks divided by the
        // root of their number.
        let planned: Vec<f64> = (0..25).map(|n| f64::from(n % 5) * 10.0).collect();
        let spread = (25.0 * 200.0 / 24.0_f64).sqrt();
        let error = error_of_share(&[100.0; 25], &planned);
        assert!((error - spread / 5.0).abs() < 1e-9, "{error}");
    }
}
