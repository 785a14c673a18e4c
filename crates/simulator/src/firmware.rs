//! Firmware updates from the battery's side: it believes two signatures and nobody else, keeps what it has in flash over
//! every power cut, and goes back to what ran before when the new image does not start.
//!
//! The rules are plain functions over [`Flash`] and moments that are passed in ([`Updater`]); only the download and the
//! battery around it do anything.

mod check;
mod download;
mod flash;
mod mind;
mod pace;
#[cfg(test)]
mod tests;
mod updater;

pub(crate) use download::{Download, Fetch, Loaded};
pub(crate) use flash::Flash;
pub(crate) use mind::next_loaded;
pub use pace::Pace;
pub(crate) use updater::{Act, Factory, Updater};

use domain::firmware::{Fault, Part, PublicKey};
use serde_json::Value;
use std::time::Duration;

/// The public keys of both signers, burnt in at the factory.
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

/// Somebody pulls the plug the moment an update gets there, once, and puts it back in later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub part: Part,
    /// Of the update of that part. In a download it is met to the byte.
    pub percent: u8,
    pub lasts: Duration,
}
