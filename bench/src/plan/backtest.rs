//! Backtest: the same home and battery with different strategies.
use super::exact::{Convex, Quarter, optimum};
use super::home::{FEED_IN, Home};
use super::models::RollingModels;
use planner::forecast::Forecast;
use planner::plan::{HORIZON_QUARTERS, Outlook, Plan, Rules, Uncertainty, ValueFunction};
use planner::price::KnownPrices;
use planner::{BatteryModel, HOURS_PER_QUARTER, Mode, QUARTER, SlotPrice};
use std::time::{Duration, Instant};

pub(crate) fn battery() -> BatteryModel {
    BatteryModel {
        capacity: 10.0,
        charge_kw: 4.6,
        discharge_kw: 4.6,
        charge_efficiency: 0.92_f64.sqrt(),
        discharge_efficiency: 0.92_f64.sqrt(),
        floor: 0.5,
    }
}

pub(crate) fn rules() -> Rules {
    Rules {
        battery: battery(),
        wear: 0.0,
        grid_cap: None,
        buy_kw: 4.6,
        charge_target: None,
    }
}

pub(crate) struct Backtest<'a> {
    pub(crate) home: &'a Home,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Backtest<'_> {
    pub(crate) fn price(&self, quarter: usize) -> SlotPrice {
        SlotPrice {
            import: self.home.import_at(quarter),
            feed_in: FEED_IN,
            known: true,
        }
    }

    /// The value of the energy left at the end, in cents per stored kWh; the same for all strategies.
    fn worth_at_end(&self) -> f64 {
        let prices = (self.first..self.last).map(|quarter| self.price(quarter).import_cents());
        prices.sum::<f64>() / (self.last - self.first) as f64 * battery().discharge_efficiency
    }

    /// The cost of the whole period in cents; `choose` picks the mode of each quarter-hour from the stored energy.
    pub(crate) fn simulate(&self, mut choose: impl FnMut(usize, f64) -> Mode) -> f64 {
        let battery = battery();
        let (mut stored, mut cents) = (battery.capacity / 2.0, 0.0);
        for quarter in self.first..self.last {
            let mode = choose(quarter, stored);
            let flow = battery.step(
                stored,
                mode,
                self.home.net(quarter),
                HOURS_PER_QUARTER,
                None,
            );
            cents += flow.cents(self.price(quarter));
            stored = flow.stored;
        }
        cents - self.worth_at_end() * (stored - battery.floor)
    }

    pub(crate) fn self_use(&self) -> f64 {
        self.simulate(|_, _| Mode::SelfUse)
    }

    pub(crate) fn perfect(&self) -> f64 {
        let battery = battery();
        let stored = battery.capacity / 2.0;
        optimum(
            &self.known(),
            &battery,
            HOURS_PER_QUARTER,
            stored,
            self.end(),
        )
    }

    /// The whole period, with everything known.
    pub(crate) fn known(&self) -> Vec<Quarter> {
        let quarter = |quarter: usize| Quarter {
            net: self.home.net(quarter),
            import: self.price(quarter).import_cents(),
            feed_in: FEED_IN as f64 / 100.0,
            buys: true,
        };
        (self.first..self.last).map(quarter).collect()
    }

    pub(crate) fn end(&self) -> Convex {
        let long = battery().capacity - battery().floor;
        Convex::through(&[(0.0, 0.0), (long, -self.worth_at_end() * long)])
    }

    pub(crate) fn outlook(&self, forecast: Forecast, quarter: usize) -> Outlook {
        let prices = KnownPrices {
            start: self.home.prices_start,
            import: &self.home.import[..self.home.known_at(quarter)],
        };
        let at = |n: usize| prices.at(forecast.issued + n as i64 * QUARTER, FEED_IN);
        Outlook {
            start: forecast.issued,
            prices: (0..HORIZON_QUARTERS).map_while(at).collect(),
            load: forecast.load,
            pv: forecast.pv,
        }
    }

    /// Makes a plan every `every` quarter-hours, and when the battery is off course, as the product does. But only where a step
    /// of the data begins: all quarter-hours of a step are copies, and the first would reveal the others.
    pub(crate) fn planned(
        &self,
        models: &RollingModels,
        uncertainty: Uncertainty,
        every: usize,
    ) -> PlannedRun {
        let rules = rules();
        let mut planned = PlannedRun::default();
        let mut active: Option<Plan> = None;
        planned.cents = self.simulate(|quarter, stored| {
            let at = self.home.history.start + quarter as i64 * QUARTER;
            let turn = quarter - self.first;
            let off = |plan: &Plan| plan.is_off_course(&rules, at, stored);
            let out_of_turn =
                turn.is_multiple_of(self.home.step) && active.as_ref().is_none_or(off);
            if turn.is_multiple_of(every) || out_of_turn {
                let outlook = self.outlook(models.forecast(self.home, quarter), quarter);
                let begun = Instant::now();
                let values = ValueFunction::solve(&outlook, &rules, uncertainty);
                let mut plan = values.plan(&outlook, &rules, stored);
                if let Some(active) = &active {
                    plan = plan.or_keep_active(active, &values, &outlook, &rules, stored);
                }
                planned.took.push(begun.elapsed());
                active = Some(plan);
            }
            let mode = active.as_ref().and_then(|plan| plan.mode_at(at));
            let mode = mode.unwrap_or(Mode::SelfUse);
            planned.modes.push(mode);
            mode
        });
        planned
    }
}

