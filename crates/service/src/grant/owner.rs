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
    /// `None` for unlimited access.
    pub last_day: Option<SiteDay>,
    /// Whether the electrician may read the owner's phone number and postal address.
    pub shares_contact: bool,
}

/// Terms that an owner sets for a grant. `None` keeps the present value, or uses the default for a new one.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrantTerms {
    pub scope: Option<GrantScope>,
    pub last_day: Option<SiteDay>,
    pub shares_contact: Option<bool>,
}

impl Service {
    /// Invites a person to systems, with one mail. A household member accepts with the mailed code. Replaces pending invitations
    /// to the same address.
    pub async fn invite(
        &self,
        systems: &[&Access],
        invitation: Invitation<'_>,
    ) -> Result<Vec<Grant>> {
        let mut t = self.begin_at(systems).await?;
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
                shares_contact: invitation.shares_contact && !of_household,
            };
            let grant = grant::insert_invitation(&mut t, access, new, now).await?;
            let event = JournalEvent::GrantInvited(grant.detail());
            let entry = NewEntry::by(access.account(), event, now);
            t.journal(entry.on(access.sn())).await?;
            invited.push(grant);
        }
        if let Some(access) = systems.first() {
            let email = invitation.email.as_str();
            let to = MailRecipient::invited(&mut t, email, access.account()).await?;
            let key = code.as_ref().map(Code::as_str).unwrap_or_default();
            let key_page = page::enter_key(key);
            let (text, page) = match of_household {
                true => ("member_invited", key_page.as_str()),
                false => ("grant_invited", page::ELECTRICIANS_GRANTS),
            };
            let is_mailed = of_household || t.may_mail_invitation(email).await?;
            if is_mailed
                && let Some(mut draft) = MailDraft::about_grants(text, page, &invited, to.lang())
            {
                draft.values.push(("code", key.to_owned()));
                t.mail(&to, draft).await?;
            }
        }
        t.commit().await?;
        Ok(invited)
    }

    /// Approves, confirms, renews or changes grants of one person, each on its system. `None` if a grant does not exist or its
    /// state does not allow this; then nothing has changed.
    pub async fn approve_grants(
        &self,
        chosen: &[(&Access, i64)],
        terms: GrantTerms,
    ) -> Result<Option<Vec<Grant>>> {
        let mut chosen = chosen.to_vec();
        chosen.sort_by(|(one, _), (other, _)| one.sn().cmp(other.sn()));
        let accesses: Vec<&Access> = chosen.iter().map(|(access, _)| *access).collect();
        let mut t = self.begin_at(&accesses).await?;
        let mut changes = Vec::with_capacity(chosen.len());
        for &(access, id) in &chosen {
            match t.set_grant_terms(access, id, terms).await? {
                Some(change) => changes.push(change),
                None => return Ok(None),
            }
        }
        if let Some((access, _)) = chosen.first() {
            t.mail_new_terms(access.account(), &changes).await?;
        }
        t.commit().await?;
        Ok(Some(
            changes.into_iter().map(|change| change.after).collect(),
        ))
    }
}

/// What an owner's decision changed.
struct TermsChange {
    /// The access that the holder had before.
    held: Option<Grant>,
    after: Grant,
}

impl TermsChange {
    /// The mail to send about it, if any.
    fn mail_text(&self) -> Option<&'static str> {
        match &self.held {
            Some(held) if (held.scope, held.until) != (self.after.scope, self.after.until) => {
                Some("grant_changed")
            }
            // Nothing has changed for the electrician.
            Some(held) if held.state == GrantState::Active => None,
            _ => Some("grant_approved"),
        }
    }

    /// Changes with equal values share one mail.
    fn mail_terms(&self) -> impl PartialEq + use<> {
        let held = self.held.as_ref().map(|held| (held.scope, held.until));
        (self.mail_text(), held, self.after.scope, self.after.until)
    }
}

impl Transaction<'_> {
    async fn set_grant_terms(
        &mut self,
        access: &Access,
        id: i64,
        terms: GrantTerms,
    ) -> Result<Option<TermsChange>> {
        let now = self.now;
        let grant = grant::find(self, id, now).await?;
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
                held = grant::find_held(self, access.sn(), holder, now).await?;
            }
            grant::delete_superseded(self, access.sn(), holder, Some(id)).await?;
        }
        let shared = held.as_ref().unwrap_or(&before).shares_contact;
        let new = NewTerms {
            state,
            scope,
            since,
            until,
            shares_contact: terms.shares_contact.unwrap_or(shared),
        };
        let after = grant::set_terms(self, id, new).await?;
        let event = match state {
            GrantState::Invited => JournalEvent::GrantInvited,
            _ => JournalEvent::GrantGiven,
        };
        let entry = NewEntry::by(access.account(), event(after.detail()), now);
        self.journal(entry.on(access.sn())).await?;
        self.access_changed(&after).await?;
        Ok(Some(TermsChange { held, after }))
    }

    /// Mails an electrician's company the new terms, and the previous ones if it had access: one mail to each of its people who look
    /// after grants, for all that changed alike.
    async fn mail_new_terms(&mut self, author: AccountId, changes: &[TermsChange]) -> Result<()> {
        for (place, first) in changes.iter().enumerate() {
            let terms = first.mail_terms();
            let alike = |change: &&TermsChange| change.mail_terms() == terms;
            // The first of several equal changes writes the mail for all.
            if changes.iter().take(place).any(|change| alike(&change)) {
                continue;
            }
            let Some(text) = first.mail_text() else {
                continue;
            };
            if first.after.scope.role() != Role::Electrician {
                continue;
            }
            let grants: Vec<Grant> = changes
                .iter()
                .filter(alike)
                .map(|it| it.after.clone())
                .collect();
            for holder in self.holders_of(&first.after).await? {
                let held = first.held.as_ref();
                self.mail_new_terms_to(author, holder, text, &grants, held)
                    .await?;
            }
        }
        Ok(())
    }

    async fn mail_new_terms_to(
        &mut self,
        author: AccountId,
        holder: AccountId,
        text: &str,
        grants: &[Grant],
        held: Option<&Grant>,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(self, holder).await? else {
            return Ok(());
        };
        let page = match grants {
            [one] => page::electricians_system(&one.sn),
            _ => page::ELECTRICIANS_SYSTEMS.to_owned(),
        };
        let lang = to.lang();
        let draft = MailDraft::about_grants(text, &page, grants, lang);
        let draft = draft.map(|draft| match held {
            Some(held) if text == "grant_changed" => draft.changed_from(held, lang),
            _ => draft,
        });
        match draft {
            Some(draft) => self.mail_caused_by(author, &to, draft).await,
            None => Ok(()),
        }
    }
}
