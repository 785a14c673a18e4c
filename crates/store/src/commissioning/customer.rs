//! The customer of a commissioning. The units carry the customer's name while it is in progress, so their old names are stored
//! until it is finished.
use super::{Customer, json_of};
use crate::end_user::EndUser;
use crate::{Error, Result};
use db::{FromRow, Tx};
use domain::Serial;
use serde::{Deserialize, Serialize};

/// The names of a unit before this commissioning changed them, and the names that it wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NameChange {
    pub from: EndUser,
    pub to: EndUser,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    names: String,
}

impl Row {
    fn name_change(&self) -> Result<(Serial, NameChange)> {
        let sn = self.sn.parse();
        let sn = sn.map_err(|_| Error::Damaged("commissioning_units.sn"))?;
        let names = json_of(&self.names, "commissioning_units.names")?;
        let names = serde_json::from_value(names);
        Ok((
            sn,
            names.map_err(|_| Error::Damaged("commissioning_units.names"))?,
        ))
    }
}

/// The units whose names it changed.
pub async fn name_changes(tx: &mut Tx, id: i64) -> Result<Vec<(Serial, NameChange)>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT sn, names FROM commissioning_units WHERE commissioning_id = $1 AND names IS NOT NULL ORDER BY sn")
        .bind(id).fetch_all(c).await)?;
    rows.iter().map(Row::name_change).collect()
}

pub async fn save_name_change(
    tx: &mut Tx,
    id: i64,
    sn: &Serial,
    change: &NameChange,
) -> Result<()> {
    let names = serde_json::to_string(change).expect("names are plain text");
    execute!(
        tx,
        sqlx::query(
            "UPDATE commissioning_units SET names = $3 WHERE commissioning_id = $1 AND sn = $2"
        )
        .bind(id)
        .bind(sn.as_str())
        .bind(names)
    )?;
    Ok(())
}

/// Saves the customer and the remarks, which are stored separately from the steps. `false` if the commissioning is finished or
/// deleted.
pub async fn save_customer(tx: &mut Tx, id: i64, customer: &Customer) -> Result<bool> {
    let saved = execute!(
        tx,
        sqlx::query(
            "UPDATE commissionings SET customer = $2 WHERE id = $1 AND finished_at IS NULL"
        )
        .bind(id)
        .bind(customer.json().to_string())
    )?;
    Ok(saved == 1)
}
