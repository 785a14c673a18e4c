//! The end of a household at a system: its owner leaves, or is displaced by somebody with the code.
use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Error, Result, Service, page};
use domain::{AccountId, Serial};
use store::journal::{Actor, JournalEvent, NewEntry};
use store::{Access, system};

impl Service {
    /// Ends the ownership. The people's names are erased, and nobody can see what was measured so far.
    pub async fn unlink(&self, access: &Access) -> Result<()> {
        let mut t = self.begin().await?;
        t.unlink_owner(access.sn(), access.account()).await?;
        let entry = NewEntry::by(access.account(), JournalEvent::SystemUnlinked, t.now);
        t.journal(entry.on(access.sn())).await?;
        t.commit().await
    }
}

impl Transaction<'_> {
    /// A conflict when this account is not the owner any more.
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

    /// Unlinks an owner who claimed the system by the main switch, because somebody has the code.
    pub(crate) async fn evict(&mut self, sn: &Serial, owner: AccountId) -> Result<()> {
        let entry = NewEntry::by(owner, JournalEvent::SystemDisplaced, self.now).on(sn);
        self.journal(entry.with_actor(Actor::Portal)).await?;
        self.unlink_owner(sn, owner).await?;
        self.mail_account(owner, ownership_mail("system_displaced", sn))
            .await
    }
}

/// Tells somebody that they gained or lost a system.
pub(crate) fn ownership_mail<'a>(text: &'a str, sn: &Serial) -> MailDraft<'a> {
    MailDraft {
        text,
        page: page::OWNERS_SETTINGS,
        values: vec![("sn", sn.to_string())],
    }
}
