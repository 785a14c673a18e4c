//! What is in force at a system: one list of everything that makes its battery deviate from its settings. It is a pure
//! function of what is stored and reported, so the dashboard, the fleet and every other view agree.
mod effect;
#[cfg(test)]
mod tests;

pub use effect::{Author, Effect, EffectKind, PlanBlock, PlanMode};

use crate::AccountId;
use crate::Sample;
use crate::clock::Millis;
use crate::firmware::{JobState, SwitchStep};
use crate::grant::{AccessLevel, Right};
use crate::sample::BatteryStatus;
use strum::IntoStaticStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    pub kind: InForceKind,
    /// `None` if the beginning was not reported.
    pub since: Option<Millis>,
    pub until: Option<Millis>,
    /// `None` if it is no longer known, or not for this reader.
    pub by: Option<CausedBy>,
    /// How this reader can end it, if allowed.
    pub end: Option<EndAction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum InForceKind {
    Update(UpdateProgress),
    Brake,
    /// The most power that the grid operator allows to draw (§14a EnWG).
    GridLimit {
        watts: i64,
    },
    Pause,
    Charge {
        soc: i64,
        power: Option<i64>,
    },
    Calibration,
    Plan {
        mode: PlanMode,
    },
    Reserve {
        soc: Option<i64>,
    },
}

/// The progress of an update that is open, or that is done and needs the main switch turned on again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateProgress {
    pub state: JobState,
    /// What must be done at the main switch now.
    pub switch: Option<SwitchStep>,
    pub since: Millis,
    /// The current part, from 1.
    pub part: usize,
    pub parts: usize,
    /// Percent of the current part.
    pub progress: u8,
}

/// Who or what caused it, as far as the reader may know.
#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum CausedBy {
    You,
    Owner,
    Household,
    /// With the company's name for the household only: electricians do not learn who else has access.
    Electrician(Option<String>),
    Plan,
    GridOperator,
    Battery,
    Operator,
}

