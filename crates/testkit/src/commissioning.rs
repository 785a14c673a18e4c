//! Commissioning of a unit as an electrician does it.
use crate::{Person, Reporter, TestApp, TestResponse};
use domain::clock::SECOND;
use domain::setting::{Ratings, Settings};
use serde_json::Value;

/// Power of the load in the phase test, in W.
pub const LOAD: i32 = 2_000;
const IDLE: [i32; 3] = [120, -40, 60];

impl TestApp {
    /// Does all checks of a commissioning with this one unit; returns its id.
    pub async fn complete_checks(&self, electrician: &Person, battery: &Reporter<'_>) -> i64 {
        let id = self
            .begin_commissioning(electrician, battery.sn.as_str())
            .await;
        self.bring_online(battery).await;
        self.test_meter(electrician, battery, true).await;
        for step in ["units", "meter", "limits", "ups", "firmware"] {
            self.step(electrician, id, &[("step", step)]).await;
        }
        for phase in 1..=3 {
            self.test_phase(electrician, battery, id, phase).await;
        }
        self.step(
            electrician,
            id,
            &[("step", "export_limit"), ("limit", "7000")],
        )
        .await;
        let customer = [
            ("step", "customer"),
            ("first_name", "Łukasz"),
            ("last_name", "Čačić"),
            ("place", "Rue Zoé 7, 10115 Berlin"),
        ];
        self.step(electrician, id, &customer).await;
        let instruction = [("step", "instruction"), ("instructed", "true")];
        self.step(electrician, id, &instruction).await;
        id
    }

    /// Commissions a unit; returns the id of its protocol.
    pub async fn commission(&self, electrician: &Person, battery: &Reporter<'_>) -> i64 {
        let id = self.complete_checks(electrician, battery).await;
        self.finish(electrician, id).await.expect(201);
        id
    }

    pub async fn begin_commissioning(&self, electrician: &Person, sn: &str) -> i64 {
        let begun = self
            .post("/api/auth/commissioning/", &[("sn", sn)])
            .bearer(&electrician.access)
            .send()
            .await
            .expect(201)
            .json();
        begun["id"].as_i64().unwrap()
    }

    /// The battery connects, reports its settings and measures; only the house draws power.
    pub async fn bring_online(&self, battery: &Reporter<'_>) {
        let hello = battery.hello(|hello| hello.hardware = "SC-5".into()).await;
        let ratings = Ratings {
            charge: Some(4_600),
            discharge: Some(5_000),
        };
        hello.applied(0, Settings::initial(ratings)).await;
        self.set_meter_powers(battery, IDLE).await;
    }

    /// The meter shows these powers per phase from now on; the battery idles.
    pub async fn set_meter_powers(&self, battery: &Reporter<'_>, powers: [i32; 3]) {
        self.clock.advance(2 * SECOND);
        let change = |sample: &mut domain::Sample| {
            sample.meter_power = powers.map(Some);
            sample.grid_power = Some(powers.iter().sum());
            sample.battery_power = Some(0);
        };
        battery.sample(change).await;
    }

    pub async fn test_meter(&self, electrician: &Person, battery: &Reporter<'_>, passes: bool) {
        let key = format!("meter-test-{}", self.clock.now());
        let command = [
            ("sn", battery.sn.as_str()),
            ("command", "meter_test"),
            ("key", &key),
        ];
        let given = self
            .post("/api/auth/command/", &command)
            .bearer(&electrician.access)
            .send()
            .await
            .expect(201)
            .json();
        let code = if passes { "passed" } else { "meter_silent" };
        battery
            .answer_command(given["id"].as_str().unwrap(), passes, code)
            .await;
    }

    /// Measures a phase without and then with a load; returns the last answer.
    pub async fn test_phase(
        &self,
        electrician: &Person,
        battery: &Reporter<'_>,
        id: i64,
        phase: usize,
    ) -> Value {
        self.set_meter_powers(battery, IDLE).await;
        self.measure(electrician, id, phase, "off").await;
        let mut loaded = IDLE;
        loaded[phase - 1] += LOAD;
        self.set_meter_powers(battery, loaded).await;
        self.measure(electrician, id, phase, "on").await
    }

    pub async fn measure(&self, electrician: &Person, id: i64, phase: usize, load: &str) -> Value {
        let path = format!("/api/auth/commissioning/{id}/phase/");
        let fields = [("phase", phase.to_string()), ("load", load.to_owned())];
        let fields = fields
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        self.post(&path, &fields)
            .bearer(&electrician.access)
            .send()
            .await
            .expect(200)
            .json()
    }

    pub async fn step(&self, electrician: &Person, id: i64, fields: &[(&str, &str)]) -> Value {
        self.post(&format!("/api/auth/commissioning/{id}/step/"), fields)
            .bearer(&electrician.access)
            .send()
            .await
            .expect(200)
            .json()
    }

    pub async fn finish(&self, electrician: &Person, id: i64) -> TestResponse {
        self.post(&format!("/api/auth/commissioning/{id}/finish/"), &[])
            .bearer(&electrician.access)
            .send()
            .await
    }
}
