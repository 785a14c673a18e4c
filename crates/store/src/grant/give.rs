//! The owner's side: inviting, and saying how far a grant reaches and until when.
use super::letter::{ELECTRICIANS_PAGE, KEY_PAGE, Letter, Recipient};
use super::{Grant, Row, find, replace, select};
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Purpose, Result, Store};
use domain::clock::Millis;
use domain::code::Code;
use domain::grant::{GrantEvent, GrantState, Origin, Scope, end_of};
use domain::{Email, Role, SiteDay};

/// Whom an owner invites, and to what.
#[derive(Clone, Copy, Debug)]
pub struct Invitation<'a> {
    pub email: &'a Email,
    pub scope: Scope,
    /// `None`: without an end.
    pub last_day: Option<SiteDay>,
    /// With which somebody of the household accepts; it is mailed.
    pub code: Option<&'a Code>,
}

/// What an owner says about a grant; `None` leaves it as it is, or makes it what is usual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    pub scope: Option<Scope>,
    pub last_day: Option<SiteDay>,
}

impl Store {
    /// Offers access to systems, with one mail. What was pending for the same address is replaced.
    pub async fn invite(
        &self,
        systems: &[&Access],
        invitation: Invitation<'_>,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Vec<Grant>> {
        let mut tx = self.begin().await?;
        let mut invited = Vec::with_capacity(systems.len());
        for access in systems {
            let grant = self.offer(&mut tx, access, invitation, now).await?;
            let line = Entry::by(access.account(), Event::GrantInvited, now).on(access.sn());
            line.with(grant.detail()).write(&mut tx).await?;
            invited.push(grant);
        }
        if let Some((first, access)) = invited.first().zip(systems.first()) {
            let to =
                Recipient::invited(&mut tx, invitation.email.as_str(), access.account()).await?;
            let names: Vec<&str> = systems.iter().map(|access| access.sn().as_str()).collect();
            let key = invitation.code.map(Code::as_str).unwrap_or_default();
            let page = format!("{KEY_PAGE}{key}");
            let (name, page) = match invitation.code {
                Some(_) => ("member_invited", page.as_str()),
                None => ("grant_invited", ELECTRICIANS_PAGE),
            };
            let mut letter = Letter::about(name, page, first, to.lang());
            letter.values.retain(|(name, _)| *name != "sn");
            letter.values.push(("sn", names.join(", ")));
            letter.values.push(("code", key.to_owned()));
            letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
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

    /// Approves, confirms, renews or changes a grant of this system. `None`: there is none that takes it.
    pub async fn give(
        &self,
        access: &Access,
        id: i64,
        given: Given,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Option<Grant>> {
        let mut tx = self.begin().await?;
        let grant = find(&mut tx, id, now).await?;
        let Some(before) = grant.filter(|grant| grant.sn == *access.sn()) else {
            return Ok(None);
        };
        let Ok(state) = before.state.next(GrantEvent::Given) else {
            return Ok(None);
        };
        let scope = given.scope.unwrap_or(before.scope);
        let fresh = matches!(before.state, GrantState::Asked | GrantState::Ended);
        let until = match given.last_day {
            Some(day) => Some(end_of(access.zone(), day)),
            None if fresh => scope
                .usual_end(access.zone().day_of(now))
                .map(|day| end_of(access.zone(), day)),
            None => before.until,
        };
        // What an owner agrees to now, they had not agreed to before.
        let since = match before.state {
            GrantState::Active => before.since,
            GrantState::Invited => None,
            _ => Some(now),
        };
        if let Some(holder) = before.account {
            replace(&mut tx, access.sn(), holder, Some(id)).await?;
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
            GrantState::Invited => Event::GrantInvited,
            _ => Event::GrantGiven,
        };
        let line = Entry::by(access.account(), event, now).on(access.sn());
        line.with(after.detail()).write(&mut tx).await?;
        if let Some(holder) = after.account
            && after.scope.role() == Role::Electrician
            && let Some(to) = Recipient::of(&mut tx, holder).await?
        {
            let letter = Letter::about("grant_approved", ELECTRICIANS_PAGE, &after, to.lang());
            letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
        }
        tx.commit().await?;
        Ok(Some(after))
    }
}
