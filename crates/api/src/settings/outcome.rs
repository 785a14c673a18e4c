//! The outcome of saving, per system.
use super::entry::ChangedBy;
use crate::error::Problem;
use crate::guard::blocked_message;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::clock::Millis;
use domain::setting::Field;
use domain::{AccountId, Lang, Message};
use serde::Serialize;
use service::settings::SaveFailure;
use std::collections::BTreeMap;
use store::setting::ConflictingChange;
use utoipa::ToSchema;

/// Texts or codes by field.
type ByField = BTreeMap<&'static str, Vec<&'static str>>;

/// The outcome of saving, by serial number.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct SaveOutcome {
    /// The serial numbers of the systems that were saved.
    success: Vec<String>,
    /// The new version of each system that was saved.
    versions: BTreeMap<String, i64>,
    /// What is wrong, by serial number and field, in the caller's language.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, Vec<String>>>)]
    failure: BTreeMap<String, ByField>,
    /// What is wrong, by serial number and field, as stable codes.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, Vec<String>>>)]
    codes: BTreeMap<String, ByField>,
    /// Warnings about values that were saved, by serial number and field.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, Vec<String>>>)]
    warnings: BTreeMap<String, ByField>,
    /// By serial number: conflicting changes of systems that were not saved.
    conflicts: BTreeMap<String, ConflictEntry>,
}

/// Conflicting changes by another person.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConflictEntry {
    /// The current version.
    version: i64,
    /// The changes, newest first.
    changes: Vec<ChangeEntry>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ChangeEntry {
    field: String,
    /// The value before.
    from: serde_json::Value,
    /// The value after.
    to: serde_json::Value,
    /// When it was saved; Unix time in milliseconds.
    at: Millis,
    by: Option<ChangedBy>,
}

impl ChangeEntry {
    pub(super) fn new(change: ConflictingChange, seen: impl Fn(AccountId) -> ChangedBy) -> Self {
        Self {
            field: change.field.name().to_owned(),
            from: change.from,
            to: change.to,
            at: change.at,
            by: change.by.map(seen),
        }
    }
}

/// The invalid fields of a save that failed, and the conflicting changes by others.
pub(super) fn problems(
    failure: SaveFailure,
) -> (Vec<(&'static str, Message)>, Vec<ConflictingChange>) {
    match failure {
        SaveFailure::Fields(wrong) => {
            let named = wrong
                .into_iter()
                .map(|(field, message)| (field.name(), message));
            (named.collect(), Vec::new())
        }
        SaveFailure::Blocked(blocked) => (vec![("sn", blocked_message(blocked))], Vec::new()),
        SaveFailure::Conflict { changes, .. } => {
            (vec![("version", Message::VersionConflict)], changes)
        }
    }
}

impl SaveOutcome {
    pub(crate) fn succeed(
        &mut self,
        sn: &str,
        version: i64,
        warnings: &[(Field, Message)],
        lang: Lang,
    ) {
        self.success.push(sn.to_owned());
        self.versions.insert(sn.to_owned(), version);
        if !warnings.is_empty() {
            let texts = warnings
                .iter()
                .map(|(field, message)| (field.name(), message.text(lang)));
            self.warnings.insert(sn.to_owned(), by_field(texts));
        }
    }

    pub(crate) fn fail(&mut self, sn: &str, failure: SaveFailure, reader: AccountId, lang: Lang) {
        let newest = match &failure {
            SaveFailure::Conflict { version, .. } => Some(*version),
            _ => None,
        };
        let (wrong, changes) = problems(failure);
        if let Some(version) = newest {
            let seen = |by| ChangedBy::for_reader(by, reader);
            let changes = changes
                .into_iter()
                .map(|change| ChangeEntry::new(change, seen));
            let entry = ConflictEntry {
                version,
                changes: changes.collect(),
            };
            self.conflicts.insert(sn.to_owned(), entry);
        }
        self.add_failure(sn, &wrong, lang);
    }

    /// The caller may not change this system.
    pub(crate) fn refuse(&mut self, sn: &str, why: Message, lang: Lang) {
        self.add_failure(sn, &[("sn", why)], lang);
    }

    fn add_failure(&mut self, sn: &str, wrong: &[(&'static str, Message)], lang: Lang) {
        let codes = wrong
            .iter()
            .map(|(field, message)| (*field, message.code()));
        let texts = wrong
            .iter()
            .map(|(field, message)| (*field, message.text(lang)));
        self.codes.insert(sn.to_owned(), by_field(codes));
        self.failure.insert(sn.to_owned(), by_field(texts));
    }

    pub(crate) fn saved_none(&self) -> bool {
        self.success.is_empty()
    }
}

fn by_field(items: impl Iterator<Item = (&'static str, &'static str)>) -> ByField {
    let mut fields = ByField::new();
    for (field, text) in items {
        fields.entry(field).or_default().push(text);
    }
    fields
}

impl IntoResponse for SaveOutcome {
    fn into_response(self) -> Response {
        let status = match self.saved_none() {
            false => StatusCode::OK,
            true if self.conflicts.len() == self.failure.len() => StatusCode::CONFLICT,
            true => StatusCode::BAD_REQUEST,
        };
        (status, Json(self)).into_response()
    }
}

/// The answer to a save that no system accepted: the outcome for each system, or what is wrong with the request.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "names the shape in the OpenAPI document")]
pub(crate) enum SaveProblem {
    Outcome(SaveOutcome),
    Request(Problem),
}
