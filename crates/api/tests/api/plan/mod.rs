//! Forecasts, the plan with its reasons and charge targets, its savings, and who may see it.
#![allow(clippy::unwrap_used)]

mod forecast;
mod making;
mod outcome;
mod sending;

use domain::clock::DAY;
use serde_json::Value;
use testkit::planning::household;
use testkit::{NOON, Person, TestApp, TestResponse};

const SN: &str = "SC000001";

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn plan(app: &TestApp, person: &Person) -> Value {
    get(app, person, &format!("/api/auth/plan/?sn={SN}")).await
}

async fn change(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> TestResponse {
    let mut all = vec![("sn", SN)];
    all.extend(fields);
    let call = app.post("/api/auth/plan/", &all);
    call.bearer(&person.access).send().await
}

/// Anna, whose system reports 30 % and has planning turned on.
async fn anna(app: &TestApp) -> Person {
    let anna = app.owner("anna", SN).await;
    app.battery(SN).hello(|_| {}).await;
    app.set_up_planned_home(&anna, SN).await;
    reports(app, 300).await;
    anna
}

/// Advances the time and logs Anna in again, as her session may have expired.
async fn later(app: &TestApp, by: i64) -> Person {
    app.clock.advance(by);
    app.log_in("anna@example.com", false).await
}

async fn reports(app: &TestApp, soc: i32) {
    let last = household(NOON - 14 * DAY..NOON).last().unwrap().counters;
    app.battery(SN)
        .sample(|sample| {
            sample.id.seq = u32::try_from((app.clock.now() - NOON) / 1_000 + 10).unwrap();
            sample.soc = Some(soc);
            sample.counters = last;
        })
        .await;
}

fn blocks<'v>(plan: &'v Value, mode: &str) -> Vec<&'v Value> {
    let blocks = plan["blocks"].as_array().unwrap().iter();
    blocks.filter(|block| block["mode"] == mode).collect()
}

async fn journal(app: &TestApp, person: &Person) -> Vec<String> {
    let page = get(app, person, &format!("/api/auth/journal/?sn={SN}")).await;
    let lines = page["lines"].as_array().unwrap().iter();
    lines
        .map(|line| line["text"].as_str().unwrap().replace('\u{a0}', " "))
        .collect()
}
