//! What is in force at a system, as readers see it.
use domain::clock::Millis;
use domain::firmware::SwitchStep;
use domain::in_force::{CausedBy, InForce, InForceKind, PlanMode};
use utoipa::ToSchema;

/// Something that makes the battery act otherwise than its settings say.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct InForceEntry {
    /// pause, charge, grid_limit, reserve, plan, calibration, update or brake.
    pub(super) kind: &'static str,
    /// In milliseconds since 1970, as `until`; null when nobody reported it.
    since: Option<Millis>,
    /// Null when nobody knows.
    until: Option<Millis>,
    /// you, owner, household, electrician, plan, grid_operator, battery or operator; null when nobody knows any more.
    by: Option<&'static str>,
    /// The electrician's company, for the household.
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<String>,
    /// What ends it, where the reader may: the command `auto`, or `withdraw` for an update that waits.
    end: Option<&'static str>,
    /// charge: to so many percent; reserve: so many percent are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    soc: Option<i64>,
    /// charge: with so many W at most; grid_limit: so many W may be drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    power: Option<i64>,
    /// plan: charge or hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    /// update: waiting, running or interrupted; while `switch` says off or on_then_off it stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// update: what has to be done at the main switch now: off, on_then_off or on.
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<&'static str>,
    /// update: the present part, from 1, of so many `parts`, and its percentage.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<u8>,
    /// Entry -1 only: at which system.
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
