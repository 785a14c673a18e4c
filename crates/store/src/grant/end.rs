//! How grants end: by the owner, by whoever holds them, and when the household leaves.
use super::letter::{ELECTRICIANS_PAGE, Letter, OWNERS_PAGE, Recipient};
use super::{Grant, Row, find, forget_holder, select};
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Keyring, Result, Store};
use domain::clock::Millis;
use domain::grant::{GrantEvent, GrantState, Scope};
use domain::{AccountId, Role, Serial};

impl Store {
    /// The owner ends, withdraws or refuses. `false`: this system has no such grant.
    pub async fn withdraw_grant(
        &self,
        access: &Access,
        id: i64,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let grant = find(&mut tx, id, now).await?;
        let Some(grant) = grant.filter(|grant| grant.sn == *access.sn()) else {
            return Ok(false);
        };
        let Ok(state) = grant.state.next(GrantEvent::Withdrawn) else {
            return Ok(false);
        };
        if state == GrantState::Refused {
            execute!(
                &mut tx,
                sqlx::query("UPDATE grants SET state = 'refused' WHERE id = $1").bind(id)
            )?;
        } else {
            remove(&mut tx, &grant, now).await?;
            if grant.state.opens() {
                tell_holder(&mut tx, &self.keyring, desk, &grant, now).await?;
            }
        }
        let line = Entry::by(access.account(), event(grant.state), now).on(access.sn());
        line.with(grant.detail()).write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Whoever holds it, asked for it or was invited wants it no more. `false`: they have no such grant.
    pub async fn give_up_grant(
        &self,
        account: AccountId,
        id: i64,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let Some(me) = Recipient::of(&mut tx, account).await? else {
            return Ok(false);
        };
        let grant = find(&mut tx, id, now).await?;
        let mine = |grant: &Grant| match grant.account {
            Some(holder) => holder == account,
            // A household's invitation is its code's, not its address's.
            None => grant.holder.email == me.email && grant.scope.role() == Role::Electrician,
        };
        let Some(mut grant) = grant.filter(mine) else {
            return Ok(false);
        };
        if grant.state.next(GrantEvent::GivenUp).is_err() {
            return Ok(false);
        }
        remove(&mut tx, &grant, now).await?;
        let heard = grant.state.opens() || grant.state == GrantState::Invited;
        if heard
            && let Some(owner) = grant.owner
            && let Some(to) = Recipient::of(&mut tx, owner).await?
        {
            grant.holder.email = me.email;
            let letter = Letter::about("grant_given_up", OWNERS_PAGE, &grant, to.lang());
            letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
        }
        // A request that its author takes back was never anybody else's business.
        if heard {
            let line = Entry::by(account, event(grant.state), now).on(&grant.sn);
            line.with(grant.detail()).write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The kind of a grant of this system; `None` when there is no such one.
    pub async fn grant_scope(&self, access: &Access, id: i64) -> Result<Option<Scope>> {
        let scope: Option<String> = on!(self, p => sqlx::query_scalar("SELECT scope FROM grants WHERE id = $1 AND sn = $2")
            .bind(id).bind(access.sn().as_str()).fetch_optional(p).await)?;
        let scope = scope.map(|scope| scope.parse()).transpose();
        scope.map_err(|_| crate::Error::Damaged("grants.scope"))
    }
}

const fn event(state: GrantState) -> Event {
    match state {
        GrantState::Asked | GrantState::Refused => Event::GrantRefused,
        GrantState::Invited => Event::GrantDeclined,
        GrantState::Active | GrantState::Unconfirmed | GrantState::Ended => Event::GrantEnded,
    }
}

async fn remove(tx: &mut Tx, grant: &Grant, now: Millis) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM grants WHERE id = $1").bind(grant.id)
    )?;
    match grant.account {
        Some(holder) if grant.state.opens() => forget_holder(tx, &grant.sn, holder, now).await,
        _ => Ok(()),
    }
}

pub(super) async fn tell_holder(
    tx: &mut Tx,
    keyring: &Keyring,
    desk: Desk<'_>,
    grant: &Grant,
    now: Millis,
) -> Result<()> {
    let Some(holder) = grant.account else {
        return Ok(());
    };
    let Some(to) = Recipient::of(tx, holder).await? else {
        return Ok(());
    };
    let page = match grant.scope.role() {
        Role::Electrician => ELECTRICIANS_PAGE,
        Role::User => OWNERS_PAGE,
    };
    let letter = Letter::about("grant_ended", page, grant, to.lang());
    letter.queue(tx, keyring, desk, &to, now).await
}

/// The household has left: whom it let in has to go, and what it offered is void.
pub(crate) async fn leave(
    tx: &mut Tx,
    keyring: &Keyring,
    desk: Desk<'_>,
    sn: &Serial,
    now: Millis,
) -> Result<()> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.sn = $1"))
        .bind(sn.as_str()).fetch_all(c).await)?;
    for row in rows {
        let Some(grant) = row.grant()?.seen_at(now) else {
            continue;
        };
        if grant.state.opens() {
            tell_holder(tx, keyring, desk, &grant, now).await?;
        }
    }
    // Whoever asked goes on seeing that they asked, as they would for a system that does not exist.
    for change in [
        "UPDATE grants SET state = 'refused' WHERE sn = $1 AND state = 'asked'",
        "DELETE FROM grants WHERE sn = $1 AND state <> 'refused'",
        "DELETE FROM handovers WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(change).bind(sn.as_str()))?;
    }
    Ok(())
}

/// Somebody owns the system now, who has not agreed to what an installer code opened.
pub(crate) async fn claimed(tx: &mut Tx, sn: &Serial) -> Result<()> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.sn = $1 AND g.state = 'active'"))
        .bind(sn.as_str()).fetch_all(c).await)?;
    for row in rows {
        let grant = row.grant()?;
        if let Ok(state) = grant.state.next(GrantEvent::Claimed) {
            execute!(
                &mut *tx,
                sqlx::query("UPDATE grants SET state = $2, told_at = NULL WHERE id = $1")
                    .bind(grant.id)
                    .bind(state.as_str())
            )?;
        }
    }
    Ok(())
}

/// An account is deleted, and what it held with it. Owners find a line in their journal, without a name.
pub(crate) async fn holder_leaves(tx: &mut Tx, account: AccountId, now: Millis) -> Result<()> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.account_id = $1"))
        .bind(account.0).fetch_all(c).await)?;
    for row in rows {
        let Some(grant) = row.grant()?.seen_at(now) else {
            continue;
        };
        if grant.state.opens() {
            let line = Entry::by(account, Event::GrantEnded, now).on(&grant.sn);
            line.with(grant.detail()).write(tx).await?;
        }
    }
    Ok(())
}
