//! Setting batches and their undo: each system independently. A dry run does the same as the change, except for the commit.
use super::{InvalidFields, PreparedChange, SaveFailure, SaveKind, rights};
use crate::{Result, Service};
use domain::Serial;
use domain::setting::{BatchId, Field, Ratings, SettingsChange, SettingsInput, SkippedField, undo};
use store::Access;
use store::setting::BatchSystem;

/// A batch that is being applied to its systems, or undone at them.
#[derive(Debug)]
pub struct BatchRun<'s> {
    service: &'s Service,
    pub id: BatchId,
    pub dry_run: bool,
    /// Systems that were changed, or would have been in a dry run.
    touched: Vec<Serial>,
}

/// The result of a batch at one system.
#[derive(Debug)]
pub struct BatchResult {
    /// The saved version; the present one if nothing was saved.
    pub version: i64,
    pub saved: Result<SettingsChange, SaveFailure>,
    /// Fields that undoing leaves unchanged.
    pub skipped: Vec<SkippedField>,
    /// The ratings of the unit.
    pub ratings: Ratings,
}

impl Service {
    /// Applies a new batch, or undoes an old one.
    pub fn batch(&self, id: BatchId, dry_run: bool) -> BatchRun<'_> {
        BatchRun {
            service: self,
            id,
            dry_run,
            touched: Vec::new(),
        }
    }
}

impl BatchRun<'_> {
    /// Without a `version` the change applies to the present one.
    pub async fn save(
        &mut self,
        access: &Access,
        version: Option<i64>,
        input: &SettingsInput,
    ) -> Result<BatchResult> {
        let before = self.service.store.settings(access, self.service.now());
        let before = before.await?;
        let present = (before.version, before.ratings);
        let change = rights::change_by_form(access, input, &before);
        let prepared = change.map(|change| PreparedChange {
            access,
            change,
            version: version.unwrap_or(present.0),
            before,
            kind: SaveKind::Batch(&self.id),
        });
        let result = self.write(prepared, present, Vec::new()).await?;
        self.count(access, &result);
        Ok(result)
    }

    /// Restores the values from before the batch, except in fields that were changed since.
    pub async fn undo(&mut self, system: &BatchSystem) -> Result<BatchResult> {
        let (service, access) = (self.service, &system.access);
        let since = service.store.settings_changed_since(access, system.version);
        let since = since.await?;
        let before = service.store.settings(access, service.now()).await?;
        let present = (before.version, before.ratings);
        let changed = |field: Field| since.iter().any(|it| it.field == field);
        let undo = undo(
            &system.changes,
            system.acknowledged,
            &before.desired,
            changed,
        );
        let change = rights::undo(access, &undo.input, &before);
        let prepared = change.map(|change| PreparedChange {
            access,
            change,
            version: present.0,
            before,
            kind: SaveKind::Undo(&self.id),
        });
        let result = self.write(prepared, present, undo.skipped).await?;
        self.count(access, &result);
        Ok(result)
    }

    async fn write(
        &self,
        prepared: Result<PreparedChange<'_>, InvalidFields>,
        (present, ratings): (i64, Ratings),
        skipped: Vec<SkippedField>,
    ) -> Result<BatchResult> {
        let mut version = present;
        let saved = match prepared {
            Err(wrong) => Err(SaveFailure::Fields(wrong)),
            Ok(one) => {
                let dry_run_after = self.dry_run.then_some(self.touched.as_slice());
                let written = self.service.write_settings(&one, dry_run_after).await?;
                written.map(|saved| {
                    version = if self.dry_run { present } else { saved };
                    one.change
                })
            }
        };
        Ok(BatchResult {
            version,
            saved,
            skipped,
            ratings,
        })
    }

    fn count(&mut self, access: &Access, result: &BatchResult) {
        let mut saved = result.saved.iter();
        if saved.any(|change| !change.is_empty()) {
            self.touched.push(access.sn().clone());
        }
    }
}
