//! Rollout of a release, wave by wave. It is halted by the operator, or stops by itself.
use super::release::{Release, ReleaseState};
use crate::journal::{Actor, NewEntry};
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::{DAY, Millis};
use domain::firmware::{JobState, Wave, WaveTally};
use domain::hello::PartVersions;
use domain::journal::JournalEvent;

/// A battery that was offline for longer is not counted as able to take an update.
const ONLINE_WITHIN: Millis = 7 * DAY;

/// Counts batteries and households by the result of their updates to a release. Each counts once; a battery that has the release
/// now counts as done.
const ENDED: &str = "SELECT COALESCE(SUM(done), 0) AS done, COALESCE(SUM(1 - done), 0) AS failed,
         COUNT(DISTINCT CASE WHEN done = 0 THEN COALESCE('account ' || owner_id, sn) END) AS failed_households
     FROM (SELECT j.sn, s.owner_id, MAX(CASE WHEN t.stage = 'confirmed' THEN 1 ELSE 0 END) AS done
         FROM firmware_job_parts t JOIN firmware_jobs j ON j.id = t.job_id JOIN systems s ON s.sn = j.sn
         WHERE t.release_id = $1 AND t.stage IN ('confirmed', 'failed') AND t.ended_at >= $2
         GROUP BY j.sn, s.owner_id) ended";

#[derive(Debug, FromRow)]
struct Ended {
    done: i64,
    failed: i64,
    failed_households: i64,
}

impl Ended {
    /// No battery counts as open.
    fn tally(&self) -> WaveTally {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        WaveTally {
            done: count(self.done),
            failed: count(self.failed),
            failed_households: count(self.failed_households),
            open: 0,
        }
    }
}

/// A battery that can take an update, of the hardware of a release and with another version.
#[derive(Debug, FromRow)]
struct Candidate {
    sn: String,
    master_version: Option<String>,
    gateway_version: Option<String>,
    slave_version: Option<String>,
}

impl Candidate {
    fn is_open(&self, release: &Release, now: Millis) -> Result<bool> {
        let sn: Serial = self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
        let versions = PartVersions {
            master: self.master_version.clone(),
            gateway: self.gateway_version.clone(),
            slave: self.slave_version.clone(),
        };
        Ok(release.is_offered(&sn, Some(&release.hardware), &versions, now))
    }
}

/// Handles a failed update: stops the rollout if too many have failed, otherwise warns the operator.
pub(super) async fn record_failure(tx: &mut Tx, release: i64, now: Millis) -> Result<()> {
    let since: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT wave_since FROM firmware_releases WHERE id = $1 AND state = 'running'")
        .bind(release).fetch_optional(c).await)?;
    let Some(since) = since else { return Ok(()) };
    let ended: Ended = within!(&mut *tx, c => sqlx::query_as(ENDED)
        .bind(release).bind(since).fetch_one(c).await)?;
    let tally = ended.tally();
    if tally.is_bad() {
        return stop(tx, release, tally, now).await;
    }
    tracing::warn!(
        release,
        failed = tally.failed,
        households = tally.failed_households,
        done = tally.done,
        "firmware_update_failed: the roll-out goes on; see `suncellar admin firmware list`"
    );
    Ok(())
}

/// The portal stops a rollout because too many updates have failed.
pub async fn stop(tx: &mut Tx, release: i64, tally: WaveTally, now: Millis) -> Result<()> {
    let ended = tally.failed + tally.done;
    let reason = format!(
        "failed on {} of {ended} batteries, in {} households",
        tally.failed, tally.failed_households
    );
    tracing::error!(release, %reason, "firmware_rollout_stopped");
    let stopped = ReleaseState::Stopped;
    change_state(tx, release, stopped, Some(&reason), Actor::Portal, now).await?;
    Ok(())
}

/// Changes the state of a release. `false` when it is withdrawn, or in that state already. Stopping or withdrawing a release
/// cancels waiting updates; a battery that has begun an update finishes it. Writes its journal entries itself, because a battery's
/// report can stop a rollout, too.
pub async fn change_state(
    tx: &mut Tx,
    release: i64,
    state: ReleaseState,
    reason: Option<&str>,
    actor: Actor,
    now: Millis,
) -> Result<bool> {
    let moved = execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE firmware_releases SET state = $2, reason = $3, wave_since = $4 WHERE id = $1 AND state <> 'withdrawn' AND state <> $2"
        )
        .bind(release)
        .bind(state.as_str())
        .bind(reason)
        .bind(now)
    )?;
    if moved == 0 {
        return Ok(false);
    }
    if matches!(state, ReleaseState::Stopped | ReleaseState::Withdrawn) {
        withdraw_waiting(tx, release, now).await?;
    }
    let event = JournalEvent::RolloutChanged {
        release,
        state: Some(state.as_str().to_owned()),
        percent: None,
        reason: reason.map(str::to_owned),
    };
    let line = NewEntry::without_account(event, now).with_actor(actor);
    line.write(tx).await?;
    Ok(true)
}

