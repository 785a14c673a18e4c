//! Firmware updates on the battery's side. The battery trusts only the two signers, keeps the update in flash across power
//! cuts, and rolls back when the new image does not start.
//!
//! The rules are a state machine without I/O ([`Updater`] on [`Flash`]); the current time is passed in. Only the download
//! and the battery around it have side effects.

mod assignment;
mod device_update;
mod download;
mod flash;
#[cfg(test)]
mod tests;
mod timing;
mod updater;

pub(crate) use device_update::next_download_event;
pub(crate) use download::{Download, DownloadEvent, DownloadRequest};
pub(crate) use flash::Flash;
pub use timing::UpdateTiming;
pub(crate) use updater::{FactoryConfig, UpdateAction, Updater};

use domain::firmware::{Fault, Part, PublicKey};
use serde_json::Value;
use std::time::Duration;

/// The public keys of both signers, installed at the factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirmwareKeys {
    pub release: PublicKey,
    pub director: PublicKey,
}

impl FirmwareKeys {
    /// From `{"release": HEX, "director": HEX}`.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        let json: Value = serde_json::from_str(text).map_err(|_| Fault::Malformed)?;
        let key = |name: &str| json[name].as_str().ok_or(Fault::Malformed)?.parse();
        Ok(Self {
            release: key("release")?,
            director: key("director")?,
        })
    }
}

/// A power cut, once, when an update reaches this progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerCut {
    pub part: Part,
    /// Progress of that part's update. During a download the cut happens at the exact byte.
    pub percent: u8,
    pub lasts: Duration,
}
