//! Updates of batteries on real sockets: after any interruption they end with the signed version or the previous one.
#![allow(clippy::unwrap_used)]
mod batteries;
mod portal;

use batteries::{cut, device, image, is, said, start_updating, start_updating_over, until};
use domain::Clock;
use domain::firmware::Part;
use portal::{FakePortal, manifest, release};
use simulator::{Device, Fleet, FleetContext, Intervention, LinkFaults};
use std::time::Duration;

const JOB: &str = "0123456789abcdef01234567";
/// `SIM00000:secret`.
const BASIC: &str = "Basic U0lNMDAwMDA6c2VjcmV0";

#[tokio::test(flavor = "multi_thread")]
async fn after_a_power_cut_the_download_goes_on_where_it_was() {
    let portal = FakePortal::default();
    let devices = vec![device(0, vec![cut(Part::Master, 40)])];
    let _fleet = start_updating(&portal, devices, &[(Part::Master, "2.7")]).await;
    until("the end", || {
        said(&portal, "SIM00000", "master", "confirmed")
    })
    .await;
    let asked = portal.image_requests();
    let size = image(Part::Master).len();
    let froms: Vec<usize> = asked.iter().map(|asked| asked.from).collect();
    assert_eq!(froms, [0, (39 * size).div_ceil(59)]);
    assert!(asked.iter().all(|asked| asked.login == BASIC), "{asked:?}");
    let hellos = portal.said("SIM00000", "hello");
    let shown: Vec<_> = hellos
        .iter()
        .map(|hello| {
            (
                hello["b"].as_u64().unwrap(),
                hello["fw"]["m"].as_str().unwrap(),
                hello["job"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (1, "2.6", None),
            (2, "2.6", Some(JOB)),
            (3, "2.7", Some(JOB))
        ]
    );
    let reports = portal.said("SIM00000", "fw");
    let percents: Vec<_> = reports
        .iter()
        .map(|it| it["pg"].as_u64().unwrap())
        .collect();
    assert!(percents.is_sorted(), "{percents:?}");
    assert!(
        reports
            .iter()
            .all(|it| it["job"] == JOB && it["ver"] == "2.7" && it["s"].is_u64())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_service_that_hangs_up_is_asked_for_the_rest() {
    let portal = FakePortal::default();
    portal.hang_up(3);
    let _fleet = start_updating(
        &portal,
        vec![device(0, Vec::new())],
        &[(Part::Slave, "1.9")],
    )
    .await;
    until("the end", || {
        said(&portal, "SIM00000", "slave", "confirmed")
    })
    .await;
    let froms: Vec<usize> = portal
        .image_requests()
        .iter()
        .map(|asked| asked.from)
        .collect();
    assert_eq!(froms.len(), 4);
    assert!(froms.is_sorted_by(|a, b| a < b), "{froms:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_needs_its_main_switch_off_waits_for_it_before_and_between_two_parts() {
    let portal = FakePortal::default();
    let parts = [(Part::Gateway, "1.15"), (Part::Master, "2.7")];
    let mut device = device(0, Vec::new());
    device.update_needs_off = true;
    let fleet = start_updating(&portal, vec![device], &parts).await;
    let sn = "SIM00000".parse().unwrap();
    until("it is held back", || {
        said(&portal, "SIM00000", "gateway", "waiting")
    })
    .await;
    assert_eq!(portal.said("SIM00000", "hello")[0]["fw"]["off"], 1);
    assert!(!said(&portal, "SIM00000", "gateway", "downloading"));
    assert!(fleet.intervene(&sn, Intervention::Switch(false)));
    until("the wait", || {
        said(&portal, "SIM00000", "master", "waiting")
    })
    .await;
    assert!(!said(&portal, "SIM00000", "master", "downloading"));
    assert!(fleet.intervene(&sn, Intervention::Switch(true)));
    until("on", || fleet.states()[0].switched_on).await;
    // Longer than the required five seconds, which are less than three samples at this rate.
    let before = portal.said("SIM00000", "tele").len();
    until("on for a while", || {
        portal.said("SIM00000", "tele").len() > before + 8
    })
    .await;
    assert!(!said(&portal, "SIM00000", "master", "downloading"));
    assert!(fleet.intervene(&sn, Intervention::Switch(false)));
    until("the end", || {
        said(&portal, "SIM00000", "master", "confirmed")
    })
    .await;
    let seen = &fleet.states()[0];
    assert!(seen.powered && !seen.switched_on);
    assert_eq!(
        (
            seen.firmware.gateway.as_str(),
            seen.firmware.master.as_str()
        ),
        ("1.15", "2.7")
    );
    assert_eq!(portal.said("SIM00000", "ev")[0]["code"], "switch_cycled");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_power_nothing_is_heard_and_with_it_the_update_goes_on() {
    let portal = FakePortal::default();
    let fleet = start_updating(
        &portal,
        vec![device(0, Vec::new())],
        &[(Part::Master, "2.7")],
    )
    .await;
    let sn = "SIM00000".parse().unwrap();
    until("the download", || {
        said(&portal, "SIM00000", "master", "downloading")
    })
    .await;
    assert!(fleet.intervene(&sn, Intervention::PowerOff));
    until("darkness", || !fleet.states()[0].powered).await;
    until("the link is down", || {
        let connected = &fleet.context().stats.connected;
        connected.load(std::sync::atomic::Ordering::Relaxed) == 0
    })
    .await;
    let hellos = portal.said("SIM00000", "hello").len();
    assert!(fleet.intervene(&sn, Intervention::PowerOn));
    until("the end", || {
        said(&portal, "SIM00000", "master", "confirmed")
    })
    .await;
    let hellos = portal.said("SIM00000", "hello").split_off(hellos);
    assert_eq!(
        (&hellos[0]["job"], &hellos[0]["b"]),
        (&JOB.into(), &2.into())
    );
    assert!(fleet.states()[0].powered);
}

/// Each battery is interrupted elsewhere, most of them more than once.
#[tokio::test(flavor = "multi_thread")]
async fn wherever_power_is_lost_every_battery_ends_with_the_new_version_and_counts_on() {
    let portal = FakePortal::default();
    let percents: Vec<u8> = vec![0, 1, 2, 17, 59, 60, 61, 64, 65, 80, 95, 96, 97, 99, 100];
    let many = percents.iter().enumerate();
    let devices = many.map(|(number, percent)| {
        let other = percents[number * 7 % percents.len()];
        device(
            number,
            vec![cut(Part::Master, *percent), cut(Part::Master, other)],
        )
    });
    let devices: Vec<Device> = devices.collect();
    let serials: Vec<String> = devices
        .iter()
        .map(|device| device.serial.to_string())
        .collect();
    let fleet = start_updating(&portal, devices, &[(Part::Master, "2.7")]).await;
    until("all ends", || {
        let ended = |sn: &&String| said(&portal, sn, "master", "confirmed");
        serials.iter().filter(ended).count() == serials.len()
    })
    .await;
    let counts: Vec<usize> = serials
        .iter()
        .map(|sn| portal.said(sn, "tele").len())
        .collect();
    until("telemetry goes on", || {
        let of_all = serials.iter().zip(&counts);
        of_all
            .into_iter()
            .all(|(sn, count)| portal.said(sn, "tele").len() > count + 3)
    })
    .await;
    assert!(
        fleet
            .states()
            .iter()
            .all(|seen| seen.firmware.master == "2.7")
    );
    for sn in &serials {
        let hellos = portal.said(sn, "hello");
        let versions: Vec<_> = hellos
            .iter()
            .map(|it| it["fw"]["m"].as_str().unwrap())
            .collect();
        assert!(versions.is_sorted(), "{sn} {versions:?}");
        let boots: Vec<_> = hellos.iter().map(|it| it["b"].as_u64().unwrap()).collect();
        assert!(
            boots.is_sorted() && *boots.last().unwrap() >= 3,
            "{sn} {boots:?}"
        );
        assert!(!said(&portal, sn, "master", "failed"));
        for counter in ["ei", "ee", "ep", "ec", "ed"] {
            let tele = portal.said(sn, "tele");
            let readings: Vec<_> = tele.iter().filter_map(|it| it[counter].as_i64()).collect();
            assert!(readings.is_sorted(), "{sn} {counter}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_loaded_and_what_does_not_start_is_rolled_back() {
    let portal = FakePortal::default();
    let devices = vec![device(0, Vec::new()), device(1, vec![cut(Part::Slave, 97)])];
    let (gateway, url) = (portal.listen().await, portal.serve_images().await);
    let broken = [b"BROKEN", &image(Part::Slave)[..]].concat();
    portal.publish(&broken);
    for (device, image) in devices.iter().zip([image(Part::Slave), broken]) {
        let part = manifest(Part::Slave, "1.9", &image, &device.hardware).sign(&release());
        portal.assign(&device.serial, JOB, vec![part], &url);
    }
    let context = FleetContext::new(gateway, Duration::from_millis(25), Clock::system());
    let _fleet = Fleet::start(context, devices);
    for (sn, code) in [("SIM00000", "not_loaded"), ("SIM00001", "rolled_back")] {
        until(code, || said(&portal, sn, "slave", "failed")).await;
        let reports = portal.said(sn, "fw");
        let failed = reports.iter().find(|it| is(it, "slave", "failed")).unwrap();
        assert_eq!((&failed["err"], &failed["pg"]), (&code.into(), &0.into()));
        let hellos = portal.said(sn, "hello");
        assert!(hellos.iter().all(|hello| hello["fw"]["sl"] == "1.8"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_link_delays_an_update_and_does_not_break_it() {
    let portal = FakePortal::default();
    portal.hang_up(8);
    let devices: Vec<Device> = (0..8).map(|number| device(number, Vec::new())).collect();
    let link_faults = LinkFaults {
        duplicate: 0.1,
        reorder: 0.1,
        disconnect: 0.03,
        lose_ack: 0.05,
        max_offline: Duration::from_millis(50),
    };
    let fleet =
        start_updating_over(&portal, devices, &[(Part::Gateway, "1.15")], link_faults).await;
    until("all ends", || {
        let updated = |number: usize| {
            let sn = format!("SIM{number:05}");
            said(&portal, &sn, "gateway", "confirmed")
        };
        (0..8).all(updated)
    })
    .await;
    let stats = &fleet.context().stats;
    assert!(stats.reconnects.load(std::sync::atomic::Ordering::Relaxed) > 8);
    assert!(
        fleet
            .states()
            .iter()
            .all(|seen| seen.firmware.gateway == "1.15")
    );
}
