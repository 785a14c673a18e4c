//! The names of the people who live with a system.
use crate::Result;
use db::{FromRow, Tx};
use domain::journal::JournalEventName;
use domain::{AccountId, Serial};
use serde::{Deserialize, Serialize};

/// Both names are empty until they are entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndUser {
    pub first_name: String,
    pub last_name: String,
}

impl EndUser {
    /// "Thomas Sonntag", or a dash without a name.
    pub fn full_name(&self) -> String {
        match format!("{} {}", self.first_name, self.last_name).trim() {
            "" => "–".to_owned(),
            name => name.to_owned(),
        }
    }
}

#[derive(Debug, FromRow)]
struct Row {
    owner_id: Option<i64>,
    first_name: Option<String>,
    last_name: Option<String>,
}

/// Locks the system and returns its owner and its names.
pub async fn lock(tx: &mut Tx, sn: &Serial) -> Result<Option<(Option<AccountId>, EndUser)>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE systems SET phase = phase WHERE sn = $1 RETURNING owner_id, first_name, last_name")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|row| {
        let names = EndUser {
            first_name: row.first_name.unwrap_or_default(),
            last_name: row.last_name.unwrap_or_default(),
        };
        (row.owner_id.map(AccountId), names)
    }))
}

pub async fn update(tx: &mut Tx, sn: &Serial, names: &EndUser) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET first_name = NULLIF($2, ''), last_name = NULLIF($3, '') WHERE sn = $1"
        )
        .bind(sn.as_str())
        .bind(&names.first_name)
        .bind(&names.last_name)
    )?;
    Ok(())
}

/// The household has left: journal entries about changed names stay, without the names.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE journal SET detail = 'null' WHERE sn = $1 AND event = $2")
            .bind(sn.as_str())
            .bind(JournalEventName::EndUserNamed.as_str())
    )?;
    Ok(())
}
