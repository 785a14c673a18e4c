//! Customer codes: with one the electrician hands a commissioned system over to the customer, as a QR code on the screen or on
//! paper, or by mail. And mails about protocols, to whoever owns the system.
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Error, Result, Service, page};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::code::Code;
use domain::journal::JournalEvent;
use domain::{AccountId, Email, Serial, SiteDay, without_links};
use store::Access;
use store::code::CoveredSystem;
use store::commissioning::{self, CustomerCode, ProtocolName};
use store::journal::NewEntry;
use store::{account, company, system};

/// A customer code as the electrician shows it.
#[derive(Clone, Debug)]
pub struct IssuedCode {
    pub code: Code,
    /// The page of the web app that takes it.
    pub link: String,
    pub until: Millis,
}

/// A code for the units of a protocol, to be mailed.
#[derive(Clone, Copy, Debug)]
pub struct MailedCode<'a> {
    pub units: &'a [Access],
    pub protocol: i64,
    pub code: &'a Code,
    pub email: &'a Email,
}

impl Service {
    /// Issues a code for the units of a protocol. It replaces an earlier one. `None`: somebody owns a unit, or the company may not
    /// service it any more.
    pub async fn issue_customer_code(
        &self,
        units: &[Access],
        protocol: i64,
    ) -> Result<Option<IssuedCode>> {
        let Some(author) = units.first().map(Access::account) else {
            return Ok(None);
        };
        let code = Code::random(&self.random);
        let hash = self.store.new_code_hash(&code);
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(place) = company::membership(&mut t, author).await? else {
            return Ok(None);
        };
        let issued =
            commissioning::insert_customer_code(&mut t, protocol, place.company, &hash, now);
        let Some(until) = issued.await? else {
            return Ok(None);
        };
        t.journal_at_units(units, &JournalEvent::CustomerCodeIssued)
            .await?;
        t.commit().await?;
        Ok(Some(self.issued(code, until)))
    }

    /// The code, if it is the one of this protocol and works.
    pub async fn find_customer_code(
        &self,
        protocol: i64,
        code: &Code,
    ) -> Result<Option<IssuedCode>> {
        let mut t = self.begin().await?;
        let found = t.find_customer_code(protocol, code).await?;
        Ok(found.map(|until| self.issued(code.clone(), until)))
    }

    /// `false`: no code is out.
    pub async fn withdraw_customer_code(&self, units: &[Access], protocol: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        if !commissioning::delete_customer_code(&mut t, protocol).await? {
            return Ok(false);
        }
        t.journal_at_units(units, &JournalEvent::CustomerCodeWithdrawn)
            .await?;
        t.commit().await?;
        Ok(true)
    }

    /// Mails the code to an address that the customer has named. `false`: it is not the code of this protocol, or works no more.
    pub async fn mail_customer_code(&self, mailed: MailedCode<'_>) -> Result<bool> {
        let Some(first) = mailed.units.first() else {
            return Ok(false);
        };
        let mut t = self.begin().await?;
        let found = t.find_customer_code(mailed.protocol, mailed.code);
        let Some(until) = found.await? else {
            return Ok(false);
        };
        let author = first.account();
        let who = account::display_name(&mut t, author).await?;
        let to = MailRecipient::invited(&mut t, mailed.email.as_str(), author).await?;
        let serials: Vec<&str> = mailed.units.iter().map(|unit| unit.sn().as_str()).collect();
        let last_day: SiteDay = first.zone().day_of(until - 1);
        let draft = MailDraft {
            text: "customer_code",
            page: &page::enter_key(mailed.code.as_str()),
            values: vec![
                ("sn", serials.join(", ")),
                ("who", without_links(&who.unwrap_or_default())),
                ("code", mailed.code.as_str().to_owned()),
                ("until", to.lang().day(last_day)),
            ],
        };
        t.mail(&to, draft).await?;
        t.commit().await?;
        Ok(true)
    }

