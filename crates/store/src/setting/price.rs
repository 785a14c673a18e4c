//! Prices are both settings and tariffs: stored as tariffs, from a day on, and sent to batteries that use them.
use super::{document, text};
use crate::guard::{self, ChangeBlocked};
use crate::journal::{JournalEvent, NewEntry};
use crate::{Access, Result, tariff};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::setting::{Field, Settings, SettingsChange, Value};
use domain::{Price, Tariff};
use serde_json::json;

/// Puts the prices of a tariff into a settings document.
pub(super) fn set(settings: &mut Settings, tariff: &Tariff) {
    let value = |price: Price| Value::Decimal(price.hundredths());
    settings.set(Field::ImportPrice, value(tariff.import_price));
    settings.set(Field::FeedInPrice, value(tariff.feed_in_price));
}

/// A save that changes a price enters a tariff, once both prices are known.
pub(super) async fn save_tariff(
    tx: &mut Tx,
    access: &Access,
    change: &SettingsChange,
    after: &Settings,
    now: Millis,
) -> Result<()> {
    let priced = [Field::ImportPrice, Field::FeedInPrice];
    let changed = change.fields.iter().any(|it| priced.contains(&it.field));
    let known = |field: Field| match after.get(field) {
        Some(Value::Decimal(hundredths)) => Price::from_hundredths(hundredths),
        _ => None,
    };
    match (known(Field::ImportPrice), known(Field::FeedInPrice)) {
        (Some(import), Some(feed_in)) if changed => {
            tariff::set_current(tx, access, import, feed_in, now).await
        }
        _ => Ok(()),
    }
}

#[derive(Debug, FromRow)]
struct Row {
    version: i64,
    desired: Option<String>,
}

/// New prices apply: a battery that uses the fixed price gets it as a new version of its settings.
pub(crate) async fn update_fixed_price(
    tx: &mut Tx,
    access: &Access,
    tariff: &Tariff,
    devices_a_minute: usize,
    now: Millis,
) -> Result<Result<(), ChangeBlocked>> {
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT version, desired FROM settings WHERE sn = $1 AND desired IS NOT NULL")
        .bind(access.sn().as_str()).fetch_optional(c).await)?;
    let Some(row) = row else { return Ok(Ok(())) };
    let before = document(row.desired.as_deref(), "settings.desired")?;
    let mut after = before.clone();
    set(&mut after, tariff);
    let field = Field::ImportPrice;
    let (from, to) = (before.get(field), after.get(field));
    if before.get(Field::Provider) != Some(Value::Choice("fixed")) || from == to {
        return Ok(Ok(()));
    }
    if let Err(blocked) = guard::admit(tx, access, devices_a_minute, now).await? {
        return Ok(Err(blocked));
    }
    let version = row.version + 1;
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE settings SET version = $2, desired = $3, changed_at = $4, changed_by = $5 WHERE sn = $1"
        )
        .bind(access.sn().as_str())
        .bind(version)
        .bind(text(&after))
        .bind(now)
        .bind(access.account().0)
    )?;
    let written = |value: Option<Value>| value.map(|value| value.json(field));
    let detail = json!({
        "version": version, "field": field.name(), "from": written(from), "to": written(to),
    });
    let line = NewEntry::by(access.account(), JournalEvent::SettingChanged, now).on(access.sn());
    line.with(detail).write(tx).await?;
    Ok(Ok(()))
}
