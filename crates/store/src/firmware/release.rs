//! Releases that the operator published, and which systems they are offered to.
use crate::device::SystemFacts;
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::firmware::{InstalledPart, Manifest, Part, SignedText, Version, Wave};
use domain::hello::PartVersions;
use domain::{Lang, Serial};
use serde_json::json;
use std::collections::BTreeMap;
use strum::{EnumString, IntoStaticStr};

/// The release notes by language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseNotes(pub BTreeMap<String, String>);

impl ReleaseNotes {
    /// In the reader's language, otherwise in English, otherwise in German.
    pub fn text(&self, lang: Lang) -> Option<&str> {
        let tried = [lang, Lang::En, Lang::De];
        tried
            .iter()
            .find_map(|lang| self.0.get(lang.code()))
            .map(String::as_str)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Error, parse_err_fn = unknown_state)]
pub enum ReleaseState {
    Running,
    /// By the operator, temporarily.
    Paused,
    /// Automatically, because too many updates failed.
    Stopped,
    /// By the operator, permanently.
    Withdrawn,
}

fn unknown_state(_: &str) -> Error {
    Error::Damaged("firmware_releases.state")
}

impl ReleaseState {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// A release and the state of its rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    pub id: i64,
    pub part: Part,
    pub hardware: String,
    pub version: Version,
    pub seq: i64,
    pub min_from: Option<Version>,
    pub expires_at: Millis,
    /// The SHA-256 of its image.
    pub sha256: String,
    pub signed_manifest: SignedText,
    pub notes: ReleaseNotes,
    pub published_at: Millis,
    pub state: ReleaseState,
    pub reason: Option<String>,
    pub wave: Wave,
    pub wave_since: Millis,
    pub soak: Millis,
}

#[derive(Clone, Debug)]
pub struct NewRelease<'a> {
    pub signed_manifest: &'a SignedText,
    pub image: &'a [u8],
    pub notes: &'a ReleaseNotes,
    /// Minimum duration of each wave.
    pub soak: Millis,
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    part: String,
    hardware: String,
    version: String,
    seq: i64,
    min_from: Option<String>,
    expires_at: Millis,
    sha256: String,
    manifest: String,
    signature: String,
    notes: String,
    published_at: Millis,
    state: String,
    reason: Option<String>,
    wave: i64,
    wave_since: Millis,
    soak: Millis,
}

/// Selects releases; `$which` is the rest of the query.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT id, part, hardware, version, seq, min_from, expires_at, sha256, manifest, signature, notes,
                 published_at, state, reason, wave, wave_since, soak FROM firmware_releases ",
            $which
        )
    };
}

impl Row {
    fn release(self) -> Result<Release> {
        let damaged = Error::Damaged;
        let notes = serde_json::from_str(&self.notes);
        Ok(Release {
            id: self.id,
            part: self
                .part
                .parse()
                .map_err(|_| damaged("firmware_releases.part"))?,
            hardware: self.hardware,
            version: version(&self.version)?,
            seq: self.seq,
            min_from: self.min_from.as_deref().map(version).transpose()?,
            expires_at: self.expires_at,
            sha256: self.sha256,
            signed_manifest: SignedText::new(self.manifest, &self.signature)
                .map_err(|_| damaged("firmware_releases.signature"))?,
            notes: ReleaseNotes(notes.map_err(|_| damaged("firmware_releases.notes"))?),
            published_at: self.published_at,
            state: self.state.parse()?,
            reason: self.reason,
            wave: Wave::of(self.wave).ok_or(damaged("firmware_releases.wave"))?,
            wave_since: self.wave_since,
            soak: self.soak,
        })
    }
}

pub(super) fn version(text: &str) -> Result<Version> {
    text.parse()
        .map_err(|_| Error::Damaged("firmware_releases.version"))
}

impl Release {
    /// Whether the release fits the installed version and hardware, regardless of waves.
    fn suits(&self, hardware: Option<&str>, versions: &PartVersions, now: Millis) -> bool {
        let installed = installed_version(versions, self.part);
        let (Some(installed), Some(hardware)) = (installed, hardware) else {
            return false;
        };
        let manifest = Manifest {
            part: self.part,
            hardware: self.hardware.clone(),
            version: self.version,
            seq: self.seq,
            size: 0,
            sha256: [0; 32],
            min_from: self.min_from,
            expires_at: self.expires_at,
        };
        // Only the battery knows the installed sequence number, so the battery makes the final check.
        let installed = InstalledPart {
            hardware,
            version: installed,
            seq: i64::MIN,
        };
        manifest.suits(installed, now).is_ok()
    }

