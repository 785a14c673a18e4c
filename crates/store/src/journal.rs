//! What happened and who did it: written in the transaction of the change itself.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Registered,
    SystemLinked,
    SystemUnlinked,
    EndUserNamed,
    ClaimStarted,
    ClaimContested,
    PasswordChanged,
    EmailChanged,
    ProfileChanged,
    SessionReused,
    AccountLocked,
    AccountUnlocked,
    PartnerConsented,
    PartnerEnded,
    GroupCreated,
    GroupChanged,
    GroupDeleted,
    TariffSet,
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

impl Event {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::SystemLinked => "system_linked",
            Self::SystemUnlinked => "system_unlinked",
            Self::EndUserNamed => "end_user_named",
            Self::ClaimStarted => "claim_started",
            Self::ClaimContested => "claim_contested",
            Self::PasswordChanged => "password_changed",
            Self::EmailChanged => "email_changed",
            Self::ProfileChanged => "profile_changed",
            Self::SessionReused => "session_reused",
            Self::AccountLocked => "account_locked",
            Self::AccountUnlocked => "account_unlocked",
            Self::PartnerConsented => "partner_consented",
            Self::PartnerEnded => "partner_ended",
            Self::GroupCreated => "group_created",
            Self::GroupChanged => "group_changed",
            Self::GroupDeleted => "group_deleted",
            Self::TariffSet => "tariff_set",
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
    /// All lines of one account, oldest first.
    pub async fn journal_of(&self, account: AccountId) -> Result<Vec<Line>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT at, actor, sn, event, detail FROM journal WHERE account_id = $1 ORDER BY id")
            .bind(account.0).fetch_all(p).await)?)
    }
}
