//! Releases: the operator publishes, halts and withdraws them, and their rollouts advance wave by wave.
use crate::{Result, Service};
use domain::firmware::{Fault, Manifest, Wave, WaveDecision};
use serde_json::json;
use store::firmware::{NewRelease, Release, ReleaseState, release, rollout};
use store::journal::{Actor, JournalEvent, NewEntry};

impl Service {
    /// Validates a release and publishes it to its first wave.
    pub async fn publish_firmware(&self, new: NewRelease<'_>) -> Result<Result<i64, Fault>> {
        let Some(key) = self.store.release_key().await? else {
            return Ok(Err(Fault::Signature));
        };
        let manifest = match Manifest::verify(new.signed_manifest, &key) {
            Ok(manifest) => manifest,
            Err(fault) => return Ok(Err(fault)),
        };
        if !manifest.describes(new.image) {
            return Ok(Err(Fault::WrongImage));
        }
        if manifest.expires_at <= self.now() {
            return Ok(Err(Fault::Expired));
        }
        let mut t = self.begin().await?;
        let now = t.now;
        let published = release::of_part(&mut t, manifest.part, &manifest.hardware).await?;
        let is_old =
            |known: &Release| manifest.seq <= known.seq || manifest.version <= known.version;
        if published.iter().any(is_old) {
            return Ok(Err(Fault::OldSequence));
        }
        let id = release::insert(&mut t, &manifest, &new, now).await?;
        let detail = json!({
            "release": id, "part": manifest.part.as_str(), "hardware": manifest.hardware,
            "version": manifest.version.to_string(),
        });
        let entry = NewEntry::without_account(JournalEvent::FirmwarePublished, now);
        t.journal(entry.with_actor(Actor::Operator).with(detail))
            .await?;
        t.commit().await?;
        Ok(Ok(id))
    }

    /// Pauses, resumes or withdraws a release. `false` when there is none, or when it is already withdrawn.
    pub async fn set_release_state(
        &self,
        id: i64,
        state: ReleaseState,
        reason: Option<&str>,
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        let actor = Actor::Operator;
        let changed = rollout::change_state(&mut t, id, state, reason, actor, now).await?;
        t.commit().await?;
        Ok(changed)
    }

    /// The operator advances a rollout to the next wave, whatever the results of the present one. `None` when the rollout is not
    /// running, or when the release is offered to everybody already.
    pub async fn proceed_rollout(&self, id: i64, reason: Option<&str>) -> Result<Option<Wave>> {
        let releases = self.store.firmware_releases().await?;
        let running =
            |release: &&Release| release.id == id && release.state == ReleaseState::Running;
        let Some(release) = releases.iter().find(running) else {
            return Ok(None);
        };
        let mut t = self.begin().await?;
        let now = t.now;
        let next = rollout::next_wave(&mut t, release, now).await?;
        if let Some(wave) = next {
            let detail = json!({ "release": id, "percent": wave.percent(), "reason": reason });
            let entry = NewEntry::without_account(JournalEvent::RolloutChanged, now);
            t.journal(entry.with_actor(Actor::Operator).with(detail))
                .await?;
        }
        t.commit().await?;
        Ok(next)
    }

    /// Checks every active rollout: advances it to the next wave, or stops it.
    pub async fn advance_rollouts(&self) -> Result<()> {
        for mut release in self.store.firmware_releases().await? {
            // Any number of waves in which no battery can take the release are skipped at once.
            while release.state == ReleaseState::Running
                && self.advance_rollout(&mut release).await?
            {}
        }
        Ok(())
    }

    /// Whether it has advanced or stopped.
    async fn advance_rollout(&self, release: &mut Release) -> Result<bool> {
        let now = self.now();
        let tally = self.store.rollout_tally(release, now).await?;
        match tally.decide(release.wave_since, release.soak, now) {
            WaveDecision::Wait => Ok(false),
            WaveDecision::Stop => {
                let mut t = self.begin().await?;
                rollout::stop(&mut t, release.id, tally, now).await?;
                t.commit().await?;
                release.state = ReleaseState::Stopped;
                Ok(true)
            }
            WaveDecision::Next => {
                let mut t = self.begin().await?;
                let next = rollout::next_wave(&mut t, release, now).await?;
                t.commit().await?;
                if let Some(wave) = next {
                    (release.wave, release.wave_since) = (wave, now);
                }
                Ok(next.is_some())
            }
        }
    }
}