    pub(super) fn is_offered(
        &self,
        sn: &Serial,
        hardware: Option<&str>,
        versions: &PartVersions,
        now: Millis,
    ) -> bool {
        self.state == ReleaseState::Running
            && self.wave.includes(sn, self.id)
            && self.suits(hardware, versions, now)
    }
}

/// The version of a part that a battery has reported, if it is a valid version.
pub fn installed_version(versions: &PartVersions, part: Part) -> Option<Version> {
    let text = match part {
        Part::Gateway => &versions.gateway,
        Part::Master => &versions.master,
        Part::Slave => &versions.slave,
    };
    text.as_deref()?.parse().ok()
}

/// The releases with an active rollout, in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases(Vec<Release>);

impl Releases {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The newest release of each part that the system is offered, in the order of installation.
    pub fn offered(&self, sn: &Serial, facts: &SystemFacts, now: Millis) -> Vec<&Release> {
        let mut offered: BTreeMap<Part, &Release> = BTreeMap::new();
        let (hardware, versions) = (facts.hardware.as_deref(), &facts.versions);
        let running = self.0.iter();
        for release in running.filter(|it| it.is_offered(sn, hardware, versions, now)) {
            let known = offered.entry(release.part).or_insert(release);
            if known.seq < release.seq {
                *known = release;
            }
        }
        offered.into_values().collect()
    }
}

/// The releases of a part for this hardware.
pub async fn of_part(tx: &mut Tx, part: Part, hardware: &str) -> Result<Vec<Release>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!("WHERE part = $1 AND hardware = $2"))
        .bind(part.as_str()).bind(hardware).fetch_all(c).await)?;
    rows.into_iter().map(Row::release).collect()
}

/// Inserts a release in its first wave, with its image; returns its number.
pub async fn insert(
    tx: &mut Tx,
    manifest: &Manifest,
    new: &NewRelease<'_>,
    now: Millis,
) -> Result<i64> {
    execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO firmware_images (sha256, image) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING"
        )
        .bind(manifest.digest())
        .bind(new.image)
    )?;
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO firmware_releases (part, hardware, version, seq, min_from, expires_at, sha256, manifest, signature,
             notes, published_at, state, wave, wave_since, soak)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $11, $14) RETURNING id")
        .bind(manifest.part.as_str())
        .bind(&manifest.hardware)
        .bind(manifest.version.to_string())
        .bind(manifest.seq)
        .bind(manifest.min_from.map(|version| version.to_string()))
        .bind(manifest.expires_at)
        .bind(manifest.digest())
        .bind(new.signed_manifest.text())
        .bind(new.signed_manifest.signature_hex())
        .bind(json!(new.notes.0).to_string())
        .bind(now)
        .bind(ReleaseState::Running.as_str())
        .bind(Wave::FIRST.number())
        .bind(new.soak)
        .fetch_one(c).await)?)
}

impl Store {
    /// Every release, newest first.
    pub async fn firmware_releases(&self) -> Result<Vec<Release>> {
        let rows: Vec<Row> =
            on!(self, p => sqlx::query_as(select!("ORDER BY id DESC")).fetch_all(p).await)?;
        rows.into_iter().map(Row::release).collect()
    }

    /// The releases with an active rollout.
    pub async fn running_releases(&self) -> Result<Releases> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!("WHERE state = 'running' ORDER BY id"))
            .fetch_all(p).await)?;
        let releases: Result<_> = rows.into_iter().map(Row::release).collect();
        Ok(Releases(releases?))
    }

    /// Whether the battery has an open update to this image.
    pub async fn may_download_image(&self, sn: &Serial, sha256: &str) -> Result<bool> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM firmware_jobs j JOIN firmware_job_parts t ON t.job_id = j.id
                 JOIN firmware_releases r ON r.id = t.release_id
             WHERE j.sn = $1 AND r.sha256 = $2 AND j.state IN ('waiting', 'running', 'interrupted'))")
            .bind(sn.as_str()).bind(sha256).fetch_one(p).await)?)
    }

    pub async fn firmware_image(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        Ok(
            on!(self, p => sqlx::query_scalar("SELECT image FROM firmware_images WHERE sha256 = $1")
            .bind(sha256).fetch_optional(p).await)?,
        )
    }
}
