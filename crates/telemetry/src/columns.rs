//! Samples as columns, for compression, aggregation and charts.
use db::{Error, Result};
use domain::Sample;
use domain::clock::Millis;
use domain::flags::Flags;
use domain::names::variants;
use domain::sample::{BatteryStatus, Counter, MessageId};
use strum::VariantArray;

/// A value that was not measured. No device can send this number.
pub(crate) const MISSING: i64 = i64::MIN;

/// One value of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
#[repr(u8)]
pub(crate) enum SampleField {
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

impl SampleField {
    pub(crate) const COUNT: usize = Self::VARIANTS.len();
    pub(crate) const ALL: [Self; Self::COUNT] = variants();

    /// The voltage of the phase that a unit is on, 1 to 3.
    pub(crate) fn voltage(phase: u8) -> Self {
        match phase {
            2 => Self::Voltage2,
            3 => Self::Voltage3,
            _ => Self::Voltage1,
        }
    }

    pub(crate) fn counter(counter: Counter) -> Self {
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
pub(crate) struct Columns {
    pub(crate) times: Vec<Millis>,
    pub(crate) values: [Vec<i64>; SampleField::COUNT],
}

impl Columns {
    pub(crate) fn of(samples: &[Sample]) -> Self {
        let mut columns = Self {
            times: samples.iter().map(|sample| sample.at).collect(),
            ..Self::default()
        };
        for (index, field) in SampleField::ALL.into_iter().enumerate() {
            let values = samples.iter().map(|sample| value(sample, field));
            columns.values[index] = values.collect();
        }
        columns
    }

    pub(crate) fn get(&self, field: SampleField) -> &[i64] {
        &self.values[field as usize]
    }

    /// Converts back to samples. Every column must be present.
    pub(crate) fn samples(&self) -> Result<Vec<Sample>> {
        (0..self.times.len()).map(|row| self.sample(row)).collect()
    }

    fn sample(&self, row: usize) -> Result<Sample> {
        let damaged = || Error::Damaged("sealed_days.body");
        let raw = |field: SampleField| self.get(field).get(row).copied().ok_or_else(damaged);
        let small = |field: SampleField| match raw(field)? {
            MISSING => Ok(None),
            value => i32::try_from(value).map(Some).map_err(|_| damaged()),
        };
        let id = MessageId::from_stored(raw(SampleField::Boot)?, raw(SampleField::Seq)?);
        let bits = |field: SampleField| u16::try_from(raw(field)?).map_err(|_| damaged());
        let mut counters = [None; 5];
        for counter in Counter::ALL {
            let value = raw(SampleField::counter(counter))?;
            counters[counter as usize] = (value != MISSING).then_some(value);
        }
        let status = u8::try_from(raw(SampleField::Status)?).map_err(|_| damaged())?;
        Ok(Sample {
            at: self.times[row],
            id: id.ok_or_else(damaged)?,
            voltage: [
                small(SampleField::Voltage1)?,
                small(SampleField::Voltage2)?,
                small(SampleField::Voltage3)?,
            ],
            frequency: small(SampleField::Frequency)?,
            meter_power: [
                small(SampleField::Meter1)?,
                small(SampleField::Meter2)?,
                small(SampleField::Meter3)?,
            ],
            grid_power: small(SampleField::Grid)?,
            pv_power: small(SampleField::Pv)?,
            battery_power: small(SampleField::Battery)?,
            soc: small(SampleField::Soc)?,
            counters,
            status: BatteryStatus::from_number(status).ok_or_else(damaged)?,
            flags: Flags {
                message1: bits(SampleField::Message1)?,
                message2: bits(SampleField::Message2)?,
                message3: bits(SampleField::Message3)?,
                message5: bits(SampleField::Message5)?,
                message6: bits(SampleField::Message6)?,
            },
        })
    }
}

fn value(sample: &Sample, field: SampleField) -> i64 {
    let small = |value: Option<i32>| value.map_or(MISSING, i64::from);
    let counter = |counter| sample.counter(counter).unwrap_or(MISSING);
    let flags = &sample.flags;
    match field {
        SampleField::Voltage1 => small(sample.voltage[0]),
        SampleField::Voltage2 => small(sample.voltage[1]),
        SampleField::Voltage3 => small(sample.voltage[2]),
        SampleField::Frequency => small(sample.frequency),
        SampleField::Meter1 => small(sample.meter_power[0]),
        SampleField::Meter2 => small(sample.meter_power[1]),
        SampleField::Meter3 => small(sample.meter_power[2]),
        SampleField::Grid => small(sample.grid_power),
        SampleField::Pv => small(sample.pv_power),
        SampleField::Battery => small(sample.battery_power),
        SampleField::Soc => small(sample.soc),
        SampleField::Import => counter(Counter::Import),
        SampleField::FeedIn => counter(Counter::FeedIn),
        SampleField::PvEnergy => counter(Counter::Pv),
        SampleField::Charge => counter(Counter::Charge),
        SampleField::Discharge => counter(Counter::Discharge),
        SampleField::Boot => sample.id.stored_boot(),
        SampleField::Seq => i64::from(sample.id.seq),
        SampleField::Status => i64::from(sample.status as u8),
        SampleField::Message1 => i64::from(flags.message1),
        SampleField::Message2 => i64::from(flags.message2),
        SampleField::Message3 => i64::from(flags.message3),
        SampleField::Message5 => i64::from(flags.message5),
        SampleField::Message6 => i64::from(flags.message6),
    }
}
