//! The electrician's side of grants: accepting an invitation, requesting access, and using an installer code.
use super::grouped_for_mail;
use crate::{Error, Result, Service};
use domain::code::{Code, CodeKind};
use domain::grant::{GrantEvent, GrantScope, INSTALLER_GRANT_DAYS, end_of};
use domain::journal::JournalEvent;
use domain::{AccountId, Role, Serial};
use store::code;
use store::grant::{self, Grant};
use store::journal::NewEntry;

/// Result of redeeming an installer code.
#[derive(Clone, Debug)]
pub enum InstallerCodeResult {
    Grants(Vec<Grant>),
    Unknown,
    /// One of its systems has an owner, who has to decide.
    Owned,
}

/// An electrician's request to owners.
#[derive(Clone, Copy, Debug)]
pub struct GrantRequest<'a> {
    pub serials: &'a [Serial],
    pub scope: GrantScope,
    /// The message to the owners.
    pub message: Option<&'a str>,
}

impl Service {
    /// Accepts an invitation to the address of any member of the electrician's company, or also all others that the same owner
    /// has sent to that address. `None` if there is none.
    pub async fn accept_grant(
        &self,
        account: AccountId,
        id: i64,
        of_household: bool,
    ) -> Result<Option<Grant>> {
        let mut t = self.begin().await?;
        let now = t.now;
        let grant = grant::find(&mut t, id, now).await?;
        let invited = grant.filter(|grant| grant.scope.role() == Role::Electrician);
        let Some(invited) = invited else {
            return Ok(None);
        };
        if !t.is_invited(&invited, account).await?
            || invited.state.next(GrantEvent::Accepted).is_err()
        {
            return Ok(None);
        }
        let invitations = match of_household {
            true => grant::invitations_of_household(&mut t, &invited, now).await?,
            false => vec![invited],
        };
        let mut accepted = Vec::with_capacity(invitations.len());
        for invited in &invitations {
            accepted.push(t.accept_invitation(invited, account).await?);
        }
        for grants in grouped_for_mail(accepted.clone()) {
            t.mail_grant_owner(&grants, "grant_accepted").await?;
        }
        t.commit().await?;
        Ok(accepted.into_iter().find(|grant| grant.id == id))
    }

    /// Requests access to systems for the company. The work and the result are the same whether or not a system exists. A job
    /// notifies the owners. A repeated request changes the requested scope and the message. The owner is not told again until the
    /// request has expired, whether it was refused, withdrawn or is still open.
    pub async fn request_grants(
        &self,
        account: AccountId,
        request: &GrantRequest<'_>,
    ) -> Result<()> {
        let &GrantRequest { scope, message, .. } = request;
        let mut serials: Vec<&Serial> = request.serials.iter().collect();
        serials.sort();
        let mut t = self.begin().await?;
        let now = t.now;
        for sn in serials {
            if grant::insert_request(&mut t, account, sn, scope, message, now).await? {
                let event = JournalEvent::GrantAsked { scope: Some(scope) };
                t.journal(NewEntry::by(account, event, now).on(sn)).await?;
            }
        }
        t.commit().await
    }

    /// Opens the systems of an installer code for 30 days, while they have no owner.
    pub async fn redeem_installer_code(
        &self,
        account: AccountId,
        code: &Code,
    ) -> Result<InstallerCodeResult> {
        let mut t = self.begin().await?;
        let now = t.now;
        let hash = self.store.code_hash(&mut t, code).await?;
        let covered = code::covered_systems(&mut t, &hash, CodeKind::Installer).await?;
        if covered.is_empty() {
            return Ok(InstallerCodeResult::Unknown);
        }
        if covered.iter().any(|system| system.owner.is_some()) {
            return Ok(InstallerCodeResult::Owned);
        }
        if !code::mark_used(&mut t, &hash, now).await? {
            return Err(Error::Conflict);
        }
        let mut grants = Vec::with_capacity(covered.len());
        for system in covered {
            let last_day = system.zone.day_of(now).plus(INSTALLER_GRANT_DAYS);
            let until = end_of(&system.zone, last_day);
            let grant = grant::insert_by_code(&mut t, account, &system.sn, until, now).await?;
            let event = JournalEvent::GrantOpenedByCode(grant.detail());
            let entry = NewEntry::by(account, event, now).on(&grant.sn);
            t.journal(entry).await?;
            grants.push(grant);
        }
        t.commit().await?;
        Ok(InstallerCodeResult::Grants(grants))
    }
}
