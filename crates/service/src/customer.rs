//! Customer cards of an electrician's company. Nothing is recorded in the journal, because the owner can read it.
use crate::{Result, Service};
use domain::clock::Millis;
use domain::customer::CustomerNote;
use store::Access;
use store::customer;

impl Service {
    /// `known` is when the writer's copy was changed. `false` if another member has changed the note since; then nothing is
    /// saved.
    pub async fn save_customer_note(
        &self,
        access: &Access,
        note: &CustomerNote,
        known: Option<Millis>,
    ) -> Result<bool> {
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        let saved = customer::save_note(&mut t, access, note, known, now).await?;
        t.commit_keeping_rights().await?;
        Ok(saved)
    }

    /// `false` if the company already has the maximum number of photos, of the system or of all systems.
    pub async fn add_customer_photo(&self, access: &Access, jpeg: &[u8]) -> Result<bool> {
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        // The company is locked: of two photos at once, the second counts the first.
        let added = customer::insert_photo(&mut t, access, jpeg, now).await?;
        t.commit_keeping_rights().await?;
        Ok(added)
    }

    /// `false` if the company has no such photo.
    pub async fn delete_customer_photo(&self, access: &Access, id: i64) -> Result<bool> {
        let mut t = self.begin_at(&[access]).await?;
        let deleted = customer::delete_photo(&mut t, access, id).await?;
        t.commit_keeping_rights().await?;
        Ok(deleted)
    }
}
