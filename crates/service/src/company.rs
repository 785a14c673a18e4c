//! Companies of electricians: their people, their roles, and how they leave.
mod invitation;

pub use invitation::{CompanyAcceptance, NewMember};

use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use domain::company::CompanyRight;
use domain::journal::JournalEvent;
use domain::{AccountId, CompanyId, CompanyRole, Membership, without_links};
use store::company::{self, Member};
use store::journal::NewEntry;
use store::{account, grant, mail_link, session};

/// What became of a change in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyChange {
    Done,
    /// The company has nobody and nothing like that, or the caller is no owner of it any more.
    Unknown,
    /// Nobody would be left to decide.
    LastOwner,
    /// It has as many people as it may.
    Full,
}

impl Service {
    pub async fn set_member_role(
        &self,
        owner: AccountId,
        member: AccountId,
        role: CompanyRole,
    ) -> Result<CompanyChange> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(company) = t.lock_company_of(owner).await? else {
            return Ok(CompanyChange::Unknown);
        };
        let members = company::members(&mut t, company).await?;
        let Some(before) = members.iter().find(|one| one.account == member) else {
            return Ok(CompanyChange::Unknown);
        };
        if role != CompanyRole::Owner && is_last_owner(&members, member) {
            return Ok(CompanyChange::LastOwner);
        }
        if before.role == role {
            return Ok(CompanyChange::Done);
        }
        let event = JournalEvent::CompanyRoleChanged { role: Some(role) };
        t.journal(NewEntry::by(owner, event, now)).await?;
        company::set_membership(&mut t, member, Membership { company, role }, now).await?;
        t.commit().await?;
        Ok(CompanyChange::Done)
    }

    /// Takes somebody out of the company, at once: no login, link or open stream of theirs goes on. Their account becomes a
    /// company of its own, so that they can take their data away or delete it.
    pub async fn remove_member(
        &self,
        owner: AccountId,
        member: AccountId,
    ) -> Result<CompanyChange> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(company) = t.lock_company_of(owner).await? else {
            return Ok(CompanyChange::Unknown);
        };
        let members = company::members(&mut t, company).await?;
        let Some(leaving) = members.iter().find(|one| one.account == member) else {
            return Ok(CompanyChange::Unknown);
        };
        if is_last_owner(&members, member) {
            return Ok(CompanyChange::LastOwner);
        }
        // Written while the author is in the company.
        let event = JournalEvent::CompanyMemberRemoved;
        t.journal(NewEntry::by(owner, event, now)).await?;
        t.take_out_of_company(leaving).await?;
        t.commit().await?;
        Ok(CompanyChange::Done)
    }
}

/// How a company goes on when an account of it is deleted.
pub(crate) enum CompanyWithout {
    /// Under this name.
    GoesOn(String),
    Ends(CompanyId),
}

impl Transaction<'_> {
    /// The company of its owner, locked. `None`: no owner, as may have changed a moment ago.
    async fn lock_company_of(&mut self, owner: AccountId) -> Result<Option<CompanyId>> {
        let membership = company::lock_membership(self, owner).await?;
        let allowed = membership.filter(|it| it.role.may(CompanyRight::ManageCompany));
        Ok(allowed.map(|it| it.company))
    }

    /// An account of the company is about to be deleted. Without another owner the company ends: its grants do, and everybody
    /// else is on their own.
    pub(crate) async fn leave_company_for_good(
        &mut self,
        account: AccountId,
        company: CompanyId,
        name: String,
    ) -> Result<CompanyWithout> {
        let now = self.now;
        let members = company::members(self, company).await?;
        company::end_powers(self, account, now).await?;
        if !is_last_owner(&members, account) {
            return Ok(CompanyWithout::GoesOn(name));
        }
        self.record_holder_deleted(account).await?;
        for other in members.iter().filter(|one| one.account != account) {
            self.take_out_of_company(other).await?;
        }
        Ok(CompanyWithout::Ends(company))
    }

    async fn take_out_of_company(&mut self, leaving: &Member) -> Result<()> {
        let (now, account) = (self.now, leaving.account);
        let was = account::find(self, account).await?;
        let was = was.and_then(|was| was.company).unwrap_or_default();
        // Others read the name, so it is not the address.
        let alone = leaving.name.as_deref().unwrap_or("–");
        let alone = Membership {
            company: company::insert(self, alone, now).await?,
            role: CompanyRole::Owner,
        };
        company::set_membership(self, account, alone, now).await?;
        company::forget_systems(self, account).await?;
        session::end_all(self, account, None, now).await?;
        mail_link::end_all(self, account).await?;
        let draft = MailDraft {
            text: "company_left",
            page: page::LOGIN,
            values: vec![("company", without_links(&was))],
        };
        self.mail_account(account, draft).await
    }

    /// Who gets mails about a grant: its person, or those of its company who look after grants.
    pub(crate) async fn holders_of(&mut self, held: &grant::Grant) -> Result<Vec<AccountId>> {
        match held.company {
            Some(company) => {
                company::members_who_may(self, company, CompanyRight::ManageAccess).await
            }
            None => Ok(held.account.into_iter().collect()),
        }
    }

    /// Whether a grant's invitation is for the account's company: for the address of anybody who works there.
    pub(crate) async fn is_invited(&mut self, grant: &grant::Grant, me: AccountId) -> Result<bool> {
        let Some(place) = company::membership(self, me).await? else {
            return Ok(false);
        };
        let members = company::members(self, place.company).await?;
        let email = &grant.holder.email;
        Ok(grant.account.is_none() && members.iter().any(|one| one.email == *email))
    }
}

fn is_last_owner(members: &[Member], account: AccountId) -> bool {
    let owners = members.iter();
    let mut others = owners.filter(|one| one.role == CompanyRole::Owner && one.account != account);
    let is_owner = |one: &Member| one.account == account && one.role == CompanyRole::Owner;
    members.iter().any(is_owner) && others.next().is_none()
}
