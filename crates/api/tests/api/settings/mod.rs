//! Settings: read, saved against a version, sent to the battery over the real link, reported and refused.

mod delivery;
mod guarded;
mod prices;
mod saving;

use serde_json::Value;
use testkit::{MqttBattery, Person, TestApp, TestResponse};

const SN: &str = "SC000001";

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

async fn read(app: &TestApp, person: &Person, sn: &str) -> Value {
    let call = app.get(&format!("/api/auth/settings/?sn={sn}"));
    call.bearer(&person.access).send().await.expect(200).json()
}

async fn save(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> TestResponse {
    let path = format!("/api/auth/settings/?sn={SN}");
    app.post(&path, fields).bearer(&person.access).send().await
}

/// The error codes of the one system.
fn codes(answer: &TestResponse) -> Value {
    answer.json()["codes"][SN].clone()
}

/// A battery that has subscribed and said hello.
async fn connect(app: &TestApp, version: i64) -> MqttBattery {
    let mut battery = MqttBattery::connect(app.devices, SN).await;
    battery
        .subscribe_and_say_hello(app.clock.now(), version)
        .await;
    battery
}

async fn report(battery: &mut MqttBattery, version: i64, state: Value, err: Value) {
    let report = battery.applied(version, state, err);
    battery.report("rep", report.to_string()).await;
}
