//! A plan as it is kept, told to the battery and shown. Energies are Wh, prices hundredths of a cent a kWh, so that nothing is
//! rounded on the way.
use domain::clock::{MINUTE, Millis};
use serde::{Deserialize, Serialize};

const QUARTER: Millis = 15 * MINUTE;

/// What the battery does; in each of them it goes on reading the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Takes what the sun leaves over, gives what the house lacks.
    #[serde(rename = "self")]
    SelfUse,
    /// Takes what the sun leaves over and keeps what it has.
    Hold,
    /// Charges, from the sun first and from the grid for the rest.
    Charge,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::SelfUse, Self::Hold, Self::Charge];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SelfUse => "self",
            Self::Hold => "hold",
            Self::Charge => "charge",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub issued_at: Millis,
    /// Quarter-hours from here on.
    pub start: Millis,
    pub steps: Vec<Step>,
    pub blocks: Vec<Block>,
}

/// One quarter-hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub mode: Mode,
    /// With so many W it charges.
    pub power: i64,
    /// Expected in the store at its end, in Wh, and how far it may be off to either side.
    pub stored: i64,
    pub low: i64,
    pub high: i64,
    /// Of a kWh of import.
    pub price: i64,
    /// Published, or part of a contract; guessed otherwise.
    pub known: bool,
}

/// Quarter-hours in a row in which it does the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub start: Millis,
    pub end: Millis,
    pub mode: Mode,
    /// With so many W it charges on the average.
    pub power: i64,
    /// The mean price.
    pub price: i64,
    /// Expected in the store at its end, in Wh.
    pub stored: i64,
    pub reason: Reason,
}

/// The facts behind a block; their words are in the catalogues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Nothing is better than to follow the meter.
    FollowsMeter,
    /// Buys in its block what would otherwise be bought later.
    Buys(Instead),
    /// Buys for the house what it would otherwise have given, and gives it later.
    Keeps(Instead),
    /// For the owner's wish, whatever it costs.
    Wish { energy: i64, cost: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instead {
    /// Wh.
    pub energy: i64,
    pub price: i64,
    /// What a kWh would cost at another time; `None` when it is only used after the end of the plan.
    pub price_instead: Option<i64>,
    /// When most of it would be bought.
    pub at: Option<Millis>,
    /// Expected, in hundredths of a cent.
    pub saving: i64,
}

/// The block that is being carried out, as it was promised when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    pub start: Millis,
    pub mode: Mode,
    pub price: i64,
    pub reason: Reason,
}

impl Plan {
    pub fn end(&self) -> Millis {
        self.start + QUARTER * self.steps.len() as Millis
    }

    pub fn step_at(&self, at: Millis) -> Option<&Step> {
        let place = usize::try_from((at - self.start).div_euclid(QUARTER)).ok()?;
        self.steps.get(place)
    }

    pub fn block_at(&self, at: Millis) -> Option<&Block> {
        self.blocks
            .iter()
            .find(|block| (block.start..block.end).contains(&at))
    }

    /// Stretches of one mode and power, which is what a battery has to know.
    pub fn stretches(&self) -> Vec<(Millis, Millis, Mode, i64)> {
        let mut stretches: Vec<(Millis, Millis, Mode, i64)> = Vec::new();
        for (step, place) in self.steps.iter().zip(0..) {
            let start = self.start + QUARTER * place;
            match stretches.last_mut() {
                Some((_, end, mode, power)) if (*mode, *power) == (step.mode, step.power) => {
                    *end = start + QUARTER;
                }
                _ => stretches.push((start, start + QUARTER, step.mode, step.power)),
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(mode: Mode, power: i64) -> Step {
        Step {
            mode,
            power,
            stored: 5_000,
            low: 4_000,
            high: 6_000,
            price: 3_000,
            known: true,
        }
    }

    #[test]
    fn a_battery_hears_stretches_and_not_quarter_hours() {
        let plan = Plan {
            steps: vec![
                step(Mode::SelfUse, 0),
                step(Mode::SelfUse, 0),
                step(Mode::Charge, 2_300),
                step(Mode::Charge, 2_000),
            ],
            ..Plan::default()
        };
        assert_eq!(
            plan.stretches(),
            [
                (0, 2 * QUARTER, Mode::SelfUse, 0),
                (2 * QUARTER, 3 * QUARTER, Mode::Charge, 2_300),
                (3 * QUARTER, 4 * QUARTER, Mode::Charge, 2_000),
            ]
        );
        assert_eq!(plan.step_at(-1), None);
        assert_eq!(
            plan.step_at(3 * QUARTER - 1).map(|step| step.power),
            Some(2_300)
        );
        assert_eq!(plan.step_at(plan.end()), None);
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let reason = Reason::Buys(Instead {
            energy: 2_300,
            price: 2_400,
            price_instead: Some(3_300),
            at: Some(5),
            saving: 1_700,
        });
        let running = Running {
            start: 1,
            mode: Mode::SelfUse,
            price: 2_400,
            reason,
        };
        let text = serde_json::to_string(&running).unwrap();
        assert!(text.contains(r#""mode":"self""#), "{text}");
        assert_eq!(serde_json::from_str::<Running>(&text).unwrap(), running);
    }
}
