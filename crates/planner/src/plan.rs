//! The charge plan: what the battery does in each quarter-hour of the next day and a half. It minimises the expected bill.

pub mod active_plan;
mod grid;
pub mod scenarios;
#[cfg(test)]
pub(crate) mod tests;
mod value_function;

pub(crate) use active_plan::MIN_GAIN_CENTS;
pub use scenarios::Scenarios;
pub use value_function::ValueFunction;

use crate::{Band, BatteryFlow, BatteryModel, Mode, QUARTER, SlotPrice};
use domain::clock::Millis;

/// 36 hours.
pub const HORIZON_QUARTERS: usize = 144;

/// The inputs of a plan, by quarter-hours from `start` on. The shortest of the three lists sets the horizon.
#[derive(Clone, Debug)]
pub struct Outlook {
    pub start: Millis,
    pub load: Vec<Band>,
    pub pv: Vec<Band>,
    pub prices: Vec<SlotPrice>,
}

/// The limits set by the owner, the battery and the grid operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    pub battery: BatteryModel,
    /// Wear in cents per kWh discharged.
    pub wear: f64,
    /// The grid operator's cap on what the battery draws from the grid, in kW (§14a EnWG).
    pub grid_cap: Option<f64>,
    /// The owner's limit for charging from the grid, in kW; 0 forbids it.
    pub buy_kw: f64,
    pub charge_target: Option<EnergyTarget>,
}

impl Rules {
    pub(crate) fn without_target(self) -> Self {
        Self {
            charge_target: None,
            ..self
        }
    }

    fn has_target_after(&self, time: Millis) -> bool {
        self.charge_target.is_some_and(|target| time < target.by)
    }
}

/// A charge target in kWh: "70 % by 18:00".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyTarget {
    /// In kWh.
    pub stored: f64,
    pub by: Millis,
}

/// How the plan treats the uncertainty of the forecasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertainty {
    /// Anything within the forecast bands may happen.
    Bands,
    /// The mean is taken as certain. Used for the comparison with an exact optimum, and to show what uncertainty costs.
    Ignored,
}

/// One quarter-hour of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub start: Millis,
    pub mode: Mode,
    pub price: SlotPrice,
    /// Expected stored energy at its end, in kWh.
    pub stored: f64,
    /// Expected flows.
    pub flow: BatteryFlow,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Stored energy when the plan was made, in kWh.
    pub initial_stored: f64,
    pub steps: Vec<Step>,
    /// The expected bill in cents, less the value of the energy left at the end.
    pub expected_cost: f64,
}

impl Plan {
    /// The optimal plan from this stored energy on.
    pub fn make(outlook: &Outlook, rules: &Rules, stored: f64, uncertainty: Uncertainty) -> Self {
        let values = ValueFunction::solve(outlook, rules, uncertainty);
        values.plan(outlook, rules, stored)
    }

    pub fn next(&self) -> Option<Mode> {
        self.steps.first().map(|step| step.mode)
    }
}

impl Outlook {
    /// In quarter-hours.
    pub fn horizon(&self) -> usize {
        let shorter = self.load.len().min(self.pv.len());
        shorter.min(self.prices.len()).min(HORIZON_QUARTERS)
    }

    pub fn time(&self, quarter: usize) -> Millis {
        self.start + quarter as Millis * QUARTER
    }
}
