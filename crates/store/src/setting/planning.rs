//! The portal turns planning off: the battery gets the setting as if a person had saved it.
use super::{document, text};
use crate::Result;
use db::Tx;
use domain::Serial;
use domain::clock::Millis;
use domain::setting::{Field, Value};

/// `false` when planning is not on any more.
pub(crate) async fn stop_planning(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<bool> {
    let desired: Option<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT COALESCE(desired, reported) AS desired FROM settings WHERE sn = $1 AND (desired IS NOT NULL OR reported IS NOT NULL)")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let mut settings = document(desired.as_deref(), "settings.desired")?;
    if settings.get(Field::DynamicTariff) != Some(Value::Choice("plan")) {
        return Ok(false);
    }
    settings.set(Field::DynamicTariff, Value::Choice("off"));
    execute!(
        tx,
        sqlx::query(
            "UPDATE settings SET version = version + 1, desired = $2, changed_at = $3, changed_by = NULL WHERE sn = $1"
        )
        .bind(sn.as_str())
        .bind(text(&settings))
        .bind(now)
    )?;
    Ok(true)
}
