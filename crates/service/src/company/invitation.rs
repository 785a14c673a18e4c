//! Invitations to an electrician's company: mailed, withdrawn, and accepted with the link.
use super::{CompanyChange, role_text};
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::account::TERMS_VERSION;
use domain::company::{CompanyRight, MAX_COMPANY_MEMBERS};
use domain::journal::JournalEvent;
use domain::{AccountId, CompanyRole, Email, Membership, without_links};
use store::account::{self, NewAccount, Profile};
use store::company::{self, CompanyInvitation, NewCompanyInvitation};
use store::journal::NewEntry;

/// The result of using an invitation's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyAcceptance {
    Joined(AccountId),
    /// Used, expired, withdrawn, or never sent.
    Unknown,
    /// The address has an account, and an account belongs to at most one company.
    AddressTaken,
}

/// The person who accepts an invitation.
pub struct NewMember<'a> {
    /// Without a company, which the invitation names.
    pub profile: &'a Profile,
    pub name: &'a str,
    pub password_hash: &'a str,
}

impl Service {
    /// Mails a link to join the owner's company. The same whether or not the address has an account.
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
        // In the inviter's language: another one would reveal that the address has an account.
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

    /// Uses the link: creates an account in the company. Its e-mail address is confirmed.
    pub async fn accept_company_invitation(
        &self,
        invitation: &CompanyInvitation,
        new: &NewMember<'_>,
    ) -> Result<CompanyAcceptance> {
        let mut t = self.begin().await?;
        let now = t.now;
        // The last owner may be deleting the account at this moment.
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
}

impl Transaction<'_> {
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
}
