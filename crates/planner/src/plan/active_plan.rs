//! The active plan. A new one replaces it only when that is expected to gain something, so a battery does not follow every small
//! change of the forecasts.
use super::{Outlook, Plan, Rules, Step, ValueFunction};
use crate::{Mode, QUARTER};
use domain::clock::Millis;
use std::ops::RangeInclusive;

/// The minimum gain of a new plan.
pub(crate) const MIN_GAIN_CENTS: f64 = 2.0;
/// How far the stored energy may deviate from the plan before a new plan is made ahead of schedule, as a share of the capacity.
const MAX_STORED_DEVIATION: f64 = 0.08;

impl Plan {
    /// The new plan, or the rest of the active one when replacing it gains less than two cents. The cost of that rest is computed
    /// with the current forecasts; after its end the new plan takes over.
    pub fn or_keep_active(
        self,
        active: &Plan,
        values: &ValueFunction,
        outlook: &Outlook,
        rules: &Rules,
        stored: f64,
    ) -> Plan {
        let modes: Vec<Mode> = (0..outlook.horizon())
            .map_while(|quarter| active.mode_at(outlook.time(quarter)))
            .collect();
        let differs = self.next() != modes.first().copied();
        if modes.is_empty() || !differs || !values.allows(outlook, rules, &modes) {
            return self;
        }
        let gain = values.cost_of_modes(outlook, rules, stored, &modes) - self.expected_cost;
        if gain >= MIN_GAIN_CENTS {
            return self;
        }
        values.plan_with_first_modes(outlook, rules, stored, &modes)
    }

    pub fn mode_at(&self, time: Millis) -> Option<Mode> {
        self.step_at(time).map(|step| step.mode)
    }

    fn step_at(&self, time: Millis) -> Option<&Step> {
        self.steps.get(self.step_index_at(time)?)
    }

    fn step_index_at(&self, time: Millis) -> Option<usize> {
        let first = self.steps.first()?.start;
        usize::try_from((time - first).div_euclid(QUARTER)).ok()
    }

    /// Whether a new plan must be made ahead of schedule, because the stored energy deviates from this plan.
    pub fn is_off_course(&self, rules: &Rules, at: Millis, stored: f64) -> bool {
        let most = MAX_STORED_DEVIATION * rules.battery.capacity;
        self.expected_stored_at(at)
            .is_some_and(|range| stored < range.start() - most || stored > range.end() + most)
    }

    /// The expected stored energy at a time, in kWh. In the first quarter-hour it may be anywhere between its start and its end
    /// value: the plan may have been made late in it.
    fn expected_stored_at(&self, time: Millis) -> Option<RangeInclusive<f64>> {
        let index = self.step_index_at(time)?;
        let step = self.steps.get(index)?;
        let Some(before) = index.checked_sub(1) else {
            return Some(
                self.initial_stored.min(step.stored)..=self.initial_stored.max(step.stored),
            );
        };
        let before = self.steps[before].stored;
        let over = (time - step.start) as f64 / QUARTER as f64;
        let now = before + (step.stored - before) * over;
        Some(now..=now)
    }
}
