//! How updates fare, by the word of the battery. One that has ended is done only when its hello reports the new version.
use super::job::{UpdateJob, newest_job};
use super::release::installed;
use super::rollout;
use super::running::Running;
use crate::db::Tx;
use crate::journal::{Actor, Entry, Event};
use crate::{Error, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{FirmwareReport, JobState, STALLED, Stage, WAITS_AT_MOST};
use domain::hello::Versions;
use serde_json::json;

/// The battery works on an update; how that stands now, if it was news. A word about another update than the newest
/// changes nothing.
pub(crate) async fn reported(
    tx: &mut Tx,
    running: &Running,
    sn: &Serial,
    report: &FirmwareReport,
    now: Millis,
) -> Result<Option<UpdateJob>> {
    if let Some(known) = running.find(sn, &report.job)
        && let Some(job) = advance(tx, known, report, now).await?
    {
        running.keep(&job);
        return Ok(Some(job));
    }
    let newest = newest_job(tx, sn).await?;
    let Some(job) = newest.filter(|job| job.id == report.job && job.state.is_open()) else {
        return Ok(None);
    };
    let job = advance(tx, job, report, now).await?;
    if let Some(job) = &job {
        running.keep(job);
    }
    Ok(job)
}

/// Takes an update on to where the battery is. `None` when the report says nothing new, or when the update stands
/// otherwise by now.
async fn advance(
    tx: &mut Tx,
    mut job: UpdateJob,
    report: &FirmwareReport,
    now: Millis,
) -> Result<Option<UpdateJob>> {
    let place = job.parts.iter().position(|part| part.part == report.part);
    let Some(place) = place.filter(|place| job.parts[*place].version == report.version) else {
        return Ok(None);
    };
    let part = &mut job.parts[place];
    // Whether it runs only a hello can say; a part that does is not heard of again.
    if part.stage == Stage::Confirmed || report.stage == Stage::Confirmed {
        return Ok(None);
    }
    let failed = report.stage == Stage::Failed;
    part.stage = report.stage;
    part.fault = report.fault;
    part.ended_at = failed.then_some(now);
    if !failed {
        part.progress = report.progress;
    }
    let state = match report.stage {
        Stage::Failed => JobState::Failed,
        // It has it, and has not begun: its main switch may have to be turned off first.
        Stage::Waiting if job.state == JobState::Waiting => JobState::Waiting,
        _ => JobState::Running,
    };
    if !keep_state(tx, &mut job, state, now).await? {
        return Ok(None);
    }
    keep_part(tx, &job, place).await?;
    if failed {
        let fault = report.fault.map(|fault| fault.as_str());
        let detail = json!({
            "part": report.part.as_str(), "version": report.version.to_string(), "code": fault,
        });
        let line = Entry::by_battery(Event::UpdateFailed, &job.sn, now);
        line.with(detail).write(tx).await?;
        rollout::failed(tx, job.parts[place].release, now).await?;
    }
    Ok(Some(job))
}

/// A battery that said hello reports these versions: what it was told to install and now has is done, however late that
/// is known. Its newest update as that stands now, and whether it was news.
pub(crate) async fn confirmed(
    tx: &mut Tx,
    running: &Running,
    sn: &Serial,
    versions: &Versions,
    now: Millis,
) -> Result<Option<(UpdateJob, bool)>> {
    let Some(mut job) = newest_job(tx, sn).await? else {
        return Ok(None);
    };
    // One that failed may have come through after all.
    if matches!(
        job.state,
        JobState::Done | JobState::Cancelled | JobState::Expired
    ) {
        return Ok(Some((job, false)));
    }
    let mut news = false;
    for place in 0..job.parts.len() {
        let part = &mut job.parts[place];
        if part.stage == Stage::Confirmed || installed(versions, part.part) < Some(part.version) {
            continue;
        }
        news = true;
        part.stage = Stage::Confirmed;
        part.progress = 100;
        part.fault = None;
        part.ended_at = Some(now);
        let detail = json!({
            "part": part.part.as_str(), "from": part.from.to_string(), "to": part.version.to_string(),
        });
        keep_part(tx, &job, place).await?;
        let line = Entry::by_battery(Event::UpdateDone, sn, now);
        line.with(detail).write(tx).await?;
    }
    if news {
        let state = match job.left() {
            0 => JobState::Done,
            _ => JobState::Running,
        };
        keep_state(tx, &mut job, state, now).await?;
        running.keep(&job);
    }
    Ok(Some((job, news)))
}

async fn keep_part(tx: &mut Tx, job: &UpdateJob, place: usize) -> Result<()> {
    let part = &job.parts[place];
    execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_job_parts SET stage = $3, progress = $4, fault = $5, ended_at = $6 WHERE job_id = $1 AND place = $2"
        )
        .bind(job.id.as_str())
        .bind(place as i64)
        .bind(part.stage.as_str())
        .bind(i64::from(part.progress))
        .bind(part.fault.map(|fault| fault.as_str()))
        .bind(part.ended_at)
    )?;
    Ok(())
}

