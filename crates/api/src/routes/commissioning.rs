//! Commissioning of systems: started, completed step by step, and finished only when every check passes.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::commissioning::{
    CommissioningEntry, CommissioningProgress, CommissioningQuery, DoStep, StepEntry,
};
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::parameter::{PhaseNumber, SerialNumbers, Switch};
use crate::path::Path;
use crate::protocol::ProtocolEntry;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::commissioning::{CheckRecord, CommissioningStep, MAX_UNITS, check, measure_phase};
use domain::{Lang, Message};
use serde::{Deserialize, Serialize};
use service::commissioning::{CommissioningStart, StepStatement};
use store::Access;
use store::commissioning::Commissioning;
use store::system::System;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct OpenCommissioning {
    /// The commissioning in progress; null if there is none.
    #[schema(required)]
    commissioning: Option<CommissioningEntry>,
    /// The caller's other units that can be commissioned together with this one: units of the same owner or, for a unit without
    /// an owner, units that the caller got access to with the same installer code. Empty once the commissioning has started.
    candidates: Vec<Candidate>,
}

/// Another unit of the same customer.
#[derive(Serialize, ToSchema)]
pub(crate) struct Candidate {
    sn: String,
    /// The phase of the unit, 1 to 3.
    phase: u8,
    /// The customer's first name; empty if unknown.
    first_name: String,
    last_name: String,
    /// The town.
    place: String,
}

impl Candidate {
    async fn list(portal: &Portal, systems: &Systems, access: &Access) -> Result<Vec<Self>> {
        let others = systems.allowed.iter();
        let others: Vec<&Access> = others.filter(|unit| unit.sn() != access.sn()).collect();
        let same = portal.store.units_of_same_customer(access, &others).await?;
        let same: Vec<Access> = same.into_iter().cloned().collect();
        let rows = portal.store.systems(&same).await?;
        let candidate = |(unit, row): (&Access, System)| Self {
            sn: unit.sn().to_string(),
            phase: unit.phase(),
            first_name: row.first_name.unwrap_or_default(),
            last_name: row.last_name.unwrap_or_default(),
            place: row.place.unwrap_or_default(),
        };
        Ok(same.iter().zip(rows).map(candidate).collect())
    }
}

/// Get a system's commissioning in progress, whoever started it.
#[utoipa::path(get, path = "/api/auth/commissioning/", operation_id = "show_commissioning", tag = "commissioning",
    params(CommissioningQuery),
    responses((status = 200, body = OpenCommissioning),
        (status = 404, body = Refusal)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<CommissioningQuery>,
) -> Result<Json<OpenCommissioning>> {
    let access = systems.find(query.sn())?;
    let open = portal.store.open_commissioning(access).await?;
    Ok(Json(match open {
        None => OpenCommissioning {
            commissioning: None,
            candidates: Candidate::list(&portal, &systems, access).await?,
        },
        Some(open) => {
            let progress = CommissioningProgress::load(&portal, &systems, open).await?;
            OpenCommissioning {
                commissioning: Some(CommissioningEntry::new(&progress, language(&headers))),
                candidates: Vec::new(),
            }
        }
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct BeginCommissioning {
    /// Serial numbers of all units of the site, separated by commas.
    #[serde(default)]
    #[schema(value_type = SerialNumbers, required)]
    sn: String,
}

/// Start the commissioning of a site's units. If one is in progress for the same units, it is returned unchanged.
#[utoipa::path(post, path = "/api/auth/commissioning/", operation_id = "begin_commissioning", tag = "commissioning",
    request_body(content = BeginCommissioning, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = CommissioningEntry), (status = 200, body = CommissioningEntry),
        (status = 400, body = Problem),
        (status = 404, body = Refusal), (status = 409, body = Refusal)))]
pub(crate) async fn begin(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<BeginCommissioning>,
) -> Result<(StatusCode, Json<CommissioningEntry>)> {
    let mut units = systems.parse_list(&form.sn)?;
    if units.is_empty() {
        return Err(Error::field("sn", Message::Required));
    }
    if units.len() > MAX_UNITS {
        return Err(Error::field("sn", Message::TooLong));
    }
    units.sort_by(|one, other| (one.phase(), one.sn()).cmp(&(other.phase(), other.sn())));
    let lang = language(&headers);
    if let Some(open) = portal.store.open_commissioning(units[0]).await?
        && same_units(&open, &units)
    {
        let progress = CommissioningProgress::load(&portal, &systems, open).await?;
        let entry = CommissioningEntry::new(&progress, lang);
        return Ok((StatusCode::OK, Json(entry)));
    }
    match portal.service.begin_commissioning(&units).await? {
        CommissioningStart::New(id) => {
            let entry = entry(&portal, &systems, &id.to_string(), lang).await?;
            Ok((StatusCode::CREATED, entry))
        }
        CommissioningStart::Busy => Err(Error::Refused(StatusCode::CONFLICT, Message::UnitsBusy)),
        CommissioningStart::OwnersDiffer => {
            Err(Error::Refused(StatusCode::CONFLICT, Message::OwnersDiffer))
        }
    }
}

fn same_units(open: &Commissioning, units: &[&Access]) -> bool {
    open.units.len() == units.len() && units.iter().all(|unit| open.units.contains(unit.sn()))
}

async fn entry(
    portal: &Portal,
    systems: &Systems,
    id: &str,
    lang: Lang,
) -> Result<Json<CommissioningEntry>> {
    let progress = CommissioningProgress::find(portal, systems, id).await?;
    Ok(Json(CommissioningEntry::new(&progress, lang)))
}

/// Check a step, and record the result if it passes. Returns the state of every step.
#[utoipa::path(post, path = "/api/auth/commissioning/{id}/step/", operation_id = "do_commissioning_step", tag = "commissioning",
    params(("id" = i64, Path)),
    request_body(content = DoStep, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = CommissioningEntry), (status = 400, body = Problem)))]
