//! Numbers of a battery: checked against what it can measure, and rounded to the units of the database.
use super::payload::{OUT_OF_RANGE, RejectReason};
use super::phases::Phases;
use crate::clock_correction::DeviceTime;
use domain::clock::{DAY, Millis};
use std::ops::RangeInclusive;

pub(super) const VOLTS: RangeInclusive<f64> = 0.0..=1_000.0;
pub(super) const HERTZ: RangeInclusive<f64> = 0.0..=100.0;
pub(super) const WATTS: RangeInclusive<f64> = -1e6..=1e6;
pub(super) const SUN_WATTS: RangeInclusive<f64> = 0.0..=1e6;
pub(super) const PERCENT: RangeInclusive<f64> = 0.0..=100.0;
const WATT_HOURS: RangeInclusive<f64> = 0.0..=1e12;
/// Longer than the life of any device.
const MAX_UPTIME: Millis = 30 * 366 * DAY;
/// JavaScript reads integers exactly up to here; no system saves that often.
const MAX_VERSION: i64 = 1 << 53;

pub(super) fn scaled(
    value: Option<f64>,
    range: &RangeInclusive<f64>,
    scale: f64,
) -> Result<Option<i32>, RejectReason> {
    let Some(value) = value else { return Ok(None) };
    if !range.contains(&value) {
        return Err(OUT_OF_RANGE);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range fits")]
    let scaled = (value * scale).round() as i32;
    Ok(Some(scaled))
}

pub(super) fn scaled_phases(
    Phases([a, b, c]): Phases,
    range: &RangeInclusive<f64>,
    scale: f64,
) -> Result<[Option<i32>; 3], RejectReason> {
    Ok([
        scaled(a, range, scale)?,
        scaled(b, range, scale)?,
        scaled(c, range, scale)?,
    ])
}

pub(super) fn watt_hours(value: f64) -> Result<i64, RejectReason> {
    if !WATT_HOURS.contains(&value) {
        return Err(OUT_OF_RANGE);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range fits")]
    let rounded = value.round() as i64;
    Ok(rounded)
}

pub(super) fn counter(value: Option<f64>) -> Result<Option<i64>, RejectReason> {
    value.map(watt_hours).transpose()
}

pub(super) fn settings_version(version: i64) -> Result<i64, RejectReason> {
    let known = (0..MAX_VERSION).contains(&version);
    known.then_some(version).ok_or(OUT_OF_RANGE)
}

pub(super) fn device_time(
    boot: u32,
    time: Option<Millis>,
    uptime: Millis,
    quality: u8,
) -> Result<DeviceTime, RejectReason> {
    if !(0..=MAX_UPTIME).contains(&uptime) || quality > 2 {
        return Err(OUT_OF_RANGE);
    }
    Ok(DeviceTime {
        boot,
        time: plausible_time(time),
        uptime,
        quality,
    })
}

/// Drops an implausible time: the clock was never set.
pub(super) fn plausible_time(time: Option<Millis>) -> Option<Millis> {
    time.filter(|time| (0..=DAY * 366 * 300).contains(time))
}
