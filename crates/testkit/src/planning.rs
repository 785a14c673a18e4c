//! A home with a plan: two weeks of a simple household, cheap energy today and expensive energy tomorrow.
use crate::home::reading;
use crate::{PASSWORD, Person, TestApp};
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::{Sample, SiteDay, Zone};
use std::ops::Range;

/// A household in five-minute steps: some sun at noon, more load in the evening, and an idle battery.
pub fn household(span: Range<Millis>) -> Vec<Sample> {
    household_under(span, |_| 100)
}

/// The same with `sky` as the percentage of clear-sky power per day.
pub fn household_under(span: Range<Millis>, sky: impl Fn(SiteDay) -> i64) -> Vec<Sample> {
    const STEP: Millis = 5 * MINUTE;
    let zone = Zone::default();
    // In W·ms, which keeps the counters exact.
    let mut energy = [0_i64; 5];
    let mut samples = Vec::new();
    for at in (span.start..span.end).step_by(STEP as usize) {
        let minute = i64::from(zone.minute_of_day(at));
        let pv = clear_sky(at) * sky(zone.day_of(at)) / 100;
        let house = if (17 * 60..22 * 60).contains(&minute) {
            1_500
        } else {
            350
        };
        let grid = house - pv;
        let watt = |power: i64| i32::try_from(power).ok();
        samples.push(Sample {
            grid_power: watt(grid),
            pv_power: watt(pv),
            battery_power: Some(0),
            soc: Some(300),
            ..reading(at, energy.map(|energy| 10_000 + energy / HOUR))
        });
        let flows = [grid.max(0), (-grid).max(0), pv, 0, 0];
        for (energy, flow) in energy.iter_mut().zip(flows) {
            *energy += flow * STEP;
        }
    }
    samples
}

/// PV power of that household under a clear sky, in W.
pub fn clear_sky(at: Millis) -> i64 {
    let minute = i64::from(Zone::default().minute_of_day(at));
    let from_noon = (minute - 12 * 60).abs();
    (1_500 - from_noon * 8).max(0)
}

impl TestApp {
    /// Gives the system two weeks of history, prices of 10 ct a kWh today and 60 ct from tomorrow on, and a plan.
    pub async fn set_up_planned_home(&self, person: &Person, sn: &str) {
        let now = self.clock.now();
        self.feed(sn, &household(now - 14 * DAY..now)).await;
        self.enable_plan(person, sn).await;
    }

    /// Sets prices of 10 ct a kWh today and 60 ct from tomorrow on, and turns planning on.
    pub async fn enable_plan(&self, person: &Person, sn: &str) {
        let now = self.clock.now();
        self.set_price(person, sn, "10", "null").await;
        let tomorrow = Zone::default().day_of(now).next().to_string();
        self.set_price(person, sn, "60", &tomorrow).await;
        let plan = [("provider", "fixed"), ("dynamic_tariff", "plan")];
        self.save_settings(person, sn, &plan).await;
    }

    pub async fn set_price(&self, person: &Person, sn: &str, import: &str, from: &str) {
        let fields = [
            ("sn", sn),
            ("import_price", import),
            ("feed_in_price", "7,94"),
            ("from", from),
        ];
        let call = self.post("/api/auth/tariff/", &fields);
        call.bearer(&person.access).send().await.expect(200);
    }

    /// Saves settings of a system at its present version.
    pub async fn save_settings(&self, person: &Person, sn: &str, fields: &[(&str, &str)]) {
        let path = format!("/api/auth/settings/?sn={sn}");
        let seen = self.get(&path).bearer(&person.access).send().await;
        let version = seen.expect(200).json()["version"].to_string();
        let mut all = vec![("version", version.as_str()), ("password", PASSWORD)];
        all.extend(fields);
        let saved = self.post(&path, &all).bearer(&person.access).send().await;
        saved.expect(200);
    }
}
