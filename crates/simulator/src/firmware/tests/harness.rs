//! A signer, a portal and a battery's updater without sockets: time is simulated, the network is a slice.
use super::super::assignment::AssignmentRecipient;
use super::super::{
    DownloadEvent, FactoryConfig, FirmwareKeys, PowerCut, UpdateAction, UpdateTiming, Updater,
};
use crate::wire::FirmwareVersions;
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{
    Assignment, Fault, FirmwareReport, Manifest, Part, SecretKey, SignedText, Stage, digest_of,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

pub(super) const NOW: Millis = 1_794_740_400_000;
pub(super) const HARDWARE: &str = "SC10";
pub(super) const SAMPLE_INTERVAL: Duration = Duration::from_secs(2);

pub(super) fn release() -> SecretKey {
    SecretKey::new([1; 32])
}

pub(super) fn director() -> SecretKey {
    SecretKey::new([2; 32])
}

pub(super) fn serial() -> Serial {
    "SC000001".parse().unwrap()
}

pub(super) fn job(number: u8) -> String {
    format!("{number:024x}")
}

/// An image that starts.
pub(super) fn image(part: Part) -> Vec<u8> {
    let name = part.as_str().as_bytes().iter().copied();
    name.cycle().take(7_001).collect()
}

/// One version newer than the factory's.
pub(super) fn manifest(part: Part, image: &[u8]) -> Manifest {
    let version = match part {
        Part::Gateway => "1.15",
        Part::Master => "2.7",
        Part::Slave => "1.9",
    };
    Manifest {
        part,
        hardware: HARDWARE.into(),
        version: version.parse().unwrap(),
        seq: 3,
        size: image.len() as u64,
        sha256: digest_of(image),
        min_from: None,
        expires_at: NOW + 1_000_000_000,
    }
}

pub(super) fn assignment(job_number: u8, number: i64, parts: Vec<SignedText>) -> Assignment {
    Assignment {
        sn: serial(),
        job: job(job_number).parse().unwrap(),
        number,
        parts,
        expires_at: NOW + 1_000_000,
    }
}

/// `down/fw`.
pub(super) fn assignment_message(sealed: &SignedText) -> Value {
    json!({ "assignment": sealed.text(), "sig": sealed.signature_hex(), "url": "http://127.0.0.1:1" })
}

/// The standard assignment of these parts.
pub(super) fn usual_assignment(parts: &[Part]) -> Value {
    let part = |part: &Part| manifest(*part, &image(*part)).sign(&release());
    assignment_message(&assignment(1, 1, parts.iter().map(part).collect()).sign(&director()))
}

/// A battery's updater with its surroundings.
pub(super) struct UpdateHarness {
    pub(super) updater: Updater,
    pub(super) now: Instant,
    pub(super) switched_on: bool,
    /// Images on the update service, by digest.
    pub(super) images: HashMap<String, Vec<u8>>,
    /// Bytes that arrive at once.
    pub(super) piece: usize,
    pub(super) reports: Vec<FirmwareReport>,
    pub(super) starts: u32,
    /// Whether the owner turns the switch when asked to; checked every now and then.
    pub(super) turns_switch: bool,
    ticks: u32,
    /// Whether it sent its hello since the last boot.
    said_hello: bool,
}

impl UpdateHarness {
    /// A battery that updates while it runs, too.
    pub(super) fn new(cuts: Vec<PowerCut>) -> Self {
        Self::of_kind(false, cuts)
    }

    pub(super) fn of_kind(needs_off: bool, cuts: Vec<PowerCut>) -> Self {
        let keys = FirmwareKeys {
            release: release().public(),
            director: director().public(),
        };
        let now = Instant::now();
        let timing = UpdateTiming::for_interval(SAMPLE_INTERVAL);
        let factory = FactoryConfig {
            firmware: &FirmwareVersions::newest(),
            needs_off,
            keys: Some(keys),
        };
        let images = Part::ALL.map(|part| {
            let image = image(part);
            (manifest(part, &image).digest(), image)
        });
        Self {
            updater: Updater::new(factory, timing, cuts, now),
            now,
            switched_on: true,
            images: images.into(),
            piece: 97,
            reports: Vec::new(),
            starts: 0,
            turns_switch: false,
            ticks: 0,
            said_hello: true,
        }
    }

    pub(super) fn assign(&mut self, assignment_message: &Value) {
        self.assign_at(assignment_message, NOW);
    }

    pub(super) fn assign_at(&mut self, assignment_message: &Value, time: Millis) {
        let sn = serial();
        let recipient = AssignmentRecipient {
            sn: &sn,
            hardware: HARDWARE,
            time,
        };
        self.updater.assign(assignment_message, recipient, self.now);
        self.collect();
    }

    fn collect(&mut self) {
        self.reports.extend(self.updater.take_reports());
    }

    /// Power is lost and returns after this long.
    pub(super) fn restart(&mut self, after: Duration) {
        self.now += after;
        self.starts += 1;
        self.said_hello = false;
        self.updater.start(self.now);
        self.collect();
    }

    /// Connected: it sends its hello, which is stored.
    fn hello(&mut self) {
        self.said_hello = true;
        self.updater.report_again();
        self.updater.hello_acknowledged(self.now);
        self.collect();
    }

    /// One step. Returns `false` when no update is in progress.
    pub(super) fn tick(&mut self) -> bool {
        self.ticks += 1;
        if self.turns_switch && self.ticks.is_multiple_of(5) {
            self.turn_switch();
        }
        let act = self.updater.tick(self.now, self.switched_on);
        self.collect();
        match act {
            Some(UpdateAction::Restart) => self.restart(Duration::from_secs(3)),
            Some(UpdateAction::LosePower(lasts)) => self.restart(lasts),
            None if !self.said_hello => self.hello(),
            None => self.wait(),
        }
        self.updater.job().is_some()
    }

    fn wait(&mut self) {
        if let Some(fetch) = self.updater.download_request(self.now) {
            self.now += Duration::from_millis(20);
            let answer = match self.images.get(&fetch.digest) {
                Some(image) => {
                    let rest = &image[usize::try_from(fetch.offset).unwrap()..];
                    let piece = rest[..self.piece.min(rest.len())].to_vec();
                    DownloadEvent::Bytes(piece.into())
                }
                None => DownloadEvent::Refused,
            };
            self.updater.record_download(answer, self.now);
            self.collect();
        } else if let Some(next) = self.updater.next_tick() {
            self.now = self.now.max(next);
        }
    }

    /// Turns the switch off and on while the updater waits for it; otherwise leaves it on.
    fn turn_switch(&mut self) {
        let waits = self
            .reports
            .last()
            .is_some_and(|report| report.stage == Stage::Waiting);
        self.switched_on = !(waits && self.switched_on);
    }

    /// Turns the switch and leaves it there for this long.
    pub(super) fn switch(&mut self, on: bool, lasts: Duration) {
        self.switched_on = on;
        for pause in [lasts, Duration::ZERO] {
            self.updater.tick(self.now, on);
            self.collect();
            self.now += pause;
        }
    }

    /// Runs until no update is in progress.
    pub(super) fn run_to_end(&mut self) {
        self.turns_switch = true;
        for _ in 0..20_000 {
            if !self.tick() {
                return;
            }
        }
        panic!(
            "the update does not end; last report: {:?}",
            self.reports.last()
        );
    }

    pub(super) fn version(&self, part: Part) -> String {
        self.updater.firmware().version(part).to_owned()
    }

    pub(super) fn seq(&self, part: Part) -> i64 {
        self.updater.flash.seq(part)
    }

    /// The final report: part, stage and fault.
    pub(super) fn last_outcome(&self) -> (Part, Stage, Option<Fault>) {
        let last = self.reports.last().unwrap();
        (last.part, last.stage, last.fault)
    }
}
