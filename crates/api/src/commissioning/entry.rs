//! A commissioning in progress, as electricians see it.
use super::CommissioningProgress;
use domain::clock::Millis;
use domain::commissioning::{CheckState, CommissioningStep, Finding, FindingReason, PhaseReading};
use domain::message::text;
use domain::{Lang, Serial};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct CommissioningEntry {
    id: i64,
    /// Serial numbers of the units, sorted by phase.
    units: Vec<String>,
    /// When the commissioning was started; Unix time in milliseconds.
    started_at: Millis,
    /// In the order in which they are completed.
    steps: Vec<StepEntry>,
    /// The three phases of the sign and phase test.
    phases: Vec<PhaseEntry>,
    /// The customer's first name.
    first_name: String,
    last_name: String,
    /// The address of the installation.
    place: String,
    /// The electrician's remarks.
    note: String,
    /// Whether every step has passed, so that the commissioning can be finished.
    complete: bool,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct StepEntry {
    #[schema(inline)]
    step: StepName,
    /// The title of the step, in the caller's language.
    title: &'static str,
    #[schema(inline)]
    state: StepState,
    /// Why the step has not passed, as a stable code.
    #[schema(required)]
    reason: Option<&'static str>,
    /// Why the step has not passed and what to do next, in the caller's language.
    #[schema(required)]
    text: Option<String>,
    /// The serial number of the unit that prevents the step from passing.
    #[schema(required)]
    sn: Option<String>,
    /// When the result was recorded; Unix time in milliseconds.
    #[schema(required)]
    at: Option<Millis>,
    /// The company that recorded the result.
    #[schema(required)]
    company: Option<String>,
    /// The electrician's statement. Null if the step asks for none, or if there is none yet.
    #[schema(value_type = Option<Object>, required)]
    stated: Value,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepName {
    Units,
    Meter,
    Phases,
    Limits,
    ExportLimit,
    Ups,
    Firmware,
    Customer,
    Instruction,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StepState {
    Open,
    Passed,
    Failed,
}

/// The state of one phase in the sign and phase test.
#[derive(Serialize, ToSchema)]
pub(crate) struct PhaseEntry {
    /// The phase, 1 to 3.
    phase: u8,
    /// Whether a meter of any unit reports this phase.
    measured: bool,
    /// Power without the load in W; import is positive. Null until it was measured.
    #[schema(required)]
    before: Option<i64>,
    /// Power with the load in W. Null until the phase has passed.
    #[schema(required)]
    after: Option<i64>,
    /// How much the load raised the power of this phase, in W. Null until the phase has passed.
    #[schema(required)]
    rise: Option<i64>,
    /// Why the last measurement did not pass and what to do next, in the caller's language.
    #[schema(required)]
    text: Option<String>,
}

impl From<CommissioningStep> for StepName {
    fn from(step: CommissioningStep) -> Self {
        match step {
            CommissioningStep::Units => Self::Units,
            CommissioningStep::Meter => Self::Meter,
            CommissioningStep::Phases => Self::Phases,
            CommissioningStep::Limits => Self::Limits,
            CommissioningStep::ExportLimit => Self::ExportLimit,
            CommissioningStep::Ups => Self::Ups,
            CommissioningStep::Firmware => Self::Firmware,
            CommissioningStep::Customer => Self::Customer,
            CommissioningStep::Instruction => Self::Instruction,
        }
    }
}

impl CommissioningEntry {
    pub(crate) fn new(progress: &CommissioningProgress, lang: Lang) -> Self {
        let units = progress.units.iter().map(|access| access.sn().to_string());
        Self {
            id: progress.commissioning.id,
            units: units.collect(),
            started_at: progress.commissioning.started_at,
            steps: CommissioningStep::ALL
                .map(|step| StepEntry::new(progress, step, lang))
                .into(),
            phases: [1, 2, 3]
                .map(|phase| phase_entry(progress, phase, lang))
                .into(),
            first_name: progress.customer.first_name.clone(),
            last_name: progress.customer.last_name.clone(),
            place: progress.customer.place.clone(),
            note: progress.customer.note.clone(),
            complete: progress.open_steps().is_empty(),
        }
    }
}

impl StepEntry {
    pub(crate) fn new(
        progress: &CommissioningProgress,
        step: CommissioningStep,
        lang: Lang,
    ) -> Self {
        let (state, finding) = match progress.state(step) {
            CheckState::Open(finding) => (StepState::Open, finding),
            CheckState::Passed => (StepState::Passed, None),
            CheckState::Failed(finding) => (StepState::Failed, Some(finding)),
        };
        let known = progress.commissioning.step(step);
        let finding = finding.as_ref();
        Self {
            step: step.into(),
            title: text(lang, "step", step.as_str()),
            state,
            reason: finding.map(|finding| finding.reason.code()),
            text: finding.map(|finding| finding.text(lang)),
            sn: finding.and_then(|finding| finding.sn.as_ref().map(Serial::to_string)),
            at: known.map(|known| known.at),
            company: known.and_then(|known| known.company.clone()),
            stated: known.map_or(Value::Null, |known| known.record.stated.clone()),
        }
    }
}

fn phase_entry(progress: &CommissioningProgress, phase: u8, lang: Lang) -> PhaseEntry {
    let place = usize::from(phase) - 1;
    let name = phase.to_string();
    let nothing = Value::Null;
    let record = progress.commissioning.record(CommissioningStep::Phases);
    let measured = record.map_or(&nothing, |record| &record.measured);
    let test = &measured["tests"][&name];
    let off = PhaseReading::from_json(&measured["off"][&name]);
    let finding = |code: &str| {
        let other = test["phase"].as_u64().and_then(|it| u8::try_from(it).ok());
        let at: Finding = FindingReason::of(code)?.at(None, other.or(Some(phase)));
        Some(at.text(lang))
    };
    let mut units = progress.facts.units.iter();
    PhaseEntry {
        phase,
        measured: units.any(|unit| {
            let sample = unit.sample.as_ref();
            sample.is_some_and(|sample| sample.meter_power[place].is_some())
        }),
        before: off.and_then(|off| off.powers[place]).map(i64::from),
        after: test["after"].as_i64(),
        rise: test["rise"].as_i64(),
        text: test["reason"].as_str().and_then(finding),
    }
}
