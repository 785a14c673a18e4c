//! Settings as clients see them: how a system stands, what a form asks for, and how saving ended.

mod entry;
mod form;
mod outcome;

pub(crate) use entry::SettingsEntry;
pub(crate) use form::{ResetForm, SettingsForm, versions};
pub(crate) use outcome::{Failure, SaveOutcome, SaveProblem};
