//! The end of a household at a system: its owner leaves, is displaced by somebody with the code, or is erased.
use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Error, Result, Service, page};
use domain::{AccountId, Serial};
use store::journal::{Actor, JournalEvent, NewEntry};
use store::{Access, account, commissioning, system};

impl Service {
    /// Ends the ownership. The people's names are erased, and nobody can see what was measured so far.
    pub async fn unlink(&self, access: &Access) -> Result<()> {
        let mut t = self.begin().await?;
        t.unlink_owner(access.sn(), access.account()).await?;
        let entry = NewEntry::by(access.account(), JournalEvent::SystemUnlinked, t.now);
        t.journal(entry.on(access.sn())).await?;
        t.commit().await
    }

    /// Deletes the account and every personal value. Its systems become unowned, and its journal entries lose their author.
    pub async fn erase_account(&self, account: AccountId) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(contact) = account::contact(&mut t, account).await? else {
            return Ok(());
        };
        for sn in system::serials_of(&mut t, account).await? {
            t.end_household(&sn).await?;
        }
        account::erase_measurements(&mut t, account).await?;
        system::unlink_all(&mut t, account, now).await?;
        account::erase_address(&mut t, &contact.email).await?;
        t.record_holder_deleted(account).await?;
        commissioning::anonymise_electrician(&mut t, account).await?;
        account::delete(&mut t, account).await?;
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
