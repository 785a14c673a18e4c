//! The replay of savings against a simulation that goes second by second and knows nothing of quarter-hours.
use super::world::{World, battery};
use domain::savings::Flowed;
use planner::savings::{Measured, Replay};
use planner::{Flow, HOURS, Mode};

/// Of a simulated step, in seconds.
const STEP: f64 = 5.0;

/// By how many cents the replay of a day differs from the simulation at most, without the plan and without the battery; and of how
/// many days.
pub(crate) fn worst_difference(world: &World<'_>, modes: &[Mode]) -> (f64, usize) {
    let battery = battery();
    let mut actual = battery.capacity / 2.0;
    let mut replay = Replay::new(battery, actual);
    let mut simulated = actual;
    let mut counters = Counters::default();
    let (mut worst, mut days) = (0.0_f64, 0);
    let first_day = domain::SiteDay::new(2024, 1, 1).expect("a day of the calendar");
    for (place, day) in (world.first..world.last).step_by(96).enumerate() {
        let mut quarters = Vec::new();
        let (mut alone, mut without) = (0.0, 0.0);
        for quarter in day..(day + 96).min(world.last) {
            let net = world.home.net(quarter);
            let flow = battery.step(actual, modes[quarter - world.first], net, HOURS, None);
            actual = flow.stored;
            let measured = world.home.history.load[quarter].zip(world.home.history.pv[quarter]);
            let price = world.price(quarter);
            let flowed = counters.count(&flow);
            quarters.push(measured.map(|_| Measured { flowed, price }));
            if measured.is_some() {
                alone += by_seconds(&mut simulated, net / HOURS, price);
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

/// What a meter has counted, in kWh. It shows whole Wh, so that what it cuts off now it shows later.
#[derive(Default)]
struct Counters([f64; 4]);

impl Counters {
    fn count(&mut self, flow: &Flow) -> Flowed {
        let flows = [flow.import, flow.feed_in, flow.charge, flow.discharge];
        let mut wh = [0; 4];
        for ((counted, kwh), wh) in self.0.iter_mut().zip(flows).zip(&mut wh) {
            let before = (1000.0 * *counted).floor();
            *counted += kwh;
            *wh = ((1000.0 * *counted).floor() - before) as i64;
        }
        let [import, feed_in, charge, discharge] = wh;
        Flowed {
            import,
            feed_in,
            charge,
            discharge,
        }
    }
}

/// A quarter-hour of a battery that follows the meter, in cents; `net` in kW.
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
