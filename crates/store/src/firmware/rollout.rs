//! How far a release has come: wave by wave, halted by the operator or by itself.
use super::release::{Release, ReleaseState};
use crate::journal::{Actor, Entry, Event};
use crate::{Result, Store};
use domain::clock::Millis;
use domain::firmware::{Tally, Verdict, Wave};
use serde_json::json;

#[derive(Debug)]
struct Ended {
    stage: String,
    count: i64,
}
row!(Ended { stage, count });

impl Store {
    /// Looks at every release that rolls out: goes on to the next wave, or stops it.
    pub async fn move_rollouts(&self, now: Millis) -> Result<()> {
        for mut release in self.firmware_releases().await? {
            // Waves without a battery are passed at once, whatever their number.
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
                let ended = tally.failed + tally.done;
                let reason = format!("{} of {ended} updates failed", tally.failed);
                tracing::error!(release = release.id, part = %release.part, version = %release.version, %reason,
                    "the roll-out has stopped");
                let stopped = ReleaseState::Stopped;
                self.move_release(release, stopped, Some(&reason), Actor::Portal, now)
                    .await?;
                release.state = stopped;
                Ok(true)
            }
            Verdict::Next => {
                let Some(wave) = release.wave.next() else {
                    return Ok(false);
                };
                execute!(on self, sqlx::query(
                    "UPDATE firmware_releases SET wave = $2, wave_since = $3 WHERE id = $1 AND wave = $4 AND state = 'running'")
                    .bind(release.id).bind(wave.number()).bind(now).bind(release.wave.number()))?;
                (release.wave, release.wave_since) = (wave, now);
                Ok(true)
            }
        }
    }

    /// How the updates to a release have ended in its present wave, or since it was resumed, and how many are still to come in its wave.
    pub async fn rollout_tally(&self, release: &Release, now: Millis) -> Result<Tally> {
        let rows: Vec<Ended> = on!(self, p => sqlx::query_as(
            "SELECT stage, COUNT(*) AS count FROM firmware_job_parts
             WHERE release_id = $1 AND stage IN ('confirmed', 'failed') AND ended_at >= $2 GROUP BY stage")
            .bind(release.id).bind(release.wave_since).fetch_all(p).await)?;
        let count = |stage: &str| {
            let found = rows.iter().find(|row| row.stage == stage);
            found.map_or(0, |row| u64::try_from(row.count).unwrap_or(0))
        };
        let facts = self.all_facts().await?;
        let offered = facts
            .iter()
            .filter(|(sn, facts)| release.is_offered(sn, facts, now));
        Ok(Tally {
            done: count("confirmed"),
            failed: count("failed"),
            open: offered.count() as u64,
        })
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
        let releases = self.firmware_releases().await?;
        let Some(release) = releases.iter().find(|release| release.id == id) else {
            return Ok(false);
        };
        self.move_release(release, state, reason, Actor::Operator, now)
            .await
    }

    async fn move_release(
        &self,
        release: &Release,
        state: ReleaseState,
        reason: Option<&str>,
        actor: Actor,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let moved = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE firmware_releases SET state = $2, reason = $3, wave_since = $4 WHERE id = $1 AND state <> 'withdrawn' AND state <> $2"
            )
            .bind(release.id)
            .bind(state.as_str())
            .bind(reason)
            .bind(now)
        )?;
        if moved == 1 {
            let detail =
                json!({ "release": release.id, "state": state.as_str(), "reason": reason });
            let line = Entry::by_nobody(Event::FirmwareMoved, now).through(actor);
            line.with(detail).write(&mut tx).await?;
            tx.commit().await?;
        }
        Ok(moved == 1)
    }
}
