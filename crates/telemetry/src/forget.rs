//! Erases samples of a former household or of an account. Old months are deleted in `month_partitions.rs`.
use crate::Telemetry;
use crate::day_context::MeasuredSite;
use crate::late_samples::month_number;
use crate::{chunks, fold, late_samples, month_objects, sealed_months};
use db::{Error, FromRow, Result, Tx};
use domain::clock::Millis;
use domain::shard::ShardSet;
use domain::{Serial, Zone};

#[derive(Debug, FromRow)]
struct SystemRow {
    sn: String,
    phase: i64,
    time_zone: String,
    history_from: Millis,
}

/// Erases samples after `at`. Samples in the future come from a time when the server's clock was wrong. They belong to the
/// household of that time.
pub async fn erase_after(tx: &mut Tx, sn: &Serial, at: Millis) -> Result<()> {
    fold::settle(tx, None, &[sn], at).await?;
    late_samples::bump_version(tx, sn).await?;
    chunks::delete_between(tx, sn, &(at + 1..Millis::MAX)).await?;
    let days = "DELETE FROM sealed_days WHERE sn = $1 AND starts_at > $2";
    execute!(&mut *tx, sqlx::query(days).bind(sn.as_str()).bind(at))?;
    // Their objects are rewritten without these days.
    let month = month_number(Zone::default().day_of(at).plus(-1));
    let months =
        "UPDATE sealed_months SET in_store = FALSE WHERE sn = $1 AND month >= $2 AND in_store";
    execute!(&mut *tx, sqlx::query(months).bind(sn.as_str()).bind(month))?;
    Ok(())
}

/// Erases everything that was measured by these systems. The record of which messages they sent is kept.
pub async fn erase_all(tx: &mut Tx, systems: &[Serial], now: Millis) -> Result<()> {
    let all: Vec<&Serial> = systems.iter().collect();
    fold::settle(tx, None, &all, now).await?;
    for sn in systems {
        // A concurrent sealing of one of these days must notice the change.
        late_samples::bump_version(tx, sn).await?;
        month_objects::erase(tx, sn, 0..=i64::MAX).await?;
        for erase in [
            "DELETE FROM sample_chunks WHERE sn = $1",
            "DELETE FROM sealed_days WHERE sn = $1",
            "DELETE FROM sealed_months WHERE sn = $1",
            "UPDATE systems SET measured = FALSE WHERE sn = $1",
        ] {
            execute!(&mut *tx, sqlx::query(erase).bind(sn.as_str()))?;
        }
    }
    Ok(())
}

impl Telemetry {
    /// Erases everything from before a change of owner. Returns the number of systems.
    pub async fn erase_former_households(&self, shards: ShardSet) -> Result<usize> {
        let systems: Vec<SystemRow> = on!(self, p => sqlx::query_as(concat!(
            "SELECT s.sn, s.phase, s.time_zone, s.history_from FROM systems s WHERE s.history_from > s.erased_to AND ",
            in_shards!("s.site_id", "$1"), " ORDER BY s.sn"))
            .bind(shards.bits()).fetch_all(p).await)?;
        let mut erased = 0;
        for system in systems {
            let sn: Serial = system
                .sn
                .parse()
                .map_err(|_| Error::Damaged("systems.sn"))?;
            let done = self.erase_former_household(&sn, &system).await;
            let done = self.db.tolerate(done, "samples", &sn)?;
            erased += usize::from(done.is_some());
        }
        Ok(erased)
    }

    /// Erases everything from before the present household. The day of the change is sealed again without it.
    async fn erase_former_household(&self, sn: &Serial, system: &SystemRow) -> Result<()> {
        let zone: Zone = system
            .time_zone
            .parse()
            .map_err(|_| Error::Damaged("systems.time_zone"))?;
        let site = MeasuredSite {
            sn,
            phase: u8::try_from(system.phase).map_err(|_| Error::Damaged("systems.phase"))?,
            zone: &zone,
            history_from: system.history_from,
        };
        let (sn, until) = (site.sn.as_str(), site.history_from);
        let mut tx = self.db.begin().await?;
        fold::settle(&mut tx, Some(self), &[site.sn], until).await?;
        late_samples::bump_version(&mut tx, site.sn).await?;
        let kept_from = site.kept_from(&mut tx).await?.max(until);
        chunks::delete_between(&mut tx, site.sn, &(Millis::MIN..until)).await?;
        let days = "DELETE FROM sealed_days WHERE sn = $1 AND ends_at <= $2";
        execute!(&mut tx, sqlx::query(days).bind(sn).bind(until))?;
        let lines = "DELETE FROM journal WHERE sn = $1 AND at < $2 AND account_id IS NULL AND actor = 'battery'";
        execute!(&mut tx, sqlx::query(lines).bind(sn).bind(until))?;
        for reported in [
            "DELETE FROM events WHERE sn = $1 AND COALESCE(at, received_at) < $2",
            "DELETE FROM hidden_samples WHERE sn = $1 AND received_at < $2",
            "DELETE FROM rejects WHERE sn = $1 AND received_at < $2",
        ] {
            execute!(&mut tx, sqlx::query(reported).bind(sn).bind(until))?;
        }
        sealed_months::erase_before(&mut tx, site).await?;
        let unmeasured = "UPDATE systems SET measured = FALSE WHERE sn = $1
             AND NOT EXISTS (SELECT 1 FROM sample_chunks WHERE sn = $1)
             AND NOT EXISTS (SELECT 1 FROM sealed_months WHERE sn = $1)";
        execute!(&mut tx, sqlx::query(unmeasured).bind(sn))?;
        late_samples::mark_dirty(&mut tx, site.sn, site.zone, kept_from, [until].into_iter())
            .await?;
        for erased in [
            "UPDATE sealing SET erased_to = $2, kept_from = CASE WHEN kept_from < $2 THEN $2 ELSE kept_from END WHERE sn = $1",
            "UPDATE systems SET erased_to = $2 WHERE sn = $1",
        ] {
            execute!(&mut tx, sqlx::query(erased).bind(sn).bind(until))?;
        }
        tx.commit().await
    }
}
