//! Prices are both settings and tariffs: a save that changes one enters a tariff.
use super::PreparedChange;
use crate::transaction::Transaction;
use crate::{Result, tariff};
use domain::Price;
use domain::setting::{Field, Settings, Value};

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
