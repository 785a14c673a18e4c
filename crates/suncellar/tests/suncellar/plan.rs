//! A simulated battery on the real link follows the portal's plan, and leaves it by itself.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, MINUTE, SECOND};
use domain::{Sample, Serial, Zone};
use simulator::model::InitialState;
use simulator::{Device, Fleet, FleetContext, Intervention, Seed};
use std::time::Duration;
use testkit::battery::secret;
use testkit::{Person, TestApp, eventually, on_both};

const SN: &str = "SIM00001";
/// More than it could charge from PV on a November evening, in W.
const BOUGHT: i32 = -1_500;

fn sn() -> Serial {
    SN.parse().unwrap()
}

/// An owner whose battery runs in the evening, when there is no sun.
async fn home(app: &TestApp) -> (Person, Fleet) {
    app.clock.advance(6 * HOUR + 30 * MINUTE);
    let anna = app.owner("anna", SN).await;
    app.set_up_planned_home(&anna, SN).await;
    let fleet = switched_on(app, 1).await;
    (anna, fleet)
}

/// The battery starts with some charge and without a plan.
async fn switched_on(app: &TestApp, boot: u32) -> Fleet {
    let start = InitialState {
        at: app.clock.now(),
        boot,
        charge: 300,
        readings: [0; 5],
    };
    let device = Device::random(sn(), secret(SN).into_bytes(), 1, Seed::of(&sn(), 1), &start);
    let mut context = FleetContext::new(app.devices, Duration::from_millis(25), app.clock.clone());
    context.history_jitter = Duration::from_millis(100);
    context.accepts_interventions = true;
    let fleet = Fleet::start(context, vec![device]);
    shows(app, |_| true).await;
    fleet
}

/// Advances the clock until a sample matches, and not faster than a busy machine lets the battery report.
async fn shows(app: &TestApp, holds: impl Fn(&Sample) -> bool) {
    let asked = app.clock.now();
    eventually("the battery shows it", async || {
        let live = app.portal.live.get(&sn());
        let sample = live.and_then(|live| live.sample);
        if sample.is_none_or(|sample| sample.at + 10 * SECOND > app.clock.now()) {
            app.clock.advance(SECOND);
        }
        sample.is_some_and(|sample| sample.at > asked && holds(&sample))
    })
    .await;
}

fn buys(sample: &Sample) -> bool {
    sample.battery_power.is_some_and(|power| power <= BOUGHT)
}

fn gives(sample: &Sample) -> bool {
    sample.battery_power.is_some_and(|power| power > 0)
}

async fn post(app: &TestApp, anna: &Person, path: &str, fields: &[(&str, &str)]) {
    let mut all = vec![("sn", SN)];
    all.extend(fields);
    // The clock may have passed the end of the token's life while the test waited for the battery.
    let again = app.log_in(&anna.email, false).await;
    let sent = app.post(path, &all).bearer(&again.access).send().await;
    assert!(sent.status.is_success(), "{path}: {}", sent.text);
}

on_both!(a_battery_follows_the_plan_and_its_owner_is_stronger, |db| {
    let app = TestApp::start(db).await;
    let (anna, _fleet) = home(&app).await;
    shows(&app, gives).await;
    // Full by eight: it has to buy at once.
    post(
        &app,
        &anna,
        "/api/auth/plan/",
        &[("soc", "100"), ("by", "20:00")],
    )
    .await;
    app.run_planners().await;
    shows(&app, buys).await;
    let until = (app.clock.now() + HOUR).to_string();
    let hold = [
        ("command", "hold"),
        ("until", until.as_str()),
        ("key", "a-key-to-hold"),
    ];
    post(&app, &anna, "/api/auth/command/", &hold).await;
    shows(&app, |sample| sample.battery_power == Some(0)).await;
    post(
        &app,
        &anna,
        "/api/auth/command/",
        &[("command", "auto"), ("key", "a-key-to-go-on")],
    )
    .await;
    shows(&app, buys).await;
    // Planning off: back to self-consumption at once.
    post(&app, &anna, "/api/auth/plan/", &[("on", "false")]).await;
    shows(&app, gives).await;
    app.stop().await;
});

/// A charge target in three quarters of an hour: it has to buy at once.
async fn set_charge_target(app: &TestApp, anna: &Person) {
    let clock = Zone::default().clock_text(app.clock.now() + 45 * MINUTE);
    let target = [("soc", "100"), ("by", &clock[11..16])];
    post(app, anna, "/api/auth/plan/", &target).await;
    app.run_planners().await;
    shows(app, buys).await;
}

on_both!(
    a_battery_without_contact_goes_back_to_self_consumption_until_there_is_a_plan_again,
    |db| {
        let app = TestApp::start(db).await;
        let (anna, fleet) = home(&app).await;
        set_charge_target(&app, &anna).await;
        // The planner does not run any more, and an hour passes.
        assert!(fleet.intervene(&sn(), Intervention::StayAway(Duration::from_millis(300))));
        app.clock.advance(HOUR);
        shows(&app, gives).await;
        set_charge_target(&app, &anna).await;
        app.stop().await;
    }
);

on_both!(a_server_that_starts_again_tells_the_plan_again, |db| {
    let app = TestApp::start(db).await;
    let (anna, fleet) = home(&app).await;
    set_charge_target(&app, &anna).await;
    let now = app.clock.now();
    drop(fleet);
    app.stop().await;
    let again = TestApp::start(db).await;
    again.clock.advance(now - again.clock.now());
    // The planner has not run since: the battery follows the stored plan.
    let _fleet = switched_on(&again, 2).await;
    shows(&again, buys).await;
    // Without the planner the plan expires after an hour.
    again.clock.advance(HOUR);
    shows(&again, gives).await;
    again.stop().await;
});
