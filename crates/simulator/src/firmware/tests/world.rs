//! A maker, a portal and a battery's updater without sockets: time is counted, the network is a slice.
use super::super::check::Reader;
use super::super::{Act, Cut, Factory, FirmwareKeys, Loaded, Pace, Updater};
use crate::wire::Firmware;
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{
    Assignment, Fault, FirmwareReport, Manifest, Part, Sealed, SecretKey, Stage, digest_of,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

pub(super) const NOW: Millis = 1_794_740_400_000;
pub(super) const HARDWARE: &str = "SC10";
pub(super) const PACE: Duration = Duration::from_secs(2);

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

/// One step newer than what the factory installs.
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

pub(super) fn assignment(job_number: u8, number: i64, parts: Vec<Sealed>) -> Assignment {
    Assignment {
        sn: serial(),
        job: job(job_number).parse().unwrap(),
        number,
        parts,
        expires_at: NOW + 1_000_000,
    }
}

/// `down/fw`.
pub(super) fn letter(sealed: &Sealed) -> Value {
    json!({ "assignment": sealed.text(), "sig": sealed.signature_hex(), "url": "http://127.0.0.1:1" })
}

/// The usual assignment of these parts.
pub(super) fn usual(parts: &[Part]) -> Value {
    let part = |part: &Part| manifest(*part, &image(*part)).sign(&release());
    letter(&assignment(1, 1, parts.iter().map(part).collect()).sign(&director()))
}

/// A battery and whatever is around it.
pub(super) struct World {
    pub(super) updater: Updater,
    pub(super) now: Instant,
    pub(super) switched_on: bool,
    /// What the update service has, by digest.
    pub(super) images: HashMap<String, Vec<u8>>,
    /// Bytes that come at once.
    pub(super) piece: usize,
    pub(super) reports: Vec<FirmwareReport>,
    pub(super) starts: u32,
    /// Whether the owner turns the switch when he is asked to; he looks at it every now and then.
    pub(super) helped: bool,
    moments: u32,
    /// Whether it has said hello since it started.
    greeted: bool,
}

impl World {
    /// A battery that also updates while it runs.
    pub(super) fn new(cuts: Vec<Cut>) -> Self {
        Self::of_kind(false, cuts)
    }

    pub(super) fn of_kind(needs_off: bool, cuts: Vec<Cut>) -> Self {
        let keys = FirmwareKeys {
            release: release().public(),
            director: director().public(),
        };
        let now = Instant::now();
        let pace = Pace::of(PACE);
        let factory = Factory {
            firmware: &Firmware::newest(),
            needs_off,
            keys: Some(keys),
        };
        let images = Part::ALL.map(|part| {
            let image = image(part);
            (manifest(part, &image).digest(), image)
        });
        Self {
            updater: Updater::new(factory, pace, cuts, now),
            now,
            switched_on: true,
            images: images.into(),
            piece: 97,
            reports: Vec::new(),
            starts: 0,
            helped: false,
            moments: 0,
            greeted: true,
        }
    }

    pub(super) fn assign(&mut self, letter: &Value) {
        self.assign_at(letter, NOW);
    }

    pub(super) fn assign_at(&mut self, letter: &Value, time: Millis) {
        let sn = serial();
        let reader = Reader {
            sn: &sn,
            hardware: HARDWARE,
            time,
        };
        self.updater.assign(letter, reader, self.now);
        self.collect();
    }

    fn collect(&mut self) {
        self.reports.extend(self.updater.take_reports());
    }

    /// Power is lost and comes back after so long.
    pub(super) fn restart(&mut self, after: Duration) {
        self.now += after;
        self.starts += 1;
        self.greeted = false;
        self.updater.start(self.now);
        self.collect();
    }

    /// The link is up: it says hello, which is stored.
    fn hello(&mut self) {
        self.greeted = true;
        self.updater.say_again();
        self.updater.hello_was_heard(self.now);
        self.collect();
    }

    /// One moment of its life. `false` when no update is open.
    pub(super) fn live(&mut self) -> bool {
        self.moments += 1;
        if self.helped && self.moments.is_multiple_of(5) {
            self.turn_switch();
        }
        let act = self.updater.look(self.now, self.switched_on);
        self.collect();
        match act {
            Some(Act::Restart) => self.restart(Duration::from_secs(3)),
            Some(Act::LosePower(lasts)) => self.restart(lasts),
            None if !self.greeted => self.hello(),
            None => self.wait(),
        }
        self.updater.job().is_some()
    }

    fn wait(&mut self) {
        if let Some(fetch) = self.updater.fetch(self.now) {
            self.now += Duration::from_millis(20);
            let answer = match self.images.get(&fetch.digest) {
                Some(image) => {
                    let rest = &image[usize::try_from(fetch.offset).unwrap()..];
                    let piece = rest[..self.piece.min(rest.len())].to_vec();
                    Loaded::Bytes(piece.into())
                }
                None => Loaded::Refused,
            };
            self.updater.load(answer, self.now);
            self.collect();
        } else if let Some(next) = self.updater.next_look() {
            self.now = self.now.max(next);
        }
    }

    /// The switch goes off and on while it is waited for, and is on otherwise.
    fn turn_switch(&mut self) {
        let waits = self
            .reports
            .last()
            .is_some_and(|report| report.stage == Stage::Waiting);
        self.switched_on = !(waits && self.switched_on);
    }

    /// Somebody turns the switch and leaves it there for so long.
    pub(super) fn switch(&mut self, on: bool, lasts: Duration) {
        self.switched_on = on;
        for pause in [lasts, Duration::ZERO] {
            self.updater.look(self.now, on);
            self.collect();
            self.now += pause;
        }
    }

    /// Lives until nothing is open.
    pub(super) fn end(&mut self) {
        self.helped = true;
        for _ in 0..20_000 {
            if !self.live() {
                return;
            }
        }
        panic!("stuck: {:?}", self.reports.last());
    }

    pub(super) fn version(&self, part: Part) -> String {
        self.updater.firmware().version(part).to_owned()
    }

    pub(super) fn seq(&self, part: Part) -> i64 {
        self.updater.flash.seq(part)
    }

    /// The last word: the part, its stage and what was wrong.
    pub(super) fn last_word(&self) -> (Part, Stage, Option<Fault>) {
        let last = self.reports.last().unwrap();
        (last.part, last.stage, last.fault)
    }
}
