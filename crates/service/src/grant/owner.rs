//! The owner's side of grants: inviting, and setting the scope and the end.
use crate::mail::{MailDraft, MailRecipient};
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use domain::code::Code;
use domain::grant::{GrantEvent, GrantScope, GrantState, end_of};
use domain::journal::JournalEvent;
use domain::{AccountId, Email, Role, SiteDay};
use store::Access;
use store::grant::{self, Grant, NewInvitation, NewTerms};
use store::journal::NewEntry;

/// An owner's invitation and its terms.
#[derive(Clone, Copy, Debug)]
pub struct Invitation<'a> {
    pub email: &'a Email,
    pub scope: GrantScope,
    /// `None`: no end.
    pub last_day: Option<SiteDay>,
}

/// Terms that an owner sets for a grant. `None` keeps the present value, or uses the default for a new one.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrantTerms {
    pub scope: Option<GrantScope>,
    pub last_day: Option<SiteDay>,
}

impl Service {
    /// Invites somebody to systems, with one mail. A member of the household accepts with the mailed code. Replaces pending
    /// invitations to the same address.
    pub async fn invite(
        &self,
        systems: &[&Access],
        invitation: Invitation<'_>,
    ) -> Result<Vec<Grant>> {
        let mut t = self.begin().await?;
        let now = t.now;
        let of_household = invitation.scope.role() == Role::User;
        let code = of_household.then(|| Code::random(&self.random));
        let code_hash = code.as_ref().map(|code| self.store.new_code_hash(code));
        let mut invited = Vec::with_capacity(systems.len());
        for access in systems {
            let new = NewInvitation {
                email: invitation.email,
                scope: invitation.scope,
                until: invitation.last_day.map(|day| end_of(access.zone(), day)),
                code_hash: code_hash.as_deref(),
            };
            let grant = grant::insert_invitation(&mut t, access, new, now).await?;
            let event = JournalEvent::GrantInvited(grant.detail());
            let entry = NewEntry::by(access.account(), event, now);
            t.journal(entry.on(access.sn())).await?;
            invited.push(grant);
        }
        if let Some((first, access)) = invited.first().zip(systems.first()) {
            let email = invitation.email.as_str();
            let to = MailRecipient::invited(&mut t, email, access.account()).await?;
            let names: Vec<&str> = systems.iter().map(|access| access.sn().as_str()).collect();
            let key = code.as_ref().map(Code::as_str).unwrap_or_default();
            let key_page = page::enter_key(key);
            let (text, page) = match of_household {
                true => ("member_invited", key_page.as_str()),
                false => ("grant_invited", page::ELECTRICIANS_GRANTS),
            };
            let mut draft = MailDraft::about_grant(text, page, first, to.lang());
            draft.values.retain(|(name, _)| *name != "sn");
            draft.values.push(("sn", names.join(", ")));
            draft.values.push(("code", key.to_owned()));
            t.mail(&to, draft).await?;
        }
        t.commit().await?;
        Ok(invited)
    }

    /// Approves, confirms, renews or changes a grant of this system. `None`: there is no such grant, or its state does not allow
    /// this.
    pub async fn approve_grant(
        &self,
        access: &Access,
        id: i64,
        terms: GrantTerms,
    ) -> Result<Option<Grant>> {
        let mut t = self.begin().await?;
        let now = t.now;
        let grant = grant::find(&mut t, id, now).await?;
        let Some(before) = grant.filter(|grant| grant.sn == *access.sn()) else {
            return Ok(None);
        };
        let Ok(state) = before.state.next(GrantEvent::TermsSet) else {
            return Ok(None);
        };
        let scope = terms.scope.unwrap_or(before.scope);
        let fresh = matches!(before.state, GrantState::Requested | GrantState::Ended);
        let until = match terms.last_day {
            Some(day) => Some(end_of(access.zone(), day)),
            None if fresh => scope
                .default_end(access.zone().day_of(now))
                .map(|day| end_of(access.zone(), day)),
            None => before.until,
        };
        // The owner agrees only now, so the grant starts now.
        let since = match before.state {
            GrantState::Active => before.since,
            GrantState::Invited => None,
            _ => Some(now),
        };
        let mut held = before.state.opens().then(|| before.clone());
        if let Some(holder) = before.account {
            if held.is_none() {
                held = grant::find_held(&mut t, access.sn(), holder, now).await?;
            }
            grant::delete_superseded(&mut t, access.sn(), holder, Some(id)).await?;
        }
        let new = NewTerms {
            state,
            scope,
            since,
            until,
        };
        let after = grant::set_terms(&mut t, id, new).await?;
        let event = match state {
            GrantState::Invited => JournalEvent::GrantInvited,
            _ => JournalEvent::GrantGiven,
        };
        let entry = NewEntry::by(access.account(), event(after.detail()), now);
        t.journal(entry.on(access.sn())).await?;
        t.mail_new_terms(held.as_ref(), &after).await?;
        t.access_changed(&after).await?;
        t.commit().await?;
        Ok(Some(after))
    }
}

impl Transaction<'_> {
    /// Mails an electrician's company the new terms, and the previous ones if it had access.
    async fn mail_new_terms(&mut self, held: Option<&Grant>, after: &Grant) -> Result<()> {
        if after.scope.role() != Role::Electrician {
            return Ok(());
        }
        for holder in self.holders_of(after).await? {
            self.mail_new_terms_to(holder, held, after).await?;
        }
        Ok(())
    }

    async fn mail_new_terms_to(
        &mut self,
        holder: AccountId,
        held: Option<&Grant>,
        after: &Grant,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(self, holder).await? else {
            return Ok(());
        };
        let page = page::electricians_system(&after.sn);
        let lang = to.lang();
        let draft = |text| MailDraft::about_grant(text, &page, after, lang);
        let draft = match held {
            Some(held) if (held.scope, held.until) != (after.scope, after.until) => {
                draft("grant_changed").changed_from(held, lang)
            }
            // Nothing has changed for the electrician.
            Some(held) if held.state == GrantState::Active => return Ok(()),
            _ => draft("grant_approved"),
        };
        self.mail(&to, draft).await
    }
}
