//! From the planner's values to what is kept: energies in Wh, prices in hundredths of a cent.
use super::inputs::quarter_of;
use super::models::aside;
use domain::clock::Millis;
use planner::forecast::Forecast;
use planner::plan::{Outlook, Plan, Rules, Step, Values, View};
use planner::reason::{self, Block, Instead, Reason};
use planner::{Band, Flow, HOURS, Mode, QUARTER, SlotPrice};
use store::Result;
use store::planning::{self as kept, Issue};

/// A plan with everything that is said about it.
#[derive(Debug)]
pub(super) struct Made {
    /// As the planner wants it: it stands until leaving it gains something.
    pub(super) plan: Plan,
    /// As the battery and its people hear it, without blocks that gain nothing.
    told: Plan,
    blocks: Vec<Block>,
    /// How low and how high the charge may be at the end of each quarter-hour, in kWh.
    band: Vec<(f64, f64)>,
}

pub(super) fn issue(forecast: &Forecast, now: Millis) -> Issue {
    let watt = |value: f64| value.round() as i64;
    let bands = |bands: &[Band]| -> Vec<kept::Percentiles> {
        let bands = bands.iter();
        bands
            .map(|band| [watt(band.p10), watt(band.p50), watt(band.p90)])
            .collect()
    };
    let issue = Issue {
        issued_at: now,
        start: quarter_of(now),
        load: bands(&forecast.load),
        pv: bands(&forecast.pv),
    };
    issue.grained()
}

/// The best plan there is, or the standing one where leaving it gains too little.
pub(super) async fn make(
    outlook: Outlook,
    rules: Rules,
    stored: f64,
    standing: Option<Plan>,
) -> Result<Made> {
    aside(move || {
        let values = Values::reckon(&outlook, &rules, View::Bands);
        let mut plan = values.follow(&outlook, &rules, stored);
        if let Some(standing) = standing {
            plan = plan.or_standing(&standing, &values, &outlook, &rules, stored);
        }
        let (told, blocks) = reason::explain(plan.clone(), &values, &outlook, &rules, stored);
        Made {
            plan,
            blocks,
            band: band(&told, &outlook, &rules, stored),
            told,
        }
    })
    .await
}

/// Where the charge would be with much use and little sun, and the other way round.
fn band(plan: &Plan, outlook: &Outlook, rules: &Rules, stored: f64) -> Vec<(f64, f64)> {
    let way = |net: fn(&Band, &Band) -> f64| {
        let mut charge = stored;
        let bands = outlook.load.iter().zip(&outlook.pv);
        let steps = plan.steps.iter().zip(bands);
        let steps = steps.map(move |(step, (load, pv))| {
            let net = net(load, pv) / 1000.0 * HOURS;
            let battery = &rules.battery;
            charge = battery
                .step(charge, step.mode, net, HOURS, rules.grid_cap)
                .stored;
            charge
        });
        steps.collect::<Vec<f64>>()
    };
    let low = way(|load, pv| load.p90 - pv.p10);
    let high = way(|load, pv| load.p10 - pv.p90);
    low.into_iter().zip(high).collect()
}

impl Made {
    /// `prices` as they are known, whatever the battery may buy at.
    pub(super) fn kept(&self, prices: &[(Millis, SlotPrice)], now: Millis) -> kept::Plan {
        let steps = self.told.steps.iter().zip(&self.band).zip(prices);
        let steps = steps.map(|((step, (low, high)), (_, price))| {
            let (mode, power) = mode(step.mode);
            kept::Step {
                mode,
                power,
                stored: thousand(step.stored),
                low: thousand(low.min(step.stored)),
                high: thousand(high.max(step.stored)),
                price: price.import,
                known: price.known,
            }
        });
        kept::Plan {
            issued_at: now,
            start: self.told.steps.first().map_or(now, |step| step.start),
            steps: steps.collect(),
            blocks: self.blocks.iter().map(block).collect(),
        }
    }
}

/// A standing plan after a restart: what it wanted to do and where the charge should be.
pub(super) fn restored(kept: &kept::Plan) -> Plan {
    let steps = kept.steps.iter().zip(0..).map(|(step, place)| Step {
        start: kept.start + place * QUARTER,
        mode: match step.mode {
            kept::Mode::SelfUse => Mode::SelfUse,
            kept::Mode::Hold => Mode::Hold,
            kept::Mode::Charge => Mode::Charge(step.power as f64 / 1000.0),
        },
        price: SlotPrice {
            import: step.price,
            feed_in: 0,
            known: step.known,
        },
        stored: step.stored as f64 / 1000.0,
        flow: Flow::default(),
    });
    let steps: Vec<Step> = steps.collect();
    Plan {
        // Not kept: it only stands until the next plan is made, which is right after a restart.
        began: steps.first().map_or(0.0, |step| step.stored),
        steps,
        expected: 0.0,
    }
}

fn thousand(kilo: f64) -> i64 {
    (1000.0 * kilo).round() as i64
}

fn mode(mode: Mode) -> (kept::Mode, i64) {
    match mode {
        Mode::SelfUse => (kept::Mode::SelfUse, 0),
        Mode::Hold => (kept::Mode::Hold, 0),
        Mode::Charge(kw) => (kept::Mode::Charge, thousand(kw)),
    }
}

fn block(block: &Block) -> kept::Block {
    let (mode, power) = mode(block.mode);
    kept::Block {
        start: block.start,
        end: block.end,
        mode,
        power,
        price: block.price,
        stored: thousand(block.stored),
        reason: match block.reason {
            Reason::FollowsMeter => kept::Reason::FollowsMeter,
            Reason::Buys(facts) => kept::Reason::Buys(instead(facts)),
            Reason::Keeps(facts) => kept::Reason::Keeps(instead(facts)),
            Reason::Wish { kwh, cost } => kept::Reason::Wish {
                energy: thousand(kwh),
                cost,
            },
        },
    }
}

fn instead(facts: Instead) -> kept::Instead {
    kept::Instead {
        energy: thousand(facts.kwh),
        price: facts.price,
        price_instead: facts.price_instead,
        at: facts.at,
        saving: facts.saving,
    }
}
