//! Everything in the database but samples: rows and queries, one file per noun.

#[macro_use]
extern crate db;

pub mod access;
pub mod account;
pub mod acme;
pub mod alarm;
mod chart;
pub mod claim;
pub mod code;
pub mod command;
pub mod commissioning;
pub mod company;
pub mod customer;
pub mod device;
pub mod device_login;
pub mod end_user;
pub mod event;
pub mod export;
pub mod firmware;
mod gateway_heartbeat;
pub mod grant;
pub mod group;
pub mod guard;
pub mod handover;
mod in_force;
pub mod job_lease;
pub mod journal;
mod keyring;
pub mod limited_attempts;
pub mod mail;
pub mod mail_link;
pub mod order;
pub mod partner;
pub mod passkey;
pub mod planning;
pub mod presence;
pub mod registration;
pub mod reject;
pub mod replacement;
pub mod report;
mod report_retention;
pub mod savings;
mod second_factor;
mod secret;
pub mod secret_keys;
pub mod server_clock;
pub mod session;
mod session_cache;
pub mod setting;
pub mod shared_option;
pub mod site;
pub mod source;
pub mod system;
pub mod tariff;
pub mod throttled_device;
pub mod totp;
mod undated_samples;
pub mod unit;
pub mod unit_list;

pub use access::Access;
pub use db::{Error, Result};
pub use keyring::{Keyring, Purpose};
pub use secret::{Secret, WeakSecret};
pub use telemetry::{SampleStore, SampleStoreUrl};

use db::Db;
use domain::Random;
use domain::clock::Millis;
use firmware::UpdateCache;
use session_cache::SessionCache;
use telemetry::Telemetry;
use unit::UnitCache;

/// What to do with a schema of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaAction {
    Migrate,
    /// Fail if other processes may be using it.
    MigrateUnlessShared,
}

/// The database, with the keys that protect its contents. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    db: Db,
    pub telemetry: Telemetry,
    keyring: Keyring,
    session_cache: SessionCache,
    update_cache: UpdateCache,
    units: UnitCache,
}

impl Store {
    /// Opens `sqlite:PATH` or `postgres://…`, checks that the secret belongs to it, and migrates the schema.
    pub async fn open(url: &str, secret: &Secret, random: &Random, now: Millis) -> Result<Self> {
        let db = Db::open(url).await?;
        Self::open_on(db, SchemaAction::Migrate, secret, random, now).await
    }

    /// The same for an open database.
    pub async fn open_on(
        db: Db,
        schema: SchemaAction,
        secret: &Secret,
        random: &Random,
        now: Millis,
    ) -> Result<Self> {
        let store = Self::new(db, secret);
        let ready = async {
            store.check_secret().await?;
            match schema {
                SchemaAction::MigrateUnlessShared if store.db.is_shared() => {
                    store.db.require_schema().await?;
                }
                _ => store.db.migrate().await?,
            }
            store.telemetry.convert_old_rows().await?;
            store.load_or_create_keys(random, now).await
        };
        ready.await.map_err(|error| store.db.explain(error))?;
        Ok(store)
    }

    /// Fails if the database has keys that are wrapped with another secret. Changes nothing.
    pub async fn check_secret_of(db: &Db, secret: &Secret) -> Result<()> {
        Self::new(db.clone(), secret).check_secret().await
    }

    fn new(db: Db, secret: &Secret) -> Self {
        Self {
            telemetry: Telemetry::new(db.clone()),
            keyring: Keyring::new(secret.clone()),
            session_cache: SessionCache::new(db.changes().clone()),
            update_cache: UpdateCache::default(),
            units: UnitCache::default(),
            db,
        }
    }

    pub fn db(&self) -> &Db {
        &self.db
    }

    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }
}
