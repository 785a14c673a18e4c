//! Writes a change of settings with its journal entries, within the limits on changes.
use super::{PreparedChange, SaveKind, price};
use crate::Result;
use crate::transaction::Transaction;
use domain::Serial;
use domain::journal::JournalEvent;
use domain::setting::{ChangedField, Field, TokenChange};
use serde_json::Value;
use store::guard::{self, ChangeBlocked};
use store::journal::NewEntry;
use store::setting::{self, NewBatchSystem, NewSettings};
use store::source;

pub(super) enum WriteResult {
    /// Written as this version.
    Version(i64),
    /// Another account has saved since the version that the caller has read, or has undone the batch.
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
        source::provider_changed(t, access.sn(), after.get(Field::Provider)).await?;
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
    let entry = |event| NewEntry::by(access.account(), event, now).on(access.sn());
    let changed = |field, from, to| JournalEvent::SettingChanged {
        version,
        field: Some(field),
        from,
        to,
    };
    if one.kind == SaveKind::Reset {
        let reset = JournalEvent::SettingsReset { version };
        t.journal(entry(reset)).await?;
    }
    for &ChangedField { field, from, to } in &change.fields {
        let event = changed(field, from.json(field), to.json(field));
        t.journal(entry(event)).await?;
    }
    // The journal records only whether there is a token, not even its last characters.
    let token = match change.token {
        TokenChange::Keep => None,
        TokenChange::Set(_) => Some(true),
        TokenChange::Erase => Some(false),
    };
    if let Some(set) = token {
        let event = changed(Field::ProviderToken, Value::Null, set.into());
        t.journal(entry(event)).await?;
    }
    if change.acknowledged == Some(true) {
        let acknowledged = JournalEvent::NoticeAcknowledged { version };
        t.journal(entry(acknowledged)).await?;
    }
    Ok(())
}
