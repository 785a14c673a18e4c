//! What a battery tells its owner: something began or ended, with the number that belongs to it.
use domain::EventCode;
use domain::clock::Millis;

/// Something that a battery tells its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    pub at: Millis,
    pub code: EventCode,
    /// It began, or it ended.
    pub on: bool,
    pub args: Args,
}

/// What belongs to a happening, mostly a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Args {
    None,
    /// In percent.
    Soc(u8),
    /// In W.
    Limit(i32),
    /// In hundredths of a cent per kWh.
    Price(i32),
    /// In minutes from midnight.
    Until(u16),
    /// For how many ms the main switch was off lately, and on in between.
    Switch {
        off: [Option<Millis>; 2],
        on: Option<Millis>,
    },
}

impl Args {
    /// As the link has it: a JSON object.
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
