//! Companies of electricians: inviting people, their roles, and how they leave.
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::account::TERMS_VERSION;
use domain::company::{CompanyRight, MAX_COMPANY_MEMBERS};
use domain::journal::JournalEvent;
use domain::message::text as text_of;
use domain::{AccountId, CompanyId, CompanyRole, Email, Lang, Membership, without_links};
use store::account::{self, NewAccount, Profile};
use store::company::{self, CompanyInvitation, Member, NewCompanyInvitation};
use store::journal::NewEntry;
use store::{grant, mail_link, session};

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

/// What became of an invitation's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyAcceptance {
    Joined(AccountId),
    /// Used, expired, withdrawn, or never sent.
    Unknown,
    /// The address has an account, and one account is in one company.
    AddressTaken,
}

/// Whoever accepts an invitation.
pub struct NewMember<'a> {
    /// Without a company: the invitation names it.
    pub profile: &'a Profile,
    pub name: &'a str,
    pub password_hash: &'a str,
}

impl Service {
    /// Mails somebody a link with which they join the owner's company. It does not depend on whether the address has an account.
    pub async fn invite_member(
        &self,
        owner: AccountId,
        email: &Email,
        role: CompanyRole,
    ) -> Result<CompanyChange> {
        let token: [u8; 32] = self.random.bytes();
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(company) = t.lock_company_of(owner).await? else {
            return Ok(CompanyChange::Unknown);
        };
        let invited = company::count_invitations(&mut t, company, now).await?;
        let members = company::members(&mut t, company).await?.len();
        if members + invited >= MAX_COMPANY_MEMBERS {
            return Ok(CompanyChange::Full);
        }
        let new = NewCompanyInvitation {
            company,
            invited_by: owner,
            email,
            role,
            token: &token,
        };
        company::insert_invitation(&mut t, self.store.keyring(), new, now).await?;
        let event = JournalEvent::CompanyMemberInvited { role: Some(role) };
        t.journal(NewEntry::by(owner, event, now)).await?;
        // In the inviter's language: another one would tell that the address has an account.
        let Some(inviter) = MailRecipient::of(&mut t, owner).await? else {
            return Ok(CompanyChange::Unknown);
        };
        let to = MailRecipient {
            email: email.to_string(),
            ..inviter
        };
        let who = account::display_name(&mut t, owner).await?;
        let draft = MailDraft {
            text: "company_invited",
            page: &page::join(&BASE64.encode(token)),
            values: vec![
                ("who", who.unwrap_or_default()),
                ("role", role_text(role, to.lang())),
            ],
        };
        t.mail(&to, draft).await?;
        t.commit().await?;
        Ok(CompanyChange::Done)
    }

    pub async fn withdraw_member_invitation(
        &self,
        owner: AccountId,
        id: i64,
    ) -> Result<CompanyChange> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(company) = t.lock_company_of(owner).await? else {
            return Ok(CompanyChange::Unknown);
        };
        if !company::withdraw_invitation(&mut t, company, id).await? {
            return Ok(CompanyChange::Unknown);
        }
        let event = JournalEvent::CompanyInvitationWithdrawn;
        t.journal(NewEntry::by(owner, event, now)).await?;
        t.commit().await?;
        Ok(CompanyChange::Done)
    }

    /// Uses the link: an account begins, in the company. The mailbox is confirmed by it.
    pub async fn accept_company_invitation(
        &self,
        invitation: &CompanyInvitation,
        new: &NewMember<'_>,
    ) -> Result<CompanyAcceptance> {
        let mut t = self.begin().await?;
        let now = t.now;
        // The last owner may delete the account at this moment.
        company::lock(&mut t, invitation.company).await?;
        if !company::use_invitation(&mut t, invitation).await? {
            return Ok(CompanyAcceptance::Unknown);
        }
        if account::exists(&mut t, &new.profile.email).await? {
            return Ok(CompanyAcceptance::AddressTaken);
        }
        let role = invitation.role;
        let account = NewAccount {
            profile: new.profile,
            password_hash: new.password_hash,
            terms_version: TERMS_VERSION,
            terms_at: now,
            email_confirmed: true,
            joins: Some(Membership {
                company: invitation.company,
                role,
            }),
            name: Some(new.name),
        };
        let id = t.create_account(account).await?;
        let event = JournalEvent::CompanyMemberJoined { role: Some(role) };
        t.journal(NewEntry::by(id, event, now)).await?;
        let right = CompanyRight::ManageCompany;
        for owner in company::members_who_may(&mut t, invitation.company, right).await? {
            if owner != id {
                t.mail_joined(owner, new.name, role).await?;
            }
        }
        t.commit().await?;
        Ok(CompanyAcceptance::Joined(id))
    }

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
        let alone = leaving.name.as_deref().unwrap_or(&leaving.email);
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

    async fn mail_joined(&mut self, owner: AccountId, name: &str, role: CompanyRole) -> Result<()> {
        let Some(to) = MailRecipient::of(self, owner).await? else {
            return Ok(());
        };
        let draft = MailDraft {
            text: "company_joined",
            page: page::COMPANY,
            values: vec![
                ("who", without_links(name)),
                ("role", role_text(role, to.lang())),
            ],
        };
        self.mail(&to, draft).await
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

fn role_text(role: CompanyRole, lang: Lang) -> String {
    text_of(lang, "company_role", role.as_str()).to_owned()
}
