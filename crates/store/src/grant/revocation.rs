//! How grants end: by the owner, by their holder, or because the household leaves.
use super::mail::{ELECTRICIANS_PAGE, GrantMail, MailRecipient, OWNERS_PAGE};
use super::{Grant, Row, find, forget_holder, select};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Keyring, Result, Store};
use db::Tx;
use domain::clock::Millis;
use domain::grant::{GrantEvent, GrantScope, GrantState};
use domain::{AccountId, Role, Serial};

impl Store {
    /// The owner ends a grant, withdraws an invitation or refuses a request. `false`: this system has no such grant.
    pub async fn withdraw_grant(
        &self,
        access: &Access,
        id: i64,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
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
                notify_holder(&mut tx, &self.keyring, mail_context, &grant, now).await?;
            }
        }
        let line = NewEntry::by(access.account(), event(grant.state), now).on(access.sn());
        line.with(grant.detail()).write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The holder, requester or invited person gives up a grant. `false`: they have no such grant.
    pub async fn give_up_grant(
        &self,
        account: AccountId,
        id: i64,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let Some(me) = MailRecipient::of(&mut tx, account).await? else {
            return Ok(false);
        };
        let grant = find(&mut tx, id, now).await?;
        let mine = |grant: &Grant| match grant.account {
            Some(holder) => holder == account,
            // An invitation to a household belongs to whoever has its code, not to its address.
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
        // A request that its author takes back concerns nobody else.
        if heard {
            grant.holder.email = me.email;
            let mail = GrantMail {
                text: "grant_given_up",
                page: OWNERS_PAGE,
                grant: &grant,
            };
            mail.queue_for(grant.owner, &mut tx, &self.keyring, mail_context, now)
                .await?;
            let line = NewEntry::by(account, event(grant.state), now).on(&grant.sn);
            line.with(grant.detail()).write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The scope of a grant of this system; `None` when there is no such grant.
    pub async fn grant_scope(&self, access: &Access, id: i64) -> Result<Option<GrantScope>> {
        let scope: Option<String> = on!(self, p => sqlx::query_scalar("SELECT scope FROM grants WHERE id = $1 AND sn = $2")
            .bind(id).bind(access.sn().as_str()).fetch_optional(p).await)?;
        let scope = scope.map(|scope| scope.parse()).transpose();
        scope.map_err(|_| crate::Error::Damaged("grants.scope"))
    }
}

const fn event(state: GrantState) -> JournalEvent {
    match state {
        GrantState::Requested | GrantState::Refused => JournalEvent::GrantRefused,
        GrantState::Invited => JournalEvent::GrantDeclined,
        GrantState::Active | GrantState::Unconfirmed | GrantState::Ended => {
            JournalEvent::GrantEnded
        }
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

pub(super) async fn notify_holder(
    tx: &mut Tx,
    keyring: &Keyring,
    mail_context: MailContext<'_>,
    grant: &Grant,
    now: Millis,
) -> Result<()> {
    let page = match grant.scope.role() {
        Role::Electrician => ELECTRICIANS_PAGE,
        Role::User => OWNERS_PAGE,
    };
    let text = "grant_ended";
    let mail = GrantMail { text, page, grant };
    mail.queue_for(grant.account, tx, keyring, mail_context, now)
        .await
}

/// The household has left: ends its grants and voids its invitations and offers.
pub(crate) async fn erase_for_former_owner(
    tx: &mut Tx,
    keyring: &Keyring,
    mail_context: MailContext<'_>,
    sn: &Serial,
    now: Millis,
) -> Result<()> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.sn = $1"))
        .bind(sn.as_str()).fetch_all(c).await)?;
    for row in rows {
        let Some(grant) = row.grant()?.state_at(now) else {
            continue;
        };
        if grant.state.opens() {
            notify_holder(tx, keyring, mail_context, &grant, now).await?;
        }
    }
    // People who asked for access still see an open request, as they would for a system that does not exist.
    for change in [
        "UPDATE grants SET state = 'refused' WHERE sn = $1 AND state = 'asked'",
        "DELETE FROM grants WHERE sn = $1 AND state <> 'refused'",
        "DELETE FROM handovers WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(change).bind(sn.as_str()))?;
    }
    Ok(())
}

/// Marks grants by an installer code as unconfirmed: the new owner has not agreed to them.
pub(crate) async fn mark_unconfirmed(tx: &mut Tx, sn: &Serial) -> Result<()> {
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

/// The holder's account is deleted together with its grants. The owners get a journal entry without a name.
pub(crate) async fn record_holder_deleted(
    tx: &mut Tx,
    account: AccountId,
    now: Millis,
) -> Result<()> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.account_id = $1"))
        .bind(account.0).fetch_all(c).await)?;
    for row in rows {
        let Some(grant) = row.grant()?.state_at(now) else {
            continue;
        };
        if grant.state.opens() {
            let line = NewEntry::by(account, JournalEvent::GrantEnded, now).on(&grant.sn);
            line.with(grant.detail()).write(tx).await?;
        }
    }
    Ok(())
}
