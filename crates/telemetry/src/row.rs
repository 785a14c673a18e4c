//! Samples as rows: each has a small packed body, so that thousands fit into one statement.
use crate::varint::{self, ByteReader};
use db::{Error, FromRow, Result};
use domain::Sample;
use domain::clock::Millis;
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId};

#[derive(Debug, FromRow)]
pub(crate) struct Row {
    ts: Millis,
    boot: i64,
    seq: i64,
    body: Vec<u8>,
}

impl Row {
    pub(crate) fn sample(&self) -> Result<Sample> {
        let id = MessageId::from_stored(self.boot, self.seq);
        let id = id.ok_or(Error::Damaged("samples.boot, seq"))?;
        unpack(self.ts, id, &self.body)
    }
}

/// Packs everything but time and message id. A bit per optional value says whether it is present.
pub(crate) fn pack(sample: &Sample) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    let values = values(sample);
    let mut present = 0;
    for (place, value) in values.iter().enumerate() {
        present |= u64::from(value.is_some()) << place;
    }
    varint::put(&mut out, present);
    for value in values.into_iter().flatten() {
        varint::put_signed(&mut out, value);
    }
    out.push(sample.status as u8);
    let Flags {
        message1,
        message2,
        message3,
        message5,
        message6,
    } = sample.flags;
    for bits in [message1, message2, message3, message5, message6] {
        varint::put(&mut out, u64::from(bits));
    }
    out
}

fn values(sample: &Sample) -> [Option<i64>; 16] {
    let [v1, v2, v3] = sample.voltage;
    let [p1, p2, p3] = sample.meter_power;
    let small = [
        v1,
        v2,
        v3,
        sample.frequency,
        p1,
        p2,
        p3,
        sample.grid_power,
        sample.pv_power,
        sample.battery_power,
        sample.soc,
    ];
    let mut all = [None; 16];
    for (place, value) in small.into_iter().enumerate() {
        all[place] = value.map(i64::from);
    }
    all[11..].copy_from_slice(&sample.counters);
    all
}

pub(crate) fn unpack(at: Millis, id: MessageId, body: &[u8]) -> Result<Sample> {
    let mut reader = ByteReader::new(body, "samples.body");
    let present = reader.unsigned()?;
    let mut small = [None; 11];
    for (place, value) in small.iter_mut().enumerate() {
        if present >> place & 1 == 1 {
            *value = Some(reader.signed_number::<i32>()?);
        }
    }
    let mut counters = [None; 5];
    for (place, value) in counters.iter_mut().enumerate() {
        if present >> (place + 11) & 1 == 1 {
            *value = Some(reader.signed()?);
        }
    }
    let status = BatteryStatus::from_number(reader.byte()?);
    let status = status.ok_or_else(|| reader.damaged())?;
    let [
        v1,
        v2,
        v3,
        frequency,
        p1,
        p2,
        p3,
        grid_power,
        pv_power,
        battery_power,
        soc,
    ] = small;
    Ok(Sample {
        at,
        id,
        voltage: [v1, v2, v3],
        frequency,
        meter_power: [p1, p2, p3],
        grid_power,
        pv_power,
        battery_power,
        soc,
        counters,
        status,
        flags: Flags {
            message1: reader.number()?,
            message2: reader.number()?,
            message3: reader.number()?,
            message5: reader.number()?,
            message6: reader.number()?,
        },
    })
}
