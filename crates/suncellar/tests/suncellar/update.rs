//! Simulated batteries update over the real link and the real update service, with power cuts on the way.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::firmware::{JobState, Manifest, Part, digest_of};
use serde_json::{Value, json};
use simulator::model::InitialState;
use simulator::wire::FirmwareVersions;
use simulator::{Device, FirmwareKeys, Fleet, FleetContext, Intervention, PowerCut, Seed};
use std::time::Duration;
use store::firmware::UpdateJob;
use testkit::battery::secret;
use testkit::firmware::{manifest, release_key};
use testkit::{NOON, Person, TestApp, TestDb, eventually, on_both};

const SN: &str = "SIM00001";

fn sn() -> Serial {
    SN.parse().unwrap()
}

async fn device(app: &TestApp, needs_off: bool, cuts: Vec<PowerCut>) -> Device {
    let start = InitialState {
        at: NOON,
        boot: 1,
        charge: 500,
        readings: [0; 5],
    };
    let director = app.store.director_key([3; 32], [4; 12]).await.unwrap();
    let keys = FirmwareKeys {
        release: release_key().public(),
        director: director.public(),
    };
    Device {
        firmware: FirmwareVersions::of("2.6", "1.14", "1.8"),
        update_needs_off: needs_off,
        keys: Some(keys),
        cuts,
        ..Device::random(sn(), secret(SN).into_bytes(), 1, Seed::of(&sn(), 1), &start)
    }
}

async fn publish(app: &TestApp, hardware: &str, part: Part, version: &str, image: &[u8]) {
    let manifest = Manifest {
        hardware: hardware.to_owned(),
        size: image.len() as u64,
        sha256: digest_of(image),
        ..manifest(part, version, 7)
    };
    app.roll_out(&manifest, image).await;
}

fn image(seed: u8) -> Vec<u8> {
    (0..40_000_u32)
        .map(|n| (n.wrapping_mul(31) >> 3) as u8 ^ seed)
        .collect()
}

/// An owner who has started an offered update of gateway and master.
async fn updating(
    app: &TestApp,
    needs_off: bool,
    cuts: Vec<PowerCut>,
    master: &[u8],
) -> (Person, Fleet) {
    let anna = app.owner("anna", SN).await;
    let device = device(app, needs_off, cuts).await;
    let hardware = device.hardware.clone();
    let mut context = FleetContext::new(app.devices, Duration::from_millis(25), app.clock.clone());
    context.accepts_interventions = true;
    let fleet = Fleet::start(context, vec![device]);
    publish(app, &hardware, Part::Gateway, "1.15", &image(1)).await;
    publish(app, &hardware, Part::Master, "2.7", master).await;
    eventually("both parts are offered", async || {
        app.portal.live.offered(&sn()).len() == 2
    })
    .await;
    app.order_update(&anna, SN, "1").await.expect(200);
    (anna, fleet)
}

async fn job(app: &TestApp) -> UpdateJob {
    app.store.newest_update(&sn()).await.unwrap().unwrap()
}

async fn ended(app: &TestApp) -> UpdateJob {
    eventually("the update has ended", async || {
        !job(app).await.state.is_open()
    })
    .await;
    job(app).await
}

/// Waits until the update asks for this step at the main switch.
async fn asks_for(app: &TestApp, person: &Person, step: Value) -> Value {
    let read = async || {
        let live = app.get("/api/auth/data/").bearer(&person.access);
        live.send().await.expect(200).json()["data"][0][SN].take()
    };
    eventually(&format!("{step} is asked for"), async || {
        read().await["update_switch"] == step
    })
    .await;
    read().await
}

async fn reported(app: &TestApp) -> (Option<String>, Option<String>) {
    let versions = app.store.facts(&sn()).await.unwrap().unwrap().versions;
    (versions.gateway, versions.master)
}

fn versions(gateway: &str, master: &str) -> (Option<String>, Option<String>) {
    (Some(gateway.to_owned()), Some(master.to_owned()))
}

