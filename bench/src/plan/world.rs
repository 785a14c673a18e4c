//! The home lived through by different ways of running the same battery.
use super::exact::{Convex, Quarter, optimum};
use super::home::{FEED_IN, Home};
use super::models::Models;
use planner::forecast::Forecast;
use planner::plan::{Outlook, Plan, REACH, Rules, Values, View};
use planner::price::KnownPrices;
use planner::{Battery, HOURS, Mode, QUARTER, SlotPrice};
use std::time::{Duration, Instant};

pub(crate) fn battery() -> Battery {
    Battery {
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
        wish: None,
    }
}

pub(crate) struct World<'a> {
    pub(crate) home: &'a Home,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl World<'_> {
    pub(crate) fn price(&self, quarter: usize) -> SlotPrice {
        SlotPrice {
            import: self.home.import_at(quarter),
            feed_in: FEED_IN,
            known: true,
        }
    }

    /// What is left at the end is worth the same to everybody, in cents a kWh in the store.
    fn worth_at_end(&self) -> f64 {
        let prices = (self.first..self.last).map(|quarter| self.price(quarter).import_cents());
        prices.sum::<f64>() / (self.last - self.first) as f64 * battery().discharge_efficiency
    }

    /// What the time costs in cents when a mode is chosen for each quarter-hour by what is in the store.
    pub(crate) fn live(&self, mut choose: impl FnMut(usize, f64) -> Mode) -> f64 {
        let battery = battery();
        let (mut stored, mut cents) = (battery.capacity / 2.0, 0.0);
        for quarter in self.first..self.last {
            let mode = choose(quarter, stored);
            let flow = battery.step(stored, mode, self.home.net(quarter), HOURS, None);
            cents += flow.cents(self.price(quarter));
            stored = flow.stored;
        }
        cents - self.worth_at_end() * (stored - battery.floor)
    }

    pub(crate) fn self_use(&self) -> f64 {
        self.live(|_, _| Mode::SelfUse)
    }

    pub(crate) fn perfect(&self) -> f64 {
        let battery = battery();
        let stored = battery.capacity / 2.0;
        optimum(&self.known(), &battery, HOURS, stored, self.end())
    }

    /// The whole time, with everything known.
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
            prices: (0..REACH).map_while(at).collect(),
            load: forecast.load,
            pv: forecast.pv,
        }
    }

    /// Planned anew every so many quarter-hours, and when the charge is off, as the product does it; but only where a step of the
    /// data begins, as its first quarter-hour is a copy of the others and would tell them.
    pub(crate) fn planned(&self, models: &Models, view: View, every: usize) -> Planned {
        let rules = rules();
        let mut planned = Planned::default();
        let mut standing: Option<Plan> = None;
        planned.cents = self.live(|quarter, stored| {
            let at = self.home.history.start + quarter as i64 * QUARTER;
            let turn = quarter - self.first;
            let off = |plan: &Plan| plan.is_off(&rules, at, stored);
            let out_of_turn =
                turn.is_multiple_of(self.home.step) && standing.as_ref().is_none_or(off);
            if turn.is_multiple_of(every) || out_of_turn {
                let outlook = self.outlook(models.forecast(self.home, quarter), quarter);
                let begun = Instant::now();
                let values = Values::reckon(&outlook, &rules, view);
                let mut plan = values.follow(&outlook, &rules, stored);
                if let Some(standing) = &standing {
                    plan = plan.or_standing(standing, &values, &outlook, &rules, stored);
                }
                planned.took.push(begun.elapsed());
                standing = Some(plan);
            }
            let mode = standing.as_ref().and_then(|plan| plan.mode_at(at));
            let mode = mode.unwrap_or(Mode::SelfUse);
            planned.modes.push(mode);
            mode
        });
        planned
    }
}

/// The time lived with a plan.
#[derive(Debug, Default)]
pub(crate) struct Planned {
    pub(crate) cents: f64,
    /// What each plan took, with what it was held against.
    pub(crate) took: Vec<Duration>,
    pub(crate) modes: Vec<Mode>,
}

/// Plans as if the mean were sure to come, against the exact optimum of the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gap {
    pub(crate) ours: f64,
    pub(crate) exact: f64,
    /// What was bought, before what was earned and what is left: what a gap is held against.
    pub(crate) bill: f64,
    pub(crate) worst: f64,
    pub(crate) plans: usize,
}

impl World<'_> {
    /// Every seventh hour a plan, from charges of all sizes.
    pub(crate) fn gap_to_exact(&self, models: &Models) -> Gap {
        let rules = rules();
        let battery = battery();
        let mut gap = Gap::default();
        for (turn, quarter) in (self.first..self.last).step_by(28).enumerate() {
            let outlook = self.outlook(models.forecast(self.home, quarter), quarter);
            let values = Values::reckon(&outlook, &rules, View::Certain);
            let stored =
                battery.floor + (battery.capacity - battery.floor) * (turn % 11) as f64 / 10.0;
            let plan = values.follow(&outlook, &rules, stored);
            let (mut now, mut ours) = (stored, 0.0);
            let mut quarters = Vec::new();
            for (n, step) in plan.steps.iter().enumerate() {
                let net = (outlook.load[n].mean - outlook.pv[n].mean) / 4000.0;
                let flow = battery.step(now, step.mode, net, HOURS, None);
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
            let mut points = vec![(0.0, values.at_end(battery.floor))];
            let above = values
                .end_points()
                .filter(|point| point.0 > battery.floor + 1e-9);
            points.extend(above.map(|(stored, cents)| (stored - battery.floor, cents)));
            let exact = optimum(&quarters, &battery, HOURS, stored, Convex::through(&points));
            ours += values.at_end(now);
            gap.ours += ours;
            gap.exact += exact;
            gap.worst = gap.worst.max(ours - exact);
            gap.plans += 1;
        }
        gap
    }
}
