//! The plan that stands: it is left for a new one only when that is expected to gain something, so that a battery does not follow
//! every breath of the forecasts.
use super::{Outlook, Plan, Rules, Step, Values};
use crate::{Mode, QUARTER};
use domain::clock::Millis;
use std::ops::RangeInclusive;

/// A new plan has to gain so many cents.
pub(crate) const WORTH_A_CHANGE: f64 = 2.0;
/// The charge may be off by so much of the capacity before a plan is made out of turn.
const OFF: f64 = 0.08;

impl Plan {
    /// The new plan, or the rest of the standing one when leaving it gains less than two cents. The rest of a standing plan is reckoned
    /// with today's forecasts; behind its end the new plan goes on.
    pub fn or_standing(
        self,
        standing: &Plan,
        values: &Values,
        outlook: &Outlook,
        rules: &Rules,
        stored: f64,
    ) -> Plan {
        let modes: Vec<Mode> = (0..outlook.reach())
            .map_while(|quarter| standing.mode_at(outlook.time(quarter)))
            .collect();
        let differs = self.next() != modes.first().copied();
        if modes.is_empty() || !differs || !values.allows(outlook, rules, &modes) {
            return self;
        }
        let gain = values.cost_of(outlook, rules, stored, &modes) - self.expected;
        if gain >= WORTH_A_CHANGE {
            return self;
        }
        values.follow_from(outlook, rules, stored, &modes)
    }

    pub fn mode_at(&self, time: Millis) -> Option<Mode> {
        self.step_at(time).map(|step| step.mode)
    }

    fn step_at(&self, time: Millis) -> Option<&Step> {
        self.steps.get(self.place_of(time)?)
    }

    fn place_of(&self, time: Millis) -> Option<usize> {
        let first = self.steps.first()?.start;
        usize::try_from((time - first).div_euclid(QUARTER)).ok()
    }

    /// Whether a plan has to be made before its turn: the charge is not where this one wanted it to be.
    pub fn is_off(&self, rules: &Rules, at: Millis, stored: f64) -> bool {
        let most = OFF * rules.battery.capacity;
        self.charge_at(at)
            .is_some_and(|charge| stored < charge.start() - most || stored > charge.end() + most)
    }

    /// Where the charge is expected at a time, in kWh. In the first quarter-hour anywhere between its ends: the plan may have been made
    /// late in it.
    fn charge_at(&self, time: Millis) -> Option<RangeInclusive<f64>> {
        let place = self.place_of(time)?;
        let step = self.steps.get(place)?;
        let Some(before) = place.checked_sub(1) else {
            return Some(self.began.min(step.stored)..=self.began.max(step.stored));
        };
        let before = self.steps[before].stored;
        let over = (time - step.start) as f64 / QUARTER as f64;
        let now = before + (step.stored - before) * over;
        Some(now..=now)
    }
}
