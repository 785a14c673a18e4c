//! `up/hello`: a battery's facts about itself.
use super::number::{SUN_WATTS, device_time, scaled, settings_version, watt_hours};
use super::payload::{OUT_OF_RANGE, RejectReason, UNKNOWN_ZONE};
use crate::clock_correction::DeviceTime;
use domain::Hello;
use domain::clock::Millis;
use domain::hello::PartVersions;
use domain::sample::MessageId;
use serde::Deserialize;

const MAX_NAME_BYTES: usize = 64;

#[derive(Debug, Deserialize)]
pub(crate) struct HelloMessage {
    #[serde(rename = "b")]
    boot: u32,
    #[serde(rename = "s")]
    seq: u32,
    #[serde(default, rename = "t")]
    time: Option<Millis>,
    #[serde(rename = "u")]
    uptime: Millis,
    #[serde(rename = "q")]
    clock_quality: u8,
    #[serde(rename = "hw")]
    hardware: String,
    phase: u8,
    #[serde(rename = "cap")]
    capacity: f64,
    #[serde(rename = "pcmax")]
    charge_max: f64,
    #[serde(rename = "pdmax")]
    discharge_max: f64,
    #[serde(rename = "tz")]
    zone: String,
    #[serde(default, rename = "fw")]
    firmware: InstalledFirmware,
    #[serde(default, rename = "rep_ver")]
    settings_version: i64,
}

#[derive(Debug, Default, Deserialize)]
struct InstalledFirmware {
    #[serde(default, rename = "m")]
    master: Option<String>,
    #[serde(default, rename = "g")]
    gateway: Option<String>,
    #[serde(default, rename = "sl")]
    slave: Option<String>,
    #[serde(default, rename = "off")]
    needs_off: Option<u8>,
}

impl HelloMessage {
    pub(crate) fn into_hello(self) -> Result<(Hello, DeviceTime), RejectReason> {
        if !(1..=3).contains(&self.phase) || !is_plain(&self.hardware) {
            return Err(OUT_OF_RANGE);
        }
        let hello = Hello {
            id: MessageId::new(self.boot, self.seq),
            capacity: watt_hours(self.capacity)?,
            charge_max: rated_power(self.charge_max)?,
            discharge_max: rated_power(self.discharge_max)?,
            zone: self.zone.parse().map_err(|_| UNKNOWN_ZONE)?,
            versions: PartVersions {
                master: part_version(self.firmware.master)?,
                gateway: part_version(self.firmware.gateway)?,
                slave: part_version(self.firmware.slave)?,
            },
            // Batteries update with the main switch off, as the specification says, unless they report otherwise.
            update_needs_off: self.firmware.needs_off != Some(0),
            phase: self.phase,
            hardware: self.hardware,
            settings_version: settings_version(self.settings_version)?,
        };
        let device_time = device_time(self.boot, self.time, self.uptime, self.clock_quality)?;
        Ok((hello, device_time))
    }
}

fn rated_power(watts: f64) -> Result<i64, RejectReason> {
    let watts = scaled(Some(watts), &SUN_WATTS, 1.0)?;
    Ok(watts.map_or(0, i64::from))
}

/// A missing part has no version: missing, null or empty.
fn part_version(version: Option<String>) -> Result<Option<String>, RejectReason> {
    match version.filter(|version| !version.is_empty()) {
        Some(version) if !is_plain(&version) => Err(OUT_OF_RANGE),
        version => Ok(version),
    }
}

/// Names and versions are shown to people: short, printable, one line.
fn is_plain(text: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&text.len()) && text.chars().all(|c| !c.is_control())
}
