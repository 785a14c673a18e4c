//! `up/tele`: one sample. `up/hist` has several.
use super::number::{
    HERTZ, PERCENT, SUN_WATTS, VOLTS, WATTS, counter, device_time, scaled, scaled_phases,
};
use super::payload::{OUT_OF_RANGE, RejectReason};
use super::phases::Phases;
use crate::clock_correction::DeviceTime;
use domain::Sample;
use domain::clock::Millis;
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId, tenth_of_second};
use serde::{Deserialize, Serialize};

/// A sample as the battery sends it. It is serialized again to store samples that are rejected or undated.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct SampleMessage {
    #[serde(default, rename = "t")]
    time: Option<Millis>,
    #[serde(rename = "b")]
    pub(crate) boot: u32,
    #[serde(rename = "s")]
    seq: u32,
    #[serde(rename = "u")]
    uptime: Millis,
    #[serde(rename = "q")]
    clock_quality: u8,
    #[serde(default, rename = "uv")]
    voltage: Phases,
    #[serde(default, rename = "f")]
    frequency: Option<f64>,
    #[serde(default, rename = "pp")]
    meter_power: Phases,
    #[serde(default, rename = "pg")]
    grid_power: Option<f64>,
    #[serde(default, rename = "pv")]
    pv_power: Option<f64>,
    #[serde(default, rename = "pb")]
    battery_power: Option<f64>,
    #[serde(default)]
    soc: Option<f64>,
    #[serde(default, rename = "ei")]
    import: Option<f64>,
    #[serde(default, rename = "ee")]
    feed_in: Option<f64>,
    #[serde(default, rename = "ep")]
    pv_energy: Option<f64>,
    #[serde(default, rename = "ec")]
    charge: Option<f64>,
    #[serde(default, rename = "ed")]
    discharge: Option<f64>,
    #[serde(rename = "bs")]
    status: u8,
    #[serde(default, rename = "m1")]
    message1: u16,
    #[serde(default, rename = "m2")]
    message2: u16,
    #[serde(default, rename = "m3")]
    message3: u16,
    #[serde(default, rename = "m5")]
    message5: u16,
    #[serde(default, rename = "m6")]
    message6: u16,
}

impl SampleMessage {
    pub(crate) fn id(&self) -> MessageId {
        MessageId::new(self.boot, self.seq)
    }

    /// The sample, dated by `time_of`; `None` if it cannot be dated. `time_of` is called last, because it learns from its
    /// arguments and must not learn from a reject.
    pub(crate) fn to_sample(
        &self,
        time_of: impl FnOnce(DeviceTime) -> Option<Millis>,
    ) -> Result<Option<Sample>, RejectReason> {
        let voltage = scaled_phases(self.voltage, &VOLTS, 10.0)?;
        let frequency = scaled(self.frequency, &HERTZ, 100.0)?;
        let meter_power = scaled_phases(self.meter_power, &WATTS, 1.0)?;
        let grid_power = scaled(self.grid_power, &WATTS, 1.0)?;
        let pv_power = scaled(self.pv_power, &SUN_WATTS, 1.0)?;
        let battery_power = scaled(self.battery_power, &WATTS, 1.0)?;
        let soc = scaled(self.soc, &PERCENT, 10.0)?;
        let counters = [
            counter(self.import)?,
            counter(self.feed_in)?,
            counter(self.pv_energy)?,
            counter(self.charge)?,
            counter(self.discharge)?,
        ];
        let status = BatteryStatus::from_number(self.status).ok_or(OUT_OF_RANGE)?;
        let device_time = device_time(self.boot, self.time, self.uptime, self.clock_quality)?;
        Ok(time_of(device_time).map(|at| Sample {
            at: tenth_of_second(at),
            id: self.id(),
            voltage,
            frequency,
            meter_power,
            grid_power,
            pv_power,
            battery_power,
            soc,
            counters,
            status,
            flags: Flags {
                message1: self.message1,
                message2: self.message2,
                message3: self.message3,
                message5: self.message5,
                message6: self.message6,
            },
        }))
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
