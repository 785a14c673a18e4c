//! The charge plan: what the battery does in each quarter-hour of the next day and a half, so that the bill is expected to be lowest.

pub mod chances;
mod grid;
pub mod standing;
#[cfg(test)]
pub(crate) mod tests;
mod value;

pub use chances::Chances;
pub(crate) use standing::WORTH_A_CHANGE;
pub use value::Values;

use crate::{Band, Battery, Flow, Mode, QUARTER, SlotPrice};
use domain::clock::Millis;

/// A plan reaches 36 hours ahead.
pub const REACH: usize = 144;

/// What a plan has to reckon with, by quarter-hours from `start` on. The shortest of the three says how far it reaches.
#[derive(Clone, Debug)]
pub struct Outlook {
    pub start: Millis,
    pub load: Vec<Band>,
    pub pv: Vec<Band>,
    pub prices: Vec<SlotPrice>,
}

/// What the owner, the battery and the grid operator want kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    pub battery: Battery,
    /// What a kWh out of the battery wears it, in cents.
    pub wear: f64,
    /// What the grid operator lets the battery draw from the grid, in kW (§14a EnWG).
    pub grid_cap: Option<f64>,
    /// What the owner lets it charge with from the grid, in kW; 0 forbids it.
    pub buy_kw: f64,
    pub wish: Option<Wish>,
}

impl Rules {
    /// The same as if nobody wished for anything.
    pub(crate) fn unwished(self) -> Self {
        Self { wish: None, ..self }
    }

    /// Whether a wish is ahead.
    fn wishes_after(&self, time: Millis) -> bool {
        self.wish.is_some_and(|wish| time < wish.by)
    }
}

/// "70 % by 18:00".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wish {
    /// In kWh.
    pub stored: f64,
    pub by: Millis,
}

/// How uncertain the plan takes the future to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As the forecasts say: anything within their bands.
    Bands,
    /// As if the mean were sure to come: to hold against an exact optimum, and to show what not knowing costs.
    Certain,
}

/// One quarter-hour of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub start: Millis,
    pub mode: Mode,
    pub price: SlotPrice,
    /// Expected in the store at its end, in kWh.
    pub stored: f64,
    /// What is expected to flow.
    pub flow: Flow,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// In the store when it was made, in kWh.
    pub began: f64,
    pub steps: Vec<Step>,
    /// What the bill is expected to come to, what is left in the store counted, in cents.
    pub expected: f64,
}

impl Plan {
    /// The best there is from this charge on.
    pub fn make(outlook: &Outlook, rules: &Rules, stored: f64, view: View) -> Self {
        let values = Values::reckon(outlook, rules, view);
        values.follow(outlook, rules, stored)
    }

    pub fn next(&self) -> Option<Mode> {
        self.steps.first().map(|step| step.mode)
    }
}

impl Outlook {
    /// In quarter-hours.
    pub fn reach(&self) -> usize {
        let shorter = self.load.len().min(self.pv.len());
        shorter.min(self.prices.len()).min(REACH)
    }

    pub fn time(&self, quarter: usize) -> Millis {
        self.start + quarter as Millis * QUARTER
    }
}
