//! What a battery writes into its messages: cheap text into a buffer that is used again.
use crate::happening::Happening;
use domain::clock::Millis;
use domain::firmware::{JobId, Part};
use domain::sample::{Counter, MessageId};
use domain::{Sample, Serial};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::{self, Write};
use std::io::Write as _;

/// As many samples as one `up/hist` may hold.
pub const BATCH: usize = 60;

/// The version of the link that these batteries speak.
const VERSION: u8 = 1;

/// The versions of a battery's three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    pub master: String,
    pub gateway: String,
    pub slave: String,
}

impl Firmware {
    pub fn version(&self, part: Part) -> &str {
        match part {
            Part::Gateway => &self.gateway,
            Part::Master => &self.master,
            Part::Slave => &self.slave,
        }
    }
}

/// What a battery says about itself.
#[derive(Clone, Debug)]
pub struct Identity {
    pub serial: Serial,
    pub hardware: String,
    pub firmware: Firmware,
    /// It updates only with its main switch off.
    pub update_needs_off: bool,
    pub phase: u8,
    /// Usable Wh, rated charge and discharge W.
    pub capacity: i64,
    pub charge_max: i32,
    pub discharge_max: i32,
    pub zone: String,
}

/// What a hello tells.
#[derive(Clone, Copy, Debug)]
pub struct Present<'a> {
    pub identity: &'a Identity,
    /// Of the settings that it works with.
    pub settings_version: i64,
    /// The update that it works on.
    pub job: Option<&'a JobId>,
}

/// How a battery tells the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Its clock shows so much more than the true time.
    pub error: Millis,
    /// 0 none, 1 RTC, 2 NTP.
    pub quality: u8,
}

impl Watch {
    pub const RIGHT: Self = Self {
        error: 0,
        quality: 2,
    };
}

/// A sample with the time that the battery had been up.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub sample: Sample,
    pub uptime: Millis,
}

/// A number in tenths or hundredths, or `null`.
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

/// Appends the beginning that all messages share, without its closing brace.
fn head(text: &mut String, id: MessageId, at: Millis, uptime: Millis, watch: Watch) {
    let MessageId { boot, seq, .. } = id;
    let (t, q) = (at + watch.error, watch.quality);
    // Writing into a String cannot fail.
    let _ = write!(
        text,
        r#"{{"b":{boot},"s":{seq},"t":{t},"u":{uptime},"q":{q}"#
    );
}

/// `up/tele`, and one element of `up/hist`. A value that was not measured is `null`.
pub fn sample(text: &mut String, measured: &Measured, watch: Watch) {
    let Measured { sample, uptime } = measured;
    head(text, sample.id, sample.at, *uptime, watch);
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

/// `up/hist`: a JSON array of samples, deflated (zlib).
pub fn history(text: &mut String, batch: &[Measured], watch: Watch) -> Vec<u8> {
    text.push('[');
    for (place, measured) in batch.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        sample(text, measured, watch);
    }
    text.push(']');
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // A Vec takes every byte.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default()
}

/// `up/hello`.
pub fn hello(
    text: &mut String,
    id: MessageId,
    at: Millis,
    uptime: Millis,
    watch: Watch,
    present: Present<'_>,
) {
    head(text, id, at, uptime, watch);
    let Present {
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
    let Firmware {
        master,
        gateway,
        slave,
    } = firmware;
    let off = u8::from(*update_needs_off);
    let _ = write!(
        text,
        r#","v":{VERSION},"hw":"{hardware}","phase":{phase},"cap":{capacity},"pcmax":{charge_max},"pdmax":{discharge_max},"tz":"{zone}","fw":{{"m":"{master}","g":"{gateway}","sl":"{slave}","off":{off}}},"rep_ver":{settings_version}"#
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
    happening: &Happening,
    uptime: Millis,
    watch: Watch,
) {
    head(text, id, happening.at, uptime, watch);
    let (code, on) = (happening.code.as_str(), u8::from(happening.on));
    let args = happening.args.json();
    let _ = write!(text, r#","code":"{code}","on":{on},"args":{args}}}"#);
}

/// The last will on `up/pres`.
pub fn will(boot: u32) -> String {
    format!(r#"{{"on":0,"b":{boot}}}"#)
}

#[cfg(test)]
mod tests;
