//! Updates in answers.
use crate::Portal;
use crate::error::Result;
use crate::live::VisibleSystem;
use crate::update_names::{PartName, StageName, StateName, SwitchName};
use domain::Lang;
use domain::clock::Millis;
use domain::firmware::{Fault, JobState, Part, Stage};
use serde::Serialize;
use store::Access;
use store::firmware::{JobPart, Release, UpdateJob, installed_version};
use utoipa::ToSchema;

/// Below this state of charge, in %, the battery could not bridge a power cut during the update.
const MIN_SOC_PERCENT: f64 = 15.0;

/// The offered update of a system and its progress. `state` describes the newest update if it is open or ended recently.
#[derive(Serialize, ToSchema)]
pub(crate) struct UpdateStatus {
    /// Whether an update is offered or being installed.
    new_update: bool,
    /// Whether the battery has begun the update.
    update_started: bool,
    /// Progress of the present part in %; -1 if it was interrupted or failed.
    page: i32,
    /// The number of remaining parts, including the present one.
    total_updates: usize,
    /// The present part, or the next one.
    #[schema(inline, required)]
    r#type: Option<PartName>,
    /// The parts of the open update, or of the offered one.
    pub(crate) updates: Vec<UpdatePart>,
    #[schema(inline, required)]
    state: Option<StateName>,
    /// The stage of the present part.
    #[schema(inline, required)]
    stage: Option<StageName>,
    /// What to do at the main switch now.
    #[schema(inline, required)]
    switch: Option<SwitchName>,
    /// When the update was started; Unix time in milliseconds.
    #[schema(required)]
    started_at: Option<Millis>,
    /// When the battery last reported; Unix time in milliseconds.
    #[schema(required)]
    heard_at: Option<Millis>,
    /// Why the update failed; null if it did not.
    #[schema(required)]
    error: Option<UpdateError>,
    checks: Checks,
}

