//! Prices are both settings and tariffs: stored as tariffs, from a day on, and sent to batteries that use them.
use super::PreparedChange;
use crate::transaction::Transaction;
use crate::{Result, tariff};
use domain::setting::{Field, Settings, Value};
use domain::{Price, Tariff};
use serde_json::json;
use store::guard::{self, ChangeBlocked};
use store::journal::{JournalEvent, NewEntry};
use store::{Access, setting};

/// A save that changes a price enters a tariff, once both prices are known.
pub(super) async fn save_tariff(
    t: &mut Transaction<'_>,
    one: &PreparedChange<'_>,
    after: &Settings,
) -> Result<()> {
    let priced = [Field::ImportPrice, Field::FeedInPrice];
    let mut fields = one.change.fields.iter();
    let changed = fields.any(|it| priced.contains(&it.field));
    let known = |field: Field| match after.get(field) {
        Some(Value::Decimal(hundredths)) => Price::from_hundredths(hundredths),
        _ => None,
    };
    match (known(Field::ImportPrice), known(Field::FeedInPrice)) {
        (Some(import), Some(feed_in)) if changed => {
            tariff::set_current(t, one.access, import, feed_in).await
        }
        _ => Ok(()),
    }
}

/// New prices apply: a battery that uses the fixed price gets it as a new version of its settings. Returns whether it does.
pub(crate) async fn update_fixed_price(
    t: &mut Transaction<'_>,
    access: &Access,
    tariff: &Tariff,
    devices_a_minute: usize,
) -> Result<Result<bool, ChangeBlocked>> {
    let (sn, now) = (access.sn(), t.now);
    let Some(before) = setting::desired(t, sn).await? else {
        return Ok(Ok(false));
    };
    let mut after = before.clone();
    after.set_prices(tariff);
    let field = Field::ImportPrice;
    let (from, to) = (before.get(field), after.get(field));
    if before.get(Field::Provider) != Some(Value::Choice("fixed")) || from == to {
        return Ok(Ok(false));
    }
    if let Err(blocked) = guard::admit(t, access, devices_a_minute, now).await? {
        return Ok(Err(blocked));
    }
    let by = access.account();
    let version = setting::overwrite_desired(t, sn, &after, Some(by), now).await?;
    let written = |value: Option<Value>| value.map(|value| value.json(field));
    let detail = json!({
        "version": version, "field": field.name(), "from": written(from), "to": written(to),
    });
    let entry = NewEntry::by(by, JournalEvent::SettingChanged, now).on(sn);
    t.journal(entry.with(detail)).await?;
    Ok(Ok(true))
}
