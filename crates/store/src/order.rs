//! The orders of a battery: settings that it does not have yet, commands that it has not answered, an update, and the plan.
use crate::command::{CommandEntry, Row as CommandRow, select};
use crate::firmware::UpdateJob;
use crate::planning::PlanOrder;
use crate::{Error, Result, Store};
use db::FromRow;
use domain::clock::Millis;
use domain::firmware::SignedText;
use domain::{Serial, Settings};

/// In the order in which they are sent.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub settings: Option<SettingsOrder>,
    /// Oldest first.
    pub commands: Vec<CommandEntry>,
    pub update: Option<UpdateOrder>,
    pub plan: Option<PlanOrder>,
}

/// An update as sent to the battery, before the portal signs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateOrder {
    pub job: UpdateJob,
    /// The maker's signed manifests of the parts that are not installed yet.
    pub parts: Vec<SignedText>,
}

/// Settings as sent to the battery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsOrder {
    pub version: i64,
    /// Only the fields that are sent to batteries.
    pub settings: Settings,
}

#[derive(Debug, FromRow)]
struct Row {
    version: i64,
    desired: String,
}

macro_rules! with_orders {
    ($which:expr) => {
        concat!(
            "SELECT sn FROM settings WHERE held_version < version AND desired IS NOT NULL AND sn",
            $which,
            " UNION SELECT sn FROM commands WHERE state IN ('queued', 'sent') AND expires_at > $1 AND sn",
            $which,
            " UNION SELECT sn FROM firmware_jobs WHERE state = 'waiting' AND sn",
            $which
        )
    };
}

impl Store {
    /// Empty while the operator's brake is on.
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
        let job = self.newest_update(sn).await?;
        let update = match job.filter(|job| job.state.is_open()) {
            Some(job) => Some(UpdateOrder {
                parts: self.signed_manifests(&job).await?,
                job,
            }),
            None => None,
        };
        Ok(Orders {
            update,
            plan: self.plan_order(sn, now).await?,
            settings: row.map(Row::settings).transpose()?,
            commands: commands
                .into_iter()
                .map(CommandRow::entry)
                .collect::<Result<_>>()?,
        })
    }

    /// Those of these batteries that settings, commands or an update wait for.
    pub async fn systems_with_orders(
        &self,
        systems: &[Serial],
        now: Millis,
    ) -> Result<Vec<Serial>> {
        let rows: Vec<(String,)> = rows_of_systems!(self, with_orders, 2, systems, now)?;
        rows.iter()
            .map(|(sn,)| sn.parse().map_err(|_| Error::Damaged("settings.sn")))
            .collect()
    }
}

impl Row {
    fn settings(self) -> Result<SettingsOrder> {
        let damaged = Error::Damaged("settings.desired");
        let Ok(serde_json::Value::Object(members)) = serde_json::from_str(&self.desired) else {
            return Err(damaged);
        };
        let settings = Settings::from_json(&members).map_err(|_| damaged)?;
        Ok(SettingsOrder {
            version: self.version,
            settings: settings.only(|field| field.is_sent_to_battery()),
        })
    }
}
