//! Settings: read, saved against a version, told to the battery over the real link, reported and refused.

mod delivery;
mod guarded;
mod prices;
mod saving;

use serde_json::Value;
use testkit::{Answer, Battery, Person, TestApp};

const SN: &str = "SC000001";

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

async fn read(app: &TestApp, person: &Person, sn: &str) -> Value {
    let call = app.get(&format!("/api/auth/settings/?sn={sn}"));
    call.bearer(&person.access).send().await.expect(200).json()
}

async fn save(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> Answer {
    let path = format!("/api/auth/settings/?sn={SN}");
    app.post(&path, fields).bearer(&person.access).send().await
}

/// The codes of what is wrong with the one system.
fn codes(answer: &Answer) -> Value {
    answer.json()["codes"][SN].clone()
}

/// A battery that listens and has said hello.
async fn connect(app: &TestApp, version: i64) -> Battery {
    let mut battery = Battery::connect(app.devices, SN).await;
    battery.greet(app.clock.now(), version).await;
    battery
}

async fn report(battery: &mut Battery, version: i64, state: Value, err: Value) {
    let report = battery.applied(version, state, err);
    battery.report("rep", report.to_string()).await;
}
