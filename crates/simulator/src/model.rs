//! Batteries as they are sold: what a serial number stands for when nobody says more.
use crate::battery::Rating;
use crate::chance::Seed;
use crate::device::Device;
use crate::home::Household;
use crate::unit::{Installation, Share, Unit};
use crate::wire::{Firmware, Watch};
use domain::clock::Millis;
use domain::{Serial, Zone};

/// Sizes in kWh, the commonest twice.
const SIZES: [i64; 6] = [5, 8, 8, 10, 10, 12];

impl Firmware {
    /// What leaves the factory now.
    pub fn newest() -> Self {
        Self::of("2.6", "1.14", "1.8")
    }

    pub fn of(master: &str, gateway: &str, slave: &str) -> Self {
        Self {
            master: master.to_owned(),
            gateway: gateway.to_owned(),
            slave: slave.to_owned(),
        }
    }
}

/// The name on the case of a battery of that capacity.
pub fn hardware(rating: &Rating) -> String {
    format!("SC{}", rating.capacity / 1_000)
}

/// The small ones update only with their main switch off, the large ones also while they run.
pub fn update_needs_off(rating: &Rating) -> bool {
    rating.capacity < 10_000
}

pub fn rating_drawn(seed: Seed) -> Rating {
    Rating::of_kwh(SIZES[seed.with(3).place(SIZES.len())])
}

/// How a battery is found when it is switched on.
#[derive(Clone, Debug)]
pub struct Start {
    pub at: Millis,
    /// Counts its starts.
    pub boot: u32,
    /// In ‰.
    pub charge: i64,
    pub readings: [i64; 5],
}

impl Device {
    /// The battery with this number, alone in a home that its seed draws.
    pub fn drawn(serial: Serial, secret: Vec<u8>, phase: u8, seed: Seed, start: &Start) -> Self {
        let zone: Zone = Zone::DEFAULT
            .parse()
            .expect("the zone is in the bundled database");
        let rating = rating_drawn(seed);
        let installation = Installation {
            seed,
            site: seed,
            household: Household::drawn(seed),
            rating,
            phase,
            share: Share::House,
            zone,
        };
        Self {
            serial,
            secret,
            hardware: hardware(&rating),
            firmware: Firmware::newest(),
            update_needs_off: update_needs_off(&rating),
            keys: None,
            cuts: Vec::new(),
            phase,
            zone: Zone::DEFAULT.to_owned(),
            rating,
            unit: Unit::new(installation, start.at, start.charge, start.readings),
            seed,
            watch: Watch::RIGHT,
            boot: start.boot,
        }
    }
}