/// `false` when the update stands otherwise by now: then nothing is written.
async fn keep_state(
    tx: &mut Tx,
    job: &mut UpdateJob,
    state: JobState,
    now: Millis,
) -> Result<bool> {
    let before = (job.state, job.heard_at);
    job.state = state;
    job.heard_at = Some(now);
    job.ended_at = (!state.is_open()).then_some(now);
    let changed = execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_jobs SET state = $2, heard_at = $3, ended_at = $4
             WHERE id = $1 AND state = $5 AND heard_at IS NOT DISTINCT FROM $6"
        )
        .bind(job.id.as_str())
        .bind(state.as_str())
        .bind(job.heard_at)
        .bind(job.ended_at)
        .bind(before.0.as_str())
        .bind(before.1)
    )?;
    Ok(changed == 1)
}

#[derive(Debug)]
struct Stalled {
    id: String,
    sn: String,
}
row!(Stalled { id, sn });

impl Stalled {
    fn serial(&self) -> Result<Serial> {
        let serial = self.sn.parse();
        serial.map_err(|_| Error::Damaged("firmware_jobs.sn"))
    }
}

impl Store {
    /// Updates whose battery has waited for too long, before it began or between two parts, expire; says whose.
    pub async fn expire_updates(&self, now: Millis) -> Result<Vec<Serial>> {
        let due: Vec<Stalled> = on!(self, p => sqlx::query_as(
            "SELECT id, sn FROM firmware_jobs j WHERE state = 'waiting' AND created_at <= $1
                 OR state IN ('running', 'interrupted') AND created_at <= $1 AND NOT EXISTS (
                     SELECT 1 FROM firmware_job_parts p WHERE p.job_id = j.id
                         AND (p.stage NOT IN ('waiting', 'confirmed') OR p.ended_at > $1))")
            .bind(now - WAITS_AT_MOST).fetch_all(p).await)?;
        let mut expired = Vec::new();
        for job in due {
            let sn = job.serial()?;
            let mut tx = self.begin().await?;
            let changed = execute!(
                &mut tx,
                sqlx::query(
                    "UPDATE firmware_jobs SET state = $2, ended_at = $3 WHERE id = $1 AND state IN ('waiting', 'running', 'interrupted')"
                )
                .bind(&job.id)
                .bind(JobState::Expired.as_str())
                .bind(now)
            )?;
            if changed == 1 {
                let line = Entry::by_nobody(Event::UpdateExpired, now).on(&sn);
                line.through(Actor::Portal).write(&mut tx).await?;
                tx.commit().await?;
                expired.push(sn);
            }
        }
        Ok(expired)
    }

    /// Updates that run and have said nothing for too long are interrupted; says whose.
    pub async fn interrupt_stalled_updates(&self, now: Millis) -> Result<Vec<Serial>> {
        let due: Vec<Stalled> = on!(self, p => sqlx::query_as(
            "SELECT id, sn FROM firmware_jobs WHERE state = 'running' AND heard_at <= $1 ORDER BY sn, id")
            .bind(now - STALLED).fetch_all(p).await)?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.begin().await?;
        let mut interrupted = Vec::new();
        for job in due {
            let sn = job.serial()?;
            let changed = execute!(
                &mut tx,
                sqlx::query(
                    "UPDATE firmware_jobs SET state = $2 WHERE id = $1 AND state = 'running' AND heard_at <= $3"
                )
                .bind(&job.id)
                .bind(JobState::Interrupted.as_str())
                .bind(now - STALLED)
            )?;
            if changed == 1 {
                let line = Entry::by_nobody(Event::UpdateInterrupted, now).on(&sn);
                line.through(Actor::Portal).write(&mut tx).await?;
                interrupted.push(sn);
            }
        }
        tx.commit().await?;
        Ok(interrupted)
    }
}
