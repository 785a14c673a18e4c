//! Templates: some fields with their values, which an electrician keeps under a name.
use crate::{Result, Service};
use domain::AccountId;
use domain::setting::{MAX_TEMPLATES, Settings, TemplateName};
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
        t.commit().await?;
        Ok(Some(id))
    }
}