impl CausedBy {
    pub const fn as_str(&self) -> &'static str {
        self.into_str()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum EndAction {
    /// The command `auto`.
    Auto,
    /// Withdrawing the update.
    Withdraw,
}

impl EndAction {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

impl InForceKind {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// What is known of one system.
#[derive(Clone, Copy, Debug)]
pub struct InForceInputs<'a> {
    pub effects: &'a [Effect],
    /// Whether the battery is online. While it is not, effects that only its own reports begin and end are unknown.
    pub online: bool,
    /// The newest sample, if it is recent enough.
    pub sample: Option<&'a Sample>,
    /// The newest update, if it is open or needs the main switch turned.
    pub update: Option<UpdateProgress>,
    /// Since when the operator's brake stops all changes.
    pub braked_since: Option<Millis>,
    pub now: Millis,
}

/// Who reads the list.
#[derive(Clone, Copy, Debug)]
pub struct InForceReader {
    pub account: AccountId,
    pub owner: Option<AccountId>,
    pub level: AccessLevel,
    /// What happened earlier belongs to another household.
    pub history_from: Millis,
}

/// Everything in force. Entries that may need action come first.
pub fn in_force(inputs: InForceInputs<'_>, reader: InForceReader) -> Vec<InForce> {
    let InForceInputs { effects, now, .. } = inputs;
    let commanded = effects
        .iter()
        .filter(|effect| effect.is_command() && !effect.is_over(inputs.sample, now));
    let commanded: Vec<&Effect> = commanded.collect();
    let known = |effect: &&Effect| inputs.online || !effect.is_ended_by_reports_only();
    let reported_effects: Vec<&Effect> = effects.iter().filter(known).collect();
    let mut list = Vec::new();
    list.extend(
        inputs
            .update
            .map(|update| updating(update, effects, reader)),
    );
    list.extend(inputs.braked_since.map(|since| InForce {
        kind: InForceKind::Brake,
        since: Some(since),
        until: None,
        by: Some(CausedBy::Operator),
        end: None,
    }));
    list.extend(
        reported_effects
            .iter()
            .filter_map(|effect| match effect.kind {
                EffectKind::GridLimit { watts } => {
                    let kind = InForceKind::GridLimit { watts };
                    Some(reported(effect, kind, CausedBy::GridOperator, reader))
                }
                _ => None,
            }),
    );
    let shown = commanded.iter().copied().filter(known);
    list.extend(shown.filter_map(|effect| commanded_entry(effect, reader)));
    let calibrates = |sample: &Sample| sample.status == BatteryStatus::Calibrating;
    let calibrating = inputs.sample.is_some_and(calibrates);
    if calibrating {
        list.push(calibration(effects, reader));
    }
    let overruled = calibrating || !commanded.is_empty();
    let off = inputs
        .sample
        .is_some_and(|sample| !sample.flags.switched_on());
    if !overruled && !off {
        list.extend(effects.iter().filter_map(|effect| planned(effect, now)));
    }
    list.extend(
        reported_effects
            .iter()
            .filter_map(|effect| match effect.kind {
                EffectKind::Reserve { soc } if !off => Some(reported(
                    effect,
                    InForceKind::Reserve { soc },
                    CausedBy::Battery,
                    reader,
                )),
                _ => None,
            }),
    );
    list
}

fn updating(update: UpdateProgress, effects: &[Effect], reader: InForceReader) -> InForce {
    let started = effects
        .iter()
        .find(|effect| effect.kind == EffectKind::Update);
    let withdraw = update.state == JobState::Waiting && reader.level.may(Right::Update);
    InForce {
        kind: InForceKind::Update(update),
        since: Some(update.since),
        until: None,
        by: started.and_then(|effect| reader.who(effect)),
        end: withdraw.then_some(EndAction::Withdraw),
    }
}

fn commanded_entry(effect: &Effect, reader: InForceReader) -> Option<InForce> {
    let (kind, until) = match effect.kind {
        EffectKind::Pause { until } => (InForceKind::Pause, Some(until)),
        EffectKind::Charge { soc, power } => (InForceKind::Charge { soc, power }, None),
        _ => return None,
    };
    Some(InForce {
        kind,
        since: Some(effect.since.max(reader.history_from)),
        until,
        by: reader.who(effect),
        end: reader.level.may(Right::Command).then_some(EndAction::Auto),
    })
}

/// The battery reports that it is calibrating; a command may be the reason.
fn calibration(effects: &[Effect], reader: InForceReader) -> InForce {
    let asked = effects
        .iter()
        .find(|effect| effect.kind == EffectKind::Calibration);
    InForce {
        kind: InForceKind::Calibration,
        since: asked.map(|effect| effect.since.max(reader.history_from)),
        until: None,
        by: asked.map_or(Some(CausedBy::Battery), |effect| reader.who(effect)),
        end: None,
    }
}

fn planned(effect: &Effect, now: Millis) -> Option<InForce> {
    let EffectKind::Plan { blocks, expires } = &effect.kind else {
        return None;
    };
    let current = |block: &&PlanBlock| (block.start..block.end).contains(&now);
    let block = blocks.iter().find(current).filter(|_| now < *expires)?;
    Some(InForce {
        kind: InForceKind::Plan { mode: block.mode },
        since: Some(block.start),
        until: Some(block.end),
        by: Some(CausedBy::Plan),
        end: None,
    })
}

fn reported(effect: &Effect, kind: InForceKind, by: CausedBy, reader: InForceReader) -> InForce {
    InForce {
        kind,
        since: Some(effect.since.max(reader.history_from)),
        until: None,
        by: Some(by),
        end: None,
    }
}

impl InForceReader {
    /// Who caused the effect; hidden if it was in the time of another household.
    fn who(&self, effect: &Effect) -> Option<CausedBy> {
        let author = effect.by.as_ref()?;
        if effect.since < self.history_from {
            return None;
        }
        Some(if author.account == self.account {
            CausedBy::You
        } else if Some(author.account) == self.owner {
            CausedBy::Owner
        } else if let Some(company) = &author.company {
            let company = self.level.is_household().then(|| company.clone());
            CausedBy::Electrician(company)
        } else {
            CausedBy::Household
        })
    }
}
