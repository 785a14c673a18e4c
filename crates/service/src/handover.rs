//! Handover, for example when a house is sold. The owner offers the system by mail, and the person who enters the mailed code
//! becomes the owner.
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Error, Result, Service, page};
use domain::claim::LinkedBy;
use domain::code::Code;
use domain::journal::JournalEvent;
use domain::{AccountId, Email};
use store::Access;
use store::handover::{self, Handover};
use store::journal::NewEntry;
use store::system;

impl Service {
    /// Offers a system to the owner of this mailbox. Voids an earlier offer of the system.
    pub async fn offer_handover(&self, access: &Access, email: &Email) -> Result<Handover> {
        let code = Code::random(&self.random);
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        let hash = self.store.new_code_hash(&code);
        let offered = handover::insert(&mut t, access, email, &hash, now).await?;
        let entry = NewEntry::by(access.account(), JournalEvent::HandoverOffered, now);
        t.journal(entry.on(access.sn())).await?;
        let to = MailRecipient::invited(&mut t, email.as_str(), access.account()).await?;
        let draft = MailDraft {
            text: "handover_offered",
            page: &page::enter_key(code.as_str()),
            values: vec![
                ("sn", access.sn().to_string()),
                ("code", code.as_str().to_owned()),
            ],
        };
        t.mail(&to, draft).await?;
        t.commit().await?;
        Ok(offered)
    }

    /// Withdraws an offer. `false` when the account has made no such offer.
    pub async fn withdraw_handover(&self, owner: AccountId, id: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        let Some(sn) = handover::delete(&mut t, owner, id).await? else {
            return Ok(false);
        };
        let entry = NewEntry::by(owner, JournalEvent::HandoverWithdrawn, t.now).on(&sn);
        t.journal(entry).await?;
        t.commit().await?;
        Ok(true)
    }
}

impl Transaction<'_> {
    /// Completes the handover after the new owner has entered the code. The old household leaves with all of its data, and the
    /// new one begins.
    pub(crate) async fn hand_over(&mut self, offered: &Handover, next: AccountId) -> Result<()> {
        let (sn, old, now) = (offered.serial()?, offered.owner(), self.now);
        let entry = NewEntry::by(old, JournalEvent::HandedOver, now).on(&sn);
        self.journal(entry).await?;
        self.unlink_owner(&sn, old).await?;
        if !system::link(self, &sn, next, LinkedBy::Handover, now).await? {
            return Err(Error::Conflict);
        }
        // The new household reads only entries after the moment when the old one left.
        let entry = NewEntry::by(next, JournalEvent::SystemLinked, now + 1).on(&sn);
        self.journal(entry).await?;
        let draft = MailDraft {
            text: "handover_done",
            page: page::OWNERS_SETTINGS,
            values: vec![("sn", sn.to_string())],
        };
        self.mail_account(old, draft).await
    }
}
