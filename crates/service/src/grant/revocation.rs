//! How grants end: by the owner, by their holder, or because the household leaves.
use crate::transaction::Transaction;
use crate::{Result, Service};
use domain::company::CompanyRight;
use domain::grant::{GrantEvent, GrantState};
use domain::journal::JournalEvent;
use domain::{AccountId, Role, Serial};
use store::Access;
use store::grant::{self, Grant};
use store::journal::NewEntry;
use store::{account, company};

impl Service {
    /// The owner ends a grant, withdraws an invitation or refuses a request. `false` if this system has no such grant.
    pub async fn withdraw_grant(&self, access: &Access, id: i64) -> Result<bool> {
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        let grant = grant::find(&mut t, id, now).await?;
        let Some(grant) = grant.filter(|grant| grant.sn == *access.sn()) else {
            return Ok(false);
        };
        let Ok(state) = grant.state.next(GrantEvent::Withdrawn) else {
            return Ok(false);
        };
        if state == GrantState::Refused {
            grant::refuse(&mut t, id).await?;
        } else {
            grant::delete(&mut t, &grant, now).await?;
            if grant.state.opens() {
                t.mail_grant_holder(std::slice::from_ref(&grant), "grant_ended")
                    .await?;
                t.access_changed(&grant).await?;
            }
        }
        let entry = NewEntry::by(access.account(), event(&grant), now).on(access.sn());
        t.journal(entry).await?;
        t.commit().await?;
        Ok(true)
    }

    /// The holder, requester or invited person gives up a grant. `false` if they have no such grant.
    pub async fn give_up_grant(&self, account: AccountId, id: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(me) = account::contact(&mut t, account).await? else {
            return Ok(false);
        };
        let Some(mut grant) = grant::find(&mut t, id, now).await? else {
            return Ok(false);
        };
        let is_mine = match (grant.company, grant.account) {
            (Some(company), _) => {
                let place = company::lock_membership(&mut t, account).await?;
                place.is_some_and(|it| {
                    it.company == company && it.role.may(CompanyRight::ManageAccess)
                })
            }
            (None, Some(holder)) => holder == account,
            // An invitation to a household is bound to its code, not to its address.
            (None, None) => {
                grant.scope.role() == Role::Electrician && t.is_invited(&grant, account).await?
            }
        };
        if !is_mine || grant.state.next(GrantEvent::GivenUp).is_err() {
            return Ok(false);
        }
        // A request that its author takes back concerns nobody else.
        if matches!(grant.state, GrantState::Requested | GrantState::Refused) {
            grant::withdraw_request(&mut t, id, now).await?;
            t.commit().await?;
            return Ok(true);
        }
        grant::delete(&mut t, &grant, now).await?;
        if grant.state.opens() {
            t.access_changed(&grant).await?;
        }
        if grant.state.opens() || grant.state == GrantState::Invited {
            grant.holder.email = me.email;
            t.mail_grant_owner(std::slice::from_ref(&grant), "grant_given_up")
                .await?;
            let entry = NewEntry::by(account, event(&grant), now).on(&grant.sn);
            t.journal(entry).await?;
        }
        t.commit().await?;
        Ok(true)
    }
}

impl Transaction<'_> {
    /// Ends what only the holder could continue at the system.
    pub(super) async fn access_changed(&mut self, grant: &Grant) -> Result<()> {
        match grant.account {
            Some(holder) => self.abandon_orphaned_commissioning(&grant.sn, holder).await,
            None => Ok(()),
        }
    }

    /// The household has left: ends its grants and voids its invitations and offers.
    pub(crate) async fn end_grants_of_household(&mut self, sn: &Serial) -> Result<()> {
        let now = self.now;
        for grant in grant::open_of_system(self, sn, now).await? {
            self.mail_grant_holder(&[grant], "grant_ended").await?;
        }
        grant::erase_for_former_owner(self, sn).await
    }

    /// The holder's account is deleted together with its grants. The owners get a journal entry without a name.
    pub(crate) async fn record_holder_deleted(&mut self, account: AccountId) -> Result<()> {
        let now = self.now;
        for grant in grant::open_of_holder(self, account, now).await? {
            let event = JournalEvent::GrantEnded(grant.detail());
            let entry = NewEntry::by(account, event, now).on(&grant.sn);
            self.journal(entry).await?;
            grant::delete(self, &grant, now).await?;
            self.access_changed(&grant).await?;
        }
        Ok(())
    }
}

fn event(grant: &Grant) -> JournalEvent {
    let event = match grant.state {
        GrantState::Requested | GrantState::Refused => JournalEvent::GrantRefused,
        GrantState::Invited => JournalEvent::GrantDeclined,
        GrantState::Active | GrantState::Unconfirmed | GrantState::Ended => {
            JournalEvent::GrantEnded
        }
    };
    event(grant.detail())
}
