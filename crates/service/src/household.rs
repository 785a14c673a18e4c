//! The end of a household at a system: its owner leaves, or is displaced by a person with the code.
use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Error, Result, Service, page};
use domain::journal::JournalEvent;
use domain::{AccountId, Serial};
use store::journal::{Actor, NewEntry};
use store::{Access, system};

impl Service {
    /// Ends the ownership. The household's names are erased, and what was measured so far becomes invisible.
    pub async fn unlink(&self, access: &Access) -> Result<()> {
        let mut t = self.begin_at(&[access]).await?;
        t.unlink_owner(access.sn(), access.account()).await?;
        let entry = NewEntry::by(access.account(), JournalEvent::SystemUnlinked, t.now);
        t.journal(entry.on(access.sn())).await?;
        t.commit().await
    }
}

impl Transaction<'_> {
    /// A conflict if this account is no longer the owner.
    pub(crate) async fn unlink_owner(&mut self, sn: &Serial, owner: AccountId) -> Result<()> {
        let now = self.now;
        if !system::unlink(self, sn, owner, now).await? {
            return Err(Error::Conflict);
        }
        self.end_household(sn).await
    }

    /// The household has left: its commands, settings and data are erased, and its grants end.
    pub(crate) async fn end_household(&mut self, sn: &Serial) -> Result<()> {
        self.end_grants_of_household(sn).await?;
        system::erase_for_former_owner(self, sn).await
    }

    /// Unlinks an owner who claimed the system by the main switch, because another person has the code.
    pub(crate) async fn evict(&mut self, sn: &Serial, owner: AccountId) -> Result<()> {
        let entry = NewEntry::by(owner, JournalEvent::SystemDisplaced, self.now).on(sn);
        self.journal(entry.with_actor(Actor::Portal)).await?;
        self.unlink_owner(sn, owner).await?;
        self.mail_account(owner, ownership_mail("system_displaced", sn))
            .await
    }
}

/// The mail to an account that gained or lost a system.
pub(crate) fn ownership_mail<'a>(text: &'a str, sn: &Serial) -> MailDraft<'a> {
    MailDraft {
        text,
        page: page::OWNERS_SETTINGS,
        values: vec![("sn", sn.to_string())],
    }
}
