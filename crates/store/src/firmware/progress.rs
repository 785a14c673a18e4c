//! Progress of updates, as the battery reports it. An installed part counts as done only when a hello reports the new version.
use super::update_cache::UpdateCache;
use super::{UpdateJob, installed_version, rollout, update};
use crate::Result;
use crate::journal::NewEntry;
use db::Tx;
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::{FirmwareReport, JobState, Stage};
use domain::hello::PartVersions;
use domain::journal::{JournalEvent, PartUpdate};

/// Records a battery's progress report. Returns the update if it has changed. Only a report about the newest update has an
/// effect.
pub(crate) async fn record_progress(
    tx: &mut Tx,
    update_cache: &UpdateCache,
    sn: &Serial,
    report: &FirmwareReport,
    now: Millis,
) -> Result<Option<UpdateJob>> {
    if let Some(known) = update_cache.find(sn, &report.job)
        && let Some(job) = advance(tx, known, report, now).await?
    {
        update_cache.insert(&job);
        return Ok(Some(job));
    }
    let newest = update::find_newest(tx, sn).await?;
    let Some(job) = newest.filter(|job| job.id == report.job && job.state.is_open()) else {
        return Ok(None);
    };
    let job = advance(tx, job, report, now).await?;
    if let Some(job) = &job {
        update_cache.insert(job);
    }
    Ok(job)
}

/// Advances an update to the reported stage. `None` if the report contains nothing new, or if the stored update has changed
/// meanwhile.
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
    // Only a hello can confirm that a part runs. Reports about a confirmed part are ignored.
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
        // The battery has received it and has not begun: its main switch may have to be turned off first.
        Stage::Waiting if job.state == JobState::Waiting => JobState::Waiting,
        _ => JobState::Running,
    };
    if !save_state(tx, &mut job, state, now).await? {
        return Ok(None);
    }
    save_part(tx, &job, place).await?;
    if failed {
        let event = JournalEvent::UpdateFailed {
            part: Some(report.part),
            version: Some(report.version),
            code: report.fault,
        };
        let line = NewEntry::by_battery(event, &job.sn, now);
        line.write(tx).await?;
        rollout::record_failure(tx, job.parts[place].release, now).await?;
    }
    Ok(Some(job))
}

/// Applies the versions that a hello reports. Parts of the newest update that are now installed are done, even if this is
/// reported late. Returns the newest update, and whether it has changed.
pub(crate) async fn confirm_versions(
    tx: &mut Tx,
    update_cache: &UpdateCache,
    sn: &Serial,
    versions: &PartVersions,
    now: Millis,
) -> Result<Option<(UpdateJob, bool)>> {
    let Some(mut job) = update::find_newest(tx, sn).await? else {
        return Ok(None);
    };
    // A failed update is checked, too: it may have succeeded after all.
    if matches!(
        job.state,
        JobState::Done | JobState::Cancelled | JobState::Expired
    ) {
        return Ok(Some((job, false)));
    }
    let mut is_changed = false;
    for place in 0..job.parts.len() {
        let part = &mut job.parts[place];
        if part.stage == Stage::Confirmed
            || installed_version(versions, part.part) < Some(part.version)
        {
            continue;
        }
        is_changed = true;
        part.stage = Stage::Confirmed;
        part.progress = 100;
        part.fault = None;
        part.ended_at = Some(now);
        let event = JournalEvent::UpdateDone(PartUpdate {
            part: Some(part.part),
            from: Some(part.from),
            to: Some(part.version),
        });
        save_part(tx, &job, place).await?;
        NewEntry::by_battery(event, sn, now).write(tx).await?;
    }
    if is_changed {
        let state = match job.parts_left() {
            0 => JobState::Done,
            _ => JobState::Running,
        };
        save_state(tx, &mut job, state, now).await?;
        update_cache.insert(&job);
    }
    Ok(Some((job, is_changed)))
}

async fn save_part(tx: &mut Tx, job: &UpdateJob, place: usize) -> Result<()> {
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

/// Saves the state of an update. `false`, and nothing saved, if the stored update has changed meanwhile.
async fn save_state(
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
