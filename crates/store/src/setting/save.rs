//! Saving: counted up against the version that was read, with its journal lines in the same transaction.
use super::{SystemSettings, batch, price, text};
use crate::db::Tx;
use crate::guard::{self, Held};
use crate::journal::{Entry, Event};
use crate::{Access, Purpose, Result, Store, source};
use domain::clock::Millis;
use domain::setting::{BatchId, Change, Field, TokenChange};
use domain::{AccountId, Serial};
use serde_json::{Value, json};

/// A change to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Save<'a> {
    /// What the person had in front of them.
    pub version: i64,
    /// How the system stands at that version.
    pub before: &'a SystemSettings,
    pub change: &'a Change,
    pub kind: SaveKind<'a>,
    /// Drawn at random, for a new token.
    pub nonce: [u8; 12],
    /// How many devices one account may touch in a minute.
    pub devices_a_minute: usize,
}

/// What a save belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveKind<'a> {
    Form,
    /// It goes back to what a system begins with.
    Reset,
    /// Kept with what was there before.
    Batch(&'a BatchId),
    /// Takes back what a batch did.
    Undo(&'a BatchId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// Under this version.
    Version(i64),
    /// Somebody saved after this version was read; nothing was written.
    Conflict,
    Held(Held),
}

/// What somebody else changed meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    pub field: String,
    pub from: Value,
    pub to: Value,
    pub at: Millis,
    /// `None` when that account is gone.
    pub by: Option<AccountId>,
}

#[derive(Debug)]
struct ConflictRow {
    at: Millis,
    account_id: Option<i64>,
    detail: String,
}
row!(ConflictRow {
    at,
    account_id,
    detail
});

/// A change of a setting as the journal keeps it.
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
    ) -> Result<Saved> {
        let mut tx = self.begin().await?;
        let saved = self.write_settings(&mut tx, access, save, &[], now).await?;
        if matches!(saved, Saved::Version(_)) {
            tx.commit().await?;
        }
        Ok(saved)
    }

    /// What saving would come to: the same work, and nothing of it is kept. `touched` are systems that would have been
    /// changed just before.
    pub async fn try_settings(
        &self,
        access: &Access,
        save: Save<'_>,
        touched: &[&Serial],
        now: Millis,
    ) -> Result<Saved> {
        let mut tx = self.begin().await?;
        let saved = self.write_settings(&mut tx, access, save, touched, now);
        // Dropped without a commit.
        saved.await
    }

    async fn write_settings(
        &self,
        tx: &mut Tx,
        access: &Access,
        save: Save<'_>,
        touched: &[&Serial],
        now: Millis,
    ) -> Result<Saved> {
        let admitted = guard::admit_after(tx, access, touched, save.devices_a_minute, now);
        if let Err(held) = admitted.await? {
            return Ok(Saved::Held(held));
        }
        let Some(version) = write(tx, access, save, now).await? else {
            return Ok(Saved::Conflict);
        };
        self.write_token(tx, access, save).await?;
        let mut changed = save.change.fields.iter();
        let provider = changed.any(|changed| changed.field == Field::Provider);
        if provider || save.change.token != TokenChange::Keep {
            source::renewed(tx, access.sn()).await?;
        }
        let after = save.change.applied_to(&save.before.desired);
        price::enter(tx, access, save.change, &after, now).await?;
        write_journal(tx, access, save, version, now).await?;
        match save.kind {
            SaveKind::Form | SaveKind::Reset => {}
            SaveKind::Batch(id) => batch::record(tx, access, id, save, version, now).await?,
            SaveKind::Undo(id) => {
                if !batch::mark_undone(tx, access, id, now).await? {
                    return Ok(Saved::Conflict);
                }
            }
        }
        Ok(Saved::Version(version))
    }

    async fn write_token(&self, tx: &mut Tx, access: &Access, save: Save<'_>) -> Result<()> {
        let sealed = match &save.change.token {
            TokenChange::Keep => return Ok(()),
            TokenChange::Set(token) => Some(self.keyring.seal(
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
                .bind(sealed)
        )?;
        Ok(())
    }

    /// What was changed after `version`, newest first.
    pub async fn settings_changed_since(
        &self,
        access: &Access,
        version: i64,
    ) -> Result<Vec<Conflict>> {
        const LOOKED_AT: i64 = 200;
        let rows: Vec<ConflictRow> = on!(self, p => sqlx::query_as(
            "SELECT at, account_id, detail FROM journal WHERE sn = $1 AND event = $2 AND at > $3
             ORDER BY at DESC, id DESC LIMIT $4")
            .bind(access.sn().as_str()).bind(Event::SettingChanged.as_str()).bind(access.history_from())
            .bind(LOOKED_AT).fetch_all(p).await)?;
        let newer = rows.into_iter().filter_map(|row| {
            let detail: Detail = serde_json::from_str(&row.detail).ok()?;
            (detail.version > version).then_some(Conflict {
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
        Entry::by(access.account(), event, now)
            .on(access.sn())
            .with(detail)
    };
    if save.kind == SaveKind::Reset {
        line(Event::SettingsReset, json!({ "version": version }))
            .write(tx)
            .await?;
    }
    for changed in &save.change.fields {
        let detail = json!({
            "version": version, "field": changed.field.name(),
            "from": changed.from.json(changed.field), "to": changed.to.json(changed.field),
        });
        line(Event::SettingChanged, detail).write(tx).await?;
    }
    // Not even its end: only whether there is one.
    let token = match save.change.token {
        TokenChange::Keep => None,
        TokenChange::Set(_) => Some(true),
        TokenChange::Erase => Some(false),
    };
    if let Some(set) = token {
        let field = Field::ProviderToken.name();
        let detail = json!({ "version": version, "field": field, "from": null, "to": set });
        line(Event::SettingChanged, detail).write(tx).await?;
    }
    if save.change.acknowledged == Some(true) {
        line(Event::NoticeAcknowledged, json!({ "version": version }))
            .write(tx)
            .await?;
    }
    Ok(())
}
