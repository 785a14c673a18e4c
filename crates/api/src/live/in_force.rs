//! What is in force at a system, as readers see it.
use domain::clock::Millis;
use domain::firmware::SwitchStep;
use domain::in_force::{CausedBy, InForce, InForceKind, PlanMode};
use utoipa::ToSchema;

/// Something that makes the battery deviate from its settings.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct InForceEntry {
    /// pause, charge, grid_limit, reserve, plan, calibration, update or brake.
    pub(super) kind: &'static str,
    /// When it began; Unix time in milliseconds. Null if unknown.
    since: Option<Millis>,
    /// When it ends; Unix time in milliseconds. Null if unknown.
    until: Option<Millis>,
    /// Who caused it: you, owner, household, electrician, plan, grid_operator, battery or operator. Null if no longer known.
    by: Option<&'static str>,
    /// The name of the electrician's company. Only for the household.
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<String>,
    /// How the caller can end it, if permitted: with the command `auto`, or `withdraw` for an update that waits.
    end: Option<&'static str>,
    /// For charge: the target state of charge in %. For reserve: the state of charge that is kept, in %.
    #[serde(skip_serializing_if = "Option::is_none")]
    soc: Option<i64>,
    /// For charge: the maximum charging power in W. For grid_limit: the maximum import in W.
    #[serde(skip_serializing_if = "Option::is_none")]
    power: Option<i64>,
    /// For plan: charge or hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    /// For update: waiting, running or interrupted. While `switch` is off or on_then_off, the update waits for the main switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// For update: what to do at the main switch now: off, on_then_off or on.
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<&'static str>,
    /// For update: the number of the present part, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<usize>,
    /// For update: the total number of parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    /// For update: the progress of the present part in %.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<u8>,
    /// Entry -1 only: the serial number of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sn: Option<String>,
}

impl From<InForce> for InForceEntry {
    fn from(one: InForce) -> Self {
        let entry = Self {
            kind: one.kind.as_str(),
            since: one.since,
            until: one.until,
            by: one.by.as_ref().map(CausedBy::as_str),
            company: match one.by {
                Some(CausedBy::Electrician(company)) => company,
                _ => None,
            },
            end: one.end.map(domain::in_force::EndAction::as_str),
            soc: None,
            power: None,
            mode: None,
            state: None,
            switch: None,
            part: None,
            parts: None,
            progress: None,
            sn: None,
        };
        match one.kind {
            InForceKind::Charge { soc, power } => Self {
                soc: Some(soc),
                power,
                ..entry
            },
            InForceKind::Reserve { soc } => Self { soc, ..entry },
            InForceKind::GridLimit { watts } => Self {
                power: Some(watts),
                ..entry
            },
            InForceKind::Plan { mode } => Self {
                mode: Some(PlanMode::as_str(mode)),
                ..entry
            },
            InForceKind::Update(update) => Self {
                state: Some(match update.switch {
                    Some(step) if step.holds_update() => "waits_for_switch",
                    _ => update.state.as_str(),
                }),
                switch: update.switch.map(SwitchStep::as_str),
                part: Some(update.part),
                parts: Some(update.parts),
                progress: Some(update.progress),
                ..entry
            },
            InForceKind::Pause | InForceKind::Calibration | InForceKind::Brake => entry,
        }
    }
}
