//! Events of a battery: something began or ended, mostly with a number.
use domain::EventCode;
use domain::clock::Millis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceEvent {
    pub at: Millis,
    pub code: EventCode,
    /// It began (`true`) or ended.
    pub on: bool,
    pub args: EventArgs,
}

/// Arguments of an event, mostly one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventArgs {
    None,
    /// In percent.
    Soc(u8),
    /// In W.
    Limit(i32),
    /// In hundredths of a cent per kWh.
    Price(i32),
    /// In minutes from midnight.
    Until(u16),
    /// How long the main switch was off recently, and on in between, in ms.
    Switch {
        off: [Option<Millis>; 2],
        on: Option<Millis>,
    },
}

impl EventArgs {
    /// The JSON object for the device link.
    pub fn json(self) -> String {
        match self {
            Self::None => "{}".to_owned(),
            Self::Soc(soc) => format!(r#"{{"soc":{soc}}}"#),
            Self::Limit(limit) => format!(r#"{{"limit":{limit}}}"#),
            Self::Price(price) => format!(r#"{{"price":{}}}"#, f64::from(price) / 100.0),
            Self::Switch { off, on } => {
                let list = |lengths: &[Option<Millis>]| {
                    let lengths = lengths.iter().flatten().map(Millis::to_string);
                    lengths.collect::<Vec<_>>().join(",")
                };
                format!(r#"{{"off":[{}],"on":[{}]}}"#, list(&off), list(&[on]))
            }
            Self::Until(minute) => {
                format!(r#"{{"until":"{:02}:{:02}"}}"#, minute / 60, minute % 60)
            }
        }
    }
}
