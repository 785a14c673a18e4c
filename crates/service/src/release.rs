//! Releases: the operator publishes, halts and withdraws them, and their rollouts advance wave by wave.
use crate::{Result, Service};
use domain::firmware::{Fault, Manifest, PublicKey, Wave, WaveDecision};
use domain::journal::JournalEvent;
use store::firmware::{NewRelease, Release, ReleaseState, key, release, rollout};
use store::journal::{Actor, NewEntry};

/// The result of trusting a release key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyTrust {
    Trusted,
    /// It was trusted before.
    Already,
    /// Another key is trusted, and `replace` was not given.
    Other(PublicKey),
}

impl Service {
    /// Sets the key that releases published from now on must be signed with. If another one is trusted, it is replaced only with
    /// `replace`.
    pub async fn trust_release_key(&self, key: &PublicKey, replace: bool) -> Result<KeyTrust> {
        let mut t = self.begin().await?;
        let was = key::lock_release_key(&mut t).await?;
        match was {
            Some(was) if was == *key => return Ok(KeyTrust::Already),
            Some(was) if !replace => return Ok(KeyTrust::Other(was)),
            _ => {}
        }
        key::set_release_key(&mut t, key).await?;
        let event = JournalEvent::ReleaseKeyTrusted {
            key: key.to_string(),
            was: was.map(|was| was.to_string()),
        };
        let entry = NewEntry::without_account(event, t.now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await?;
        Ok(KeyTrust::Trusted)
    }

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
        let event = JournalEvent::FirmwarePublished {
            release: id,
            part: Some(manifest.part),
            hardware: manifest.hardware,
            version: Some(manifest.version),
        };
        let entry = NewEntry::without_account(event, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
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

    /// Advances a rollout to the next wave at the operator's request, whatever the results of the present one. `None` if the
    /// rollout is not running, or if the release is offered to the whole fleet already.
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
            let event = JournalEvent::RolloutChanged {
                release: id,
                state: None,
                percent: Some(wave.percent()),
                reason: reason.map(str::to_owned),
            };
            let entry = NewEntry::without_account(event, now);
            t.journal(entry.with_actor(Actor::Operator)).await?;
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

    /// Returns whether it has advanced or stopped.
    async fn advance_rollout(&self, release: &mut Release) -> Result<bool> {
        let now = self.now();
        let (since, soak) = (release.wave_since, release.soak);
        let mut tally = self.store.rollout_results(release).await?;
        if release.wave == Wave::LAST && !tally.is_bad() {
            return Ok(false);
        }
        let limit = tally.open_to_count(since, soak, now);
        tally.open = self.store.count_open(release, limit, now).await?;
        match tally.decide(since, soak, now) {
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
