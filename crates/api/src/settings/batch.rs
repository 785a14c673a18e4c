//! Setting batches: the result for each system, the effect of a dry run, and the result of undoing.
use super::entry::{ChangedBy, SettingValue};
use super::outcome::{ChangeEntry, problems};
use domain::clock::Millis;
use domain::setting::{
    BATCH_UNDO_WINDOW, ChangedField, Direction, Field, FieldKind, Ratings, SettingsChange,
    SkipReason, SkippedField,
};
use domain::{AccountId, Lang, Message};
use serde::Serialize;
use service::settings::{BatchResult, BatchRun, SaveFailure};
use store::setting::{Batch, BatchSystem};
use utoipa::ToSchema;

/// The outcome of a batch, or its expected outcome in a dry run.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchOutcome {
    /// The id to undo the batch with. Null if nothing was changed.
    #[schema(required)]
    id: Option<String>,
    /// Whether this was a dry run, which changes nothing.
    dry_run: bool,
    /// In the order of the request.
    systems: Vec<SystemOutcome>,
}

impl BatchOutcome {
    pub(crate) fn new(run: &BatchRun<'_>, systems: Vec<SystemOutcome>) -> Self {
        let changed = systems.iter().any(SystemOutcome::is_changed);
        Self {
            id: (changed && !run.dry_run).then(|| run.id.to_string()),
            dry_run: run.dry_run,
            systems,
        }
    }
}

