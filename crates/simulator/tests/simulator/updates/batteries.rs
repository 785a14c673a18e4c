//! Batteries that are told to update themselves, and what is known of them.
use super::JOB;
use super::portal::{Portal, SECRET, keys, manifest, release};
use domain::firmware::Part;
use domain::{Clock, Serial};
use serde_json::Value;
use simulator::model::Start;
use simulator::{Cut, Device, Fleet, Mischief, Seed, World};
use std::time::Duration;

pub(crate) fn image(part: Part) -> Vec<u8> {
    let name = part.as_str().bytes();
    name.cycle().take(50_021).collect()
}

pub(crate) fn device(number: usize, cuts: Vec<Cut>) -> Device {
    let sn: Serial = format!("SIM{number:05}").parse().unwrap();
    let seed = Seed::of(&sn, 1);
    let start = Start {
        at: Clock::system().now(),
        boot: 1,
        charge: 500,
        readings: [1_000; 5],
    };
    let mut device = Device::drawn(sn, SECRET.to_vec(), 1, seed, &start);
    (device.keys, device.cuts) = (Some(keys()), cuts);
    device.update_needs_off = false;
    device
}

/// Batteries that are told to install these parts.
pub(crate) async fn told(portal: &Portal, devices: Vec<Device>, parts: &[(Part, &str)]) -> Fleet {
    told_over(portal, devices, parts, Mischief::default()).await
}

/// The same over a link that is not always right.
pub(crate) async fn told_over(
    portal: &Portal,
    devices: Vec<Device>,
    parts: &[(Part, &str)],
    mischief: Mischief,
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
    let mut world = World::new(gateway, Duration::from_millis(25), Clock::system());
    world.history_jitter = Duration::from_millis(50);
    world.takes_orders = true;
    world.mischief = mischief;
    Fleet::start(world, devices)
}

pub(crate) fn cut(part: Part, percent: u8) -> Cut {
    Cut {
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
    panic!("{what}: not after 30 s");
}

pub(crate) fn is(report: &Value, part: &str, stage: &str) -> bool {
    report["part"] == part && report["st"] == stage
}

/// Whether it ever said so.
pub(crate) fn said(portal: &Portal, sn: &str, part: &str, stage: &str) -> bool {
    let reports = portal.said(sn, "fw");
    reports.iter().any(|report| is(report, part, stage))
}
