//! `up/pres`: the last will of a connection.
use super::payload::{OUT_OF_RANGE, RejectReason, parse_json};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct LastWill {
    #[serde(rename = "on")]
    online: u8,
    #[serde(rename = "b")]
    pub(crate) boot: u32,
}

impl LastWill {
    pub(crate) fn from_json(payload: &[u8]) -> Result<Self, RejectReason> {
        let will: Self = parse_json(payload)?;
        match will.online {
            0 => Ok(will),
            _ => Err(OUT_OF_RANGE),
        }
    }
}
