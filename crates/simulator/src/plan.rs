//! The charge plan from the portal. The battery follows it until it expires; without a newer one it returns to
//! self-consumption by itself.
use domain::clock::Millis;
use serde_json::Value;

/// More steps than a day and a half has quarter-hours.
const MAX_STEPS: usize = 200;

/// The mode of one step. The battery reads the meter in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedMode {
    SelfUse,
    /// Charges from PV surplus only, and does not discharge.
    Hold,
    /// Charges with this power in W, from PV first and from the grid for the rest.
    Charge(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlannedStep {
    from: Millis,
    until: Millis,
    mode: PlannedMode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevicePlan {
    version: i64,
    expires: Millis,
    steps: Vec<PlannedStep>,
}

impl DevicePlan {
    /// Parses `down/plan`, whose times are `ahead` of the battery's own clock. `None` if it is invalid.
    pub fn read(message: &Value, ahead: Millis) -> Option<Self> {
        let time = |value: &Value| Some(value.as_i64()? - ahead);
        let steps = message["steps"].as_array()?;
        if steps.len() > MAX_STEPS {
            return None;
        }
        let step = |step: &Value| {
            let mode = match step["mode"].as_str()? {
                "self" => PlannedMode::SelfUse,
                "hold" => PlannedMode::Hold,
                "charge" => {
                    PlannedMode::Charge(i32::try_from(step["power"].as_i64()?).ok()?.max(0))
                }
                _ => return None,
            };
            Some(PlannedStep {
                from: time(&step["from"])?,
                until: time(&step["until"])?,
                mode,
            })
        };
        Some(Self {
            version: message["ver"].as_i64()?,
            expires: time(&message["exp"])?,
            steps: steps.iter().map(step).collect::<Option<_>>()?,
        })
    }

    /// Detects a plan that arrives late or twice.
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.version < other.version
    }

    /// The mode at this moment; `None` outside the plan or after it expired.
    pub fn at(&self, moment: Millis) -> Option<PlannedMode> {
        let holds = |step: &&PlannedStep| (step.from..step.until).contains(&moment);
        let step = self.steps.iter().find(holds)?;
        (moment < self.expires).then_some(step.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan() -> Value {
        json!({ "ver": 7, "exp": 3_000, "steps": [
            { "from": 1_000, "until": 2_000, "mode": "charge", "power": 2_300 },
            { "from": 2_000, "until": 9_000, "mode": "hold", "power": 0 },
        ]})
    }

    #[test]
    fn a_plan_is_followed_until_it_has_run_out() {
        let plan = DevicePlan::read(&plan(), 500).unwrap();
        for (at, mode) in [
            (499, None),
            (500, Some(PlannedMode::Charge(2_300))),
            (1_500, Some(PlannedMode::Hold)),
            (2_499, Some(PlannedMode::Hold)),
            (2_500, None),
        ] {
            assert_eq!(plan.at(at), mode, "{at}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_no_plan() {
        for wrong in [
            json!({}),
            json!({ "ver": 1, "exp": 2, "steps": [{ "from": 1, "until": 2, "mode": "dance" }] }),
            json!({ "ver": 1, "exp": 2, "steps": [{ "from": 1, "until": 2, "mode": "charge", "power": "much" }] }),
            json!({ "ver": 1, "steps": [] }),
        ] {
            assert_eq!(DevicePlan::read(&wrong, 0), None, "{wrong}");
        }
    }
}
