//! Rows of updates that people have started.
use super::release::{Release, version};
use super::{JobPart, UpdateJob};
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{
    Fault, JobId, JobState, MAX_UPDATE_WAIT, SignedText, Stage, UPDATE_STALLED_AFTER, Version,
};

#[derive(Debug, FromRow)]
struct Row {
    id: String,
    sn: String,
    number: i64,
    state: String,
    created_at: Millis,
    heard_at: Option<Millis>,
    ended_at: Option<Millis>,
    switched_on_since: bool,
}

#[derive(Debug, FromRow)]
struct PartRow {
    release_id: i64,
    part: String,
    from_version: String,
    version: String,
    stage: String,
    progress: i64,
    fault: Option<String>,
    ended_at: Option<Millis>,
}

/// Selects updates; `$which` is the rest of the query.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT id, sn, number, state, created_at, heard_at, ended_at, EXISTS (SELECT 1 FROM effects e
                 WHERE e.sn = j.sn AND e.kind = 'update' AND e.at > j.ended_at) AS switched_on_since
             FROM firmware_jobs j ",
            $which
        )
    };
}

macro_rules! select_newest {
    ($which:expr) => {
        concat!(
            select!(
                "WHERE number = (SELECT MAX(number) FROM firmware_jobs n WHERE n.sn = j.sn)
                     AND (ended_at IS NULL OR ended_at > $1) AND sn"
            ),
            $which
        )
    };
}

const PARTS: &str =
    "SELECT release_id, part, from_version, version, stage, progress, fault, ended_at
     FROM firmware_job_parts WHERE job_id = $1 ORDER BY place";

impl Row {
    fn job(self, parts: Vec<PartRow>) -> Result<UpdateJob> {
        let damaged = Error::Damaged;
        Ok(UpdateJob {
            id: self.id.parse().map_err(|_| damaged("firmware_jobs.id"))?,
            sn: self.sn.parse().map_err(|_| damaged("firmware_jobs.sn"))?,
            number: self.number,
            state: self
                .state
                .parse()
                .map_err(|_| damaged("firmware_jobs.state"))?,
            created_at: self.created_at,
            heard_at: self.heard_at,
            ended_at: self.ended_at,
            switched_on_since: self.switched_on_since,
            parts: parts
                .into_iter()
                .map(PartRow::part)
                .collect::<Result<_>>()?,
        })
    }
}

impl PartRow {
    fn part(self) -> Result<JobPart> {
        let damaged = Error::Damaged;
        Ok(JobPart {
            release: self.release_id,
            part: self
                .part
                .parse()
                .map_err(|_| damaged("firmware_job_parts.part"))?,
            from: version(&self.from_version)?,
            version: version(&self.version)?,
            stage: self
                .stage
                .parse()
                .map_err(|_| damaged("firmware_job_parts.stage"))?,
            progress: u8::try_from(self.progress)
                .map_err(|_| damaged("firmware_job_parts.progress"))?,
            fault: self.fault.as_deref().map(Fault::of),
            ended_at: self.ended_at,
        })
    }
}

/// Whether the battery may still work on an update.
pub async fn has_open(tx: &mut Tx, sn: &Serial) -> Result<bool> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM firmware_jobs WHERE sn = $1 AND state IN ('waiting', 'running', 'interrupted'))")
        .bind(sn.as_str()).fetch_one(c).await)?)
}

/// The newest update, open or not.
pub(super) async fn find_newest(tx: &mut Tx, sn: &Serial) -> Result<Option<UpdateJob>> {
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(select!(
        "WHERE sn = $1 ORDER BY number DESC LIMIT 1"))
        .bind(sn.as_str()).fetch_optional(c).await)?;
    with_parts(tx, row).await
}

async fn with_parts(tx: &mut Tx, row: Option<Row>) -> Result<Option<UpdateJob>> {
    let Some(row) = row else { return Ok(None) };
    let parts: Vec<PartRow> = within!(tx, c => sqlx::query_as(PARTS)
        .bind(&row.id).fetch_all(c).await)?;
    row.job(parts).map(Some)
}

/// Inserts an update that waits for its battery. Each release comes with the version that it replaces.
pub async fn insert(
    tx: &mut Tx,
    access: &Access,
    id: &JobId,
    parts: &[(Release, Version)],
    now: Millis,
) -> Result<()> {
    let before = find_newest(tx, access.sn()).await?;
    let number = before.map_or(1, |job| job.number + 1);
    execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO firmware_jobs (id, sn, number, account_id, state, created_at) VALUES ($1, $2, $3, $4, $5, $6)"
        )
        .bind(id.as_str())
        .bind(access.sn().as_str())
        .bind(number)
        .bind(access.account().0)
        .bind(JobState::Waiting.as_str())
        .bind(now)
    )?;
    for (place, (release, from)) in (0_i64..).zip(parts) {
        execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO firmware_job_parts (job_id, place, release_id, part, from_version, version, stage, progress)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, 0)"
            )
            .bind(id.as_str())
            .bind(place)
            .bind(release.id)
            .bind(release.part.as_str())
            .bind(from.to_string())
            .bind(release.version.to_string())
            .bind(Stage::Waiting.as_str())
        )?;
    }
    Ok(())
}

/// Cancels an update that the battery has not begun. `false` when there is none.
pub async fn cancel_waiting(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<bool> {
    let cancelled = execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_jobs SET state = $2, ended_at = $3 WHERE sn = $1 AND state = 'waiting'"
        )
        .bind(sn.as_str())
        .bind(JobState::Cancelled.as_str())
        .bind(now)
    )?;
    Ok(cancelled == 1)
}