pub(crate) async fn step(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(form): Form<DoStep>,
) -> Result<Json<CommissioningEntry>> {
    let mut progress = CommissioningProgress::find(&portal, &systems, &id).await?;
    let step: CommissioningStep = match form.step.parse() {
        Ok(CommissioningStep::Phases) => return Err(Error::field("step", Message::ChoiceUnknown)),
        Ok(step) => step,
        Err(message) => return Err(Error::field("step", message)),
    };
    let (stated, customer) = form.read(step, &mut progress)?;
    let known = progress.commissioning.record(step);
    let found = check(step, &progress.facts, &stated, known).ok();
    let record = found.map(|found| CheckRecord {
        stated,
        found: found.found,
        measured: found.measured,
    });
    if record.is_some() || customer.is_some() {
        let written = StepStatement {
            step,
            record: record.as_ref(),
            customer: customer.as_ref(),
        };
        write(&portal, &progress, written).await?;
    }
    entry(&portal, &systems, &id, language(&headers)).await
}

async fn write(
    portal: &Portal,
    progress: &CommissioningProgress,
    statement: StepStatement<'_>,
) -> Result<()> {
    let id = progress.commissioning.id;
    let written = portal.service.write_step(&progress.units, id, statement);
    match written.await? {
        true => Ok(()),
        false => Err(Error::not_found()),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct MeasurePhase {
    /// The phase, 1 to 3.
    #[serde(default)]
    #[schema(value_type = PhaseNumber, required)]
    phase: String,
    /// Whether a load is switched on at this phase. Measure without the load first, then with it.
    #[serde(default)]
    #[schema(value_type = Switch)]
    load: String,
}

/// Measure a phase for the sign and phase test.
///
/// Compares what the batteries report now with what they reported before.
#[utoipa::path(post, path = "/api/auth/commissioning/{id}/phase/", operation_id = "measure_phase", tag = "commissioning",
    params(("id" = i64, Path)),
    request_body(content = MeasurePhase, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = CommissioningEntry), (status = 400, body = Problem)))]
pub(crate) async fn phase(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(form): Form<MeasurePhase>,
) -> Result<Json<CommissioningEntry>> {
    let progress = CommissioningProgress::find(&portal, &systems, &id).await?;
    let phase = match form.phase.trim().parse::<u8>() {
        Ok(phase) if (1..=3).contains(&phase) => phase,
        _ => return Err(Error::field("phase", Message::ChoiceUnknown)),
    };
    let known = progress.commissioning.record(CommissioningStep::Phases);
    let record = measure_phase(&progress.facts, known, phase, ticked(&form.load));
    let written = StepStatement {
        step: CommissioningStep::Phases,
        record: Some(&record),
        customer: None,
    };
    write(&portal, &progress, written).await?;
    entry(&portal, &systems, &id, language(&headers)).await
}

/// Discard a commissioning and everything that was recorded. Names that it changed are restored.
#[utoipa::path(delete, path = "/api/auth/commissioning/{id}/", operation_id = "drop_commissioning", tag = "commissioning",
    params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn cancel(
    State(portal): State<Portal>,
    systems: Systems,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let progress = CommissioningProgress::find(&portal, &systems, &id).await?;
    let abandoned = portal
        .service
        .abandon_commissioning(progress.first()?, &progress.commissioning);
    match abandoned.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}

/// The answer to a request to finish while steps are open.
#[derive(Serialize, ToSchema)]
pub(crate) struct StepsOpen {
    detail: &'static str,
    code: &'static str,
    /// The steps that have not passed.
    open: Vec<StepEntry>,
}

/// The outcome of a request to finish.
pub(crate) enum FinishOutcome {
    Protocol(ProtocolEntry),
    Open(StepsOpen),
}

impl IntoResponse for FinishOutcome {
    fn into_response(self) -> Response {
        match self {
            Self::Protocol(entry) => (StatusCode::CREATED, Json(entry)).into_response(),
            Self::Open(open) => (StatusCode::CONFLICT, Json(open)).into_response(),
        }
    }
}

/// Finish a commissioning. Every step is checked again; if all pass, the results become the protocol.
#[utoipa::path(post, path = "/api/auth/commissioning/{id}/finish/", operation_id = "finish_commissioning", tag = "commissioning",
    params(("id" = i64, Path)),
    responses((status = 201, body = ProtocolEntry), (status = 409, body = StepsOpen)))]
pub(crate) async fn finish(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<FinishOutcome> {
    let progress = CommissioningProgress::find(&portal, &systems, &id).await?;
    let (lang, open) = (language(&headers), progress.open_steps());
    if !open.is_empty() {
        let entry = |(step, _): &(CommissioningStep, _)| StepEntry::new(&progress, *step, lang);
        return Ok(FinishOutcome::Open(StepsOpen {
            detail: Message::StepsOpen.text(lang),
            code: Message::StepsOpen.code(),
            open: open.iter().map(entry).collect(),
        }));
    }
    let (access, evaluated) = (progress.first()?, &progress.commissioning);
    portal
        .service
        .finish_commissioning(access, evaluated, &progress.customer)
        .await?;
    let finished = portal
        .store
        .commissioning(&progress.units, evaluated.id)
        .await?;
    let finished = finished.ok_or(Error::not_found())?;
    Ok(FinishOutcome::Protocol(ProtocolEntry::new(&finished)))
}
