//! Settings of a system: the desired ones, and those that the battery reports.

mod batch;
mod household_end;
mod report;
mod save;
mod template;

pub(crate) use batch::forget_batches;
pub use batch::{Batch, BatchSystem, NewBatchSystem, mark_undone, record_batch};
pub(crate) use household_end::erase_for_former_owner;
pub(crate) use report::{check_hello, record_grid_limit, record_settings_report};
pub use save::{
    ConflictingChange, NewSettings, change_token, desired, desired_or_reported, overwrite_desired,
    save_desired,
};
pub use template::{
    Template, TemplateChange, change_template, count_templates, delete_template, insert_template,
};

use crate::{Access, Error, Keyring, Purpose, Result, Store};
use db::FromRow;
use domain::clock::Millis;
use domain::setting::{CurrentSettings, Field, Ratings, SettingRefusal, Settings};
use domain::tariff::tariff_on;
use domain::{AccountId, Serial, Tariff};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// How many characters of a token are shown to its owner.
const TOKEN_CHARS_SHOWN: usize = 4;

/// The settings of a system and their state.
#[derive(Clone, Debug)]
pub struct SystemSettings {
    pub sn: Serial,
    pub ratings: Ratings,
    /// Incremented by every save.
    pub version: i64,
    /// Every field has a value. Before the first save it is the reported or the initial one.
    pub desired: Settings,
    pub changed_at: Option<Millis>,
    pub changed_by: Option<AccountId>,
    /// The newest version that the battery reports to have.
    pub held_version: i64,
    /// The version that `reported` and `refused` belong to.
    pub reported_version: i64,
    /// The settings that the battery uses; empty before its first report.
    pub reported: Settings,
    pub refused: Vec<(Field, SettingRefusal)>,
    pub reported_at: Option<Millis>,
    /// The last characters of the provider's token; the rest never leaves the server.
    pub token_end: Option<String>,
    pub acknowledged_at: Option<Millis>,
    pub grid_limit: Option<GridLimit>,
}

/// How much power the grid operator currently lets the battery draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLimit {
    /// In W.
    pub limit: i64,
    pub since: Millis,
}

impl SystemSettings {
    /// The state that a change is validated against.
    pub fn current_state(&self) -> CurrentSettings<'_> {
        CurrentSettings {
            settings: &self.desired,
            ratings: self.ratings,
            has_token: self.token_end.is_some(),
            acknowledged: self.acknowledged_at.is_some(),
        }
    }
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
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

/// Also returns a system without a row in `settings`.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT y.sn, y.charge_max, y.discharge_max, s.version, s.desired, s.changed_at, s.changed_by, s.held_version,
                 s.reported_version, s.reported, s.refused, s.reported_at, s.provider_token, s.acknowledged_at,
                 s.grid_limit, s.grid_limit_at
             FROM systems y LEFT JOIN settings s ON s.sn = y.sn ",
            $which
        )
    };
}

macro_rules! select_of {
    ($which:expr) => {
        concat!(select!("WHERE y.sn"), $which)
    };
}

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
            .map(|encrypted| decrypt_token(keyring, &encrypted))
            .transpose()?;
        Ok(SystemSettings {
            sn: sn.clone(),
            ratings,
            version: self.version.unwrap_or(0),
            desired: match self.desired {
                Some(_) => desired,
                None => reported.clone(),
            }
            .or(&Settings::initial(ratings)),
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
        let row: Option<Row> = on!(self, p => sqlx::query_as(select!("WHERE y.sn = $1"))
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        let row = row.ok_or_else(|| Error::UnknownSerial(access.sn().clone()))?;
        let settings = row.settings(access.sn(), &self.keyring)?;
        Ok(with_price(
            settings,
            access,
            &self.tariffs(access).await?,
            now,
        ))
    }

    /// The settings of these systems, in their order: two queries for however many.
    pub async fn settings_of(
        &self,
        systems: &[&Access],
        now: Millis,
    ) -> Result<Vec<SystemSettings>> {
        let serials: Vec<Serial> = systems.iter().map(|access| access.sn().clone()).collect();
        let rows: Vec<Row> = rows_of_systems!(self, select_of, 1, &serials)?;
        let mut rows: HashMap<String, Row> =
            rows.into_iter().map(|row| (row.sn.clone(), row)).collect();
        let tariffs = self.tariffs_of(&serials).await?;
        let of_system = |access: &&Access| {
            let sn = access.sn();
            let row = rows.remove(sn.as_str());
            let row = row.ok_or_else(|| Error::UnknownSerial(sn.clone()))?;
            let settings = row.settings(sn, &self.keyring)?;
            let tariffs = tariffs.get(sn.as_str()).map_or(&[][..], Vec::as_slice);
            Ok(with_price(settings, access, tariffs, now))
        };
        systems.iter().map(of_system).collect()
    }
}

/// Prices are stored as tariffs, each valid from a day on.
fn with_price(
    mut settings: SystemSettings,
    access: &Access,
    tariffs: &[Tariff],
    now: Millis,
) -> SystemSettings {
    if let Some(tariff) = tariff_on(tariffs, access.zone().day_of(now)) {
        settings.desired.set_prices(tariff);
    }
    settings
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

fn refusals(text: Option<&str>) -> Result<Vec<(Field, SettingRefusal)>> {
    let members = members(text, "settings.refused")?;
    let known = members.iter().filter_map(|(name, code)| {
        let field: Field = name.parse().ok()?;
        Some((field, SettingRefusal::of(code.as_str()?)))
    });
    Ok(known.collect())
}

fn refusals_text(refused: &[(Field, SettingRefusal)]) -> String {
    let member = |(field, refusal): &(Field, SettingRefusal)| {
        (field.name().to_owned(), Value::from(refusal.as_str()))
    };
    Value::Object(refused.iter().map(member).collect()).to_string()
}

pub(crate) fn decrypt_token(keyring: &Keyring, encrypted: &[u8]) -> Result<String> {
    let clear = keyring.decrypt(Purpose::ProviderToken, encrypted);
    let text = clear.and_then(|clear| String::from_utf8(clear).ok());
    text.ok_or(Error::Damaged("settings.provider_token"))
}

fn end_of(token: &str) -> String {
    let skipped = token.chars().count().saturating_sub(TOKEN_CHARS_SHOWN);
    token.chars().skip(skipped).collect()
}
