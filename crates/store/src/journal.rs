//! What happened and who did it: written in the transaction of the change itself.

mod event;
mod page;

pub(crate) use event::Event;
pub use event::{Kind, events};
pub use page::{JournalPage, PAGE, PageLine, Wanted, Who};

use crate::db::Tx;
use crate::{Result, Store};
use domain::clock::Millis;
use domain::{AccountId, Serial};
use serde_json::Value;

/// One line to be written. `detail` holds no personal values, so that deletion only has to clear the account.
pub(crate) struct Entry<'a> {
    pub at: Millis,
    pub account: Option<AccountId>,
    pub actor: Actor,
    pub sn: Option<&'a Serial>,
    pub event: Event,
    pub detail: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    Person,
    Battery,
    Operator,
    /// The portal itself, by one of its rules.
    Portal,
}

impl Actor {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Battery => "battery",
            Self::Operator => "operator",
            Self::Portal => "portal",
        }
    }
}

impl<'a> Entry<'a> {
    /// Something a person did to their own account.
    pub(crate) fn by(account: AccountId, event: Event, at: Millis) -> Self {
        Self {
            at,
            account: Some(account),
            actor: Actor::Person,
            sn: None,
            event,
            detail: Value::Null,
        }
    }

    /// Something that no account did.
    pub(crate) fn by_nobody(event: Event, at: Millis) -> Self {
        Self {
            at,
            account: None,
            actor: Actor::Portal,
            sn: None,
            event,
            detail: Value::Null,
        }
    }

    pub(crate) fn by_battery(event: Event, sn: &'a Serial, at: Millis) -> Self {
        Self::by_nobody(event, at).through(Actor::Battery).on(sn)
    }

    pub(crate) fn on(self, sn: &'a Serial) -> Self {
        Self {
            sn: Some(sn),
            ..self
        }
    }

    pub(crate) fn through(self, actor: Actor) -> Self {
        Self { actor, ..self }
    }

    pub(crate) fn with(self, detail: Value) -> Self {
        Self { detail, ..self }
    }

    pub(crate) async fn write(self, tx: &mut Tx) -> Result<()> {
        execute!(tx, sqlx::query(
            "INSERT INTO journal (at, account_id, actor, sn, event, detail) VALUES ($1, $2, $3, $4, $5, $6)")
            .bind(self.at)
            .bind(self.account.map(|a| a.0))
            .bind(self.actor.as_str())
            .bind(self.sn.map(Serial::as_str))
            .bind(self.event.as_str())
            .bind(self.detail.to_string()))?;
        Ok(())
    }
}

/// A line as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub at: Millis,
    pub actor: String,
    pub sn: Option<String>,
    pub event: String,
    pub detail: String,
}
row!(Line {
    at,
    actor,
    sn,
    event,
    detail
});

impl Store {
    /// All lines of one account and of its systems in its time, oldest first. What an electrician set or wrote at a customer's
    /// system is the customer's: that it was done stays.
    pub async fn journal_of(&self, account: AccountId) -> Result<Vec<Line>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT j.at, j.actor, j.sn, j.event,
                 CASE WHEN a.role = 'electrician' AND j.event IN ('end_user_named', 'setting_changed', 'tariff_set')
                     THEN 'null' ELSE j.detail END AS detail
             FROM journal j LEFT JOIN systems y ON y.sn = j.sn JOIN accounts a ON a.id = $1
             WHERE j.account_id = $1 OR (y.owner_id = $1 AND j.at > y.history_from) ORDER BY j.id")
            .bind(account.0).fetch_all(p).await)?)
    }
}
