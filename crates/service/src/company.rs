//! Companies of electricians: their members, roles, and how members leave.
mod invitation;

pub use invitation::{CompanyAcceptance, NewMember};

use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use domain::company::CompanyRight;
use domain::journal::JournalEvent;
use domain::message::text as text_of;
use domain::{AccountId, CompanyId, CompanyRole, Lang, Membership, without_links};
use store::company::{self, Member};
use store::journal::NewEntry;
use store::{account, grant, mail_link, session};

/// The result of a change in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyChange {
    Done,
    /// The company has no such member or invitation, or the caller is no longer its owner.
    Unknown,
    /// The company would have no owner left.
    LastOwner,
    /// The company has the maximum number of members.
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
        let Some(locked) = t.lock_member(owner, member).await? else {
            return Ok(CompanyChange::Unknown);
        };
        if role != CompanyRole::Owner && locked.is_last_owner {
            return Ok(CompanyChange::LastOwner);
        }
        if locked.member.role == role {
            return Ok(CompanyChange::Done);
        }
        let company = locked.company;
        let event = JournalEvent::CompanyRoleChanged { role: Some(role) };
        t.journal(NewEntry::by(owner, event, now)).await?;
        company::set_membership(&mut t, member, Membership { company, role }, now).await?;
        t.mail_role(owner, &locked.member, role).await?;
        t.commit().await?;
        Ok(CompanyChange::Done)
    }

    /// Removes a member from the company. All of the member's sessions, links and open streams end at once. The account becomes a
    /// company of its own, so that its data can be exported or deleted.
    pub async fn remove_member(
        &self,
        owner: AccountId,
        member: AccountId,
    ) -> Result<CompanyChange> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(locked) = t.lock_member(owner, member).await? else {
            return Ok(CompanyChange::Unknown);
        };
        if locked.is_last_owner {
            return Ok(CompanyChange::LastOwner);
        }
        // Written while the author still belongs to the company.
        let event = JournalEvent::CompanyMemberRemoved;
        t.journal(NewEntry::by(owner, event, now)).await?;
        t.take_out_of_company(&locked.member).await?;
        t.commit().await?;
        Ok(CompanyChange::Done)
    }
}

/// A member of a locked company.
struct LockedMember {
    company: CompanyId,
    member: Member,
    /// Whether the company has no other owner.
    is_last_owner: bool,
}

/// What happens to a company when an account of it is deleted.
pub(crate) enum CompanyWithout {
    /// It continues under this name.
    GoesOn(String),
    Ends(CompanyId),
}

impl Transaction<'_> {
    /// The company of its owner, locked. `None` if the account is no longer an owner.
    async fn lock_company_of(&mut self, owner: AccountId) -> Result<Option<CompanyId>> {
        let membership = company::lock_membership(self, owner).await?;
        let allowed = membership.filter(|it| it.role.may(CompanyRight::ManageCompany));
        Ok(allowed.map(|it| it.company))
    }

    /// A member of the owner's company. `None` if there is no such member, or the caller is no longer an owner.
    async fn lock_member(
        &mut self,
        owner: AccountId,
        account: AccountId,
    ) -> Result<Option<LockedMember>> {
        let Some(company) = self.lock_company_of(owner).await? else {
            return Ok(None);
        };
        let members = company::members(self, company).await?;
        let is_last_owner = is_last_owner(&members, account);
        let member = members.into_iter().find(|one| one.account == account);
        Ok(member.map(|member| LockedMember {
            company,
            member,
            is_last_owner,
        }))
    }

    /// Prepares the deletion of a member's account. Without another owner the company and its grants end, and every other member
    /// gets a company of their own.
    pub(crate) async fn leave_company_on_deletion(
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

    /// Tells the person what they may do from now on, and the other owners that they are one more or less.
    async fn mail_role(
        &mut self,
        author: AccountId,
        member: &Member,
        role: CompanyRole,
    ) -> Result<()> {
        let who = account::display_name(self, author).await?;
        let who = who.unwrap_or_default();
        if member.account != author
            && let Some(to) = MailRecipient::of(self, member.account).await?
        {
            let draft = MailDraft {
                text: "company_role_changed",
                page: page::ELECTRICIANS_SYSTEMS,
                values: vec![("who", who.clone()), ("role", role_text(role, to.lang()))],
            };
            self.mail_caused_by(author, &to, draft).await?;
        }
        if role != CompanyRole::Owner && member.role != CompanyRole::Owner {
            return Ok(());
        }
        let name = member.name.as_deref().map(without_links);
        let name = name.unwrap_or_else(|| member.email.clone());
        let Some(company) = company::membership(self, author).await? else {
            return Ok(());
        };
        let right = CompanyRight::ManageCompany;
        for owner in company::members_who_may(self, company.company, right).await? {
            if owner == author || owner == member.account {
                continue;
            }
            let Some(to) = MailRecipient::of(self, owner).await? else {
                continue;
            };
            let draft = MailDraft {
                text: "company_owners_changed",
                page: page::COMPANY,
                values: vec![
                    ("who", who.clone()),
                    ("name", name.clone()),
                    ("role", role_text(role, to.lang())),
                ],
            };
            self.mail_caused_by(author, &to, draft).await?;
        }
        Ok(())
    }

    async fn take_out_of_company(&mut self, leaving: &Member) -> Result<()> {
        let (now, account) = (self.now, leaving.account);
        let was = account::find(self, account).await?;
        let was = was.and_then(|was| was.company).unwrap_or_default();
        // Other people can see the name, so the e-mail address is not used.
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

    /// The recipients of mails about a grant: its holder, or the members of its company who manage grants.
    pub(crate) async fn holders_of(&mut self, held: &grant::Grant) -> Result<Vec<AccountId>> {
        match held.company {
            Some(company) => {
                company::members_who_may(self, company, CompanyRight::ManageAccess).await
            }
            None => Ok(held.account.into_iter().collect()),
        }
    }

    /// Whether a grant's invitation is for the account's company, for the address of anybody who works there, and the account may
    /// answer it.
    pub(crate) async fn is_invited(&mut self, grant: &grant::Grant, me: AccountId) -> Result<bool> {
        let place = company::lock_membership(self, me).await?;
        let Some(place) = place.filter(|it| it.role.may(CompanyRight::ManageAccess)) else {
            return Ok(false);
        };
        let members = company::members(self, place.company).await?;
        let email = &grant.holder.email;
        Ok(grant.account.is_none() && members.iter().any(|one| one.email == *email))
    }
}

fn is_last_owner(members: &[Member], account: AccountId) -> bool {
    let mut owners = members.iter().filter(|one| one.role == CompanyRole::Owner);
    let only = owners.next().filter(|_| owners.next().is_none());
    only.is_some_and(|owner| owner.account == account)
}

fn role_text(role: CompanyRole, lang: Lang) -> String {
    text_of(lang, "company_role", role.as_str()).to_owned()
}
