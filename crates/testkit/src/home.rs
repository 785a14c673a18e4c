//! Days of samples of a home, written directly into the store.
use crate::{TestApp, sample};
use domain::clock::{HOUR, Millis, SECOND};
use domain::{Sample, Zone};
use std::ops::Range;

/// The start of a day in the default time zone.
pub fn start_of(day: &str) -> Millis {
    Zone::default().start_of(day.parse().unwrap())
}

/// Samples of a home whose counters integrate its powers; nothing is measured in `gap`.
pub fn home(span: Range<Millis>, step: Millis, gap: Range<Millis>) -> Vec<Sample> {
    // In W·ms, which keeps the counters exact.
    let mut energy = [0_i64; 5];
    let mut samples = Vec::new();
    for (n, at) in (0..)
        .map(|n| (n, span.start + n * step))
        .take_while(|(_, at)| *at <= span.end)
    {
        let pv = (n * 37 % 2_900).max(0);
        let battery = (n * 53 % 1_900) - 950;
        let house = 200 + n * 71 % 1_300;
        let grid = house - pv - battery;
        if !gap.contains(&at) {
            let watt = |power: i64| Some(i32::try_from(power).unwrap());
            samples.push(Sample {
                grid_power: watt(grid),
                pv_power: watt(pv),
                battery_power: watt(battery),
                ..reading(at, energy.map(|energy| 10_000 + energy / HOUR))
            });
        }
        let flows = [
            grid.max(0),
            (-grid).max(0),
            pv,
            (-battery).max(0),
            battery.max(0),
        ];
        for (energy, flow) in energy.iter_mut().zip(flows) {
            *energy += flow * step;
        }
    }
    samples
}

/// A sample with these counters in Wh: import, feed-in, PV, charge, discharge.
pub fn reading(at: Millis, counters: [i64; 5]) -> Sample {
    Sample {
        counters: counters.map(Some),
        ..sample(at, u32::try_from(at / SECOND).unwrap())
    }
}

impl TestApp {
    /// Stores samples of a system.
    pub async fn feed(&self, sn: &str, samples: &[Sample]) {
        let (sn, now) = (sn.parse().unwrap(), self.clock.now());
        self.store
            .telemetry
            .append_samples(&sn, samples, now)
            .await
            .unwrap();
    }
}
