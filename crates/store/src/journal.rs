//! The journal: what happened and who did it. Each entry is written in the transaction of the change itself.

mod page;
mod retention;

pub use page::{ENTRIES_PER_PAGE, EntryFilter, JournalPage, PageActor, PageEntry};

use crate::{Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::journal::JournalEvent;
use domain::{AccountId, Serial};
use strum::{EnumString, IntoStaticStr};

/// An entry to be written.
pub struct NewEntry<'a> {
    pub at: Millis,
    pub account: Option<AccountId>,
    pub actor: Actor,
    pub sn: Option<&'a Serial>,
    pub event: JournalEvent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum Actor {
    Person,
    Battery,
    Operator,
    /// The portal itself, following one of its rules.
    Portal,
}

impl Actor {
    const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

impl<'a> NewEntry<'a> {
    /// An entry about something that a person did to their own account.
    pub fn by(account: AccountId, event: JournalEvent, at: Millis) -> Self {
        Self {
            at,
            account: Some(account),
            actor: Actor::Person,
            sn: None,
            event,
        }
    }

    /// An entry about something that no account did.
    pub fn without_account(event: JournalEvent, at: Millis) -> Self {
        Self {
            at,
            account: None,
            actor: Actor::Portal,
            sn: None,
            event,
        }
    }

    pub fn by_battery(event: JournalEvent, sn: &'a Serial, at: Millis) -> Self {
        Self::without_account(event, at)
            .with_actor(Actor::Battery)
            .on(sn)
    }

    pub fn on(self, sn: &'a Serial) -> Self {
        Self {
            sn: Some(sn),
            ..self
        }
    }

    pub fn with_actor(self, actor: Actor) -> Self {
        Self { actor, ..self }
    }

    pub async fn write(self, tx: &mut Tx) -> Result<()> {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO journal (at, account_id, actor, sn, event, detail, company_id)
             VALUES ($1, $2, $3, $4, $5, $6, (SELECT company_id FROM accounts WHERE id = $2))"
            )
            .bind(self.at)
            .bind(self.account.map(|a| a.0))
            .bind(self.actor.as_str())
            .bind(self.sn.map(Serial::as_str))
            .bind(self.event.name())
            .bind(self.event.detail().to_string())
        )?;
        Ok(())
    }
}

/// A stored entry.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct JournalEntry {
    pub at: Millis,
    pub actor: String,
    pub sn: Option<String>,
    pub event: String,
    pub detail: String,
}

impl Store {
    /// All entries of an account, and those of its systems since it became owner, oldest first. What an electrician set or wrote
    /// at a customer's system belongs to the customer: such entries stay, without their details.
    pub async fn journal_of(&self, account: AccountId) -> Result<Vec<JournalEntry>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT j.at, j.actor, j.sn, j.event,
                 CASE WHEN a.role = 'electrician' AND j.event IN ('end_user_named', 'setting_changed', 'tariff_set')
                     THEN 'null' ELSE j.detail END AS detail
             FROM journal j LEFT JOIN systems y ON y.sn = j.sn JOIN accounts a ON a.id = $1
             WHERE j.account_id = $1 OR (y.owner_id = $1 AND j.at > y.history_from) ORDER BY j.id")
            .bind(account.0).fetch_all(p).await)?)
    }
}