/// The outcome for one system.
#[derive(Serialize, ToSchema)]
pub(crate) struct SystemOutcome {
    sn: String,
    #[schema(inline)]
    result: SystemResult,
    /// Whether the system is online. If not, it receives the change when it connects.
    online: bool,
    /// The version of the settings. Send it back when saving a batch after its dry run. 0 if the caller may not change the
    /// system.
    version: i64,
    /// The changed fields.
    changes: Vec<FieldChange>,
    /// Why the system was refused.
    problems: Vec<FieldProblem>,
    /// Changes that were accepted but may be unintended.
    warnings: Vec<FieldProblem>,
    /// Conflicting changes by another person, newest first.
    conflict: Vec<ChangeEntry>,
    /// Fields that undoing leaves unchanged.
    left: Vec<LeftEntry>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum SystemResult {
    Changed,
    Unchanged,
    Refused,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct FieldChange {
    field: &'static str,
    /// The value before.
    #[schema(value_type = Option<SettingValue>)]
    from: serde_json::Value,
    /// The value after.
    #[schema(value_type = Option<SettingValue>)]
    to: serde_json::Value,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct FieldProblem {
    /// The name of a field, `sn` or `version`.
    field: &'static str,
    /// The stable code of the problem.
    code: &'static str,
    /// The problem in the caller's language.
    text: &'static str,
    /// The highest value that this unit accepts, in the field's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<i64>,
}

/// A field that undoing leaves unchanged.
#[derive(Serialize, ToSchema)]
pub(crate) struct LeftEntry {
    field: &'static str,
    /// The value that the batch had set.
    #[schema(value_type = Option<SettingValue>)]
    to: serde_json::Value,
    /// The present value.
    #[schema(value_type = Option<SettingValue>)]
    now: serde_json::Value,
    #[schema(inline)]
    why: LeftReason,
}

/// Why a field is left unchanged.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum LeftReason {
    ChangedSince,
    WasUnknown,
}

/// A batch that the caller can still undo.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchEntry {
    id: String,
    created_at: Millis,
    /// Until when it can be undone; Unix time in milliseconds.
    until: Millis,
    /// The systems that were changed and that the caller may still change.
    systems: Vec<BatchSystemEntry>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BatchSystemEntry {
    sn: String,
    changes: Vec<FieldChange>,
    #[schema(required)]
    undone_at: Option<Millis>,
}

/// The reader of a batch's results.
#[derive(Clone, Copy)]
pub(crate) struct BatchReader {
    pub(crate) account: AccountId,
    pub(crate) lang: Lang,
}

impl SystemOutcome {
    fn new(sn: &str, result: SystemResult, version: i64, online: bool) -> Self {
        Self {
            sn: sn.to_owned(),
            result,
            online,
            version,
            changes: Vec::new(),
            problems: Vec::new(),
            warnings: Vec::new(),
            conflict: Vec::new(),
            left: Vec::new(),
        }
    }

    /// The outcome for a system that the batch was applied to.
    pub(crate) fn of(sn: &str, online: bool, done: BatchResult, reader: BatchReader) -> Self {
        let outcome = match done.saved {
            Ok(change) => Self::accepted(sn, done.version, online, &change, reader.lang),
            Err(failure) => Self::failed(sn, done.version, online, failure, done.ratings, reader),
        };
        Self {
            left: done.skipped.iter().map(LeftEntry::from).collect(),
            ..outcome
        }
    }

    fn accepted(sn: &str, version: i64, online: bool, change: &SettingsChange, lang: Lang) -> Self {
        let result = match change.fields.as_slice() {
            [] => SystemResult::Unchanged,
            _ => SystemResult::Changed,
        };
        let warnings = change
            .warnings
            .iter()
            .map(|(field, message)| FieldProblem::new(field.name(), *message, lang));
        Self {
            changes: change.fields.iter().map(FieldChange::from).collect(),
            warnings: warnings.collect(),
            ..Self::new(sn, result, version, online)
        }
    }

    fn failed(
        sn: &str,
        version: i64,
        online: bool,
        failure: SaveFailure,
        ratings: Ratings,
        reader: BatchReader,
    ) -> Self {
        let (wrong, changes) = problems(failure);
        let wrong = wrong.into_iter().map(|(field, message)| FieldProblem {
            max: limit(field, message, ratings),
            ..FieldProblem::new(field, message, reader.lang)
        });
        let by = |by: AccountId| ChangedBy::for_reader(by, reader.account);
        let conflict = changes
            .into_iter()
            .map(|change| ChangeEntry::new(change, by));
        Self {
            problems: wrong.collect(),
            conflict: conflict.collect(),
            ..Self::new(sn, SystemResult::Refused, version, online)
        }
    }

    /// A system that the caller may not change.
    pub(crate) fn refused(sn: &str, why: Message, lang: Lang) -> Self {
        Self {
            problems: vec![FieldProblem::new("sn", why, lang)],
            ..Self::new(sn, SystemResult::Refused, 0, false)
        }
    }

    fn is_changed(&self) -> bool {
        matches!(self.result, SystemResult::Changed)
    }
}

impl From<&ChangedField> for FieldChange {
    fn from(changed: &ChangedField) -> Self {
        Self {
            field: changed.field.name(),
            from: changed.from.json(changed.field),
            to: changed.to.json(changed.field),
        }
    }
}

impl FieldProblem {
    fn new(field: &'static str, message: Message, lang: Lang) -> Self {
        Self {
            field,
            code: message.code(),
            text: message.text(lang),
            max: None,
        }
    }
}

/// The rating of the unit, if the requested power exceeds it.
fn limit(field: &str, message: Message, ratings: Ratings) -> Option<i64> {
    let field: Field = field
        .parse()
        .ok()
        .filter(|_| message == Message::PowerRange)?;
    match field.kind() {
        FieldKind::Power(Direction::Charge) => ratings.charge,
        FieldKind::Power(Direction::Discharge) => ratings.discharge,
        _ => None,
    }
}

impl From<&SkippedField> for LeftEntry {
    fn from(left: &SkippedField) -> Self {
        let field = left.changed.field;
        Self {
            field: field.name(),
            to: left.changed.to.json(field),
            now: left.now.json(field),
            why: match left.why {
                SkipReason::ChangedSince => LeftReason::ChangedSince,
                SkipReason::WasUnknown => LeftReason::WasUnknown,
            },
        }
    }
}

impl From<Batch> for BatchEntry {
    fn from(batch: Batch) -> Self {
        let system = |system: BatchSystem| BatchSystemEntry {
            sn: system.access.sn().to_string(),
            changes: system.changes.iter().map(FieldChange::from).collect(),
            undone_at: system.undone_at,
        };
        Self {
            id: batch.id.to_string(),
            created_at: batch.created_at,
            until: batch.created_at + BATCH_UNDO_WINDOW,
            systems: batch.systems.into_iter().map(system).collect(),
        }
    }
}
