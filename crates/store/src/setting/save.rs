//! Saving: increments the version that was read, with its journal entries in the same transaction.
use super::{SystemSettings, batch, price, text};
use crate::guard::{self, ChangeBlocked};
use crate::journal::{JournalEvent, NewEntry};
use crate::{Access, Purpose, Result, Store, source};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::setting::{BatchId, Field, SettingsChange, TokenChange};
use domain::{AccountId, Serial};
use serde_json::{Value, json};

/// A change to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Save<'a> {
    /// The version that the person saw.
    pub version: i64,
    /// The settings at that version.
    pub before: &'a SystemSettings,
    pub change: &'a SettingsChange,
    pub kind: SaveKind<'a>,
    /// Random, to encrypt a new token.
    pub nonce: [u8; 12],
    /// How many devices one account may change in a minute.
    pub devices_a_minute: usize,
}

/// What a save belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveKind<'a> {
    Form,
    /// Back to the initial values.
    Reset,
    /// Part of a batch, stored with the values before.
    Batch(&'a BatchId),
    /// Undoes a batch.
    Undo(&'a BatchId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveResult {
    /// Saved as this version.
    Version(i64),
    /// Somebody saved after this version was read; nothing was written.
    Conflict,
    Blocked(ChangeBlocked),
}

/// What somebody else changed meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct ConflictingChange {
    pub field: String,
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

/// A change of a setting in the journal.
#[derive(serde::Deserialize)]
struct Detail {
    version: i64,
    field: String,
    from: Value,
    to: Value,
}

impl Store {
    pub async fn save_settings(
        &self,
        access: &Access,
        save: Save<'_>,
        now: Millis,
    ) -> Result<SaveResult> {
        let mut tx = self.db.begin().await?;
        let saved = self.write_settings(&mut tx, access, save, &[], now).await?;
        if matches!(saved, SaveResult::Version(_)) {
            tx.commit().await?;
        }
        Ok(saved)
    }

    /// What a save would do: the same work without the commit. `touched` are systems that would have been changed just before;
    /// they count against the limit per minute.
    pub async fn dry_run_settings(
        &self,
        access: &Access,
        save: Save<'_>,
        touched: &[&Serial],
        now: Millis,
    ) -> Result<SaveResult> {
        let mut tx = self.db.begin().await?;
        let saved = self.write_settings(&mut tx, access, save, touched, now);
        // The transaction is dropped without a commit.
        saved.await
    }

    async fn write_settings(
        &self,
        tx: &mut Tx,
        access: &Access,
        save: Save<'_>,
        touched: &[&Serial],
        now: Millis,
    ) -> Result<SaveResult> {
        let admitted = guard::admit_after(tx, access, touched, save.devices_a_minute, now);
        if let Err(blocked) = admitted.await? {
            return Ok(SaveResult::Blocked(blocked));
        }
        let Some(version) = write(tx, access, save, now).await? else {
            return Ok(SaveResult::Conflict);
        };
        self.write_token(tx, access, save).await?;
        let mut changed = save.change.fields.iter();
        let provider = changed.any(|changed| changed.field == Field::Provider);
        if provider || save.change.token != TokenChange::Keep {
            source::provider_changed(tx, access.sn()).await?;
        }
        let after = save.change.applied_to(&save.before.desired);
        price::save_tariff(tx, access, save.change, &after, now).await?;
        write_journal(tx, access, save, version, now).await?;
        match save.kind {
            SaveKind::Form | SaveKind::Reset => {}
            SaveKind::Batch(id) => batch::record(tx, access, id, save, version, now).await?,
            SaveKind::Undo(id) => {
                if !batch::mark_undone(tx, access, id, now).await? {
                    return Ok(SaveResult::Conflict);
                }
            }
        }
        Ok(SaveResult::Version(version))
    }

    async fn write_token(&self, tx: &mut Tx, access: &Access, save: Save<'_>) -> Result<()> {
        let encrypted = match &save.change.token {
            TokenChange::Keep => return Ok(()),
            TokenChange::Set(token) => Some(self.keyring.encrypt(
                Purpose::ProviderToken,
                save.nonce,
                token.as_bytes(),
            )),
            TokenChange::Erase => None,
        };
        execute!(
            tx,
            sqlx::query("UPDATE settings SET provider_token = $2 WHERE sn = $1")
                .bind(access.sn().as_str())
                .bind(encrypted)
        )?;
        Ok(())
    }

    /// What was changed after `version`, newest first.
    pub async fn settings_changed_since(
        &self,
        access: &Access,
        version: i64,
    ) -> Result<Vec<ConflictingChange>> {
        const MAX_ENTRIES_READ: i64 = 200;
        let rows: Vec<ConflictRow> = on!(self, p => sqlx::query_as(
            "SELECT at, account_id, detail FROM journal WHERE sn = $1 AND event = $2 AND at > $3
             ORDER BY at DESC, id DESC LIMIT $4")
            .bind(access.sn().as_str()).bind(JournalEvent::SettingChanged.as_str()).bind(access.history_from())
            .bind(MAX_ENTRIES_READ).fetch_all(p).await)?;
        let newer = rows.into_iter().filter_map(|row| {
            let detail: Detail = serde_json::from_str(&row.detail).ok()?;
            (detail.version > version).then_some(ConflictingChange {
                field: detail.field,
                from: detail.from,
                to: detail.to,
                at: row.at,
                by: row.account_id.map(AccountId),
            })
        });
        Ok(newer.collect())
    }
}

/// The new version, or `None` when somebody was faster.
async fn write(tx: &mut Tx, access: &Access, save: Save<'_>, now: Millis) -> Result<Option<i64>> {
    let sn = access.sn().as_str();
    execute!(
        &mut *tx,
        sqlx::query("INSERT INTO settings (sn) VALUES ($1) ON CONFLICT (sn) DO NOTHING").bind(sn)
    )?;
    let acknowledged = save.change.acknowledged;
    let after = save.change.applied_to(&save.before.desired);
    let kept = after.without_guesses(save.before.ratings);
    Ok(within!(tx, c => sqlx::query_scalar(
        "UPDATE settings SET version = version + 1, desired = $3, changed_at = $4, changed_by = $5,
             acknowledged_at = CASE WHEN $6 THEN $7 ELSE acknowledged_at END
         WHERE sn = $1 AND version = $2 RETURNING version")
        .bind(sn)
        .bind(save.version)
        .bind(text(&kept))
        .bind(now)
        .bind(access.account().0)
        .bind(acknowledged.is_some())
        .bind(acknowledged.unwrap_or_default().then_some(now))
        .fetch_optional(c).await)?)
}

async fn write_journal(
    tx: &mut Tx,
    access: &Access,
    save: Save<'_>,
    version: i64,
    now: Millis,
) -> Result<()> {
    let line = |event, detail| {
        NewEntry::by(access.account(), event, now)
            .on(access.sn())
            .with(detail)
    };
    if save.kind == SaveKind::Reset {
        line(JournalEvent::SettingsReset, json!({ "version": version }))
            .write(tx)
            .await?;
    }
    for changed in &save.change.fields {
        let detail = json!({
            "version": version, "field": changed.field.name(),
            "from": changed.from.json(changed.field), "to": changed.to.json(changed.field),
        });
        line(JournalEvent::SettingChanged, detail).write(tx).await?;
    }
    // The journal records only whether there is a token, not even its last characters.
    let token = match save.change.token {
        TokenChange::Keep => None,
        TokenChange::Set(_) => Some(true),
        TokenChange::Erase => Some(false),
    };
    if let Some(set) = token {
        let field = Field::ProviderToken.name();
        let detail = json!({ "version": version, "field": field, "from": null, "to": set });
        line(JournalEvent::SettingChanged, detail).write(tx).await?;
    }
    if save.change.acknowledged == Some(true) {
        line(
            JournalEvent::NoticeAcknowledged,
            json!({ "version": version }),
        )
        .write(tx)
        .await?;
    }
    Ok(())
}
