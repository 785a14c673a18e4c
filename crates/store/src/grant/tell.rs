//! What grants need by the clock: owners hear what they have to decide, both sides hear of an end, and what is past goes.
use super::end::tell_holder;
use super::letter::{ELECTRICIANS_PAGE, Letter, OWNERS_PAGE, Recipient};
use super::{Grant, Row, forget_holder, select};
use crate::db::Tx;
use crate::journal::{Actor, Entry, Event};
use crate::mail::Desk;
use crate::{Result, Store};
use domain::clock::Millis;
use domain::grant::{GrantState, MEMBER_CODE_LIFE, REMIND_BEFORE, RENEWABLE, REQUEST_LIFE};

impl Store {
    /// Tells owners what waits for them, and both sides what ends soon or has ended. Each is told once.
    pub async fn tell_of_grants(&self, desk: Desk<'_>, now: Millis) -> Result<()> {
        let undecided: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('asked', 'unconfirmed') AND g.told_at IS NULL AND y.owner_id IS NOT NULL ORDER BY g.id"))
            .fetch_all(p).await)?;
        for row in undecided {
            if let Some(grant) = row.grant()?.seen_at(now) {
                self.tell_undecided(&grant, desk, now).await?;
            }
        }
        let ending: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('active', 'unconfirmed') AND g.reminded_at IS NULL
                 AND g.until > $1 AND g.until <= $1 + $2 AND g.until - g.since > $2 ORDER BY g.id"))
            .bind(now).bind(REMIND_BEFORE).fetch_all(p).await)?;
        for row in ending {
            self.remind(&row.grant()?, desk, now).await?;
        }
        let over: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('active', 'unconfirmed') AND g.until <= $1 ORDER BY g.id"))
            .bind(now).fetch_all(p).await)?;
        for row in over {
            self.run_out(&row.grant()?, desk, now).await?;
        }
        self.purge_grants(now).await
    }

    async fn tell_undecided(&self, grant: &Grant, desk: Desk<'_>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        let text = match grant.state {
            GrantState::Asked => "grant_asked",
            GrantState::Unconfirmed => "grant_unconfirmed",
            _ => return Ok(()),
        };
        if mark(
            &mut tx,
            "UPDATE grants SET told_at = $2 WHERE id = $1 AND told_at IS NULL",
            grant,
            now,
        )
        .await?
            && let Some(owner) = grant.owner
            && let Some(to) = Recipient::of(&mut tx, owner).await?
        {
            let letter = Letter::about(text, OWNERS_PAGE, grant, to.lang());
            letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
        }
        tx.commit().await
    }

    async fn remind(&self, grant: &Grant, desk: Desk<'_>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        let marked = mark(
            &mut tx,
            "UPDATE grants SET reminded_at = $2 WHERE id = $1 AND reminded_at IS NULL",
            grant,
            now,
        );
        if !marked.await? {
            return Ok(());
        }
        for (who, text, page) in [
            (grant.owner, "grant_ends", OWNERS_PAGE),
            (grant.account, "grant_ends_soon", ELECTRICIANS_PAGE),
        ] {
            if let Some(account) = who
                && let Some(to) = Recipient::of(&mut tx, account).await?
            {
                let letter = Letter::about(text, page, grant, to.lang());
                letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
            }
        }
        tx.commit().await
    }

    async fn run_out(&self, grant: &Grant, desk: Desk<'_>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        let ended = "UPDATE grants SET state = 'ended' WHERE id = $1 AND until <= $2 AND state IN ('active', 'unconfirmed')";
        if !mark(&mut tx, ended, grant, now).await? {
            return Ok(());
        }
        if let Some(holder) = grant.account {
            forget_holder(&mut tx, &grant.sn, holder, now).await?;
        }
        tell_holder(&mut tx, &self.keyring, desk, grant, now).await?;
        let line = Entry::by_nobody(Event::GrantEnded, now).through(Actor::Portal);
        line.on(&grant.sn)
            .with(grant.detail())
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// Forgets what nobody answered in time, and what can no longer be renewed.
    async fn purge_grants(&self, now: Millis) -> Result<()> {
        let past: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT id FROM grants WHERE (state IN ('asked', 'refused') AND created_at <= $1)
                 OR (state = 'invited' AND (until <= $2 OR (code_hash IS NOT NULL AND created_at <= $3)))
                 OR (state = 'ended' AND until <= $4)
             UNION ALL SELECT id FROM handovers WHERE until <= $2 LIMIT 1")
            .bind(now - REQUEST_LIFE).bind(now).bind(now - MEMBER_CODE_LIFE).bind(now - RENEWABLE)
            .fetch_optional(p).await)?;
        // Whoever writes makes everybody be looked up again: not every ten seconds for nothing.
        if past.is_none() {
            return Ok(());
        }
        let mut tx = self.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "DELETE FROM grants WHERE (state IN ('asked', 'refused') AND created_at <= $1)
                     OR (state = 'invited' AND (until <= $2 OR (code_hash IS NOT NULL AND created_at <= $3)))
                     OR (state = 'ended' AND until <= $4)"
            )
            .bind(now - REQUEST_LIFE)
            .bind(now)
            .bind(now - MEMBER_CODE_LIFE)
            .bind(now - RENEWABLE)
        )?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM handovers WHERE until <= $1").bind(now)
        )?;
        tx.commit().await
    }
}

/// Whether this was the one that did it: several processes run the same jobs.
async fn mark(tx: &mut Tx, update: &'static str, grant: &Grant, now: Millis) -> Result<bool> {
    let marked = execute!(tx, sqlx::query(update).bind(grant.id).bind(now))?;
    Ok(marked == 1)
}
