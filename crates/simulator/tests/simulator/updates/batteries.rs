//! Batteries with an assignment, and queries about their reports.
use super::JOB;
use super::portal::{FakePortal, SECRET, keys, manifest, release};
use domain::firmware::Part;
use domain::{Clock, Serial};
use serde_json::Value;
use simulator::model::InitialState;
use simulator::{Device, Fleet, FleetContext, LinkFaults, PowerCut, Seed};
use std::time::Duration;

pub(crate) fn image(part: Part) -> Vec<u8> {
    let name = part.as_str().bytes();
    name.cycle().take(50_021).collect()
}

pub(crate) fn device(number: usize, cuts: Vec<PowerCut>) -> Device {
    let sn: Serial = format!("SIM{number:05}").parse().unwrap();
    let seed = Seed::of(&sn, 1);
    let start = InitialState {
        at: Clock::system().now(),
        boot: 1,
        charge: 500,
        readings: [1_000; 5],
    };
    let mut device = Device::random(sn, SECRET.to_vec(), 1, seed, &start);
    (device.keys, device.cuts) = (Some(keys()), cuts);
    device.update_needs_off = false;
    device
}

/// Starts batteries that are assigned these parts.
pub(crate) async fn start_updating(
    portal: &FakePortal,
    devices: Vec<Device>,
    parts: &[(Part, &str)],
) -> Fleet {
    start_updating_over(portal, devices, parts, LinkFaults::default()).await
}

/// The same over a faulty link.
pub(crate) async fn start_updating_over(
    portal: &FakePortal,
    devices: Vec<Device>,
    parts: &[(Part, &str)],
    link_faults: LinkFaults,
) -> Fleet {
    let gateway = portal.listen().await;
    let url = portal.serve_images().await;
    for device in &devices {
        let sealed = parts.iter().map(|(part, version)| {
            let image = image(*part);
            portal.publish(&image);
            manifest(*part, version, &image, &device.hardware).sign(&release())
        });
        portal.assign(&device.serial, JOB, sealed.collect(), &url);
    }
    let mut context = FleetContext::new(gateway, Duration::from_millis(25), Clock::system());
    context.history_jitter = Duration::from_millis(50);
    context.accepts_interventions = true;
    context.link_faults = link_faults;
    Fleet::start(context, devices)
}

pub(crate) fn cut(part: Part, percent: u8) -> PowerCut {
    PowerCut {
        part,
        percent,
        lasts: Duration::from_millis(80),
    }
}

pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what}: timeout after 30 s");
}

pub(crate) fn is(report: &Value, part: &str, stage: &str) -> bool {
    report["part"] == part && report["st"] == stage
}

/// Whether it ever reported this stage.
pub(crate) fn said(portal: &FakePortal, sn: &str, part: &str, stage: &str) -> bool {
    let reports = portal.said(sn, "fw");
    reports.iter().any(|report| is(report, part, stage))
}
