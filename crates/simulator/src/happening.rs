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

/// The number that belongs to a happening.
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
}

impl Args {
    /// As the link has it: a JSON object.
    pub fn json(self) -> String {
        match self {
            Self::None => "{}".to_owned(),
            Self::Soc(soc) => format!(r#"{{"soc":{soc}}}"#),
            Self::Limit(limit) => format!(r#"{{"limit":{limit}}}"#),
            Self::Price(price) => format!(r#"{{"price":{}}}"#, f64::from(price) / 100.0),
            Self::Until(minute) => {
                format!(r#"{{"until":"{:02}:{:02}"}}"#, minute / 60, minute % 60)
            }
        }
    }
}
