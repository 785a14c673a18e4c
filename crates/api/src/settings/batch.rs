//! Batches as their makers see them: how each system took one, what it would do, and what undoing leaves.
use super::entry::{By, SettingValue};
use super::outcome::{ChangeEntry, Failure};
use domain::clock::Millis;
use domain::setting::{BATCHES_KEPT, Changed, Field, Left, LeftWhy};
use domain::{AccountId, Lang, Message};
use serde::Serialize;
use store::setting::{Batch, BatchSystem};
use utoipa::ToSchema;

/// How a batch went, or would go.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchOutcome {
    /// With which it can be undone; null when nothing was changed.
    #[schema(required)]
    pub(crate) id: Option<String>,
    /// It was only tried: nothing was changed.
    pub(crate) dry_run: bool,
    /// In the order asked for.
    pub(crate) systems: Vec<SystemOutcome>,
}

/// How one system took it.
#[derive(Serialize, ToSchema)]
pub(crate) struct SystemOutcome {
    pub(crate) sn: String,
    #[schema(inline)]
    result: Taken,
    /// It is connected now; otherwise it gets what is saved when it is back.
    online: bool,
    /// Counts the saves; to be sent back with the batch that a dry run was for. 0 where the caller may not set it.
    version: i64,
    changes: Vec<FieldChange>,
    /// Why it was refused.
    problems: Vec<FieldProblem>,
    /// What is worth a second look.
    warnings: Vec<FieldProblem>,
    /// What somebody else has changed meanwhile, newest first.
    conflict: Vec<ChangeEntry>,
    /// What undoing leaves as it is.
    left: Vec<LeftEntry>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Taken {
    Changed,
    Unchanged,
    Refused,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct FieldChange {
    field: &'static str,
    #[schema(value_type = Option<SettingValue>)]
    from: serde_json::Value,
    #[schema(value_type = Option<SettingValue>)]
    to: serde_json::Value,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct FieldProblem {
    /// A field, `sn` or `version`.
    field: &'static str,
    code: &'static str,
    text: &'static str,
}

/// A field that undoing leaves as it is.
#[derive(Serialize, ToSchema)]
pub(crate) struct LeftEntry {
    field: &'static str,
    /// What the batch had set.
    #[schema(value_type = Option<SettingValue>)]
    to: serde_json::Value,
    #[schema(value_type = Option<SettingValue>)]
    now: serde_json::Value,
    #[schema(inline)]
    why: LeftReason,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum LeftReason {
    ChangedSince,
    WasUnknown,
}

/// A batch that its maker can still undo.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchEntry {
    id: String,
    created_at: Millis,
    /// Until then it can be undone.
    until: Millis,
    /// Those that took it and that the caller may still set.
    systems: Vec<BatchSystemEntry>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BatchSystemEntry {
    sn: String,
    changes: Vec<FieldChange>,
    #[schema(required)]
    undone_at: Option<Millis>,
}

/// Who reads how a batch went.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    pub(crate) account: AccountId,
    pub(crate) lang: Lang,
}

impl SystemOutcome {
    fn new(sn: &str, result: Taken, version: i64, online: bool) -> Self {
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

    pub(crate) fn taken(
        sn: &str,
        version: i64,
        online: bool,
        changes: &[Changed],
        warnings: &[(Field, Message)],
        reader: Reader,
    ) -> Self {
        let result = match changes {
            [] => Taken::Unchanged,
            _ => Taken::Changed,
        };
        let warnings = warnings
            .iter()
            .map(|(field, message)| FieldProblem::new(field.name(), *message, reader.lang));
        Self {
            changes: changes.iter().map(FieldChange::from).collect(),
            warnings: warnings.collect(),
            ..Self::new(sn, result, version, online)
        }
    }

    pub(crate) fn refused(
        sn: &str,
        version: i64,
        online: bool,
        failure: Failure,
        reader: Reader,
    ) -> Self {
        let (wrong, changes) = failure.told();
        let problems = wrong
            .into_iter()
            .map(|(field, message)| FieldProblem::new(field, message, reader.lang));
        let by = |by: AccountId| By::seen(by, reader.account);
        let conflict = changes
            .into_iter()
            .map(|change| ChangeEntry::new(change, by));
        Self {
            problems: problems.collect(),
            conflict: conflict.collect(),
            ..Self::new(sn, Taken::Refused, version, online)
        }
    }

    pub(crate) fn leaving(self, left: &[Left]) -> Self {
        Self {
            left: left.iter().map(LeftEntry::from).collect(),
            ..self
        }
    }

    pub(crate) fn is_changed(&self) -> bool {
        matches!(self.result, Taken::Changed)
    }
}

impl From<&Changed> for FieldChange {
    fn from(changed: &Changed) -> Self {
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
        }
    }
}

impl From<&Left> for LeftEntry {
    fn from(left: &Left) -> Self {
        let field = left.changed.field;
        Self {
            field: field.name(),
            to: left.changed.to.json(field),
            now: left.now.json(field),
            why: match left.why {
                LeftWhy::ChangedSince => LeftReason::ChangedSince,
                LeftWhy::WasUnknown => LeftReason::WasUnknown,
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
            until: batch.created_at + BATCHES_KEPT,
            systems: batch.systems.into_iter().map(system).collect(),
        }
    }
}
