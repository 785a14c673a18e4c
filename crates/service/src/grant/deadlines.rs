//! Deadlines of grants: owners are notified of decisions, both sides are notified of an end, and old rows are deleted.
use crate::{Result, Service};
use domain::grant::GrantState;
use store::grant::{self, Grant};
use store::journal::{Actor, JournalEvent, NewEntry};

impl Service {
    /// Notifies owners of pending decisions, and both sides of grants that end soon or have ended. Each notification is sent
    /// once.
    pub async fn process_grant_deadlines(&self) -> Result<()> {
        let now = self.now();
        for grant in self.store.undecided_grants(now).await? {
            self.ask_for_decision(&grant).await?;
        }
        for grant in self.store.grants_ending_soon(now).await? {
            self.remind_of_end(&grant).await?;
        }
        for grant in self.store.overdue_grants(now).await? {
            self.expire_grant(&grant).await?;
        }
        self.store.purge_grants(now).await
    }

    async fn ask_for_decision(&self, grant: &Grant) -> Result<()> {
        let text = match grant.state {
            GrantState::Requested => "grant_asked",
            GrantState::Unconfirmed => "grant_unconfirmed",
            _ => return Ok(()),
        };
        let mut t = self.begin().await?;
        let now = t.now;
        if grant::mark_owner_notified(&mut t, grant, now).await? {
            t.mail_grant_owner(grant, text).await?;
        }
        t.commit().await
    }

    async fn remind_of_end(&self, grant: &Grant) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        if !grant::mark_reminded(&mut t, grant, now).await? {
            return Ok(());
        }
        t.mail_grant_owner(grant, "grant_ends").await?;
        t.mail_grant_holder(grant, "grant_ends_soon").await?;
        t.commit().await
    }

    async fn expire_grant(&self, grant: &Grant) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        if !grant::expire(&mut t, grant, now).await? {
            return Ok(());
        }
        t.mail_grant_holder(grant, "grant_ended").await?;
        t.access_changed(grant).await?;
        let entry = NewEntry::without_account(JournalEvent::GrantEnded, now);
        let entry = entry.with_actor(Actor::Portal).on(&grant.sn);
        t.journal(entry.with(grant.detail())).await?;
        t.commit().await
    }
}
