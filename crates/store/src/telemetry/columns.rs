//! Samples turned into columns: what is compressed, summed and drawn.
use crate::{Error, Result};
use domain::Sample;
use domain::clock::Millis;
use domain::flags::Flags;
use domain::sample::{BatteryStatus, Counter, MessageId};

/// Stands for a value that was not measured. No device can send it.
pub(super) const MISSING: i64 = i64::MIN;

/// One value of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Field {
    Voltage1,
    Voltage2,
    Voltage3,
    Frequency,
    Meter1,
    Meter2,
    Meter3,
    Grid,
    Pv,
    Battery,
    Soc,
    Import,
    FeedIn,
    PvEnergy,
    Charge,
    Discharge,
    Boot,
    Seq,
    Status,
    Message1,
    Message2,
    Message3,
    Message5,
    Message6,
}

impl Field {
    pub(super) const COUNT: usize = 24;
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::Voltage1,
        Self::Voltage2,
        Self::Voltage3,
        Self::Frequency,
        Self::Meter1,
        Self::Meter2,
        Self::Meter3,
        Self::Grid,
        Self::Pv,
        Self::Battery,
        Self::Soc,
        Self::Import,
        Self::FeedIn,
        Self::PvEnergy,
        Self::Charge,
        Self::Discharge,
        Self::Boot,
        Self::Seq,
        Self::Status,
        Self::Message1,
        Self::Message2,
        Self::Message3,
        Self::Message5,
        Self::Message6,
    ];

    /// The voltage of the phase that a unit is on, 1 to 3.
    pub(super) fn voltage(phase: u8) -> Self {
        match phase {
            2 => Self::Voltage2,
            3 => Self::Voltage3,
            _ => Self::Voltage1,
        }
    }

    pub(super) fn counter(counter: Counter) -> Self {
        match counter {
            Counter::Import => Self::Import,
            Counter::FeedIn => Self::FeedIn,
            Counter::Pv => Self::PvEnergy,
            Counter::Charge => Self::Charge,
            Counter::Discharge => Self::Discharge,
        }
    }
}

/// Samples in order, column by column. A column that was not asked for is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) times: Vec<Millis>,
    pub(super) values: [Vec<i64>; Field::COUNT],
}

impl Columns {
    pub(super) fn of(samples: &[Sample]) -> Self {
        let mut columns = Self {
            times: samples.iter().map(|sample| sample.at).collect(),
            ..Self::default()
        };
        for (place, field) in Field::ALL.into_iter().enumerate() {
            let values = samples.iter().map(|sample| value(sample, field));
            columns.values[place] = values.collect();
        }
        columns
    }

    pub(super) fn get(&self, field: Field) -> &[i64] {
        &self.values[field as usize]
    }

    /// The samples again; every column must be there.
    pub(super) fn samples(&self) -> Result<Vec<Sample>> {
        (0..self.times.len()).map(|row| self.sample(row)).collect()
    }

    fn sample(&self, row: usize) -> Result<Sample> {
        let damaged = || Error::Damaged("sealed_days.body");
        let raw = |field: Field| self.get(field).get(row).copied().ok_or_else(damaged);
        let small = |field: Field| match raw(field)? {
            MISSING => Ok(None),
            value => i32::try_from(value).map(Some).map_err(|_| damaged()),
        };
        let id = MessageId::of_kept(raw(Field::Boot)?, raw(Field::Seq)?);
        let bits = |field: Field| u16::try_from(raw(field)?).map_err(|_| damaged());
        let mut counters = [None; 5];
        for counter in Counter::ALL {
            let value = raw(Field::counter(counter))?;
            counters[counter as usize] = (value != MISSING).then_some(value);
        }
        let status = u8::try_from(raw(Field::Status)?).map_err(|_| damaged())?;
        Ok(Sample {
            at: self.times[row],
            id: id.ok_or_else(damaged)?,
            voltage: [
                small(Field::Voltage1)?,
                small(Field::Voltage2)?,
                small(Field::Voltage3)?,
            ],
            frequency: small(Field::Frequency)?,
            meter_power: [
                small(Field::Meter1)?,
                small(Field::Meter2)?,
                small(Field::Meter3)?,
            ],
            grid_power: small(Field::Grid)?,
            pv_power: small(Field::Pv)?,
            battery_power: small(Field::Battery)?,
            soc: small(Field::Soc)?,
            counters,
            status: BatteryStatus::from_number(status).ok_or_else(damaged)?,
            flags: Flags {
                message1: bits(Field::Message1)?,
                message2: bits(Field::Message2)?,
                message3: bits(Field::Message3)?,
                message5: bits(Field::Message5)?,
                message6: bits(Field::Message6)?,
            },
        })
    }
}

fn value(sample: &Sample, field: Field) -> i64 {
    let small = |value: Option<i32>| value.map_or(MISSING, i64::from);
    let counter = |counter| sample.counter(counter).unwrap_or(MISSING);
    let flags = &sample.flags;
    match field {
        Field::Voltage1 => small(sample.voltage[0]),
        Field::Voltage2 => small(sample.voltage[1]),
        Field::Voltage3 => small(sample.voltage[2]),
        Field::Frequency => small(sample.frequency),
        Field::Meter1 => small(sample.meter_power[0]),
        Field::Meter2 => small(sample.meter_power[1]),
        Field::Meter3 => small(sample.meter_power[2]),
        Field::Grid => small(sample.grid_power),
        Field::Pv => small(sample.pv_power),
        Field::Battery => small(sample.battery_power),
        Field::Soc => small(sample.soc),
        Field::Import => counter(Counter::Import),
        Field::FeedIn => counter(Counter::FeedIn),
        Field::PvEnergy => counter(Counter::Pv),
        Field::Charge => counter(Counter::Charge),
        Field::Discharge => counter(Counter::Discharge),
        Field::Boot => sample.id.kept_boot(),
        Field::Seq => i64::from(sample.id.seq),
        Field::Status => i64::from(sample.status as u8),
        Field::Message1 => i64::from(flags.message1),
        Field::Message2 => i64::from(flags.message2),
        Field::Message3 => i64::from(flags.message3),
        Field::Message5 => i64::from(flags.message5),
        Field::Message6 => i64::from(flags.message6),
    }
}
