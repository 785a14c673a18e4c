//! Updates that people have started.
use super::release::{Release, version};
use crate::grant::OwnerMail;
use crate::guard::{self, ChangeBlocked};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{DAY, Millis};
use domain::firmware::{
    Fault, JobId, JobState, MAX_UPDATE_WAIT, Part, SignedText, Stage, SwitchStep, Version,
};
use domain::{Sample, Serial};
use serde_json::json;

/// An update in its present state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateJob {
    pub id: JobId,
    pub sn: Serial,
    /// Increases with each update of a system.
    pub number: i64,
    pub state: JobState,
    pub created_at: Millis,
    /// When the battery last reported.
    pub heard_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    /// The battery was switched on after the update ended.
    pub switched_on_since: bool,
    /// In the order of installation.
    pub parts: Vec<JobPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPart {
    pub release: i64,
    pub part: Part,
    pub from: Version,
    pub version: Version,
    pub stage: Stage,
    /// 0 to 100.
    pub progress: u8,
    pub fault: Option<Fault>,
    pub ended_at: Option<Millis>,
}

impl UpdateJob {
    /// The part that is being installed or is next; `None` when all are installed.
    pub fn current(&self) -> Option<&JobPart> {
        self.parts
            .iter()
            .find(|part| part.stage != Stage::Confirmed)
    }

    pub fn parts_left(&self) -> usize {
        let left = self
            .parts
            .iter()
            .filter(|part| part.stage != Stage::Confirmed);
        left.count()
    }

    /// Whether a part is installed and the battery has not begun the next one.
    pub fn is_between_parts(&self) -> bool {
        let begins = self
            .current()
            .is_some_and(|part| part.stage == Stage::Waiting);
        begins && self.parts_left() < self.parts.len()
    }

    /// What a person has to do at the main switch now.
    pub fn switch_step(&self, needs_off: bool, switched_on: Option<bool>) -> Option<SwitchStep> {
        let step = SwitchStep::of(self.state, self.is_between_parts(), needs_off, switched_on);
        // If it is turned off later, that has nothing to do with the update.
        step.filter(|step| *step != SwitchStep::On || !self.switched_on_since)
    }

    /// Whether this sample is the first to show that the battery is on again after the update.
    pub fn is_switched_on_by(&self, sample: &Sample) -> bool {
        let done = self.state == JobState::Done && !self.switched_on_since;
        let later = self.ended_at.is_some_and(|ended| sample.at > ended);
        done && later && sample.flags.switched_on()
    }

    /// The progress that the wizard shows: the percentage of the present part, or −1 on failure. `offered` are the releases that
    /// the system is offered. If one of them was not in this ended update, the result no longer matters and the progress is 0.
    pub fn wizard_progress(&self, mut offered: impl Iterator<Item = i64>) -> i32 {
        let had = |release: i64| self.parts.iter().any(|part| part.release == release);
        if !self.state.is_open() && offered.any(|release| !had(release)) {
            return 0;
        }
        match (self.state, self.current()) {
            (JobState::Interrupted | JobState::Failed, _) => -1,
            (JobState::Done, _) | (_, None) => 100,
            (_, Some(part)) => i32::from(part.progress),
        }
    }

    pub fn fault(&self) -> Option<Fault> {
        self.parts.iter().find_map(|part| part.fault)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    pub id: &'a JobId,
    /// The releases that the system is offered, each with the version that it replaces.
    pub parts: &'a [(&'a Release, Version)],
    /// The battery updates only with its main switch off.
    pub needs_off: bool,
    /// How many devices one account may change per minute.
    pub devices_a_minute: usize,
    /// For the mail to the owner when somebody else starts the update.
    pub mail_context: MailContext<'a>,
}

/// Result of starting an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateStart {
    New(UpdateJob),
    /// An update was open already; this is its present state.
    Open(UpdateJob),
    Blocked(ChangeBlocked),
}

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

/// The open update, if there is one.
pub(super) async fn open_job(tx: &mut Tx, sn: &Serial) -> Result<Option<UpdateJob>> {
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(select!(
        "WHERE sn = $1 AND state IN ('waiting', 'running', 'interrupted')"))
        .bind(sn.as_str()).fetch_optional(c).await)?;
    with_parts(tx, row).await
}

