//! Options that all processes on one PostgreSQL database share. The first process that is given one stores its value. A process
//! without the option uses what is stored; one with another value does not start.
use crate::config::Config;
use crate::opening;
use crate::options::Options;
use anyhow::{Context as _, ensure};
use service::Service;
use store::Store;

struct SharedOption {
    name: &'static str,
    get: fn(&Options) -> Option<String>,
    set: fn(&mut Options, &str) -> anyhow::Result<()>,
}

macro_rules! shared_options {
    ($($name:literal $field:ident,)*) => {
        &[$(SharedOption {
            name: $name,
            get: |options| options.$field.as_ref().map(ToString::to_string),
            set: |options, value| {
                options.$field = Some(value.parse()?);
                Ok(())
            },
        }),*]
    };
}

/// Whatever batteries, links, mails, limits and the processes themselves depend on. Addresses to listen on, certificates, the mail
/// server and passwords are a process's own.
const SHARED_OPTIONS: &[SharedOption] = shared_options! {
    "nats" nats,
    "acme-domain" acme_domain,
    "acme-contact" acme_contact,
    "acme-directory" acme_directory,
    "public-url" public_url,
    "updates-url" updates_url,
    "mail-from" mail_from,
    "keep-samples" keep_samples,
    "sample-store" sample_store,
    "samples-a-second" samples_a_second,
    "devices-a-minute" devices_a_minute,
    "require-totp-of-electricians" require_totp_of_electricians,
    "homepage-url" homepage_url,
    "contact-url" contact_url,
    "imprint-url" imprint_url,
    "privacy-url" privacy_url,
    "terms-url" terms_url,
    "security-contact" security_contact,
};

/// The configuration that this process shares with the others. SQLite has a single process, which needs no agreement.
pub(crate) async fn agree(config: Config, store: &Store) -> anyhow::Result<Config> {
    if !store.db().is_shared() {
        return Ok(config);
    }
    let stored = store.shared_options().await?;
    let service = opening::service(&config, store);
    let mut options = config.options;
    for SharedOption { name, get, set } in SHARED_OPTIONS {
        match (get(&options), stored.get(*name)) {
            (None, None) => {}
            (None, Some(value)) => set(&mut options, value).with_context(|| {
                format!("{name} in the database cannot be {value:?}: set it by admin set-option")
            })?,
            (Some(given), _) => {
                let agreed = service.agree_on_option(name, &given).await?;
                ensure!(
                    agreed == given,
                    "{name} is {given} here, but {agreed} for the processes on this database: give all the same value, or none, or change it for all with: suncellar admin set-option {name} {given}"
                );
            }
        }
    }
    Config::check(options)
}

/// Changes an option for all processes, from their next start on; without a value it is forgotten.
pub(crate) async fn change(
    store: &Store,
    service: &Service,
    name: &str,
    value: Option<&str>,
) -> anyhow::Result<()> {
    ensure!(
        store.db().is_shared(),
        "an SQLite database has a single process: give it the option"
    );
    let option = SHARED_OPTIONS.iter().find(|option| option.name == name);
    let option = option.with_context(|| {
        let names: Vec<&str> = SHARED_OPTIONS.iter().map(|option| option.name).collect();
        format!("{name} is none of the shared options: {}", names.join(", "))
    })?;
    let value = match value {
        Some(value) => {
            let mut options = Options::default();
            (option.set)(&mut options, value).with_context(|| format!("{name} {value}"))?;
            (option.get)(&Config::check(options)?.options)
        }
        None => None,
    };
    service.set_shared_option(name, value.as_deref()).await?;
    match value {
        Some(value) => println!("{name} {value}: from the next start of each process on"),
        None => println!("{name} is forgotten: the next process that is given one stores it"),
    }
    Ok(())
}

pub(crate) async fn list(store: &Store) -> anyhow::Result<()> {
    for (name, value) in store.shared_options().await? {
        println!("{name} {value}");
    }
    Ok(())
}
