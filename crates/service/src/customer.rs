//! What an electrician's company keeps about a customer. The journal says nothing of it: the owner reads that.
use crate::{Result, Service};
use domain::clock::Millis;
use domain::customer::CustomerNote;
use store::Access;
use store::{company, customer};

impl Service {
    /// `known` is when the writer's copy was changed. `false`: somebody else has written since, and nothing was saved.
    pub async fn save_customer_note(
        &self,
        access: &Access,
        note: &CustomerNote,
        known: Option<Millis>,
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        company::lock_membership(&mut t, access.account()).await?;
        let saved = customer::save_note(&mut t, access, note, known, now).await?;
        t.commit_keeping_rights().await?;
        Ok(saved)
    }

    /// `false`: there are as many as there may be.
    pub async fn add_customer_photo(&self, access: &Access, jpeg: &[u8]) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        // Of two photos at once, the second counts the first.
        company::lock_membership(&mut t, access.account()).await?;
        let added = customer::insert_photo(&mut t, access, jpeg, now).await?;
        t.commit_keeping_rights().await?;
        Ok(added)
    }

    /// `false`: the company has no such photo.
    pub async fn delete_customer_photo(&self, access: &Access, id: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        let deleted = customer::delete_photo(&mut t, access, id).await?;
        t.commit_keeping_rights().await?;
        Ok(deleted)
    }
}
