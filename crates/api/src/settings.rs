//! Settings as clients see them: how a system stands, what a form asks for, and how saving ended.

mod batch;
mod entry;
mod form;
mod outcome;
mod saving;

pub(crate) use batch::{BatchEntry, BatchOutcome, Reader, SystemOutcome};
pub(crate) use entry::{SettingsEntry, Values};
pub(crate) use form::{BatchForm, ResetForm, SettingsForm, TemplateForm, versions};
pub(crate) use outcome::{Failure, SaveOutcome, SaveProblem};
pub(crate) use saving::{Planned, Saving, Wrong, held_message, is_money};
