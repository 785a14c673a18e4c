//! How far a release has come: wave by wave, halted by the operator or by itself.
use super::release::{Release, ReleaseState};
use crate::db::Tx;
use crate::journal::{Actor, Entry, Event};
use crate::{Error, Result, Store};
use domain::Serial;
use domain::clock::{DAY, Millis};
use domain::firmware::{JobState, Tally, Verdict, Wave};
use serde_json::json;
use std::collections::HashSet;

/// A battery that was not online for so long does not take an update.
const ONLINE_LATELY: Millis = 7 * DAY;

/// Batteries and households by how the updates to a release ended; each counts once, and one that has it by now is done.
const ENDED: &str = "SELECT COALESCE(SUM(done), 0) AS done, COALESCE(SUM(1 - done), 0) AS failed,
         COUNT(DISTINCT CASE WHEN done = 0 THEN COALESCE('account ' || owner_id, sn) END) AS failed_households
     FROM (SELECT j.sn, s.owner_id, MAX(CASE WHEN t.stage = 'confirmed' THEN 1 ELSE 0 END) AS done
         FROM firmware_job_parts t JOIN firmware_jobs j ON j.id = t.job_id JOIN systems s ON s.sn = j.sn
         WHERE t.release_id = $1 AND t.stage IN ('confirmed', 'failed') AND t.ended_at >= $2
         GROUP BY j.sn, s.owner_id) ended";

#[derive(Debug)]
struct Ended {
    done: i64,
    failed: i64,
    failed_households: i64,
}
row!(Ended {
    done,
    failed,
    failed_households
});

impl Ended {
    fn tally(&self, open: usize) -> Tally {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        Tally {
            done: count(self.done),
            failed: count(self.failed),
            failed_households: count(self.failed_households),
            open: open as u64,
        }
    }
}

/// An update to this release has just failed: stops the roll-out if too many have, and alerts the operator otherwise.
pub(super) async fn failed(tx: &mut Tx, release: i64, now: Millis) -> Result<()> {
    let since: Option<Millis> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT wave_since FROM firmware_releases WHERE id = $1 AND state = 'running'")
        .bind(release).fetch_optional(c).await)?;
    let Some(since) = since else { return Ok(()) };
    let ended: Ended = within!(&mut *tx, c => sqlx::query_as(ENDED)
        .bind(release).bind(since).fetch_one(c).await)?;
    let tally = ended.tally(0);
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

async fn stop(tx: &mut Tx, release: i64, tally: Tally, now: Millis) -> Result<()> {
    let ended = tally.failed + tally.done;
    let reason = format!(
        "failed on {} of {ended} batteries, in {} households",
        tally.failed, tally.failed_households
    );
    tracing::error!(release, %reason, "firmware_rollout_stopped");
    let stopped = ReleaseState::Stopped;
    move_release(tx, release, stopped, Some(&reason), Actor::Portal, now).await?;
    Ok(())
}

/// `false` when it is withdrawn, or in that state already. What waits is withdrawn with a release that nobody is to have;
/// what a battery has begun it ends.
async fn move_release(
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
    let detail = json!({ "release": release, "state": state.as_str(), "reason": reason });
    let line = Entry::by_nobody(Event::FirmwareMoved, now).through(actor);
    line.with(detail).write(tx).await?;
    Ok(true)
}

async fn withdraw_waiting(tx: &mut Tx, release: i64, now: Millis) -> Result<()> {
    let waiting: Vec<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "UPDATE firmware_jobs SET state = $2, ended_at = $3 WHERE state = 'waiting'
             AND id IN (SELECT job_id FROM firmware_job_parts WHERE release_id = $1) RETURNING sn")
        .bind(release).bind(JobState::Cancelled.as_str()).bind(now).fetch_all(c).await)?;
    for sn in waiting {
        let sn: Serial = sn.parse().map_err(|_| Error::Damaged("firmware_jobs.sn"))?;
        let line = Entry::by_nobody(Event::UpdateCancelled, now).on(&sn);
        line.through(Actor::Portal).write(tx).await?;
    }
    Ok(())
}

