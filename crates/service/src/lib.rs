//! Use cases: changes by people, the operator and the clock. Each is one [`transaction`] of rows, journal entries and mails;
//! after its commit the bus is notified. Reading needs no use case; readers use `store` directly.

mod account;
pub mod advisory;
pub mod alarm;
mod code;
pub mod command;
pub mod commissioning;
pub mod company;
mod customer;
pub mod customer_code;
pub mod device;
mod end_user;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod grant;
pub mod group;
mod guard;
mod handover;
mod household;
pub mod key;
mod mail;
mod mail_link;
mod page;
pub mod partner;
pub mod passkey;
pub mod planning;
pub mod registration;
pub mod release;
pub mod replacement;
mod secret_keys;
pub mod session;
pub mod settings;
mod shared_option;
pub mod site;
pub mod tariff;
pub mod totp;
mod transaction;
pub mod update;
pub mod weather_notice;

pub use db::{Error, Result};

use bus::Bus;
use domain::clock::Millis;
use domain::{Clock, Random};
use std::sync::Arc;
use store::{Access, Store};
use transaction::Transaction;

/// Carries out use cases. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Service {
    store: Store,
    /// `None` on the command line: running servers read its changes from the database.
    bus: Option<Bus>,
    clock: Clock,
    random: Random,
    config: Arc<ServiceConfig>,
}

#[derive(Clone, Debug)]
pub struct ServiceConfig {
    /// The public address of the portal. Links in mails begin with it.
    pub public_url: String,
    /// How many devices one account may change or command per minute.
    pub devices_a_minute: usize,
}

impl Service {
    pub fn new(
        store: Store,
        bus: Option<Bus>,
        clock: Clock,
        random: Random,
        config: ServiceConfig,
    ) -> Self {
        Self {
            store,
            bus,
            clock,
            random,
            config: Arc::new(config),
        }
    }

    fn now(&self) -> Millis {
        self.clock.now()
    }

    /// A URL of the web app, for a mail.
    fn link(&self, page: &str) -> String {
        format!("{}{page}", self.config.public_url)
    }

    async fn begin(&self) -> Result<Transaction<'_>> {
        Transaction::begin(self).await
    }

    /// Begins a change at systems by somebody whose rights to them were read before. A conflict if they have changed since.
    async fn begin_at(&self, accesses: &[&Access]) -> Result<Transaction<'_>> {
        let mut t = self.begin().await?;
        let now = t.now;
        store::guard::require_unchanged(&mut t, accesses, now).await?;
        Ok(t)
    }
}
