//! Writes of the alarm job, which monitors all systems.
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::alarm::AlarmChange;
use domain::clock::Millis;
use domain::sample::Counter;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlarmCounts {
    pub opened: usize,
    pub closed: usize,
}

/// A system whose battery is at its floor.
#[derive(Debug, FromRow)]
struct FloorRow {
    sn: String,
    since: Millis,
}

/// Adds alarm $2 to the pending news of every account that may access system $1 now and wants mails.
const INSERT_ALARM_NEWS: &str = "INSERT INTO alarm_news (account_id, alarm_id, at) SELECT a.id, $2, $3 FROM accounts a JOIN (
         SELECT owner_id AS account_id FROM systems WHERE sn = $1 UNION
         SELECT account_id FROM grants WHERE sn = $1 AND state IN ('active', 'unconfirmed') AND (until IS NULL OR until > $3)
     ) w ON w.account_id = a.id WHERE a.alarm_mail <> 'never' AND a.locked_at IS NULL
     ON CONFLICT (account_id, alarm_id) DO NOTHING";

impl Store {
    /// Opens and closes alarms in one transaction. An alarm that is already open or already closed does not change. None is
    /// opened for a system that no account looks after.
    pub async fn write_alarms(
        &self,
        changes: &[(Serial, AlarmChange)],
        now: Millis,
    ) -> Result<AlarmCounts> {
        let mut tx = self.db.begin().await?;
        let mut written = AlarmCounts::default();
        for (sn, change) in by_serial(changes) {
            let id = match change {
                AlarmChange::Open {
                    kind,
                    since,
                    counter,
                } => {
                    let id = open(&mut tx, sn, kind.as_str(), *since, *counter, now).await?;
                    written.opened += usize::from(id.is_some());
                    id
                }
                AlarmChange::Close(kind) => {
                    let id: Option<i64> = within!(&mut tx, c => sqlx::query_scalar(
                        "UPDATE alarms SET closed_at = $3 WHERE sn = $1 AND kind = $2 AND closed_at IS NULL RETURNING id")
                        .bind(sn.as_str()).bind(kind.as_str()).bind(now).fetch_optional(c).await)?;
                    written.closed += usize::from(id.is_some());
                    id
                }
            };
            if let Some(id) = id {
                execute!(
                    &mut tx,
                    sqlx::query(INSERT_ALARM_NEWS)
                        .bind(sn.as_str())
                        .bind(id)
                        .bind(now)
                )?;
            }
        }
        tx.commit_invalidating(std::iter::empty()).await?;
        Ok(written)
    }

    /// The batteries at their floor, and since when.
    pub async fn batteries_at_floor(&self) -> Result<Vec<(Serial, Millis)>> {
        let rows: Vec<FloorRow> =
            on!(self, p => sqlx::query_as("SELECT sn, since FROM alarm_signs").fetch_all(p).await)?;
        let sign = |row: FloorRow| {
            let sn = row.sn.parse();
            Ok((sn.map_err(|_| Error::Damaged("alarm_signs.sn"))?, row.since))
        };
        rows.into_iter().map(sign).collect()
    }

    /// Saves since when each battery has been at its floor. `None`: it no longer is.
    pub async fn save_batteries_at_floor(&self, signs: &[(Serial, Option<Millis>)]) -> Result<()> {
        let mut tx = self.db.begin().await?;
        for (sn, since) in by_serial(signs) {
            match since {
                Some(since) => execute!(
                    &mut tx,
                    sqlx::query(
                        "INSERT INTO alarm_signs (sn, since) SELECT sn, $2 FROM systems WHERE sn = $1
                         ON CONFLICT (sn) DO UPDATE SET since = excluded.since"
                    )
                    .bind(sn.as_str())
                    .bind(since)
                )?,
                None => execute!(
                    &mut tx,
                    sqlx::query("DELETE FROM alarm_signs WHERE sn = $1").bind(sn.as_str())
                )?,
            };
        }
        tx.commit_invalidating(std::iter::empty()).await
    }
}

/// All writers use the same order, which avoids deadlocks.
fn by_serial<T>(changes: &[(Serial, T)]) -> Vec<&(Serial, T)> {
    let mut sorted: Vec<_> = changes.iter().collect();
    sorted.sort_by_key(|(sn, _)| sn);
    sorted
}

/// Opens an alarm and returns its number. `None` if it is open already, or if no account looks after the system. The alarm begins
/// with the present household at the earliest.
async fn open(
    tx: &mut Tx,
    sn: &Serial,
    kind: &str,
    since: Millis,
    counter: Option<Counter>,
    now: Millis,
) -> Result<Option<i64>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO alarms (sn, kind, counter, since, opened_at)
         SELECT y.sn, $2, $3, CASE WHEN y.history_from > $4 THEN y.history_from ELSE $4 END, $5 FROM systems y
         WHERE y.sn = $1 AND (y.owner_id IS NOT NULL OR EXISTS (SELECT 1 FROM grants g WHERE g.sn = y.sn
             AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $5)))
         ON CONFLICT DO NOTHING RETURNING id")
        .bind(sn.as_str()).bind(kind).bind(counter.map(Counter::as_str)).bind(since).bind(now)
        .fetch_optional(c).await)?)
}
