//! A fleet against the real gateway on both databases: exactly the acknowledged samples are stored, whatever fails.
#![allow(clippy::unwrap_used)]
use domain::clock::{MINUTE, SECOND};
use domain::{EventCode, Serial};
use simulator::model::InitialState;
use simulator::wire::DeviceClock;
use simulator::{Device, Fleet, FleetContext, Intervention, LinkFaults, Seed};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use testkit::battery::secret;
use testkit::{NOON, TestApp, eventually, on_both};

async fn battery(app: &TestApp, number: usize, device_clock: DeviceClock) -> Device {
    let sn = app.device(&format!("SIM{number:05}")).await;
    drawn(sn, device_clock)
}

/// A random battery with a registered serial number.
fn drawn(sn: Serial, device_clock: DeviceClock) -> Device {
    let seed = Seed::of(&sn, 1);
    let secret = secret(sn.as_str()).into_bytes();
    let start = InitialState {
        at: NOON,
        boot: 1,
        charge: 500,
        readings: [0; 5],
    };
    let mut device = Device::random(sn, secret, 1, seed, &start);
    device.device_clock = device_clock;
    device
}

fn context(app: &TestApp) -> FleetContext {
    let mut context = FleetContext::new(app.devices, Duration::from_millis(25), app.clock.clone());
    context.history_jitter = Duration::from_millis(100);
    context.record_acknowledged = true;
    context.accepts_interventions = true;
    context
}

/// Advances the clock a hundred times as fast until the fleet has delivered this many samples.
async fn let_live(app: &TestApp, fleet: &Fleet, samples: u64) {
    eventually("the samples are acknowledged", async || {
        app.clock.advance(SECOND);
        fleet.context().stats.acknowledged.load(Relaxed) >= samples
    })
    .await;
}

/// The ids of a battery's stored messages.
async fn stored(app: &TestApp, db: &testkit::TestDb, sn: &Serial) -> Vec<(u32, u32)> {
    let samples = db.samples(sn.as_str()).await;
    let now = app.clock.now();
    let mut ids: Vec<_> = samples
        .iter()
        .map(|(at, boot, seq)| {
            assert!(
                (NOON..=now).contains(at),
                "{sn}: {at} is not a moment of this test"
            );
            (u32::try_from(*boot).unwrap(), u32::try_from(*seq).unwrap())
        })
        .collect();
    ids.sort_unstable();
    ids
}

on_both!(the_acknowledged_samples_are_the_stored_ones, |db| {
    let app = TestApp::start(db).await;
    let mut devices = Vec::new();
    for number in 0..20 {
        // Every fourth battery has a clock that was never set.
        let device_clock = match number % 4 {
            0 => DeviceClock {
                error: 1_000 * SECOND - NOON,
                quality: 0,
            },
            _ => DeviceClock::CORRECT,
        };
        devices.push(battery(&app, number, device_clock).await);
    }
    let mut context = context(&app);
    context.link_faults = LinkFaults {
        duplicate: 0.1,
        reorder: 0.1,
        disconnect: 0.01,
        lose_ack: 0.02,
        max_offline: Duration::from_millis(300),
    };
    let fleet = Fleet::start(context, devices);
    let_live(&app, &fleet, 500).await;
    for number in 0..5 {
        let sn = format!("SIM{number:05}").parse().unwrap();
        assert!(fleet.intervene(&sn, Intervention::Reboot));
    }
    let_live(&app, &fleet, 1_500).await;
    assert!(fleet.finish(Duration::from_secs(40)).await);
    let mut total = 0;
    for (sn, ids) in fleet.acknowledged() {
        let ids: Vec<_> = ids.iter().map(|id| (id.boot, id.seq)).collect();
        assert_eq!(stored(&app, db, &sn).await, ids, "{sn}");
        total += ids.len();
    }
    assert!(total >= 1_500);
    assert_eq!(fleet.context().stats.forgotten.load(Relaxed), 0);
    app.stop().await;
});

on_both!(in_a_closed_loop_every_battery_sends_from_the_start, |db| {
    let app = TestApp::start(db).await;
    let mut devices = Vec::new();
    for number in 0..4 {
        devices.push(battery(&app, number, DeviceClock::CORRECT).await);
    }
    let mut context = context(&app);
    context.closed_loop = true;
    context.interval = Duration::from_secs(3_600);
    let fleet = Fleet::start(context, devices);
    eventually("each has sent again after an acknowledgement", async || {
        let all = fleet.acknowledged();
        all.len() == 4 && all.iter().all(|(_, ids)| ids.len() > 1)
    })
    .await;
    assert!(fleet.finish(Duration::from_secs(40)).await);
    app.stop().await;
});

on_both!(
    the_pattern_at_the_switch_links_the_battery_to_whoever_waits,
    |db| {
        let app = TestApp::start(db).await;
        let person = app.unlinked("anna", "SIM00001").await;
        let sn: Serial = "SIM00001".parse().unwrap();
        let device = drawn(sn.clone(), DeviceClock::CORRECT);
        let fleet = Fleet::start(context(&app), vec![device]);
        let_live(&app, &fleet, 3).await;
        let owner = app.account_id(&person.email).await;
        let systems = async || app.store.systems_of(owner).await.unwrap().len();
        let told = async || {
            let events = app.newest_events(&sn).await;
            let cycled = events
                .iter()
                .filter(|event| event.code == EventCode::SwitchCycled);
            cycled.count()
        };
        // Off and on once, as in any installation; then the pattern: off for five seconds, twice.
        for (cycle, off) in [(1, MINUTE), (2, 5 * SECOND), (3, 5 * SECOND)] {
            assert_eq!(systems().await, 0);
            for on in [false, true] {
                assert!(fleet.intervene(&sn, Intervention::Switch(on)));
                eventually("the switch is turned", async || {
                    fleet.states()[0].switched_on == on
                })
                .await;
                app.clock.advance(if on { 4 * SECOND } else { off });
            }
            eventually("the battery has told it", async || told().await == cycle).await;
        }
        assert_eq!(systems().await, 1);
        app.stop().await;
    }
);

on_both!(counters_and_charge_go_on_over_a_long_silence, |db| {
    let app = TestApp::start(db).await;
    let device = battery(&app, 1, DeviceClock::CORRECT).await;
    let sn = device.serial.clone();
    let fleet = Fleet::start(context(&app), vec![device]);
    let_live(&app, &fleet, 3).await;
    app.clock.advance(90 * MINUTE);
    // Samples from before may still be on their way.
    let newest = async || {
        let newest = app.store.telemetry.latest_sample(&sn, i64::MAX);
        newest.await.unwrap().unwrap()
    };
    eventually("it has reported after the silence", async || {
        app.clock.advance(SECOND);
        newest().await.at >= NOON + 90 * MINUTE
    })
    .await;
    assert!(fleet.finish(Duration::from_secs(20)).await);
    let newest = newest().await;
    assert!(newest.counters.iter().flatten().sum::<i64>() > 0);
    app.stop().await;
});
