//! The owner's side of grants: inviting, and setting the scope and the end.
use super::mail::{
    ELECTRICIANS_PAGE, ELECTRICIANS_SYSTEM_PAGE, KEY_PAGE, MailDraft, MailRecipient,
};
use super::{Grant, Row, delete_superseded, find, select};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Purpose, Result, Store};
use db::Tx;
use domain::clock::Millis;
use domain::code::Code;
use domain::grant::{GrantEvent, GrantScope, GrantState, Origin, end_of};
use domain::{AccountId, Email, Role, SiteDay};

/// An owner's invitation and its terms.
#[derive(Clone, Copy, Debug)]
pub struct Invitation<'a> {
    pub email: &'a Email,
    pub scope: GrantScope,
    /// `None`: no end.
    pub last_day: Option<SiteDay>,
    /// The mailed code with which a member of the household accepts.
    pub code: Option<&'a Code>,
}

/// Terms that an owner sets for a grant. `None` keeps the present value, or uses the default for a new one.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrantTerms {
    pub scope: Option<GrantScope>,
    pub last_day: Option<SiteDay>,
}

impl Store {
    /// Invites somebody to systems, with one mail. Replaces pending invitations to the same address.
    pub async fn invite(
        &self,
        systems: &[&Access],
        invitation: Invitation<'_>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Vec<Grant>> {
        let mut tx = self.db.begin().await?;
        let mut invited = Vec::with_capacity(systems.len());
        for access in systems {
            let grant = self.offer(&mut tx, access, invitation, now).await?;
            let line =
                NewEntry::by(access.account(), JournalEvent::GrantInvited, now).on(access.sn());
            line.with(grant.detail()).write(&mut tx).await?;
            invited.push(grant);
        }
        if let Some((first, access)) = invited.first().zip(systems.first()) {
            let to = MailRecipient::invited(&mut tx, invitation.email.as_str(), access.account())
                .await?;
            let names: Vec<&str> = systems.iter().map(|access| access.sn().as_str()).collect();
            let key = invitation.code.map(Code::as_str).unwrap_or_default();
            let page = format!("{KEY_PAGE}{key}");
            let (name, page) = match invitation.code {
                Some(_) => ("member_invited", page.as_str()),
                None => ("grant_invited", ELECTRICIANS_PAGE),
            };
            let mut draft = MailDraft::about_grant(name, page, first, to.lang());
            draft.values.retain(|(name, _)| *name != "sn");
            draft.values.push(("sn", names.join(", ")));
            draft.values.push(("code", key.to_owned()));
            draft
                .queue(&mut tx, &self.keyring, mail_context, &to, now)
                .await?;
        }
        tx.commit().await?;
        Ok(invited)
    }

    async fn offer(
        &self,
        tx: &mut Tx,
        access: &Access,
        invitation: Invitation<'_>,
        now: Millis,
    ) -> Result<Grant> {
        let until = invitation.last_day.map(|day| end_of(access.zone(), day));
        let hash = invitation
            .code
            .map(|code| self.keyring.hash(Purpose::Code, code.as_str().as_bytes()));
        let id: i64 = within!(&mut *tx, c => sqlx::query_scalar(
            "INSERT INTO grants (sn, email, code_hash, scope, state, origin, created_at, until)
             VALUES ($1, $2, $3, $4, 'invited', $5, $6, $7)
             ON CONFLICT (sn, email) WHERE state = 'invited' DO UPDATE SET code_hash = excluded.code_hash,
                 scope = excluded.scope, created_at = excluded.created_at, until = excluded.until
             RETURNING id")
            .bind(access.sn().as_str())
            .bind(invitation.email.as_str())
            .bind(hash)
            .bind(invitation.scope.as_str())
            .bind(Origin::Invitation.as_str())
            .bind(now)
            .bind(until)
            .fetch_one(c).await)?;
        let row: Row = within!(tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
            .bind(id).fetch_one(c).await)?;
        row.grant()
    }

    /// Approves, confirms, renews or changes a grant of this system. `None`: there is no such grant, or its state does not allow
    /// this.
    pub async fn approve_grant(
        &self,
        access: &Access,
        id: i64,
        terms: GrantTerms,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Option<Grant>> {
        let mut tx = self.db.begin().await?;
        let grant = find(&mut tx, id, now).await?;
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
                held = find_held(&mut tx, access, holder, now).await?;
            }
            delete_superseded(&mut tx, access.sn(), holder, Some(id)).await?;
        }
        execute!(
            &mut tx,
            sqlx::query(
                "UPDATE grants SET state = $2, scope = $3, since = $4, reminded_at = CASE WHEN until = $5 THEN reminded_at END,
                     until = $5 WHERE id = $1"
            )
            .bind(id)
            .bind(state.as_str())
            .bind(scope.as_str())
            .bind(since)
            .bind(until)
        )?;
        let row: Row = within!(&mut tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
            .bind(id).fetch_one(c).await)?;
        let after = row.grant()?;
        let event = match state {
            GrantState::Invited => JournalEvent::GrantInvited,
            _ => JournalEvent::GrantGiven,
        };
        let line = NewEntry::by(access.account(), event, now).on(access.sn());
        line.with(after.detail()).write(&mut tx).await?;
        self.notify_of_terms(&mut tx, held.as_ref(), &after, mail_context, now)
            .await?;
        tx.commit().await?;
        Ok(Some(after))
    }

    /// Mails an electrician the new terms, and the previous ones if they had access.
    async fn notify_of_terms(
        &self,
        tx: &mut Tx,
        held: Option<&Grant>,
        after: &Grant,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(holder) = after.account else {
            return Ok(());
        };
        if after.scope.role() != Role::Electrician {
            return Ok(());
        }
        let Some(to) = MailRecipient::of(tx, holder).await? else {
            return Ok(());
        };
        let page = format!("{ELECTRICIANS_SYSTEM_PAGE}{}", after.sn);
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
        draft.queue(tx, &self.keyring, mail_context, &to, now).await
    }
}

/// The access that somebody already has to a system while they ask for more.
async fn find_held(
    tx: &mut Tx,
    access: &Access,
    holder: AccountId,
    now: Millis,
) -> Result<Option<Grant>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!(
        "WHERE g.sn = $1 AND g.account_id = $2 AND g.state IN ('active', 'unconfirmed')"))
        .bind(access.sn().as_str()).bind(holder.0).fetch_optional(c).await)?;
    let held = row.map(Row::grant).transpose()?;
    let held = held.and_then(|grant| grant.state_at(now));
    Ok(held.filter(|grant| grant.state.opens()))
}