    /// Mails the owners of a protocol's units where they find it. `false`: nobody owns one.
    pub async fn mail_protocol(&self, units: &[Access], protocol: &ProtocolName) -> Result<bool> {
        let mut owners: Vec<AccountId> = units.iter().filter_map(Access::owner).collect();
        owners.sort_unstable();
        owners.dedup();
        let mut t = self.begin().await?;
        for owner in &owners {
            t.mail_protocol(*owner, protocol).await?;
        }
        t.commit().await?;
        Ok(!owners.is_empty())
    }

    fn issued(&self, code: Code, until: Millis) -> IssuedCode {
        let link = self.link(&page::enter_key(code.as_str()));
        IssuedCode { code, link, until }
    }
}

impl Transaction<'_> {
    async fn journal_at_units(&mut self, units: &[Access], event: &JournalEvent) -> Result<()> {
        let now = self.now;
        for unit in units {
            let entry = NewEntry::by(unit.account(), event.clone(), now);
            self.journal(entry.on(unit.sn())).await?;
        }
        Ok(())
    }

    /// Until when the code works, if it is the one of this protocol.
    async fn find_customer_code(&mut self, protocol: i64, code: &Code) -> Result<Option<Millis>> {
        let now = self.now;
        let hash = self.service.store.code_hash(self, code).await?;
        let found = commissioning::find_customer_code(self, &hash, now).await?;
        let found = found.filter(|found| found.commissioning == protocol);
        Ok(found
            .filter(|found| found.systems.iter().all(|system| system.owner.is_none()))
            .map(|found| found.until))
    }

    /// The customer has entered the code: links the systems that nobody owns.
    pub(crate) async fn use_customer_code(
        &mut self,
        used: &CustomerCode,
        account: AccountId,
    ) -> Result<()> {
        let now = self.now;
        if !commissioning::delete_customer_code(self, used.commissioning).await? {
            return Err(Error::Conflict);
        }
        for system in used.systems.iter().filter(|system| system.owner.is_none()) {
            let by = LinkedBy::CustomerCode;
            if !system::link(self, &system.sn, account, by, now).await? {
                return Err(Error::Conflict);
            }
            let entry = NewEntry::by(account, JournalEvent::SystemLinked, now);
            self.journal(entry.on(&system.sn)).await?;
        }
        self.mail_protocols_to_new_owner(account, &used.systems)
            .await
    }

    /// Tells somebody who has these systems now by a code where their protocols are. `before` is as the systems were.
    pub(crate) async fn mail_protocols_to_new_owner(
        &mut self,
        account: AccountId,
        before: &[CoveredSystem],
    ) -> Result<()> {
        let mut told: Vec<i64> = Vec::new();
        for system in before {
            if system.shows_protocols_to(account) {
                continue;
            }
            let newest = commissioning::newest_protocol(self, &system.sn).await?;
            if let Some(protocol) = newest
                && !told.contains(&protocol.id)
            {
                told.push(protocol.id);
                self.mail_protocol(account, &protocol).await?;
            }
        }
        Ok(())
    }

    /// A commissioning of units with an owner is finished.
    pub(crate) async fn mail_finished_protocol(&mut self, id: i64, first: &Serial) -> Result<()> {
        let newest = commissioning::newest_protocol(self, first).await?;
        let Some(protocol) = newest.filter(|protocol| protocol.id == id) else {
            return Ok(());
        };
        for owner in commissioning::owners(self, id).await? {
            self.mail_protocol(owner, &protocol).await?;
        }
        Ok(())
    }

    /// A link to the page that shows it after the login: an attachment would lie in mailboxes with the customer's name and address.
    async fn mail_protocol(&mut self, owner: AccountId, protocol: &ProtocolName) -> Result<()> {
        let draft = MailDraft {
            text: "protocol_ready",
            page: &page::protocol(protocol.id),
            values: vec![
                ("sn", protocol.sn.to_string()),
                ("number", protocol.to_string()),
            ],
        };
        self.mail_account(owner, draft).await
    }
}
