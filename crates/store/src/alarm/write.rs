//! What the job that watches over the systems writes down.
use crate::db::Tx;
use crate::{Error, Result, Store};
use domain::Serial;
use domain::alarm::Change;
use domain::clock::Millis;
use domain::sample::Counter;

/// How many alarms were opened and closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub opened: usize,
    pub closed: usize,
}

/// A system whose battery is at its floor.
#[derive(Debug)]
struct Sign {
    sn: String,
    since: Millis,
}
row!(Sign { sn, since });

/// Whoever may look at system $1 now and wants mails: they have to hear of alarm $2.
const NEWS: &str = "INSERT INTO alarm_news (account_id, alarm_id, at) SELECT a.id, $2, $3 FROM accounts a JOIN (
         SELECT owner_id AS account_id FROM systems WHERE sn = $1 UNION
         SELECT account_id FROM grants WHERE sn = $1 AND state IN ('active', 'unconfirmed') AND (until IS NULL OR until > $3)
     ) w ON w.account_id = a.id WHERE a.alarm_mail <> 'never' AND a.locked_at IS NULL
     ON CONFLICT (account_id, alarm_id) DO NOTHING";

impl Store {
    /// Opens and closes alarms, all or none. One that is open already, or closed, stays as it is. For a system that nobody
    /// looks after none is opened.
    pub async fn write_alarms(&self, changes: &[(Serial, Change)], now: Millis) -> Result<Written> {
        let mut tx = self.begin().await?;
        let mut written = Written::default();
        for (sn, change) in by_serial(changes) {
            let id = match change {
                Change::Open {
                    kind,
                    since,
                    counter,
                } => {
                    let id = open(&mut tx, sn, kind.as_str(), *since, *counter, now).await?;
                    written.opened += usize::from(id.is_some());
                    id
                }
                Change::Close(kind) => {
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
                    sqlx::query(NEWS).bind(sn.as_str()).bind(id).bind(now)
                )?;
            }
        }
        tx.commit_reports(std::iter::empty()).await?;
        Ok(written)
    }

    /// Batteries at their floor, and since when.
    pub async fn alarm_signs(&self) -> Result<Vec<(Serial, Millis)>> {
        let rows: Vec<Sign> =
            on!(self, p => sqlx::query_as("SELECT sn, since FROM alarm_signs").fetch_all(p).await)?;
        let sign = |row: Sign| {
            let sn = row.sn.parse();
            Ok((sn.map_err(|_| Error::Damaged("alarm_signs.sn"))?, row.since))
        };
        rows.into_iter().map(sign).collect()
    }

    /// Keeps since when batteries have been at their floor; `None`: they are not any more.
    pub async fn keep_alarm_signs(&self, signs: &[(Serial, Option<Millis>)]) -> Result<()> {
        let mut tx = self.begin().await?;
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
        tx.commit_reports(std::iter::empty()).await
    }
}

/// One order for everybody, so that two writers never wait for each other.
fn by_serial<T>(changes: &[(Serial, T)]) -> Vec<&(Serial, T)> {
    let mut sorted: Vec<_> = changes.iter().collect();
    sorted.sort_by_key(|(sn, _)| sn);
    sorted
}

/// The new alarm's number, unless there is one already or nobody looks after the system. It began with the present household
/// at the earliest.
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
