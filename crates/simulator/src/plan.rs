//! The charge plan that the portal has told the battery. It is followed while it is good; without a newer one the battery goes back
//! to self-consumption by itself.
use domain::clock::Millis;
use serde_json::Value;

/// More stretches than a day and a half of quarter-hours has.
const STEPS_AT_MOST: usize = 200;

/// What to do for a while; in each of them the battery goes on reading the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    SelfUse,
    /// Takes what the sun leaves over and keeps what it has.
    Hold,
    /// Charges with so many W, from the sun first and from the grid for the rest.
    Charge(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    from: Millis,
    until: Millis,
    does: Planned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    version: i64,
    expires: Millis,
    steps: Vec<Step>,
}

impl Plan {
    /// From `down/plan`, whose times are `ahead` of the battery's own clock. What cannot be read is no plan.
    pub fn read(message: &Value, ahead: Millis) -> Option<Self> {
        let time = |value: &Value| Some(value.as_i64()? - ahead);
        let steps = message["steps"].as_array()?;
        if steps.len() > STEPS_AT_MOST {
            return None;
        }
        let step = |step: &Value| {
            let does = match step["mode"].as_str()? {
                "self" => Planned::SelfUse,
                "hold" => Planned::Hold,
                "charge" => Planned::Charge(i32::try_from(step["power"].as_i64()?).ok()?.max(0)),
                _ => return None,
            };
            Some(Step {
                from: time(&step["from"])?,
                until: time(&step["until"])?,
                does,
            })
        };
        Some(Self {
            version: message["ver"].as_i64()?,
            expires: time(&message["exp"])?,
            steps: steps.iter().map(step).collect::<Option<_>>()?,
        })
    }

    /// What was told before arrives late, or twice.
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.version < other.version
    }

    /// What to do at this moment; `None` once it has run out.
    pub fn at(&self, moment: Millis) -> Option<Planned> {
        let holds = |step: &&Step| (step.from..step.until).contains(&moment);
        let step = self.steps.iter().find(holds)?;
        (moment < self.expires).then_some(step.does)
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
        let plan = Plan::read(&plan(), 500).unwrap();
        for (at, does) in [
            (499, None),
            (500, Some(Planned::Charge(2_300))),
            (1_500, Some(Planned::Hold)),
            (2_499, Some(Planned::Hold)),
            (2_500, None),
        ] {
            assert_eq!(plan.at(at), does, "{at}");
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
            assert_eq!(Plan::read(&wrong, 0), None, "{wrong}");
        }
    }
}
