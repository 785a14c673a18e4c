//! Polls of sources: one row of `source_states` for each source and area that is needed, with the time of the next request.
//! Several processes may poll; the one that claims a row sends the request.
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::Source;
use domain::clock::{MINUTE, Millis};
use domain::source::{Area, SourceError, SourceState};

/// How long a claim is valid. A request takes 20 seconds at most; if the process dies, another one may claim it after this time.
const CLAIM_LEASE: Millis = MINUTE;

#[derive(Debug, FromRow)]
struct StateRow {
    success_at: Option<Millis>,
    error: Option<String>,
    failing_since: Option<Millis>,
    tries: i64,
    next_at: Millis,
}

impl StateRow {
    fn state(self) -> Result<SourceState> {
        let error = self.error.map(|code| code.parse()).transpose();
        Ok(SourceState {
            success_at: self.success_at,
            error: error.map_err(|_| Error::Damaged("source_states.error"))?,
            failing_since: self.failing_since,
            tries: self.tries,
            next_at: self.next_at,
        })
    }
}

impl Store {
    /// The areas to poll from a source now: at most `limit`, those that have waited longest.
    pub async fn due_polls(&self, source: Source, limit: i64, now: Millis) -> Result<Vec<Area>> {
        let areas: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT area FROM source_states WHERE source = $1 AND next_at <= $2 ORDER BY next_at LIMIT $3")
            .bind(source.name()).bind(now).bind(limit).fetch_all(p).await)?;
        Ok(areas.iter().filter_map(|area| area.parse().ok()).collect())
    }

    /// Claims a request about these areas that takes `calls` calls, one after the other: until it is saved or the lease ends,
    /// they are not due. Returns the state of the first area that was due, or `None` if none was, for example because another
    /// process was faster.
    pub async fn claim_poll(
        &self,
        source: Source,
        areas: &[Area],
        calls: usize,
        now: Millis,
    ) -> Result<Option<SourceState>> {
        let lease = CLAIM_LEASE * i64::try_from(calls).unwrap_or(1).max(1);
        let mut tx = self.db.begin().await?;
        let mut first = None;
        for area in areas {
            let row: Option<StateRow> = within!(&mut tx, c => sqlx::query_as(
                "INSERT INTO source_states (source, area, tries, next_at) VALUES ($1, $2, 0, $3)
                 ON CONFLICT (source, area) DO UPDATE SET next_at = excluded.next_at WHERE source_states.next_at <= $4
                 RETURNING success_at, error, failing_since, tries, next_at")
                .bind(source.name()).bind(area.to_string()).bind(now + lease).bind(now).fetch_optional(c).await)?;
            if let (None, Some(row)) = (first, row) {
                first = Some(row.state()?);
            }
        }
        tx.commit().await?;
        Ok(first)
    }

    /// A source that was never polled is due at once.
    pub async fn source_state(&self, source: Source, area: &Area) -> Result<SourceState> {
        let row: Option<StateRow> = on!(self, p => sqlx::query_as(
            "SELECT success_at, error, failing_since, tries, next_at FROM source_states WHERE source = $1 AND area = $2")
            .bind(source.name()).bind(area.to_string()).fetch_optional(p).await)?;
        Ok(row.map(StateRow::state).transpose()?.unwrap_or_default())
    }

    pub async fn set_source_state(
        &self,
        source: Source,
        areas: &[Area],
        state: SourceState,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        for area in areas {
            write_state(&mut tx, source, area, state).await?;
        }
        tx.commit().await
    }

    /// Deletes a poll that is no longer needed.
    pub async fn delete_poll(&self, source: Source, area: &Area) -> Result<()> {
        let delete = "DELETE FROM source_states WHERE source = $1 AND area = $2";
        execute!(on self, sqlx::query(delete).bind(source.name()).bind(area.to_string()))?;
        Ok(())
    }
}

/// Schedules polls of the source for the area, the first one at once.
pub(crate) async fn schedule_poll(tx: &mut Tx, source: Source, area: &Area) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO source_states (source, area, tries, next_at) VALUES ($1, $2, 0, 0) ON CONFLICT (source, area) DO NOTHING"
        )
        .bind(source.name())
        .bind(area.to_string())
    )?;
    Ok(())
}

pub(super) async fn write_state(
    tx: &mut Tx,
    source: Source,
    area: &Area,
    state: SourceState,
) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO source_states (source, area, success_at, error, failing_since, tries, next_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (source, area) DO UPDATE
             SET success_at = excluded.success_at, error = excluded.error, failing_since = excluded.failing_since,
                 tries = excluded.tries, next_at = excluded.next_at"
        )
        .bind(source.name())
        .bind(area.to_string())
        .bind(state.success_at)
        .bind(state.error.map(SourceError::code))
        .bind(state.failing_since)
        .bind(state.tries)
        .bind(state.next_at)
    )?;
    Ok(())
}
