//! Templates: some fields with their values, which an electrician keeps under a name.
use crate::{Result, Service};
use domain::AccountId;
use domain::journal::JournalEvent;
use domain::setting::{MAX_TEMPLATES, Settings, TemplateName};
use store::journal::NewEntry;
use store::setting::TemplateChange;
use store::{account, setting};

impl Service {
    /// Stores a template and returns its id; `None` when the account has reached the limit.
    pub async fn create_template(
        &self,
        account: AccountId,
        name: &TemplateName,
        fields: &Settings,
    ) -> Result<Option<i64>> {
        let mut t = self.begin().await?;
        account::lock_account_row(&mut t, account).await?;
        if setting::count_templates(&mut t, account).await? >= MAX_TEMPLATES {
            return Ok(None);
        }
        let now = t.now;
        let id = setting::insert_template(&mut t, account, name, fields, now).await?;
        let event = JournalEvent::TemplateCreated { template: id };
        t.journal(NewEntry::by(account, event, now)).await?;
        t.commit().await?;
        Ok(Some(id))
    }

    /// Renames a template or replaces its fields. `false` when the account has no such template.
    pub async fn change_template(
        &self,
        account: AccountId,
        id: i64,
        change: &TemplateChange,
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        if !setting::change_template(&mut t, account, id, change).await? {
            return Ok(false);
        }
        let parts = [
            ("name", change.name.is_some()),
            ("fields", change.fields.is_some()),
        ];
        let given = parts.into_iter().filter(|(_, given)| *given);
        let fields: Vec<String> = given.map(|(name, _)| name.to_owned()).collect();
        if !fields.is_empty() {
            let event = JournalEvent::TemplateChanged {
                template: id,
                fields,
            };
            t.journal(NewEntry::by(account, event, t.now)).await?;
        }
        t.commit().await?;
        Ok(true)
    }

    /// Deletes a template. `false` when the account has no such template.
    pub async fn delete_template(&self, account: AccountId, id: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        if !setting::delete_template(&mut t, account, id).await? {
            return Ok(false);
        }
        let event = JournalEvent::TemplateDeleted { template: id };
        t.journal(NewEntry::by(account, event, t.now)).await?;
        t.commit().await?;
        Ok(true)
    }
}
