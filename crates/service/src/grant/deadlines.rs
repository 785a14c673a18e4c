//! Deadlines of grants: owners are notified of decisions, both sides are notified of an end, and old rows are deleted.
use super::grouped_for_mail;
use crate::{Result, Service};
use domain::grant::GrantState;
use domain::journal::JournalEvent;
use store::grant::{self, Grant};
use store::journal::NewEntry;

impl Service {
    /// Notifies owners of pending decisions, and both sides of grants that end soon or have ended. Each notification is sent
    /// once, and one is enough for a household of several units.
    pub async fn process_grant_deadlines(&self) -> Result<()> {
        let now = self.now();
        for grants in grouped_for_mail(self.store.undecided_grants(now).await?) {
            self.ask_for_decision(grants).await?;
        }
        for grants in grouped_for_mail(self.store.grants_ending_soon(now).await?) {
            self.remind_of_end(grants).await?;
        }
        for grants in grouped_for_mail(self.store.overdue_grants(now).await?) {
            self.expire_grants(grants).await?;
        }
        self.store.purge_grants(now).await
    }

    async fn ask_for_decision(&self, grants: Vec<Grant>) -> Result<()> {
        let text = match grants.first() {
            Some(first) if first.state == GrantState::Requested => match first.message {
                Some(_) => "grant_asked_message",
                None => "grant_asked",
            },
            Some(first) if first.state == GrantState::Unconfirmed => "grant_unconfirmed",
            _ => return Ok(()),
        };
        let mut t = self.begin().await?;
        let (now, mut marked) = (t.now, Vec::with_capacity(grants.len()));
        for grant in grants {
            if grant::mark_owner_notified(&mut t, &grant, now).await? {
                marked.push(grant);
            }
        }
        t.mail_grant_owner(&marked, text).await?;
        t.commit().await
    }

    async fn remind_of_end(&self, grants: Vec<Grant>) -> Result<()> {
        let mut t = self.begin().await?;
        let (now, mut marked) = (t.now, Vec::with_capacity(grants.len()));
        for grant in grants {
            if grant::mark_reminded(&mut t, &grant, now).await? {
                marked.push(grant);
            }
        }
        t.mail_grant_owner(&marked, "grant_ends").await?;
        t.mail_grant_holder(&marked, "grant_ends_soon").await?;
        t.commit().await
    }

    async fn expire_grants(&self, grants: Vec<Grant>) -> Result<()> {
        let mut t = self.begin().await?;
        let (now, mut ended) = (t.now, Vec::with_capacity(grants.len()));
        for grant in grants {
            if !grant::expire(&mut t, &grant, now).await? {
                continue;
            }
            t.access_changed(&grant).await?;
            let event = JournalEvent::GrantEnded(grant.detail());
            let entry = NewEntry::without_account(event, now).on(&grant.sn);
            t.journal(entry).await?;
            ended.push(grant);
        }
        t.mail_grant_holder(&ended, "grant_ended").await?;
        t.commit().await
    }
}