/// The newest update, open or not.
pub(super) async fn newest_job(tx: &mut Tx, sn: &Serial) -> Result<Option<UpdateJob>> {
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

/// The household has left: cancels an update that the battery has not begun, and erases who started updates. The remaining rows
/// are the battery's own history, which the next household does not see. They stay because the numbers must keep increasing.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
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
    /// Starts an update unless one is open. Idempotent: a repeated request gets the open update.
    pub async fn start_update(
        &self,
        access: &Access,
        new: NewJob<'_>,
        now: Millis,
    ) -> Result<UpdateStart> {
        let mut tx = self.db.begin().await?;
        if let Err(blocked) = guard::admit(&mut tx, access, new.devices_a_minute, now).await? {
            return Ok(UpdateStart::Blocked(blocked));
        }
        if let Some(open) = open_job(&mut tx, access.sn()).await? {
            return Ok(UpdateStart::Open(open));
        }
        let before = newest_job(&mut tx, access.sn()).await?;
        let number = before.map_or(1, |job| job.number + 1);
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO firmware_jobs (id, sn, number, account_id, state, created_at) VALUES ($1, $2, $3, $4, $5, $6)"
            )
            .bind(new.id.as_str())
            .bind(access.sn().as_str())
            .bind(number)
            .bind(access.account().0)
            .bind(JobState::Waiting.as_str())
            .bind(now)
        )?;
        for (place, (release, from)) in (0_i64..).zip(new.parts) {
            execute!(
                &mut tx,
                sqlx::query(
                    "INSERT INTO firmware_job_parts (job_id, place, release_id, part, from_version, version, stage, progress)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, 0)"
                )
                .bind(new.id.as_str())
                .bind(place)
                .bind(release.id)
                .bind(release.part.as_str())
                .bind(from.to_string())
                .bind(release.version.to_string())
                .bind(Stage::Waiting.as_str())
            )?;
        }
        let parts = new.parts.iter().map(|(release, from)| {
            json!({ "part": release.part.as_str(), "from": from.to_string(), "to": release.version.to_string() })
        });
        let detail = json!({ "parts": parts.collect::<Vec<_>>() });
        let line = NewEntry::by(access.account(), JournalEvent::UpdateStarted, now).on(access.sn());
        line.with(detail).write(&mut tx).await?;
        self.notify_owner_of_update(&mut tx, access, &new, now)
            .await?;
        let job = open_job(&mut tx, access.sn()).await?;
        tx.commit().await?;
        job.map(UpdateStart::New).ok_or(Error::Conflict)
    }

    /// Mails an owner who did not start the update what to do at the main switch, and until when.
    async fn notify_owner_of_update(
        &self,
        tx: &mut Tx,
        access: &Access,
        new: &NewJob<'_>,
        now: Millis,
    ) -> Result<()> {
        let text = match (new.needs_off, new.parts.len()) {
            (false, _) => "update_by_installer",
            (true, 0..=1) => "update_needs_switch",
            (true, _) => "update_needs_switch_parts",
        };
        let mail = OwnerMail {
            text,
            page: &format!("/update?sn={}", access.sn()),
            values: vec![("sn", access.sn().to_string())],
            // The last full day.
            until: Some(access.zone().day_of(now + MAX_UPDATE_WAIT - DAY)),
        };
        self.notify_owner_of_change(tx, access, mail, new.mail_context, now)
            .await
    }

    /// Cancels an update that the battery has not begun. `false` when there is none.
    pub async fn cancel_update(&self, access: &Access, now: Millis) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let cancelled = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE firmware_jobs SET state = $2, ended_at = $3 WHERE sn = $1 AND state = 'waiting'"
            )
            .bind(access.sn().as_str())
            .bind(JobState::Cancelled.as_str())
            .bind(now)
        )?;
        if cancelled == 1 {
            let line =
                NewEntry::by(access.account(), JournalEvent::UpdateCancelled, now).on(access.sn());
            line.write(&mut tx).await?;
            tx.commit().await?;
        }
        Ok(cancelled == 1)
    }

    /// The newest update of a system, open or not.
    pub async fn newest_update(&self, sn: &Serial) -> Result<Option<UpdateJob>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE sn = $1 ORDER BY number DESC LIMIT 1"))
            .bind(sn.as_str()).fetch_all(p).await)?;
        Ok(self.complete(rows).await?.pop())
    }

    /// The newest update of every system, if it is open or ended after `since`.
    pub async fn newest_updates(&self, since: Millis) -> Result<Vec<UpdateJob>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE number = (SELECT MAX(number) FROM firmware_jobs n WHERE n.sn = j.sn)
                 AND (ended_at IS NULL OR ended_at > $1)"))
            .bind(since).fetch_all(p).await)?;
        self.complete(rows).await
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

#[derive(Debug, FromRow)]
struct ManifestRow {
    manifest: String,
    signature: String,
}