/// One part of a system and its new version.
#[derive(Serialize, ToSchema)]
pub(crate) struct UpdatePart {
    #[schema(inline)]
    r#type: PartName,
    version: String,
    /// The version before the update.
    #[schema(required)]
    from_version: Option<String>,
    /// Whether the part is still to be installed.
    new_update: bool,
    /// The release notes, in the caller's language.
    #[schema(required)]
    notes: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct UpdateError {
    code: &'static str,
    text: &'static str,
}

/// Recommended conditions for starting an update.
#[derive(Serialize, ToSchema)]
pub(crate) struct Checks {
    /// Whether the battery is online.
    reachable: bool,
    /// State of charge in %.
    #[schema(required)]
    soc: Option<f64>,
    /// Whether the state of charge is high enough.
    soc_enough: bool,
    /// Whether the update requires the main switch to be off.
    needs_off: bool,
    /// Whether the main switch is off.
    switched_off: bool,
}

/// A part that was installed, or whose installation failed.
#[derive(Serialize, ToSchema)]
pub(crate) struct UpdateRecord {
    #[schema(inline)]
    r#type: PartName,
    from_version: String,
    version: String,
    /// When the update was started; Unix time in milliseconds.
    started_at: Millis,
    /// When the update ended; Unix time in milliseconds. Null while it is open.
    #[schema(required)]
    ended_at: Option<Millis>,
    #[schema(inline)]
    state: StateName,
    #[schema(required)]
    error: Option<UpdateError>,
}

impl UpdateStatus {
    pub(crate) async fn read(portal: &Portal, access: &Access, lang: Lang) -> Result<Self> {
        portal.hold([access]).await?;
        let offered = portal.live.offered(access.sn());
        let job = portal.store.newest_update(access.sn()).await?;
        let job = job.filter(|job| is_shown(job, access, portal.now()));
        let open = job.as_ref().filter(|job| job.state.is_open());
        // A finished update is shown until something new is offered.
        let displayed = open.or(job.as_ref().filter(|_| offered.is_empty()));
        let updates = match displayed {
            Some(job) => {
                let releases = portal.store.firmware_releases().await?;
                let part = |part| UpdatePart::of_job(part, &releases, lang);
                job.parts.iter().map(part).collect()
            }
            None => offers(portal, access, &offered, lang),
        };
        let current = open.and_then(UpdateJob::current);
        let next = current.map(|part| part.part);
        let next = next.or_else(|| offered.first().map(|release| release.part));
        let fault = job.as_ref().and_then(UpdateJob::fault);
        let system = VisibleSystem::new(access, &portal.live);
        let step = job.as_ref().and_then(|job| system.switch_step(job));
        Ok(Self {
            new_update: open.is_some() || !offered.is_empty(),
            update_started: open.is_some_and(|job| job.state != JobState::Waiting),
            page: job
                .as_ref()
                .map_or(0, |job| job.wizard_progress(offered.iter().map(|it| it.id))),
            total_updates: open.map_or(offered.len(), UpdateJob::parts_left),
            r#type: next.map(PartName::from),
            updates,
            state: job.as_ref().map(|job| StateName::shown(job, step)),
            stage: current.map(|part| part.stage.into()),
            switch: step.map(SwitchName::from),
            started_at: job.as_ref().map(|job| job.created_at),
            heard_at: job.as_ref().and_then(|job| job.heard_at),
            error: fault.map(|fault| UpdateError::new(fault, lang)),
            checks: Checks::new(&system),
        })
    }
}

/// Whether an update is open or ended recently, within the present household's time.
fn is_shown(job: &UpdateJob, access: &Access, now: Millis) -> bool {
    let recent = job
        .ended_at
        .is_none_or(|at| at > now - bus::ENDED_UPDATE_SHOWN_FOR);
    recent && job.created_at > access.history_from()
}

fn offers(portal: &Portal, access: &Access, offered: &[Release], lang: Lang) -> Vec<UpdatePart> {
    let system = portal.live.get(access.sn());
    let from = |part: Part| {
        let versions = system.as_ref().map(|now| &now.facts.versions);
        versions.and_then(|versions| installed_version(versions, part))
    };
    let part = |release: &Release| UpdatePart {
        r#type: release.part.into(),
        version: release.version.to_string(),
        from_version: from(release.part).map(|version| version.to_string()),
        new_update: true,
        notes: release.notes.text(lang).map(str::to_owned),
    };
    offered.iter().map(part).collect()
}

impl UpdatePart {
    fn of_job(part: &JobPart, releases: &[Release], lang: Lang) -> Self {
        let release = releases.iter().find(|release| release.id == part.release);
        let notes = release.and_then(|release| release.notes.text(lang));
        Self {
            r#type: part.part.into(),
            version: part.version.to_string(),
            from_version: Some(part.from.to_string()),
            new_update: part.stage != Stage::Confirmed,
            notes: notes.map(str::to_owned),
        }
    }
}

impl UpdateRecord {
    pub(crate) fn new(job: &UpdateJob, part: &JobPart, lang: Lang) -> Self {
        Self {
            r#type: part.part.into(),
            from_version: part.from.to_string(),
            version: part.version.to_string(),
            started_at: job.created_at,
            ended_at: part.ended_at.or(job.ended_at),
            state: match (part.stage, job.state) {
                (Stage::Confirmed, _) => StateName::Done,
                (Stage::Waiting, JobState::Running) => StateName::Waiting,
                (_, state) => state.into(),
            },
            error: part.fault.map(|fault| UpdateError::new(fault, lang)),
        }
    }
}

impl UpdateError {
    fn new(fault: Fault, lang: Lang) -> Self {
        Self {
            code: fault.as_str(),
            text: fault.text(lang),
        }
    }
}

impl Checks {
    fn new(system: &VisibleSystem<'_>) -> Self {
        let soc = system.soc();
        Self {
            reachable: system.reports(),
            soc,
            soc_enough: soc.is_some_and(|soc| soc >= MIN_SOC_PERCENT),
            needs_off: system.update_needs_off(),
            switched_off: system.switched_off(),
        }
    }
}
