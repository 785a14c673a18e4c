//! Devices: their registration, their secrets, and which of them are blocked or send too much.
use crate::opening::random;
use anyhow::{Context as _, bail, ensure};
use domain::Serial;
use domain::clock::DAY;
use domain::site_time::utc_text;
use serde::{Deserialize, Serialize};
use service::Service;
use service::device::{OLD_SECRET_VALID_FOR, new_secret};
use std::path::Path;
use store::Store;
use store::system::NewDevice;

/// One line of the CSV file, for input and output.
#[derive(Debug, Serialize, Deserialize)]
struct DeviceLine {
    sn: String,
    phase: u8,
    #[serde(default)]
    secret: String,
}

pub(super) async fn import(service: &Service, file: &Path) -> anyhow::Result<()> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let random = random();
    let mut devices: Vec<(Serial, DeviceLine)> = Vec::new();
    for (index, line) in reader.deserialize::<DeviceLine>().enumerate() {
        let number = index + 2;
        let mut device = line.with_context(|| format!("line {number} is not valid"))?;
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
        if device.secret.is_empty() {
            device.secret = new_secret(&random);
        }
        ensure!(
            device.secret.len() >= 32,
            "line {number}: the secret is shorter than 32 characters"
        );
        devices.push((sn, device));
    }
    let new: Vec<NewDevice<'_>> = devices
        .iter()
        .map(|(sn, device)| NewDevice {
            sn,
            phase: device.phase,
            secret: device.secret.as_bytes(),
        })
        .collect();
    service
        .import_devices(&new)
        .await
        .context("nothing was imported")?;
    let mut writer = csv::Writer::from_writer(std::io::stdout());
    for (_, device) in &devices {
        writer.serialize(device)?;
    }
    writer.flush()?;
    Ok(())
}

pub(super) async fn block(service: &Service, sn: &Serial, block: bool) -> anyhow::Result<()> {
    ensure!(
        service.block_device(sn, block).await?,
        "no device has the serial number {sn}"
    );
    println!("{}", if block { "blocked" } else { "unblocked" });
    Ok(())
}

pub(super) async fn list_blocked(store: &Store) -> anyhow::Result<()> {
    for (sn, since) in store.blocked_devices().await? {
        println!("{sn}  blocked since {}", utc_text(since));
    }
    Ok(())
}

pub(super) async fn list_throttled(store: &Store) -> anyhow::Result<()> {
    for device in store.throttled_devices().await? {
        println!(
            "{}  {} messages  throttled since {}  last {}",
            device.sn,
            device.kind.as_str(),
            utc_text(device.since),
            utc_text(device.at)
        );
    }
    Ok(())
}

/// Prints only the secret to standard output, for scripts.
pub(super) async fn rotate_secret(
    service: &Service,
    sn: &Serial,
    drop_old: bool,
) -> anyhow::Result<()> {
    let Some(secret) = service.rotate_device_secret(sn, drop_old).await? else {
        bail!("no device has the serial number {sn}");
    };
    println!("{secret}");
    match drop_old {
        true => eprintln!("the old secret is invalid, and the device is disconnected"),
        false => eprintln!(
            "the old secret is valid until the device uses the new one, for {} days at most",
            OLD_SECRET_VALID_FOR / DAY
        ),
    }
    Ok(())
}