impl Store {
    /// Checks every release that rolls out: goes on to the next wave, or stops it.
    pub async fn move_rollouts(&self, now: Millis) -> Result<()> {
        for mut release in self.firmware_releases().await? {
            // Waves in which nobody can take it are passed at once, whatever their number.
            while release.state == ReleaseState::Running
                && self.move_rollout(&mut release, now).await?
            {}
        }
        Ok(())
    }

    /// Whether it has moved.
    async fn move_rollout(&self, release: &mut Release, now: Millis) -> Result<bool> {
        let tally = self.rollout_tally(release, now).await?;
        match tally.judge(release.wave_since, release.soak, now) {
            Verdict::Wait => Ok(false),
            Verdict::Stop => {
                let mut tx = self.begin().await?;
                stop(&mut tx, release.id, tally, now).await?;
                tx.commit().await?;
                release.state = ReleaseState::Stopped;
                Ok(true)
            }
            Verdict::Next => {
                let mut tx = self.begin().await?;
                let next = next_wave(&mut tx, release, now).await?;
                tx.commit().await?;
                if let Some(wave) = next {
                    (release.wave, release.wave_since) = (wave, now);
                }
                Ok(next.is_some())
            }
        }
    }

    /// How a release fares in its present wave, or since it was resumed, and how many batteries can still take it in there.
    pub async fn rollout_tally(&self, release: &Release, now: Millis) -> Result<Tally> {
        let ended: Ended = on!(self, p => sqlx::query_as(ENDED)
            .bind(release.id).bind(release.wave_since).fetch_one(p).await)?;
        let able: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT s.sn FROM systems s JOIN presence p ON p.sn = s.sn
             WHERE s.owner_id IS NOT NULL AND (p.online OR p.since > $1)")
            .bind(now - ONLINE_LATELY).fetch_all(p).await)?;
        let able: HashSet<String> = able.into_iter().collect();
        let facts = self.all_facts().await?;
        let open = facts
            .iter()
            .filter(|(sn, facts)| able.contains(sn.as_str()) && release.is_offered(sn, facts, now));
        Ok(ended.tally(open.count()))
    }

    /// The operator goes on to the next wave, whatever the present one has shown; `None` when the release does not roll out
    /// or everybody is offered it already.
    pub async fn proceed_rollout(
        &self,
        id: i64,
        reason: Option<&str>,
        now: Millis,
    ) -> Result<Option<Wave>> {
        let releases = self.firmware_releases().await?;
        let running =
            |release: &&Release| release.id == id && release.state == ReleaseState::Running;
        let Some(release) = releases.iter().find(running) else {
            return Ok(None);
        };
        let mut tx = self.begin().await?;
        let next = next_wave(&mut tx, release, now).await?;
        if let Some(wave) = next {
            let detail = json!({ "release": id, "percent": wave.percent(), "reason": reason });
            let line = Entry::by_nobody(Event::FirmwareMoved, now).through(Actor::Operator);
            line.with(detail).write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(next)
    }

    /// Leaves the waves out: everybody is offered the release at once.
    pub async fn offer_to_all(&self, id: i64, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query(
            "UPDATE firmware_releases SET wave = $2, wave_since = $3 WHERE id = $1")
            .bind(id).bind(Wave::LAST.number()).bind(now))?;
        Ok(())
    }

    /// Pauses, resumes or withdraws a release; `false` when there is none, or it is withdrawn already.
    pub async fn set_release_state(
        &self,
        id: i64,
        state: ReleaseState,
        reason: Option<&str>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let moved = move_release(&mut tx, id, state, reason, Actor::Operator, now).await?;
        tx.commit().await?;
        Ok(moved)
    }
}

/// `None` when there is none, or somebody else was faster.
async fn next_wave(tx: &mut Tx, release: &Release, now: Millis) -> Result<Option<Wave>> {
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
