//! The operator's secret and the keys that it wraps.
use crate::config::{Config, read_secret};
use crate::opening::{open_with, service};
use anyhow::{Context as _, bail};
use domain::clock::{DAY, Millis};
use domain::site_time::utc_text;
use service::Service;
use std::path::Path;
use store::{Secret, Store};

/// Changes the secret. The old one may be weaker than today's rules allow: that is a reason to change it.
pub(super) async fn change(config: &Config, new: &Path) -> anyhow::Result<()> {
    let Some(old) = &config.secret else {
        bail!("give the secret that the database has now: --secret-file, or SUNCELLAR_SECRET");
    };
    let new = Secret::parse(&read_secret(new)?).context("the new secret")?;
    let store = open_with(config, &Secret::unchecked(old)).await?;
    service(config, &store).change_secret(&new).await?;
    println!(
        "changed: set the new secret in the configuration of every process, then restart each"
    );
    Ok(())
}

pub(super) async fn rotate(service: &Service, grace_days: u32) -> anyhow::Result<()> {
    let grace = Millis::from(grace_days) * DAY;
    let Some(new) = service.rotate_keys(grace).await? else {
        bail!("the last rotation is not finished yet: see `suncellar admin list-keys`");
    };
    println!(
        "version {} is used from {} on",
        new.version,
        utc_text(new.active_from)
    );
    let until = new.accepted_until.map(utc_text).unwrap_or_default();
    println!("sessions of older versions are accepted until {until}");
    Ok(())
}

pub(super) async fn list(store: &Store) -> anyhow::Result<()> {
    for key in store.key_versions().await? {
        let until = key.accepted_until.map_or("no end".to_owned(), utc_text);
        let resealed = key.reencrypted_at.map_or("not yet".to_owned(), utc_text);
        println!(
            "version {}  used from {}  sessions accepted until {until}  everything re-sealed {resealed}  devices {}",
            key.version,
            utc_text(key.active_from),
            key.devices
        );
    }
    Ok(())
}
