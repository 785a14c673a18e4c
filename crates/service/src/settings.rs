//! The only way to change settings, for every caller and any number of systems: validate, check the caller's rights, then save or
//! do a dry run.

mod batch;
mod price;
mod rights;
mod template;
mod write;

pub use batch::{BatchResult, BatchRun};

use crate::transaction::Notification;
use crate::{Result, Service};
use domain::grant::Right;
use domain::setting::{BatchId, Field, SettingsChange, SettingsInput};
use domain::{Message, Serial};
use store::Access;
use store::guard::ChangeBlocked;
use store::setting::{ConflictingChange, SystemSettings};
use write::WriteResult;

/// Fields with their errors.
pub type InvalidFields = Vec<(Field, Message)>;

/// The requested change.
#[derive(Clone, Copy, Debug)]
pub enum SettingsRequest<'a> {
    /// Values from a form.
    Form(&'a SettingsInput),
    /// Back to the initial values.
    Reset {
        /// Whether to reset the wiring fields too.
        wiring: bool,
    },
}

/// A validated change at one system, which the caller may make.
#[derive(Debug)]
pub struct PreparedChange<'a> {
    pub access: &'a Access,
    pub change: SettingsChange,
    /// The version that the caller has read.
    version: i64,
    before: SystemSettings,
    kind: SaveKind<'a>,
}

/// The kind of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SaveKind<'a> {
    Form,
    Reset,
    /// Part of a batch, stored with the former values.
    Batch(&'a BatchId),
    /// Undoes a batch.
    Undo(&'a BatchId),
}

/// Why saving failed at one system.
#[derive(Debug)]
pub enum SaveFailure {
    /// The fields are invalid, or the caller may not change them.
    Fields(InvalidFields),
    /// Changes are currently blocked there.
    Blocked(ChangeBlocked),
    /// Another account has saved since the version that the caller has read.
    Conflict {
        /// The newest version.
        version: i64,
        changes: Vec<ConflictingChange>,
    },
}

impl PreparedChange<'_> {
    /// People who service a battery change its wiring as part of their work. Household members must confirm the change with their
    /// password.
    pub fn needs_password(&self) -> bool {
        self.change.touches_wiring() && self.access.level().is_household()
    }
}

impl Service {
    /// Validates a change against the system's settings. Without a `version` it applies to the present one.
    pub async fn prepare_settings<'a>(
        &self,
        access: &'a Access,
        version: Option<i64>,
        request: SettingsRequest<'_>,
    ) -> Result<Result<PreparedChange<'a>, SaveFailure>> {
        let before = self.store.settings(access, self.now()).await?;
        let (kind, change) = match request {
            SettingsRequest::Form(input) => (
                SaveKind::Form,
                rights::change_by_form(access, input, &before),
            ),
            SettingsRequest::Reset { wiring } => {
                (SaveKind::Reset, rights::reset(access, wiring, &before))
            }
        };
        let prepared = change.map(|change| PreparedChange {
            access,
            change,
            version: version.unwrap_or(before.version),
            before,
            kind,
        });
        Ok(prepared.map_err(SaveFailure::Fields))
    }

    /// Returns the saved version, or the present one if nothing changes.
    pub async fn save_settings(
        &self,
        one: &PreparedChange<'_>,
    ) -> Result<Result<i64, SaveFailure>> {
        self.write_settings(one, None).await
    }

    /// A dry run is the save without its commit. `dry_run_after` are systems that would have been changed just before; they count
    /// against the limit per minute.
    async fn write_settings(
        &self,
        one: &PreparedChange<'_>,
        dry_run_after: Option<&[Serial]>,
    ) -> Result<Result<i64, SaveFailure>> {
        if one.change.is_empty() {
            return Ok(Ok(one.before.version));
        }
        let mut t = self.begin().await?;
        let touched: Vec<&Serial> = dry_run_after.into_iter().flatten().collect();
        let written = write::write(&mut t, one, &touched).await?;
        if dry_run_after.is_none() && matches!(written, WriteResult::Version(_)) {
            t.notify(Notification::SettingsSaved(one.access.sn().clone()));
            t.commit().await?;
        } else {
            drop(t);
        }
        Ok(match written {
            WriteResult::Version(version) => Ok(version),
            WriteResult::Blocked(blocked) => Err(SaveFailure::Blocked(blocked)),
            WriteResult::Conflict => Err(self.describe_conflict(one).await?),
        })
    }

    async fn describe_conflict(&self, one: &PreparedChange<'_>) -> Result<SaveFailure> {
        let present = self.store.settings(one.access, self.now()).await?;
        let changes = self.store.settings_changed_since(one.access, one.version);
        let mut changes = changes.await?;
        if !one.access.may(Right::SeeMoney) {
            changes.retain(|change| !change.field.is_money());
        }
        Ok(SaveFailure::Conflict {
            version: present.version,
            changes,
        })
    }
}
