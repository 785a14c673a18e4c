//! Writes a change of settings with its journal entries, within the limits on changes.
use super::{PreparedChange, SaveKind, price};
use crate::Result;
use crate::transaction::Transaction;
use domain::Serial;
use domain::setting::{Field, TokenChange};
use serde_json::{Value, json};
use store::guard::{self, ChangeBlocked};
use store::journal::{JournalEvent, NewEntry};
use store::setting::{self, NewBatchSystem, NewSettings};
use store::source;

pub(super) enum WriteResult {
    /// Written as this version.
    Version(i64),
    /// Somebody saved after the version that the person had read, or has undone the batch.
    Conflict,
    Blocked(ChangeBlocked),
}

/// Unless it returns a version, the transaction must not be committed. `touched` are systems that count as changed just before.
pub(super) async fn write(
    t: &mut Transaction<'_>,
    one: &PreparedChange<'_>,
    touched: &[&Serial],
) -> Result<WriteResult> {
    let (access, change, now) = (one.access, &one.change, t.now);
    let limit = t.service.config.devices_a_minute;
    if let Err(blocked) = guard::admit_after(t, access, touched, limit, now).await? {
        return Ok(WriteResult::Blocked(blocked));
    }
    let after = change.applied_to(&one.before.desired);
    let new = NewSettings {
        version: one.version,
        desired: &after.without_guesses(one.before.ratings),
        acknowledged: change.acknowledged,
    };
    let Some(version) = setting::save_desired(t, access, new, now).await? else {
        return Ok(WriteResult::Conflict);
    };
    let (keyring, nonce) = (t.service.store.keyring(), t.service.random.bytes());
    setting::change_token(t, keyring, access.sn(), &change.token, nonce).await?;
    let mut changed = change.fields.iter();
    let provider = changed.any(|changed| changed.field == Field::Provider);
    if provider || change.token != TokenChange::Keep {
        source::provider_changed(t, access.sn()).await?;
    }
    price::save_tariff(t, one, &after).await?;
    write_journal(t, one, version).await?;
    match one.kind {
        SaveKind::Form | SaveKind::Reset => {}
        SaveKind::Batch(id) => {
            let saved = NewBatchSystem {
                version,
                changes: &change.fields,
                acknowledged: one.before.acknowledged_at.is_some(),
            };
            setting::record_batch(t, access, id, saved, now).await?;
        }
        SaveKind::Undo(id) => {
            if !setting::mark_undone(t, access, id, now).await? {
                return Ok(WriteResult::Conflict);
            }
        }
    }
    Ok(WriteResult::Version(version))
}

async fn write_journal(
    t: &mut Transaction<'_>,
    one: &PreparedChange<'_>,
    version: i64,
) -> Result<()> {
    let (access, change, now) = (one.access, &one.change, t.now);
    let entry = |event, detail: Value| {
        NewEntry::by(access.account(), event, now)
            .on(access.sn())
            .with(detail)
    };
    if one.kind == SaveKind::Reset {
        let detail = json!({ "version": version });
        t.journal(entry(JournalEvent::SettingsReset, detail))
            .await?;
    }
    for changed in &change.fields {
        let detail = json!({
            "version": version, "field": changed.field.name(),
            "from": changed.from.json(changed.field), "to": changed.to.json(changed.field),
        });
        t.journal(entry(JournalEvent::SettingChanged, detail))
            .await?;
    }
    // The journal records only whether there is a token, not even its last characters.
    let token = match change.token {
        TokenChange::Keep => None,
        TokenChange::Set(_) => Some(true),
        TokenChange::Erase => Some(false),
    };
    if let Some(set) = token {
        let field = Field::ProviderToken.name();
        let detail = json!({ "version": version, "field": field, "from": null, "to": set });
        t.journal(entry(JournalEvent::SettingChanged, detail))
            .await?;
    }
    if change.acknowledged == Some(true) {
        let detail = json!({ "version": version });
        t.journal(entry(JournalEvent::NoticeAcknowledged, detail))
            .await?;
    }
    Ok(())
}
