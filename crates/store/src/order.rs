//! What waits for a battery: settings that it does not hold yet, and commands that it has not answered.
use crate::command::{CommandEntry, Row as CommandRow, select};
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::{Serial, Settings};

/// In the order in which they are to be told.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub settings: Option<NewSettings>,
    /// Oldest first.
    pub commands: Vec<CommandEntry>,
}

/// Settings as the battery gets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSettings {
    pub version: i64,
    /// The fields that are its business.
    pub settings: Settings,
}

#[derive(Debug)]
struct Row {
    version: i64,
    desired: String,
}
row!(Row { version, desired });

impl Store {
    /// Nothing waits while the operator's brake is on.
    pub async fn orders(&self, sn: &Serial, now: Millis) -> Result<Orders> {
        if self.brake().await?.is_some() {
            return Ok(Orders::default());
        }
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT version, desired FROM settings WHERE sn = $1 AND held_version < version AND desired IS NOT NULL")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        let commands: Vec<CommandRow> = on!(self, p => sqlx::query_as(select!(
            "WHERE sn = $1 AND state IN ('queued', 'sent') AND expires_at > $2 ORDER BY created_at, id"))
            .bind(sn.as_str()).bind(now).fetch_all(p).await)?;
        Ok(Orders {
            settings: row.map(Row::settings).transpose()?,
            commands: commands
                .into_iter()
                .map(CommandRow::entry)
                .collect::<Result<_>>()?,
        })
    }

    /// The batteries that something waits for.
    pub async fn ordered(&self, now: Millis) -> Result<Vec<Serial>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT sn FROM settings WHERE held_version < version AND desired IS NOT NULL
             UNION SELECT sn FROM commands WHERE state IN ('queued', 'sent') AND expires_at > $1")
            .bind(now).fetch_all(p).await)?;
        serials
            .iter()
            .map(|sn| sn.parse().map_err(|_| Error::Damaged("settings.sn")))
            .collect()
    }
}

impl Row {
    fn settings(self) -> Result<NewSettings> {
        let damaged = Error::Damaged("settings.desired");
        let Ok(serde_json::Value::Object(members)) = serde_json::from_str(&self.desired) else {
            return Err(damaged);
        };
        let settings = Settings::from_json(&members).map_err(|_| damaged)?;
        Ok(NewSettings {
            version: self.version,
            settings: settings.only(|field| field.is_told()),
        })
    }
}
