//! Converts the planner's values to what is stored: energies in Wh, prices in hundredths of a cent.
use super::inputs::quarter_start;
use super::models::run_blocking;
use domain::clock::Millis;
use planner::forecast::Forecast;
use planner::plan::{Outlook, Plan, Rules, Step, Uncertainty, ValueFunction};
use planner::reason::{self, Block, CostComparison, Reason};
use planner::{Band, BatteryFlow, HOURS_PER_QUARTER, Mode, QUARTER, SlotPrice};
use store::Result;
use store::planning::{self as kept, IssuedForecast};

/// A plan with its reasons and its band.
#[derive(Debug)]
pub(super) struct ExplainedPlan {
    /// As the planner chose it: active until replacing it gains something.
    pub(super) plan: Plan,
    /// As the battery and people get it, without blocks that gain nothing.
    published: Plan,
    blocks: Vec<Block>,
    /// The lowest and highest likely stored energy at the end of each quarter-hour, in kWh.
    band: Vec<(f64, f64)>,
}

pub(super) fn issue(forecast: &Forecast, now: Millis) -> IssuedForecast {
    let watt = |value: f64| value.round() as i64;
    let bands = |bands: &[Band]| -> Vec<kept::Percentiles> {
        let bands = bands.iter();
        bands
            .map(|band| [watt(band.p10), watt(band.p50), watt(band.p90)])
            .collect()
    };
    let issue = IssuedForecast {
        issued_at: now,
        start: quarter_start(now),
        load: bands(&forecast.load),
        pv: bands(&forecast.pv),
    };
    issue.rounded_to_grain()
}

/// The optimal plan, or the active one if replacing it gains too little.
pub(super) async fn make_plan(
    outlook: Outlook,
    rules: Rules,
    stored: f64,
    active: Option<Plan>,
) -> Result<ExplainedPlan> {
    run_blocking(move || {
        let values = ValueFunction::solve(&outlook, &rules, Uncertainty::Bands);
        let mut plan = values.plan(&outlook, &rules, stored);
        if let Some(active) = active {
            plan = plan.or_keep_active(&active, &values, &outlook, &rules, stored);
        }
        let (published, blocks) = reason::explain(plan.clone(), &values, &outlook, &rules, stored);
        ExplainedPlan {
            plan,
            blocks,
            band: band(&published, &outlook, &rules, stored),
            published,
        }
    })
    .await
}

/// The stored energy with a high load and little sun, and with a low load and much sun.
fn band(plan: &Plan, outlook: &Outlook, rules: &Rules, stored: f64) -> Vec<(f64, f64)> {
    let path = |net: fn(&Band, &Band) -> f64| {
        let mut charge = stored;
        let bands = outlook.load.iter().zip(&outlook.pv);
        let steps = plan.steps.iter().zip(bands);
        let steps = steps.map(move |(step, (load, pv))| {
            let net = net(load, pv) / 1000.0 * HOURS_PER_QUARTER;
            let battery = &rules.battery;
            charge = battery
                .step(charge, step.mode, net, HOURS_PER_QUARTER, rules.grid_cap)
                .stored;
            charge
        });
        steps.collect::<Vec<f64>>()
    };
    let low = path(|load, pv| load.p90 - pv.p10);
    let high = path(|load, pv| load.p10 - pv.p90);
    low.into_iter().zip(high).collect()
}

impl ExplainedPlan {
    /// `prices` are the real ones, also where the charging window forbids buying.
    pub(super) fn to_stored(
        &self,
        prices: &[(Millis, SlotPrice)],
        now: Millis,
    ) -> kept::ChargePlan {
        let steps = self.published.steps.iter().zip(&self.band).zip(prices);
        let steps = steps.map(|((step, (low, high)), (_, price))| {
            let (mode, power) = mode(step.mode);
            kept::ChargePlanStep {
                mode,
                power,
                stored: from_kilo(step.stored),
                low: from_kilo(low.min(step.stored)),
                high: from_kilo(high.max(step.stored)),
                price: price.import,
                known: price.known,
            }
        });
        kept::ChargePlan {
            issued_at: now,
            start: self.published.steps.first().map_or(now, |step| step.start),
            steps: steps.collect(),
            blocks: self.blocks.iter().map(block).collect(),
        }
    }
}

/// The active plan after a restart: modes and expected stored energy.
pub(super) fn restored(kept: &kept::ChargePlan) -> Plan {
    let steps = kept.steps.iter().zip(0..).map(|(step, index)| Step {
        start: kept.start + index * QUARTER,
        mode: match step.mode {
            kept::ChargePlanMode::SelfUse => Mode::SelfUse,
            kept::ChargePlanMode::Hold => Mode::Hold,
            kept::ChargePlanMode::Charge => Mode::Charge(step.power as f64 / 1000.0),
        },
        price: SlotPrice {
            import: step.price,
            feed_in: 0,
            known: step.known,
        },
        stored: step.stored as f64 / 1000.0,
        flow: BatteryFlow::default(),
    });
    let steps: Vec<Step> = steps.collect();
    Plan {
        // Not stored. It only matters until the next plan is made, right after a restart.
        initial_stored: steps.first().map_or(0.0, |step| step.stored),
        steps,
        expected_cost: 0.0,
    }
}

fn from_kilo(kilo: f64) -> i64 {
    (1000.0 * kilo).round() as i64
}

fn mode(mode: Mode) -> (kept::ChargePlanMode, i64) {
    match mode {
        Mode::SelfUse => (kept::ChargePlanMode::SelfUse, 0),
        Mode::Hold => (kept::ChargePlanMode::Hold, 0),
        Mode::Charge(kw) => (kept::ChargePlanMode::Charge, from_kilo(kw)),
    }
}

fn block(block: &Block) -> kept::ChargePlanBlock {
    let (mode, power) = mode(block.mode);
    kept::ChargePlanBlock {
        start: block.start,
        end: block.end,
        mode,
        power,
        price: block.price,
        stored: from_kilo(block.stored),
        reason: match block.reason {
            Reason::FollowsMeter => kept::BlockReason::FollowsMeter,
            Reason::Buys(facts) => kept::BlockReason::Buys(stored_comparison(facts)),
            Reason::Keeps(facts) => kept::BlockReason::Keeps(stored_comparison(facts)),
            Reason::ChargeTarget { kwh, cost } => kept::BlockReason::ChargeTarget {
                energy: from_kilo(kwh),
                cost,
            },
        },
    }
}

fn stored_comparison(facts: CostComparison) -> kept::BlockAlternative {
    kept::BlockAlternative {
        energy: from_kilo(facts.kwh),
        price: facts.price,
        price_instead: facts.price_instead,
        at: facts.at,
        saving: facts.saving,
    }
}
