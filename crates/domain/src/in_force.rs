//! What is in force at a system: everything that makes its battery act otherwise than its settings say, as one list. A pure
//! function from what is stored and reported, so that the dashboard, the fleet and every other reader agree.
mod effect;
#[cfg(test)]
mod tests;

pub use effect::{Author, Effect, EffectKind, PlanBlock, PlanMode};

use crate::AccountId;
use crate::Sample;
use crate::clock::Millis;
use crate::firmware::{JobState, SwitchStep};
use crate::grant::{Level, Right};
use crate::sample::BatteryStatus;

/// One thing that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    pub kind: Kind,
    /// `None` when nobody reported the beginning.
    pub since: Option<Millis>,
    pub until: Option<Millis>,
    /// `None` when nobody knows any more.
    pub by: Option<By>,
    /// What ends it, where this reader may.
    pub end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Update(UpdateProgress),
    Brake,
    /// The grid operator allows to draw no more than this (§14a EnWG).
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

/// How far an update is that has not ended, or that is done and wants the main switch on again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateProgress {
    pub state: JobState,
    /// What has to be done at the main switch now.
    pub switch: Option<SwitchStep>,
    pub since: Millis,
    /// The present part, from 1.
    pub part: usize,
    pub parts: usize,
    /// Percent of the present part.
    pub progress: u8,
}

/// Who or what caused it, as the reader may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    You,
    Owner,
    Household,
    /// With the company's name for the household; electricians do not learn who else is let in.
    Electrician(Option<String>),
    Plan,
    GridOperator,
    Battery,
    Operator,
}

impl By {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::You => "you",
            Self::Owner => "owner",
            Self::Household => "household",
            Self::Electrician(_) => "electrician",
            Self::Plan => "plan",
            Self::GridOperator => "grid_operator",
            Self::Battery => "battery",
            Self::Operator => "operator",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The command `auto`.
    Auto,
    /// The update is withdrawn.
    Withdraw,
}

impl End {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Withdraw => "withdraw",
        }
    }
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Update(_) => "update",
            Self::Brake => "brake",
            Self::GridLimit { .. } => "grid_limit",
            Self::Pause => "pause",
            Self::Charge { .. } => "charge",
            Self::Calibration => "calibration",
            Self::Plan { .. } => "plan",
            Self::Reserve { .. } => "reserve",
        }
    }
}

/// What is known of one system.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub effects: &'a [Effect],
    /// The newest, if it is recent enough to count.
    pub sample: Option<&'a Sample>,
    /// The newest update, if it is open or wants the main switch turned.
    pub update: Option<UpdateProgress>,
    /// The operator stopped all changes.
    pub braked_since: Option<Millis>,
    pub now: Millis,
}

/// Who reads the list.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub account: AccountId,
    pub owner: Option<AccountId>,
    pub level: Level,
    /// What happened before is another household's business.
    pub history_from: Millis,
}

/// What is in force, what needs a hand first.
pub fn in_force(facts: Facts<'_>, reader: Reader) -> Vec<InForce> {
    let Facts { effects, now, .. } = facts;
    let commanded = effects
        .iter()
        .filter(|effect| effect.is_command() && !effect.is_over(facts.sample, now));
    let mut list = Vec::new();
    list.extend(facts.update.map(|update| updating(update, effects, reader)));
    list.extend(facts.braked_since.map(|since| InForce {
        kind: Kind::Brake,
        since: Some(since),
        until: None,
        by: Some(By::Operator),
        end: None,
    }));
    list.extend(effects.iter().filter_map(|effect| match effect.kind {
        EffectKind::GridLimit { watts } => {
            let kind = Kind::GridLimit { watts };
            Some(reported(effect, kind, By::GridOperator, reader))
        }
        _ => None,
    }));
    list.extend(commanded.filter_map(|effect| commanded_entry(effect, reader)));
    let calibrates = |sample: &Sample| sample.status == BatteryStatus::Calibrating;
    let calibrating = facts.sample.is_some_and(calibrates);
    if calibrating {
        list.push(calibration(effects, reader));
    }
    let overruled = calibrating || list.iter().any(InForce::is_command);
    let off = facts
        .sample
        .is_some_and(|sample| !sample.flags.switched_on());
    if !overruled && !off {
        list.extend(effects.iter().filter_map(|effect| planned(effect, now)));
    }
    list.extend(effects.iter().filter_map(|effect| match effect.kind {
        EffectKind::Reserve { soc } if !off => {
            Some(reported(effect, Kind::Reserve { soc }, By::Battery, reader))
        }
        _ => None,
    }));
    list
}

impl InForce {
    fn is_command(&self) -> bool {
        matches!(self.kind, Kind::Pause | Kind::Charge { .. })
    }
}

fn updating(update: UpdateProgress, effects: &[Effect], reader: Reader) -> InForce {
    let started = effects
        .iter()
        .find(|effect| effect.kind == EffectKind::Update);
    let withdraw = update.state == JobState::Waiting && reader.level.may(Right::Update);
    InForce {
        kind: Kind::Update(update),
        since: Some(update.since),
        until: None,
        by: started.and_then(|effect| reader.who(effect)),
        end: withdraw.then_some(End::Withdraw),
    }
}

fn commanded_entry(effect: &Effect, reader: Reader) -> Option<InForce> {
    let (kind, until) = match effect.kind {
        EffectKind::Pause { until } => (Kind::Pause, Some(until)),
        EffectKind::Charge { soc, power } => (Kind::Charge { soc, power }, None),
        _ => return None,
    };
    Some(InForce {
        kind,
        since: Some(effect.since.max(reader.history_from)),
        until,
        by: reader.who(effect),
        end: reader.level.may(Right::Command).then_some(End::Auto),
    })
}

/// The battery says that it calibrates; a command may be the reason.
fn calibration(effects: &[Effect], reader: Reader) -> InForce {
    let asked = effects
        .iter()
        .find(|effect| effect.kind == EffectKind::Calibration);
    InForce {
        kind: Kind::Calibration,
        since: asked.map(|effect| effect.since.max(reader.history_from)),
        until: None,
        by: asked.map_or(Some(By::Battery), |effect| reader.who(effect)),
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
        kind: Kind::Plan { mode: block.mode },
        since: Some(block.start),
        until: Some(block.end),
        by: Some(By::Plan),
        end: None,
    })
}

fn reported(effect: &Effect, kind: Kind, by: By, reader: Reader) -> InForce {
    InForce {
        kind,
        since: Some(effect.since.max(reader.history_from)),
        until: None,
        by: Some(by),
        end: None,
    }
}

impl Reader {
    /// Nobody learns who acted in the time of another household.
    fn who(&self, effect: &Effect) -> Option<By> {
        let author = effect.by.as_ref()?;
        if effect.since < self.history_from {
            return None;
        }
        Some(if author.account == self.account {
            By::You
        } else if Some(author.account) == self.owner {
            By::Owner
        } else if let Some(company) = &author.company {
            let told = self.level.is_household().then(|| company.clone());
            By::Electrician(told)
        } else {
            By::Household
        })
    }
}
