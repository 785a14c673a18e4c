//! Settings in answers and forms: the current state of a system, the input of a form, and the outcome of saving.

mod batch;
mod entry;
mod form;
mod outcome;

pub(crate) use batch::{BatchEntry, BatchOutcome, BatchReader, SystemOutcome};
pub(crate) use entry::{SettingValues, SettingsEntry};
pub(crate) use form::{BatchForm, ResetForm, SettingsForm, SettingsQuery, TemplateForm, versions};
pub(crate) use outcome::{SaveOutcome, SaveProblem};
