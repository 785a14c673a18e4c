//! Batteries that are offline and have no alarm for it yet.
use crate::{Error, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::shard::ShardSet;

/// The rest get their alarms with the next check.
const MAX_SYSTEMS: i64 = 1_000;

impl Store {
    /// Batteries of systems that an account has access to, without contact since `gone_before`, with their last contact.
    pub async fn offline_without_alarm(
        &self,
        shards: ShardSet,
        gone_before: Millis,
        now: Millis,
    ) -> Result<Vec<(Serial, Millis)>> {
        let rows: Vec<(String, Millis)> = on!(self, p => sqlx::query_as(concat!(
            "SELECT p.sn, p.since FROM presence p JOIN systems y ON y.sn = p.sn
             WHERE NOT p.online AND p.since <= $1 AND ", in_shards!("y.site_id", "$2"), "
                 AND NOT EXISTS (SELECT 1 FROM alarms l WHERE l.sn = p.sn AND l.kind = 'offline' AND l.closed_at IS NULL)
                 AND (y.owner_id IS NOT NULL OR EXISTS (SELECT 1 FROM grants g WHERE g.sn = y.sn
                     AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $3)))
             ORDER BY p.since, p.sn LIMIT $4"))
            .bind(gone_before).bind(shards.bits()).bind(now).bind(MAX_SYSTEMS).fetch_all(p).await)?;
        let serial = |(sn, since): (String, Millis)| {
            let sn = sn.parse().map_err(|_| Error::Damaged("presence.sn"))?;
            Ok((sn, since))
        };
        rows.into_iter().map(serial).collect()
    }
}