/// `false` when the update has ended meanwhile.
pub async fn expire(tx: &mut Tx, id: &JobId, now: Millis) -> Result<bool> {
    let expired = execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_jobs SET state = $2, ended_at = $3 WHERE id = $1 AND state IN ('waiting', 'running', 'interrupted')"
        )
        .bind(id.as_str())
        .bind(JobState::Expired.as_str())
        .bind(now)
    )?;
    Ok(expired == 1)
}

/// Marks a running update as interrupted. `false` when its battery has reported meanwhile.
pub async fn interrupt(tx: &mut Tx, id: &JobId, now: Millis) -> Result<bool> {
    let interrupted = execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_jobs SET state = $2 WHERE id = $1 AND state = 'running' AND heard_at <= $3"
        )
        .bind(id.as_str())
        .bind(JobState::Interrupted.as_str())
        .bind(now - UPDATE_STALLED_AFTER)
    )?;
    Ok(interrupted == 1)
}

/// The household has left: cancels an update that the battery has not begun, and erases who started updates. The remaining rows
/// are the battery's own history, which the next household does not see. They stay because the numbers must keep increasing.
pub async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_jobs SET state = $2, ended_at = created_at WHERE sn = $1 AND state = 'waiting'"
        )
        .bind(sn.as_str())
        .bind(JobState::Cancelled.as_str())
    )?;
    execute!(
        tx,
        sqlx::query("UPDATE firmware_jobs SET account_id = NULL WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}

impl Store {
    /// The newest update of a system, open or not.
    pub async fn newest_update(&self, sn: &Serial) -> Result<Option<UpdateJob>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE sn = $1 ORDER BY number DESC LIMIT 1"))
            .bind(sn.as_str()).fetch_all(p).await)?;
        Ok(self.complete(rows).await?.pop())
    }

    /// The newest update of each of these systems, if it is open or ended after `since`.
    pub async fn newest_updates_of(
        &self,
        systems: &[Serial],
        since: Millis,
    ) -> Result<Vec<UpdateJob>> {
        let rows: Vec<Row> = rows_of_systems!(self, select_newest, 2, systems, since)?;
        self.complete(rows).await
    }

    /// Open updates whose battery has waited for too long, before it began or between two parts, with their systems.
    pub async fn overdue_updates(&self, now: Millis) -> Result<Vec<(JobId, Serial)>> {
        let rows: Vec<(String, String)> = on!(self, p => sqlx::query_as(
            "SELECT id, sn FROM firmware_jobs j WHERE state = 'waiting' AND created_at <= $1
                 OR state IN ('running', 'interrupted') AND created_at <= $1 AND NOT EXISTS (
                     SELECT 1 FROM firmware_job_parts p WHERE p.job_id = j.id
                         AND (p.stage NOT IN ('waiting', 'confirmed') OR p.ended_at > $1))")
            .bind(now - MAX_UPDATE_WAIT).fetch_all(p).await)?;
        rows.into_iter().map(parse_names).collect()
    }

    /// Running updates without a report for too long, with their systems.
    pub async fn stalled_updates(&self, now: Millis) -> Result<Vec<(JobId, Serial)>> {
        let rows: Vec<(String, String)> = on!(self, p => sqlx::query_as(
            "SELECT id, sn FROM firmware_jobs WHERE state = 'running' AND heard_at <= $1 ORDER BY sn, id")
            .bind(now - UPDATE_STALLED_AFTER).fetch_all(p).await)?;
        rows.into_iter().map(parse_names).collect()
    }

    /// The updates of a system in the present owner's time, newest first.
    pub async fn update_history(&self, access: &Access) -> Result<Vec<UpdateJob>> {
        const MAX_UPDATES_LISTED: i64 = 50;
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE sn = $1 AND created_at > $2 ORDER BY number DESC LIMIT $3"))
            .bind(access.sn().as_str()).bind(access.history_from()).bind(MAX_UPDATES_LISTED)
            .fetch_all(p).await)?;
        self.complete(rows).await
    }

    async fn complete(&self, rows: Vec<Row>) -> Result<Vec<UpdateJob>> {
        let mut jobs = Vec::with_capacity(rows.len());
        for row in rows {
            let parts: Vec<PartRow> = on!(self, p => sqlx::query_as(PARTS)
                .bind(&row.id).fetch_all(p).await)?;
            jobs.push(row.job(parts)?);
        }
        Ok(jobs)
    }

    /// The manifests, signed by the maker, of the parts that are not installed yet.
    pub async fn signed_manifests(&self, job: &UpdateJob) -> Result<Vec<SignedText>> {
        let mut parts = Vec::new();
        for part in job
            .parts
            .iter()
            .filter(|part| part.stage != Stage::Confirmed)
        {
            let row: ManifestRow = on!(self, p => sqlx::query_as(
                "SELECT manifest, signature FROM firmware_releases WHERE id = $1")
                .bind(part.release).fetch_one(p).await)?;
            let sealed = SignedText::new(row.manifest, &row.signature);
            parts.push(sealed.map_err(|_| Error::Damaged("firmware_releases.signature"))?);
        }
        Ok(parts)
    }
}

/// An update and its system.
fn parse_names((id, sn): (String, String)) -> Result<(JobId, Serial)> {
    let id = id.parse().map_err(|_| Error::Damaged("firmware_jobs.id"))?;
    let sn = sn.parse().map_err(|_| Error::Damaged("firmware_jobs.sn"))?;
    Ok((id, sn))
}

#[derive(Debug, FromRow)]
struct ManifestRow {
    manifest: String,
    signature: String,
}