async fn withdraw_waiting(tx: &mut Tx, release: i64, now: Millis) -> Result<()> {
    let waiting: Vec<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "UPDATE firmware_jobs SET state = $2, ended_at = $3 WHERE state = 'waiting'
             AND id IN (SELECT job_id FROM firmware_job_parts WHERE release_id = $1) RETURNING sn")
        .bind(release).bind(JobState::Cancelled.as_str()).bind(now).fetch_all(c).await)?;
    for sn in waiting {
        let sn: Serial = sn.parse().map_err(|_| Error::Damaged("firmware_jobs.sn"))?;
        let line = NewEntry::without_account(JournalEvent::UpdateCancelled, now).on(&sn);
        line.with_actor(Actor::Portal).write(tx).await?;
    }
    Ok(())
}

/// Advances a rollout. `None` after the last wave, or if another process was faster.
pub async fn next_wave(tx: &mut Tx, release: &Release, now: Millis) -> Result<Option<Wave>> {
    let Some(wave) = release.wave.next() else {
        return Ok(None);
    };
    let moved = execute!(
        tx,
        sqlx::query(
            "UPDATE firmware_releases SET wave = $2, wave_since = $3 WHERE id = $1 AND wave = $4 AND state = 'running'"
        )
        .bind(release.id)
        .bind(wave.number())
        .bind(now)
        .bind(release.wave.number())
    )?;
    Ok((moved == 1).then_some(wave))
}

impl Store {
    /// Results of a release in its present wave, or since it was resumed, and how many batteries in this wave can still take it.
    pub async fn rollout_tally(&self, release: &Release, now: Millis) -> Result<WaveTally> {
        let ended = self.rollout_results(release).await?;
        let open = self.count_open(release, u64::MAX, now).await?;
        Ok(WaveTally { open, ..ended })
    }

    /// The results alone: no battery counts as open.
    pub async fn rollout_results(&self, release: &Release) -> Result<WaveTally> {
        let ended: Ended = on!(self, p => sqlx::query_as(ENDED)
            .bind(release.id).bind(release.wave_since).fetch_one(p).await)?;
        Ok(ended.tally())
    }

    /// How many batteries in the present wave can take it, at most `limit`. Of a large fleet only as many are read as needed.
    pub async fn count_open(&self, release: &Release, limit: u64, now: Millis) -> Result<u64> {
        const PAGE_SIZE: i64 = 1_000;
        let mut open = 0;
        let mut after = String::new();
        while open < limit {
            let page: Vec<Candidate> = on!(self, p => sqlx::query_as(
                "SELECT s.sn, s.master_version, s.gateway_version, s.slave_version FROM systems s JOIN presence p ON p.sn = s.sn
                 WHERE s.sn > $1 AND s.hardware = $2 AND s.owner_id IS NOT NULL AND (p.online OR p.since > $3)
                 AND CASE CAST($4 AS TEXT) WHEN 'gateway' THEN s.gateway_version WHEN 'master' THEN s.master_version
                     ELSE s.slave_version END <> $5
                 ORDER BY s.sn LIMIT $6")
                .bind(&after).bind(&release.hardware).bind(now - ONLINE_WITHIN).bind(release.part.as_str())
                .bind(release.version.to_string()).bind(PAGE_SIZE).fetch_all(p).await)?;
            let is_last = (page.len() as i64) < PAGE_SIZE;
            for candidate in &page {
                open += u64::from(candidate.is_open(release, now)?);
            }
            match page.into_iter().next_back() {
                Some(last) if !is_last => after = last.sn,
                _ => break,
            }
        }
        Ok(open.min(limit))
    }

    /// Skips the waves and offers the release to the whole fleet at once.
    pub async fn offer_to_all(&self, id: i64, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query(
            "UPDATE firmware_releases SET wave = $2, wave_since = $3 WHERE id = $1")
            .bind(id).bind(Wave::LAST.number()).bind(now))?;
        Ok(())
    }
}
