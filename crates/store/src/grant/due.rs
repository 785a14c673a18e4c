//! Grants that need the attention of a job: pending decisions of owners, ends that are near or past, and rows to delete.
use super::{Grant, Row, grants, select};
use crate::{Result, Store, customer};
use domain::clock::Millis;
use domain::grant::{GRANT_REQUEST_TTL, MEMBER_CODE_TTL, REMIND_BEFORE, RENEWABLE_FOR};

impl Store {
    /// Grants whose owner has not been asked for a decision yet.
    pub async fn undecided_grants(&self, now: Millis) -> Result<Vec<Grant>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('asked', 'unconfirmed') AND g.told_at IS NULL AND y.owner_id IS NOT NULL ORDER BY g.id"))
            .fetch_all(p).await)?;
        let undecided = grants(rows)?.into_iter();
        Ok(undecided.filter_map(|grant| grant.state_at(now)).collect())
    }

    /// Grants that end soon and whose sides have not been reminded.
    pub async fn grants_ending_soon(&self, now: Millis) -> Result<Vec<Grant>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('active', 'unconfirmed') AND g.reminded_at IS NULL
                 AND g.until > $1 AND g.until <= $1 + $2 AND g.until - g.since > $2 ORDER BY g.id"))
            .bind(now).bind(REMIND_BEFORE).fetch_all(p).await)?;
        grants(rows)
    }

    /// Grants that have ended but are not stored as ended yet.
    pub async fn overdue_grants(&self, now: Millis) -> Result<Vec<Grant>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.state IN ('active', 'unconfirmed') AND g.until <= $1 ORDER BY g.id"))
            .bind(now).fetch_all(p).await)?;
        grants(rows)
    }

    /// Deletes requests and invitations that were not answered in time, and grants that can no longer be renewed.
    pub async fn purge_grants(&self, now: Millis) -> Result<()> {
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
        customer::erase_without_grant(&mut tx).await?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM handovers WHERE until <= $1").bind(now)
        )?;
        tx.commit().await
    }
}
