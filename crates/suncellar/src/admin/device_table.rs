//! The table of devices that the operator imports, as CSV: serial number, phase, and the secret unless we choose it.
use anyhow::{Context as _, ensure};
use domain::Serial;
use serde::{Deserialize, Serialize};
use std::io::Read;

const MIN_SECRET_LENGTH: usize = 32;

/// One line of the table, for input and output.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeviceLine {
    pub(crate) sn: String,
    pub(crate) phase: u8,
    /// Empty: we choose one.
    #[serde(default)]
    pub(crate) secret: String,
}

pub(crate) fn read(source: impl Read) -> anyhow::Result<Vec<(Serial, DeviceLine)>> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(source);
    let mut devices = Vec::new();
    for (index, line) in reader.deserialize::<DeviceLine>().enumerate() {
        let number = index + 2;
        let device = line.with_context(|| format!("line {number} is not valid"))?;
        let sn = device.sn.parse::<Serial>().map_err(|_| {
            anyhow::anyhow!(
                "line {number}: {:?} is not a serial number (6 to 12 digits and capital letters)",
                device.sn
            )
        })?;
        ensure!(
            (1..=3).contains(&device.phase),
            "line {number}: the phase must be 1, 2 or 3, not {}",
            device.phase
        );
        ensure!(
            device.secret.is_empty() || device.secret.len() >= MIN_SECRET_LENGTH,
            "line {number}: the secret is shorter than {MIN_SECRET_LENGTH} characters"
        );
        devices.push((sn, device));
    }
    Ok(devices)
}

/// What the fuzz target calls (`fuzz/`).
#[cfg(any(test, fuzzing))]
pub(crate) fn check(input: &[u8]) {
    for (sn, device) in read(input).unwrap_or_default() {
        assert_eq!(sn.to_string().parse(), Ok(sn));
        assert!((1..=3).contains(&device.phase));
        assert!(device.secret.is_empty() || device.secret.len() >= MIN_SECRET_LENGTH);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::corpus;

    #[test]
    fn no_known_table_does_harm() {
        corpus::run_each("device_table", check);
    }
}
