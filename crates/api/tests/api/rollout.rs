//! Rollouts: what delays one, what stops it, and what the operator can do.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::{DAY, HOUR, MINUTE};
use domain::firmware::{Part, Wave};
use serde_json::{Value, json};
use store::firmware::{Release, ReleaseState};
use testkit::battery::merge;
use testkit::firmware::{IMAGE, manifest};
use testkit::{MqttBattery, Person, TestApp, eventually, with_app};

/// The first release of a database.
const RELEASE: i64 = 1;

/// Serial numbers that are in the first wave, or that are not.
fn serials(in_first_wave: bool) -> impl Iterator<Item = Serial> {
    let all = (0..).map(|n: u32| format!("SC{n:06}").parse().unwrap());
    all.filter(move |sn| Wave::FIRST.includes(sn, RELEASE) == in_first_wave)
}

async fn release(app: &TestApp) -> Release {
    app.store.firmware_releases().await.unwrap().pop().unwrap()
}

async fn percent(app: &TestApp) -> u64 {
    app.service.advance_rollouts().await.unwrap();
    release(app).await.wave.percent()
}

async fn greet(app: &TestApp, sn: &str) -> MqttBattery {
    let mut battery = MqttBattery::connect(app.devices, sn).await;
    battery.subscribe(&[&format!("v1/d/{sn}/down/#")]).await;
    let hello = battery.hello(app.clock.now());
    let versions = json!({"fw": {"g": "1.14", "m": "2.6", "sl": null, "off": 0}});
    let hello = merge(hello, versions);
    battery.report("hello", hello.to_string()).await;
    battery
}

/// Starts the update, and the battery reports that it failed.
async fn fail(app: &TestApp, owner: &Person, battery: &mut MqttBattery) {
    let sn = battery.sn.clone();
    eventually("it is offered", async || {
        !app.portal.live.offered(&sn.parse().unwrap()).is_empty()
    })
    .await;
    app.order_update(owner, &sn, "1").await.expect(200);
    let told = battery.next_message_on("fw").await;
    let text: Value = serde_json::from_str(told["assignment"].as_str().unwrap()).unwrap();
    let failed = json!({
        "job": text["job"], "part": "master", "ver": "2.7", "st": "failed", "pg": 0, "err": "rolled_back",
    });
    battery.report("fw", failed.to_string()).await;
}

with_app!(
    batteries_without_an_owner_or_away_for_long_hold_up_no_roll_out,
    |app| {
        let mut first = serials(true);
        let nobodys = app.device(first.next().unwrap().as_str()).await;
        greet(app, nobodys.as_str()).await.disconnect().await;
        let away = first.next().unwrap();
        app.owner("away", away.as_str()).await;
        greet(app, away.as_str()).await.disconnect().await;
        app.clock.advance(2 * MINUTE);
        eventually("it is away", async || {
            let presence = app.store.presence(&away).await.unwrap();
            presence.is_some_and(|presence| !presence.online)
        })
        .await;
        app.clock.advance(8 * DAY);
        let other = serials(false).next().unwrap();
        app.owner("other", other.as_str()).await;
        let _battery = greet(app, other.as_str()).await;
        let new = manifest(Part::Master, "2.7", 5);
        assert_eq!(app.publish(&new, IMAGE, HOUR).await, Ok(RELEASE));
        // No eligible system is in the first wave, so the one eligible system must be offered the release.
        assert!(percent(app).await > Wave::FIRST.percent());
        let release = release(app).await;
        assert!(release.wave.includes(&other, RELEASE));
        let tally = app.store.rollout_tally(&release, app.clock.now()).await;
        assert_eq!(tally.unwrap().open, 1);
    }
);

with_app!(one_battery_that_keeps_failing_stops_nobody_else, |app| {
    let new = manifest(Part::Master, "2.7", 5);
    app.roll_out(&new, IMAGE).await;
    let anna = app.owner("anna", "SC000001").await;
    let mut battery = greet(app, "SC000001").await;
    for _ in 0..4 {
        fail(app, &anna, &mut battery).await;
    }
    app.service.advance_rollouts().await.unwrap();
    let release = release(app).await;
    assert_eq!(release.state, ReleaseState::Running);
    let tally = app.store.rollout_tally(&release, app.clock.now()).await;
    let tally = tally.unwrap();
    assert_eq!((tally.failed, tally.failed_households), (1, 1));
});

with_app!(
    the_third_household_stops_it_at_once_and_what_waits_is_withdrawn,
    |app| {
        app.roll_out(&manifest(Part::Master, "2.7", 5), IMAGE).await;
        let waiting = app.owner("waiting", "SC000009").await;
        greet(app, "SC000009").await.disconnect().await;
        eventually("it is offered", async || {
            !app.portal
                .live
                .offered(&"SC000009".parse().unwrap())
                .is_empty()
        })
        .await;
        app.order_update(&waiting, "SC000009", "1")
            .await
            .expect(200);
        for n in 1..=3 {
            assert_eq!(release(app).await.state, ReleaseState::Running);
            let sn = format!("SC00000{n}");
            let owner = app.owner(&format!("owner-{n}"), &sn).await;
            let mut battery = greet(app, &sn).await;
            fail(app, &owner, &mut battery).await;
        }
        // The report itself stops it, not the next periodic check.
        let stopped = release(app).await;
        assert_eq!(stopped.state, ReleaseState::Stopped);
        assert_eq!(
            stopped.reason.as_deref(),
            Some("failed on 3 of 3 batteries, in 3 households")
        );
        eventually(
            "what waits is withdrawn, and its owner sees it",
            async || {
                let live = app.get("/api/auth/data/").bearer(&waiting.access);
                let live = live.send().await.expect(200).json();
                live["data"][0]["SC000009"]["update_state"] == "cancelled"
            },
        )
        .await;
    }
);

with_app!(the_operator_goes_on_to_the_next_wave, |app| {
    let sn = serials(true).next().unwrap();
    app.owner("first", sn.as_str()).await;
    let _battery = greet(app, sn.as_str()).await;
    let new = manifest(Part::Master, "2.7", 5);
    assert_eq!(app.publish(&new, IMAGE, DAY).await, Ok(RELEASE));
    assert_eq!(percent(app).await, 1);
    let proceed = async |id| app.service.proceed_rollout(id, Some("tested")).await;
    for wave in [10, 50, 100] {
        let next = proceed(RELEASE).await.unwrap();
        assert_eq!(next.map(Wave::percent), Some(wave));
    }
    assert_eq!(proceed(RELEASE).await.unwrap(), None);
    assert_eq!(proceed(99).await.unwrap(), None);
    assert_eq!(release(app).await.wave, Wave::LAST);
});
