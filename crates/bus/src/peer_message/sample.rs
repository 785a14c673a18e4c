//! A sample as processes send it to each other.
use domain::Sample;
use domain::clock::Millis;
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId};
use serde::{Deserialize, Serialize};

/// A sample with short names in JSON, because a few hundred are sent per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PeerSample {
    sn: String,
    #[serde(rename = "r")]
    received_at: Millis,
    #[serde(rename = "t")]
    measured_at: Millis,
    #[serde(rename = "n")]
    unit: u8,
    #[serde(rename = "b")]
    boot: u32,
    #[serde(rename = "s")]
    seq: u32,
    #[serde(rename = "u")]
    voltage: [Option<i32>; 3],
    #[serde(rename = "f")]
    frequency: Option<i32>,
    #[serde(rename = "p")]
    meter_power: [Option<i32>; 3],
    #[serde(rename = "g")]
    grid_power: Option<i32>,
    #[serde(rename = "v")]
    pv_power: Option<i32>,
    #[serde(rename = "a")]
    battery_power: Option<i32>,
    #[serde(rename = "c")]
    soc: Option<i32>,
    #[serde(rename = "e")]
    counters: [Option<i64>; 5],
    #[serde(rename = "st")]
    status: u8,
    #[serde(rename = "m")]
    flags: [u16; 5],
}

impl PeerSample {
    pub(super) fn new(sn: String, sample: &Sample, received_at: Millis) -> Self {
        let flags = sample.flags;
        Self {
            sn,
            received_at,
            measured_at: sample.at,
            unit: sample.id.unit,
            boot: sample.id.boot,
            seq: sample.id.seq,
            voltage: sample.voltage,
            frequency: sample.frequency,
            meter_power: sample.meter_power,
            grid_power: sample.grid_power,
            pv_power: sample.pv_power,
            battery_power: sample.battery_power,
            soc: sample.soc,
            counters: sample.counters,
            status: sample.status as u8,
            flags: [
                flags.message1,
                flags.message2,
                flags.message3,
                flags.message5,
                flags.message6,
            ],
        }
    }

    pub(super) fn sn(&self) -> &str {
        &self.sn
    }

    pub(crate) fn received_at(&self) -> Millis {
        self.received_at
    }

    pub(crate) fn sample(&self) -> Sample {
        let [message1, message2, message3, message5, message6] = self.flags;
        Sample {
            at: self.measured_at,
            id: MessageId::new(self.boot, self.seq).with_unit(self.unit),
            voltage: self.voltage,
            frequency: self.frequency,
            meter_power: self.meter_power,
            grid_power: self.grid_power,
            pv_power: self.pv_power,
            battery_power: self.battery_power,
            soc: self.soc,
            counters: self.counters,
            status: BatteryStatus::from_number(self.status).unwrap_or_default(),
            flags: Flags {
                message1,
                message2,
                message3,
                message5,
                message6,
            },
        }
    }
}
