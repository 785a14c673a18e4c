//! The replay of savings, compared with a simulation in steps of seconds that does not use quarter-hours.
use super::backtest::{Backtest, battery};
use domain::savings::EnergyBalance;
use planner::plan_savings::{MeasuredQuarter, Replay};
use planner::{BatteryFlow, HOURS_PER_QUARTER, Mode};

/// In seconds.
const STEP: f64 = 5.0;

/// The largest difference in cents between the replay of a day and the simulation, without the plan and without the battery; and
/// the number of days.
pub(crate) fn worst_difference(backtest: &Backtest<'_>, modes: &[Mode]) -> (f64, usize) {
    let battery = battery();
    let mut actual = battery.capacity / 2.0;
    let mut replay = Replay::new(battery, actual);
    let mut simulated = actual;
    let mut counters = Counters::default();
    let (mut worst, mut days) = (0.0_f64, 0);
    let first_day = domain::SiteDay::new(2024, 1, 1).expect("a valid date");
    for (place, day) in (backtest.first..backtest.last).step_by(96).enumerate() {
        let mut quarters = Vec::new();
        let (mut alone, mut without) = (0.0, 0.0);
        for quarter in day..(day + 96).min(backtest.last) {
            let net = backtest.home.net(quarter);
            let flow = battery.step(
                actual,
                modes[quarter - backtest.first],
                net,
                HOURS_PER_QUARTER,
                None,
            );
            actual = flow.stored;
            let measured =
                backtest.home.history.load[quarter].zip(backtest.home.history.pv[quarter]);
            let price = backtest.price(quarter);
            let flowed = counters.count(&flow);
            quarters.push(measured.map(|_| MeasuredQuarter { flowed, price }));
            if measured.is_some() {
                alone += by_seconds(&mut simulated, net / HOURS_PER_QUARTER, price);
                let bought = if net > 0.0 {
                    price.import_cents()
                } else {
                    price.feed_in_cents()
                };
                without += net * bought;
            }
        }
        let saved = replay.day(first_day.plus(place as i32), &quarters, Some(actual));
        if saved.counted {
            let off = (saved.without_plan as f64 - alone).abs();
            worst = worst
                .max(off)
                .max((saved.without_battery as f64 - without).abs());
            days += 1;
        } else {
            simulated = actual;
        }
    }
    (worst, days)
}

/// A meter's counters in kWh. It shows whole Wh; what it cuts off now it shows later.
#[derive(Default)]
struct Counters([f64; 4]);

impl Counters {
    fn count(&mut self, flow: &BatteryFlow) -> EnergyBalance {
        let flows = [flow.import, flow.feed_in, flow.charge, flow.discharge];
        let mut wh = [0; 4];
        for ((counted, kwh), wh) in self.0.iter_mut().zip(flows).zip(&mut wh) {
            let before = (1000.0 * *counted).floor();
            *counted += kwh;
            *wh = ((1000.0 * *counted).floor() - before) as i64;
        }
        let [import, feed_in, charge, discharge] = wh;
        EnergyBalance {
            import,
            feed_in,
            charge,
            discharge,
        }
    }
}

/// The cost of a quarter-hour of a battery that follows the meter, in cents; `net` in kW.
fn by_seconds(stored: &mut f64, net: f64, price: planner::SlotPrice) -> f64 {
    let battery = battery();
    let hours = STEP / 3600.0;
    let mut cents = 0.0;
    for _ in 0..(900.0 / STEP) as usize {
        let mut meter = net;
        if net < 0.0 && *stored < battery.capacity {
            let room = (battery.capacity - *stored) / battery.charge_efficiency;
            let kw = (-net).min(battery.charge_kw).min(room / hours);
            *stored += kw * hours * battery.charge_efficiency;
            meter += kw;
        } else if net > 0.0 && *stored > battery.floor {
            let has = (*stored - battery.floor) * battery.discharge_efficiency;
            let kw = net.min(battery.discharge_kw).min(has / hours);
            *stored -= kw * hours / battery.discharge_efficiency;
            meter -= kw;
        }
        let rate = if meter > 0.0 {
            price.import_cents()
        } else {
            price.feed_in_cents()
        };
        cents += meter * hours * rate;
    }
    cents
}