on_both!(two_chained_parts_are_installed_one_after_the_other, |db| {
    let app = TestApp::start(db).await;
    let (_, _fleet) = updating(&app, false, Vec::new(), &image(2)).await;
    assert_eq!(ended(&app).await.state, JobState::Done);
    assert_eq!(reported(&app).await, versions("1.15", "2.7"));
    app.stop().await;
});

on_both!(
    a_battery_that_needs_its_main_switch_off_is_waited_for_and_each_step_is_told,
    |db| {
        let app = TestApp::start(db).await;
        let (anna, fleet) = updating(&app, true, Vec::new(), &image(2)).await;
        let live = asks_for(&app, &anna, json!("off")).await;
        assert_eq!(live["update_state"], "waits_for_switch");
        assert_eq!(live["update_started"], false);
        fleet.intervene(&sn(), Intervention::Switch(false));
        let live = asks_for(&app, &anna, json!("on_then_off")).await;
        assert_eq!(live["update_state"], "waits_for_switch");
        assert_eq!(live["update_started"], true);
        fleet.intervene(&sn(), Intervention::Switch(true));
        // Longer than the required five seconds, which are less than three samples at this rate.
        let on = async || {
            let now = app.portal.live.get(&sn()).unwrap();
            now.switched_on().filter(|on| *on).and(now.sample)
        };
        eventually("on", async || on().await.is_some()).await;
        let first = on().await.unwrap().id.seq;
        eventually("on for a while", async || {
            on().await.is_some_and(|sample| sample.id.seq > first + 8)
        })
        .await;
        fleet.intervene(&sn(), Intervention::Switch(false));
        let live = asks_for(&app, &anna, json!("on")).await;
        assert_eq!(live["update_state"], "done");
        assert_eq!(reported(&app).await, versions("1.15", "2.7"));
        fleet.intervene(&sn(), Intervention::Switch(true));
        asks_for(&app, &anna, Value::Null).await;
        app.stop().await;
    }
);

on_both!(
    a_version_that_does_not_start_leaves_the_old_one_running,
    |db| {
        let app = TestApp::start(db).await;
        let mut broken = image(2);
        broken[..6].copy_from_slice(b"BROKEN");
        let (_, _fleet) = updating(&app, false, Vec::new(), &broken).await;
        let job = ended(&app).await;
        assert_eq!(job.state, JobState::Failed);
        assert_eq!(job.fault().map(|fault| fault.as_str()), Some("rolled_back"));
        eventually("it is back", async || {
            app.portal.live.get(&sn()).is_some_and(|now| now.online)
        })
        .await;
        assert_eq!(reported(&app).await, versions("1.15", "2.6"));
        app.stop().await;
    }
);

/// A short power cut at that percent of a part: the update still ends in the new version.
async fn cut_at(db: &TestDb, part: Part, percent: u8) {
    let app = TestApp::start(db).await;
    let cut = PowerCut {
        part,
        percent,
        lasts: Duration::from_millis(50),
    };
    let (_, _fleet) = updating(&app, false, vec![cut], &image(2)).await;
    let job = ended(&app).await;
    assert_eq!(
        job.state,
        JobState::Done,
        "cut at {percent} % of {part}: {job:?}"
    );
    assert_eq!(
        reported(&app).await,
        versions("1.15", "2.7"),
        "cut at {percent} % of {part}"
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_anywhere_ends_in_the_new_version() {
    // Every stage in one part or the other; the soak below tests all combinations.
    for (part, percent) in [
        (Part::Gateway, 0),
        (Part::Gateway, 23),
        (Part::Master, 62),
        (Part::Gateway, 81),
        (Part::Master, 96),
        (Part::Master, 100),
    ] {
        cut_at(&TestDb::sqlite().await, part, percent).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn soak_a_power_cut_at_every_percent_ends_in_the_new_version() {
    for percent in 0..=100 {
        for part in [Part::Gateway, Part::Master] {
            cut_at(&TestDb::sqlite().await, part, percent).await;
        }
    }
}
