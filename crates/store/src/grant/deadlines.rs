//! Deadlines of grants: owners are notified of decisions, both sides are notified of an end, and old rows are deleted.
use super::mail::{ELECTRICIANS_PAGE, GrantMail, OWNERS_PAGE};
use super::revocation::notify_holder;
use super::{Grant, Row, forget_holder, select};
use crate::journal::{Actor, JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Result, Store};
use db::Tx;
use domain::clock::Millis;
use domain::grant::{GRANT_REQUEST_TTL, GrantState, MEMBER_CODE_TTL, REMIND_BEFORE, RENEWABLE_FOR};

impl Store {
    /// Notifies owners of pending decisions, and both sides of grants that end soon or have ended. Each notification is sent
    /// once.
    pub async fn process_grant_deadlines(
        &self,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let undecided: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('asked', 'unconfirmed') AND g.told_at IS NULL AND y.owner_id IS NOT NULL ORDER BY g.id"))
            .fetch_all(p).await)?;
        for row in undecided {
            if let Some(grant) = row.grant()?.state_at(now) {
                self.notify_undecided(&grant, mail_context, now).await?;
            }
        }
        let ending: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('active', 'unconfirmed') AND g.reminded_at IS NULL
                 AND g.until > $1 AND g.until <= $1 + $2 AND g.until - g.since > $2 ORDER BY g.id"))
            .bind(now).bind(REMIND_BEFORE).fetch_all(p).await)?;
        for row in ending {
            self.remind(&row.grant()?, mail_context, now).await?;
        }
        let over: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('active', 'unconfirmed') AND g.until <= $1 ORDER BY g.id"))
            .bind(now).fetch_all(p).await)?;
        for row in over {
            self.expire_grant(&row.grant()?, mail_context, now).await?;
        }
        self.purge_grants(now).await
    }

    async fn notify_undecided(
        &self,
        grant: &Grant,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let text = match grant.state {
            GrantState::Requested => "grant_asked",
            GrantState::Unconfirmed => "grant_unconfirmed",
            _ => return Ok(()),
        };
        let marked = "UPDATE grants SET told_at = $2 WHERE id = $1 AND told_at IS NULL";
        if update_once(&mut tx, marked, grant, now).await? {
            let page = OWNERS_PAGE;
            let mail = GrantMail { text, page, grant };
            mail.queue_for(grant.owner, &mut tx, &self.keyring, mail_context, now)
                .await?;
        }
        tx.commit().await
    }

    async fn remind(
        &self,
        grant: &Grant,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let marked = "UPDATE grants SET reminded_at = $2 WHERE id = $1 AND reminded_at IS NULL";
        if !update_once(&mut tx, marked, grant, now).await? {
            return Ok(());
        }
        for (account, text, page) in [
            (grant.owner, "grant_ends", OWNERS_PAGE),
            (grant.account, "grant_ends_soon", ELECTRICIANS_PAGE),
        ] {
            let mail = GrantMail { text, page, grant };
            mail.queue_for(account, &mut tx, &self.keyring, mail_context, now)
                .await?;
        }
        tx.commit().await
    }

    async fn expire_grant(
        &self,
        grant: &Grant,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let ended = "UPDATE grants SET state = 'ended' WHERE id = $1 AND until <= $2 AND state IN ('active', 'unconfirmed')";
        if !update_once(&mut tx, ended, grant, now).await? {
            return Ok(());
        }
        if let Some(holder) = grant.account {
            forget_holder(&mut tx, &grant.sn, holder, now).await?;
        }
        notify_holder(&mut tx, &self.keyring, mail_context, grant, now).await?;
        let line =
            NewEntry::without_account(JournalEvent::GrantEnded, now).with_actor(Actor::Portal);
        line.on(&grant.sn)
            .with(grant.detail())
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// Deletes requests and invitations without an answer in time, and grants that can no longer be renewed.
    async fn purge_grants(&self, now: Millis) -> Result<()> {
        let past: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT id FROM grants WHERE (state IN ('asked', 'refused') AND created_at <= $1)
                 OR (state = 'invited' AND (until <= $2 OR (code_hash IS NOT NULL AND created_at <= $3)))
                 OR (state = 'ended' AND until <= $4)
             UNION ALL SELECT id FROM handovers WHERE until <= $2 LIMIT 1")
            .bind(now - GRANT_REQUEST_TTL).bind(now).bind(now - MEMBER_CODE_TTL).bind(now - RENEWABLE_FOR)
            .fetch_optional(p).await)?;
        // A write invalidates every cached session, so it is avoided if there is nothing to delete: this runs every ten seconds.
        if past.is_none() {
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "DELETE FROM grants WHERE (state IN ('asked', 'refused') AND created_at <= $1)
                     OR (state = 'invited' AND (until <= $2 OR (code_hash IS NOT NULL AND created_at <= $3)))
                     OR (state = 'ended' AND until <= $4)"
            )
            .bind(now - GRANT_REQUEST_TTL)
            .bind(now)
            .bind(now - MEMBER_CODE_TTL)
            .bind(now - RENEWABLE_FOR)
        )?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM handovers WHERE until <= $1").bind(now)
        )?;
        tx.commit().await
    }
}

/// Whether this call made the change: several processes run the same jobs.
async fn update_once(
    tx: &mut Tx,
    update: &'static str,
    grant: &Grant,
    now: Millis,
) -> Result<bool> {
    let marked = execute!(tx, sqlx::query(update).bind(grant.id).bind(now))?;
    Ok(marked == 1)
}
