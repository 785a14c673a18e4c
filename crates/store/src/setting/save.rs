//! Saving desired settings, each time as a new version, and what others have changed meanwhile.
use super::{document, text};
use crate::planning::check_plan;
use crate::{Access, Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::journal::{JournalEvent, JournalEventName};
use domain::setting::{Field, Settings, TokenChange};
use domain::{AccountId, Serial};
use serde_json::Value;

/// Desired settings to be saved.
#[derive(Clone, Copy, Debug)]
pub struct NewSettings<'a> {
    /// The version that the person saw.
    pub version: i64,
    pub desired: &'a Settings,
    /// The new state of the acknowledgement; `None` leaves it unchanged.
    pub acknowledged: Option<bool>,
}

/// A change by another account in the meantime.
#[derive(Clone, Debug, PartialEq)]
pub struct ConflictingChange {
    pub field: Field,
    pub from: Value,
    pub to: Value,
    pub at: Millis,
    /// `None` when that account was deleted.
    pub by: Option<AccountId>,
}

#[derive(Debug, FromRow)]
struct ConflictRow {
    at: Millis,
    account_id: Option<i64>,
    detail: String,
}

impl Store {
    /// What was changed after `version`, newest first.
    pub async fn settings_changed_since(
        &self,
        access: &Access,
        version: i64,
    ) -> Result<Vec<ConflictingChange>> {
        const CHANGED: &str = JournalEventName::SettingChanged.as_str();
        const MAX_ENTRIES_READ: i64 = 200;
        let rows: Vec<ConflictRow> = on!(self, p => sqlx::query_as(
            "SELECT at, account_id, detail FROM journal WHERE sn = $1 AND event = $2 AND at > $3
             ORDER BY at DESC, id DESC LIMIT $4")
            .bind(access.sn().as_str()).bind(CHANGED).bind(access.history_from())
            .bind(MAX_ENTRIES_READ).fetch_all(p).await)?;
        let newer = rows.into_iter().filter_map(|row| {
            let detail = serde_json::from_str(&row.detail).ok()?;
            match JournalEvent::parse(CHANGED, &detail)? {
                JournalEvent::SettingChanged {
                    version: newer,
                    field: Some(field),
                    from,
                    to,
                } if newer > version => Some(ConflictingChange {
                    field,
                    from,
                    to,
                    at: row.at,
                    by: row.account_id.map(AccountId),
                }),
                _ => None,
            }
        });
        Ok(newer.collect())
    }
}

/// The saved settings; `None` if none were saved.
pub async fn desired(tx: &mut Tx, sn: &Serial) -> Result<Option<Settings>> {
    let desired: Option<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT desired FROM settings WHERE sn = $1 AND desired IS NOT NULL")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let read = |text: String| document(Some(&text), "settings.desired");
    desired.map(read).transpose()
}

/// The saved settings, or what the battery has reported.
pub async fn desired_or_reported(tx: &mut Tx, sn: &Serial) -> Result<Settings> {
    let desired: Option<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT COALESCE(desired, reported) AS desired FROM settings WHERE sn = $1 AND (desired IS NOT NULL OR reported IS NOT NULL)")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    document(desired.as_deref(), "settings.desired")
}

/// Returns the new version, or `None` if another account has saved since `new.version`.
pub async fn save_desired(
    tx: &mut Tx,
    access: &Access,
    new: NewSettings<'_>,
    now: Millis,
) -> Result<Option<i64>> {
    let sn = access.sn().as_str();
    execute!(
        &mut *tx,
        sqlx::query("INSERT INTO settings (sn) VALUES ($1) ON CONFLICT (sn) DO NOTHING").bind(sn)
    )?;
    check_plan(tx, access.sn()).await?;
    Ok(within!(tx, c => sqlx::query_scalar(
        "UPDATE settings SET version = version + 1, desired = $3, changed_at = $4, changed_by = $5,
             acknowledged_at = CASE WHEN $6 THEN $7 ELSE acknowledged_at END
         WHERE sn = $1 AND version = $2 RETURNING version")
        .bind(sn)
        .bind(new.version)
        .bind(text(new.desired))
        .bind(now)
        .bind(access.account().0)
        .bind(new.acknowledged.is_some())
        .bind(new.acknowledged.unwrap_or_default().then_some(now))
        .fetch_optional(c).await)?)
}

/// Saves settings regardless of the version. Without an account, the portal is the author. Returns the new version.
pub async fn overwrite_desired(
    tx: &mut Tx,
    sn: &Serial,
    desired: &Settings,
    by: Option<AccountId>,
    now: Millis,
) -> Result<i64> {
    check_plan(tx, sn).await?;
    Ok(within!(tx, c => sqlx::query_scalar(
        "UPDATE settings SET version = version + 1, desired = $2, changed_at = $3, changed_by = $4
         WHERE sn = $1 RETURNING version")
        .bind(sn.as_str())
        .bind(text(desired))
        .bind(now)
        .bind(by.map(|by| by.0))
        .fetch_one(c).await)?)
}

/// Encrypts a new token of the provider with the random `nonce`.
pub async fn change_token(
    tx: &mut Tx,
    keyring: &Keyring,
    sn: &Serial,
    change: &TokenChange,
    nonce: [u8; 12],
) -> Result<()> {
    let encrypt = |token: &str| keyring.encrypt(Purpose::ProviderToken, nonce, token.as_bytes());
    let encrypted = match change {
        TokenChange::Keep => return Ok(()),
        TokenChange::Set(token) => Some(encrypt(token)),
        TokenChange::Erase => None,
    };
    execute!(
        tx,
        sqlx::query("UPDATE settings SET provider_token = $2 WHERE sn = $1")
            .bind(sn.as_str())
            .bind(encrypted)
    )?;
    Ok(())
}
