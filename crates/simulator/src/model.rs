//! Battery models as sold: the defaults for a serial number.
use crate::battery::Rating;
use crate::device::Device;
use crate::home::Household;
use crate::seed::Seed;
use crate::unit::{Installation, Share, Unit};
use crate::wire::{DeviceClock, FirmwareVersions};
use domain::clock::Millis;
use domain::{Serial, Zone};

/// Capacities in kWh, the most common ones twice.
const CAPACITIES_KWH: [i64; 6] = [5, 8, 8, 10, 10, 12];

impl FirmwareVersions {
    /// The versions that the factory installs now.
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

/// The model name for that capacity.
pub fn hardware(rating: &Rating) -> String {
    format!("SC{}", rating.capacity / 1_000)
}

/// Small models update only with the main switch off, large ones also while running.
pub fn update_needs_off(rating: &Rating) -> bool {
    rating.capacity < 10_000
}

pub fn random_rating(seed: Seed) -> Rating {
    Rating::of_kwh(CAPACITIES_KWH[seed.with(3).index(CAPACITIES_KWH.len())])
}

/// A battery's state when it is switched on.
#[derive(Clone, Debug)]
pub struct InitialState {
    pub at: Millis,
    /// The boot counter.
    pub boot: u32,
    /// State of charge in ‰.
    pub charge: i64,
    pub readings: [i64; 5],
}

impl Device {
    /// The battery with this serial number, alone in a home drawn from its seed.
    pub fn random(
        serial: Serial,
        secret: Vec<u8>,
        phase: u8,
        seed: Seed,
        start: &InitialState,
    ) -> Self {
        let zone: Zone = Zone::DEFAULT
            .parse()
            .expect("the zone is in the bundled database");
        let rating = random_rating(seed);
        let installation = Installation {
            seed,
            site: seed,
            household: Household::random(seed),
            rating,
            phase,
            share: Share::House,
            zone,
        };
        Self {
            serial,
            secret,
            hardware: hardware(&rating),
            firmware: FirmwareVersions::newest(),
            update_needs_off: update_needs_off(&rating),
            keys: None,
            cuts: Vec::new(),
            phase,
            zone: Zone::DEFAULT.to_owned(),
            rating,
            unit: Unit::new(installation, start.at, start.charge, start.readings),
            seed,
            device_clock: DeviceClock::CORRECT,
            boot: start.boot,
        }
    }
}
