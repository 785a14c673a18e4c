//! A plan as it is stored, sent to the battery and shown. Energy is in Wh and prices are in hundredths of a cent per kWh, so
//! nothing is rounded on the way.
use domain::clock::{MINUTE, Millis};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

const QUARTER: Millis = 15 * MINUTE;

/// What the battery does. It reads the meter in every mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ChargePlanMode {
    /// Stores surplus sun and supplies the house.
    #[serde(rename = "self")]
    #[strum(serialize = "self")]
    SelfUse,
    /// Stores surplus sun and does not discharge.
    Hold,
    /// Charges: from the sun first, the rest from the grid.
    Charge,
}

impl ChargePlanMode {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargePlan {
    pub issued_at: Millis,
    /// Start of the first quarter-hour.
    pub start: Millis,
    pub steps: Vec<ChargePlanStep>,
    pub blocks: Vec<ChargePlanBlock>,
}

/// One quarter-hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargePlanStep {
    pub mode: ChargePlanMode,
    /// Charging power in W.
    pub power: i64,
    /// Expected stored energy at its end in Wh, with its lower and upper bound.
    pub stored: i64,
    pub low: i64,
    pub high: i64,
    /// Price of an imported kWh.
    pub price: i64,
    /// The price is published or part of a contract; otherwise it is a guess.
    pub known: bool,
}

/// Consecutive quarter-hours with the same mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChargePlanBlock {
    pub start: Millis,
    pub end: Millis,
    pub mode: ChargePlanMode,
    /// Average charging power in W.
    pub power: i64,
    /// The mean price.
    pub price: i64,
    /// Expected stored energy at its end, in Wh.
    pub stored: i64,
    pub reason: BlockReason,
}

/// The facts behind a block; their texts are in the catalogues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockReason {
    /// Nothing is better than following the meter.
    FollowsMeter,
    /// Buys energy in this block that would otherwise be bought later.
    Buys(BlockAlternative),
    /// Buys for the house instead of discharging, and discharges later.
    Keeps(BlockAlternative),
    /// For the owner's charge target, whatever it costs.
    #[serde(rename = "wish")]
    ChargeTarget { energy: i64, cost: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockAlternative {
    /// Wh.
    pub energy: i64,
    pub price: i64,
    /// What a kWh would cost at another time; `None` if the energy is used only after the end of the plan.
    pub price_instead: Option<i64>,
    /// When most of it would be bought.
    pub at: Option<Millis>,
    /// Expected, in hundredths of a cent.
    pub saving: i64,
}

/// The block that is being executed, with the price and the reason it had when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningBlock {
    pub start: Millis,
    pub mode: ChargePlanMode,
    pub price: i64,
    pub reason: BlockReason,
}

impl ChargePlan {
    pub fn end(&self) -> Millis {
        self.start + QUARTER * self.steps.len() as Millis
    }

    pub fn step_at(&self, at: Millis) -> Option<&ChargePlanStep> {
        let place = usize::try_from((at - self.start).div_euclid(QUARTER)).ok()?;
        self.steps.get(place)
    }

    pub fn block_at(&self, at: Millis) -> Option<&ChargePlanBlock> {
        self.blocks
            .iter()
            .find(|block| (block.start..block.end).contains(&at))
    }

    /// Segments with the same mode and power, as the battery needs them.
    pub fn segments(&self) -> Vec<(Millis, Millis, ChargePlanMode, i64)> {
        let mut segments: Vec<(Millis, Millis, ChargePlanMode, i64)> = Vec::new();
        for (step, place) in self.steps.iter().zip(0..) {
            let start = self.start + QUARTER * place;
            match segments.last_mut() {
                Some((_, end, mode, power)) if (*mode, *power) == (step.mode, step.power) => {
                    *end = start + QUARTER;
                }
                _ => segments.push((start, start + QUARTER, step.mode, step.power)),
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(mode: ChargePlanMode, power: i64) -> ChargePlanStep {
        ChargePlanStep {
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
        let plan = ChargePlan {
            steps: vec![
                step(ChargePlanMode::SelfUse, 0),
                step(ChargePlanMode::SelfUse, 0),
                step(ChargePlanMode::Charge, 2_300),
                step(ChargePlanMode::Charge, 2_000),
            ],
            ..ChargePlan::default()
        };
        assert_eq!(
            plan.segments(),
            [
                (0, 2 * QUARTER, ChargePlanMode::SelfUse, 0),
                (2 * QUARTER, 3 * QUARTER, ChargePlanMode::Charge, 2_300),
                (3 * QUARTER, 4 * QUARTER, ChargePlanMode::Charge, 2_000),
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
        let reason = BlockReason::Buys(BlockAlternative {
            energy: 2_300,
            price: 2_400,
            price_instead: Some(3_300),
            at: Some(5),
            saving: 1_700,
        });
        let running = RunningBlock {
            start: 1,
            mode: ChargePlanMode::SelfUse,
            price: 2_400,
            reason,
        };
        let text = serde_json::to_string(&running).unwrap();
        assert!(text.contains(r#""mode":"self""#), "{text}");
        assert_eq!(
            serde_json::from_str::<RunningBlock>(&text).unwrap(),
            running
        );
    }
}
