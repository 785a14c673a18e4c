//! Settings of a system: what its people want, and what the battery says it has applied.

mod batch;
mod leave;
mod planning;
mod price;
mod report;
mod save;
mod template;

pub(crate) use batch::forget_batches;
pub use batch::{Batch, BatchSystem};
pub(crate) use leave::leave;
pub(crate) use planning::stop_planning;
pub(crate) use price::priced;
pub(crate) use report::{held, limited, reported};
pub use save::{Conflict, Save, SaveKind, Saved};
pub use template::{Template, TemplateChange};

use crate::{Access, Error, Keyring, Purpose, Result, Store};
use domain::clock::Millis;
use domain::setting::{Field, Ratings, Refusal, Settings, Standing};
use domain::tariff::in_force;
use domain::{AccountId, Serial};
use serde_json::{Map, Value};

/// How many characters of a token its owner sees again.
const SHOWN: usize = 4;

/// How a system is set.
#[derive(Clone, Debug)]
pub struct SystemSettings {
    pub sn: Serial,
    pub ratings: Ratings,
    /// Counts the saves.
    pub version: i64,
    /// Every field has a value. Before the first save it is what the battery has, or what it began with.
    pub desired: Settings,
    pub changed_at: Option<Millis>,
    pub changed_by: Option<AccountId>,
    /// The newest version that the battery has, by its own word.
    pub held_version: i64,
    /// The version that `reported` and `refused` are about.
    pub reported_version: i64,
    /// What it works with; nothing before its first report.
    pub reported: Settings,
    pub refused: Vec<(Field, Refusal)>,
    pub reported_at: Option<Millis>,
    /// The last characters of the provider's token; the rest never leaves.
    pub token_end: Option<String>,
    pub acknowledged_at: Option<Millis>,
    pub grid_limit: Option<GridLimit>,
}

/// What the grid operator allows a battery to draw right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLimit {
    /// In W.
    pub limit: i64,
    pub since: Millis,
}

impl SystemSettings {
    /// What a change is held against.
    pub fn standing(&self) -> Standing<'_> {
        Standing {
            settings: &self.desired,
            ratings: self.ratings,
            has_token: self.token_end.is_some(),
            acknowledged: self.acknowledged_at.is_some(),
        }
    }
}

#[derive(Debug)]
struct Row {
    charge_max: Option<i64>,
    discharge_max: Option<i64>,
    version: Option<i64>,
    desired: Option<String>,
    changed_at: Option<Millis>,
    changed_by: Option<i64>,
    held_version: Option<i64>,
    reported_version: Option<i64>,
    reported: Option<String>,
    refused: Option<String>,
    reported_at: Option<Millis>,
    provider_token: Option<Vec<u8>>,
    acknowledged_at: Option<Millis>,
    grid_limit: Option<i64>,
    grid_limit_at: Option<Millis>,
}
row!(Row {
    charge_max,
    discharge_max,
    version,
    desired,
    changed_at,
    changed_by,
    held_version,
    reported_version,
    reported,
    refused,
    reported_at,
    provider_token,
    acknowledged_at,
    grid_limit,
    grid_limit_at
});

/// Of a system that has a row or not.
const SELECT: &str = "SELECT y.charge_max, y.discharge_max, s.version, s.desired, s.changed_at, s.changed_by, s.held_version,
        s.reported_version, s.reported, s.refused, s.reported_at, s.provider_token, s.acknowledged_at,
        s.grid_limit, s.grid_limit_at
     FROM systems y LEFT JOIN settings s ON s.sn = y.sn WHERE y.sn = $1";

impl Row {
    fn settings(self, sn: &Serial, keyring: &Keyring) -> Result<SystemSettings> {
        let ratings = Ratings {
            charge: self.charge_max,
            discharge: self.discharge_max,
        };
        let reported = document(self.reported.as_deref(), "settings.reported")?;
        let desired = document(self.desired.as_deref(), "settings.desired")?;
        let token = self
            .provider_token
            .map(|sealed| open_token(keyring, &sealed))
            .transpose()?;
        Ok(SystemSettings {
            sn: sn.clone(),
            ratings,
            version: self.version.unwrap_or(0),
            desired: match self.desired {
                Some(_) => desired,
                None => reported.clone(),
            }
            .or(&Settings::fresh(ratings)),
            changed_at: self.changed_at,
            changed_by: self.changed_by.map(AccountId),
            held_version: self.held_version.unwrap_or(0),
            reported_version: self.reported_version.unwrap_or(0),
            reported,
            refused: refusals(self.refused.as_deref())?,
            reported_at: self.reported_at,
            token_end: token.as_deref().map(end_of),
            acknowledged_at: self.acknowledged_at,
            grid_limit: self
                .grid_limit
                .zip(self.grid_limit_at)
                .map(|(limit, since)| GridLimit { limit, since }),
        })
    }
}

impl Store {
    pub async fn settings(&self, access: &Access, now: Millis) -> Result<SystemSettings> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(SELECT)
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        let row = row.ok_or_else(|| Error::UnknownSerial(access.sn().clone()))?;
        let mut settings = row.settings(access.sn(), &self.keyring)?;
        // What a kWh costs is kept with the days from which on it does.
        let tariffs = self.tariffs(access).await?;
        if let Some(tariff) = in_force(&tariffs, access.zone().day_of(now)) {
            price::set(&mut settings.desired, tariff);
        }
        Ok(settings)
    }
}

fn members(text: Option<&str>, column: &'static str) -> Result<Map<String, Value>> {
    let Some(text) = text else {
        return Ok(Map::new());
    };
    serde_json::from_str(text).map_err(|_| Error::Damaged(column))
}

pub(crate) fn document(text: Option<&str>, column: &'static str) -> Result<Settings> {
    Settings::from_json(&members(text, column)?).map_err(|_| Error::Damaged(column))
}

fn text(settings: &Settings) -> String {
    Value::Object(settings.json()).to_string()
}

fn refusals(text: Option<&str>) -> Result<Vec<(Field, Refusal)>> {
    let members = members(text, "settings.refused")?;
    let known = members.iter().filter_map(|(name, code)| {
        let field: Field = name.parse().ok()?;
        Some((field, Refusal::of(code.as_str()?)))
    });
    Ok(known.collect())
}

fn refusals_text(refused: &[(Field, Refusal)]) -> String {
    let member = |(field, refusal): &(Field, Refusal)| {
        (field.name().to_owned(), Value::from(refusal.as_str()))
    };
    Value::Object(refused.iter().map(member).collect()).to_string()
}

pub(crate) fn open_token(keyring: &Keyring, sealed: &[u8]) -> Result<String> {
    let clear = keyring.open(Purpose::ProviderToken, sealed);
    let text = clear.and_then(|clear| String::from_utf8(clear).ok());
    text.ok_or(Error::Damaged("settings.provider_token"))
}

fn end_of(token: &str) -> String {
    let skipped = token.chars().count().saturating_sub(SHOWN);
    token.chars().skip(skipped).collect()
}