/// The period simulated with plans.
#[derive(Debug, Default)]
pub(crate) struct PlannedRun {
    pub(crate) cents: f64,
    /// The time to make each plan, including the comparison with the active one.
    pub(crate) took: Vec<Duration>,
    pub(crate) modes: Vec<Mode>,
}

/// Plans with the mean taken as certain, against the exact optimum of the same inputs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OptimalityGap {
    pub(crate) ours: f64,
    pub(crate) exact: f64,
    /// The cost of imports alone, without feed-in and the value left: a base for the gap.
    pub(crate) bill: f64,
    pub(crate) worst: f64,
    pub(crate) plans: usize,
}

impl Backtest<'_> {
    /// A plan every seven hours, from different stored energies.
    pub(crate) fn gap_to_exact(&self, models: &RollingModels) -> OptimalityGap {
        let rules = rules();
        let battery = battery();
        let mut gap = OptimalityGap::default();
        for (turn, quarter) in (self.first..self.last).step_by(28).enumerate() {
            let outlook = self.outlook(models.forecast(self.home, quarter), quarter);
            let values = ValueFunction::solve(&outlook, &rules, Uncertainty::Ignored);
            let stored =
                battery.floor + (battery.capacity - battery.floor) * (turn % 11) as f64 / 10.0;
            let plan = values.plan(&outlook, &rules, stored);
            let (mut now, mut ours) = (stored, 0.0);
            let mut quarters = Vec::new();
            for (n, step) in plan.steps.iter().enumerate() {
                let net = (outlook.load[n].mean - outlook.pv[n].mean) / 4000.0;
                let flow = battery.step(now, step.mode, net, HOURS_PER_QUARTER, None);
                now = flow.stored;
                ours += flow.cents(step.price);
                gap.bill += flow.import * step.price.import_cents();
                quarters.push(Quarter {
                    net,
                    import: step.price.import_cents(),
                    feed_in: step.price.feed_in_cents(),
                    buys: step.price.known,
                });
            }
            let mut points = vec![(0.0, values.terminal_value(battery.floor))];
            let above = values
                .terminal_points()
                .filter(|point| point.0 > battery.floor + 1e-9);
            points.extend(above.map(|(stored, cents)| (stored - battery.floor, cents)));
            let exact = optimum(
                &quarters,
                &battery,
                HOURS_PER_QUARTER,
                stored,
                Convex::through(&points),
            );
            ours += values.terminal_value(now);
            gap.ours += ours;
            gap.exact += exact;
            gap.worst = gap.worst.max(ours - exact);
            gap.plans += 1;
        }
        gap
    }
}
