//! Encoding of a battery's messages, written directly into a reused text buffer.
use crate::device_event::DeviceEvent;
use domain::clock::Millis;
use domain::firmware::{JobId, Part};
use domain::sample::{Counter, MessageId};
use domain::{Sample, Serial};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::{self, Write};
use std::io::Write as _;

/// The maximum number of samples in one `up/hist`.
pub const MAX_BATCH_SAMPLES: usize = 60;

/// The version of the device link.
const LINK_VERSION: u8 = 1;

/// The versions of a battery's three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirmwareVersions {
    pub master: String,
    pub gateway: String,
    pub slave: String,
}

impl FirmwareVersions {
    pub fn version(&self, part: Part) -> &str {
        match part {
            Part::Gateway => &self.gateway,
            Part::Master => &self.master,
            Part::Slave => &self.slave,
        }
    }
}

/// A battery's description of itself.
#[derive(Clone, Debug)]
pub struct Identity {
    pub serial: Serial,
    pub hardware: String,
    pub firmware: FirmwareVersions,
    /// It updates only with its main switch off.
    pub update_needs_off: bool,
    pub phase: u8,
    /// Usable capacity in Wh; rated charge and discharge power in W.
    pub capacity: i64,
    pub charge_max: i32,
    pub discharge_max: i32,
    pub zone: String,
}

/// The variable fields of a hello.
#[derive(Clone, Copy, Debug)]
pub struct HelloFields<'a> {
    pub identity: &'a Identity,
    /// The version of the settings in use.
    pub settings_version: i64,
    /// The update in progress.
    pub job: Option<&'a JobId>,
}

/// The error and quality of a battery's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceClock {
    /// Clock time minus true time.
    pub error: Millis,
    /// 0 none, 1 RTC, 2 NTP.
    pub quality: u8,
}

impl DeviceClock {
    pub const CORRECT: Self = Self {
        error: 0,
        quality: 2,
    };
}

/// A sample with the battery's uptime at that moment.
#[derive(Clone, Copy, Debug)]
pub struct StampedSample {
    pub sample: Sample,
    pub uptime: Millis,
}

/// A fixed-point number with `DECIMALS` decimals, or `null`.
struct Fixed<const DECIMALS: u32>(Option<i32>);

impl<const DECIMALS: u32> fmt::Display for Fixed<DECIMALS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(value) = self.0 else {
            return f.write_str("null");
        };
        let unit = 10_u32.pow(DECIMALS);
        let (sign, size) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
        let width = DECIMALS as usize;
        write!(f, "{sign}{}.{:0width$}", size / unit, size % unit)
    }
}

/// An integer or `null`.
struct Plain<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Plain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// Appends the start that all messages share, without the closing brace.
fn write_header(
    text: &mut String,
    id: MessageId,
    at: Millis,
    uptime: Millis,
    device_clock: DeviceClock,
) {
    let MessageId { boot, seq, .. } = id;
    let (t, q) = (at + device_clock.error, device_clock.quality);
    // Writing into a String cannot fail.
    let _ = write!(
        text,
        r#"{{"b":{boot},"s":{seq},"t":{t},"u":{uptime},"q":{q}"#
    );
}

/// `up/tele`, and one element of `up/hist`. Missing values are `null`.
pub fn sample(text: &mut String, measured: &StampedSample, device_clock: DeviceClock) {
    let StampedSample { sample, uptime } = measured;
    write_header(text, sample.id, sample.at, *uptime, device_clock);
    let [u1, u2, u3] = sample.voltage.map(Fixed::<1>);
    let [p1, p2, p3] = sample.meter_power.map(Plain);
    let _ = write!(
        text,
        r#","uv":[{u1},{u2},{u3}],"f":{},"pp":[{p1},{p2},{p3}],"pg":{},"pv":{},"pb":{},"soc":{}"#,
        Fixed::<2>(sample.frequency),
        Plain(sample.grid_power),
        Plain(sample.pv_power),
        Plain(sample.battery_power),
        Fixed::<1>(sample.soc),
    );
    let names = ["ei", "ee", "ep", "ec", "ed"];
    for (name, counter) in names.iter().zip(Counter::ALL) {
        let _ = write!(text, r#","{name}":{}"#, Plain(sample.counter(counter)));
    }
    let flags = &sample.flags;
    let _ = write!(
        text,
        r#","bs":{},"m1":{},"m2":{},"m3":{},"m5":{},"m6":{}}}"#,
        sample.status as u8,
        flags.message1,
        flags.message2,
        flags.message3,
        flags.message5,
        flags.message6
    );
}

/// `up/hist`: a JSON array of samples, compressed with zlib.
pub fn history(text: &mut String, batch: &[StampedSample], device_clock: DeviceClock) -> Vec<u8> {
    text.push('[');
    for (index, measured) in batch.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        sample(text, measured, device_clock);
    }
    text.push(']');
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing into a Vec cannot fail.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default()
}

/// `up/hello`.
pub fn hello(
    text: &mut String,
    id: MessageId,
    at: Millis,
    uptime: Millis,
    device_clock: DeviceClock,
    present: HelloFields<'_>,
) {
    write_header(text, id, at, uptime, device_clock);
    let HelloFields {
        identity,
        settings_version,
        job,
    } = present;
    let Identity {
        hardware,
        firmware,
        update_needs_off,
        phase,
        capacity,
        charge_max,
        discharge_max,
        zone,
        ..
    } = identity;
    let FirmwareVersions {
        master,
        gateway,
        slave,
    } = firmware;
    let off = u8::from(*update_needs_off);
    let _ = write!(
        text,
        r#","v":{LINK_VERSION},"hw":"{hardware}","phase":{phase},"cap":{capacity},"pcmax":{charge_max},"pdmax":{discharge_max},"tz":"{zone}","fw":{{"m":"{master}","g":"{gateway}","sl":"{slave}","off":{off}}},"rep_ver":{settings_version}"#
    );
    if let Some(job) = job {
        let _ = write!(text, r#","job":"{job}""#);
    }
    text.push('}');
}

/// `up/ev`.
pub fn event(
    text: &mut String,
    id: MessageId,
    device_event: &DeviceEvent,
    uptime: Millis,
    device_clock: DeviceClock,
) {
    write_header(text, id, device_event.at, uptime, device_clock);
    let (code, on) = (device_event.code.as_str(), u8::from(device_event.on));
    let args = device_event.args.json();
    let _ = write!(text, r#","code":"{code}","on":{on},"args":{args}}}"#);
}

/// The last will on `up/pres`.
pub fn will(boot: u32) -> String {
    format!(r#"{{"on":0,"b":{boot}}}"#)
}

#[cfg(test)]
mod tests;
