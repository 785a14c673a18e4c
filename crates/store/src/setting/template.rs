//! Templates: some fields with their values, which an electrician keeps under a name. Other accounts cannot see them.
use super::{document, text};
use crate::{Result, Store};
use db::{FromRow, Tx};
use domain::AccountId;
use domain::clock::Millis;
use domain::setting::{Settings, TemplateName};

#[derive(Clone, Debug)]
pub struct Template {
    pub id: i64,
    pub name: String,
    pub fields: Settings,
    pub created_at: Millis,
}

/// A change of a template; `None` leaves a part as it is.
#[derive(Clone, Debug, Default)]
pub struct TemplateChange {
    pub name: Option<TemplateName>,
    pub fields: Option<Settings>,
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    name: String,
    folded: String,
    fields: String,
    created_at: Millis,
}

impl Store {
    /// Sorted by name.
    pub async fn templates(&self, account: AccountId) -> Result<Vec<Template>> {
        let mut rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT id, name, folded, fields, created_at FROM setting_templates WHERE account_id = $1")
            .bind(account.0).fetch_all(p).await)?;
        // Sorted here, because the databases sort letters differently.
        rows.sort_by(|one, other| one.folded.cmp(&other.folded));
        let template = |row: Row| {
            Ok(Template {
                id: row.id,
                fields: document(Some(&row.fields), "setting_templates.fields")?,
                name: row.name,
                created_at: row.created_at,
            })
        };
        rows.into_iter().map(template).collect()
    }
}

/// `false` when the account has no such template.
pub async fn change_template(
    tx: &mut Tx,
    account: AccountId,
    id: i64,
    change: &TemplateChange,
) -> Result<bool> {
    let found = execute!(
        tx,
        sqlx::query(
            "UPDATE setting_templates SET name = COALESCE($3, name), folded = COALESCE($4, folded),
                 fields = COALESCE($5, fields) WHERE id = $1 AND account_id = $2"
        )
        .bind(id)
        .bind(account.0)
        .bind(change.name.as_ref().map(TemplateName::as_str))
        .bind(change.name.as_ref().map(TemplateName::folded))
        .bind(change.fields.as_ref().map(text))
    )?;
    Ok(found == 1)
}

/// `false` when the account has no such template.
pub async fn delete_template(tx: &mut Tx, account: AccountId, id: i64) -> Result<bool> {
    let found = execute!(
        tx,
        sqlx::query("DELETE FROM setting_templates WHERE id = $1 AND account_id = $2")
            .bind(id)
            .bind(account.0)
    )?;
    Ok(found == 1)
}

pub async fn count_templates(tx: &mut Tx, account: AccountId) -> Result<i64> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM setting_templates WHERE account_id = $1")
        .bind(account.0).fetch_one(c).await)?)
}

/// Returns its id.
pub async fn insert_template(
    tx: &mut Tx,
    account: AccountId,
    name: &TemplateName,
    fields: &Settings,
    now: Millis,
) -> Result<i64> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO setting_templates (account_id, name, folded, fields, created_at) VALUES ($1, $2, $3, $4, $5)
         RETURNING id")
        .bind(account.0).bind(name.as_str()).bind(name.folded()).bind(text(fields)).bind(now)
        .fetch_one(c).await)?)
}
