//! Options that all processes on this database share.
use crate::{Result, Store};
use db::{FromRow, Tx};
use std::collections::BTreeMap;

#[derive(Debug, FromRow)]
struct Row {
    name: String,
    value: String,
}

impl Store {
    pub async fn shared_options(&self) -> Result<BTreeMap<String, String>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT name, value FROM shared_options ORDER BY name").fetch_all(p).await)?;
        Ok(rows.into_iter().map(|row| (row.name, row.value)).collect())
    }
}

/// Returns whether the option had no value.
pub async fn set_if_missing(tx: &mut Tx, name: &str, value: &str) -> Result<bool> {
    let stored = execute!(
        tx,
        sqlx::query(
            "INSERT INTO shared_options (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
        )
        .bind(name)
        .bind(value)
    )?;
    Ok(stored == 1)
}

pub async fn get(tx: &mut Tx, name: &str) -> Result<String> {
    Ok(
        within!(tx, c => sqlx::query_scalar("SELECT value FROM shared_options WHERE name = $1")
        .bind(name).fetch_one(c).await)?,
    )
}

/// `None` removes the option.
pub async fn set(tx: &mut Tx, name: &str, value: Option<&str>) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM shared_options WHERE name = $1").bind(name)
    )?;
    if let Some(value) = value {
        execute!(
            tx,
            sqlx::query("INSERT INTO shared_options (name, value) VALUES ($1, $2)")
                .bind(name)
                .bind(value)
        )?;
    }
    Ok(())
}
