//! When a household leaves, its habits are also erased from the battery. The wiring of the house stays.
use super::{document, forget_batches, text};
use crate::Result;
use db::{FromRow, Tx};
use domain::Serial;
use domain::setting::{Ratings, Settings};

#[derive(Debug, FromRow)]
struct Row {
    charge_max: Option<i64>,
    discharge_max: Option<i64>,
    desired: Option<String>,
    reported: Option<String>,
}

/// Erases all traces of the household: token, times, prices. Settings that were never saved here were set at the battery itself
/// and are kept.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    forget_batches(tx, sn, None).await?;
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT y.charge_max, y.discharge_max, s.desired, s.reported
         FROM settings s JOIN systems y ON y.sn = s.sn WHERE s.sn = $1 AND s.desired IS NOT NULL")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let Some(row) = row else { return Ok(()) };
    let ratings = Ratings {
        charge: row.charge_max,
        discharge: row.discharge_max,
    };
    let wiring = |settings: Settings| settings.only(|field| field.is_wiring());
    let desired = document(row.desired.as_deref(), "settings.desired")?;
    let reported = document(row.reported.as_deref(), "settings.reported")?;
    let fresh = Settings::initial(ratings).without_guesses(ratings);
    execute!(
        tx,
        sqlx::query(
            "UPDATE settings SET version = version + 1, desired = $2, reported = $3, refused = NULL,
                 changed_at = NULL, changed_by = NULL, provider_token = NULL, acknowledged_at = NULL WHERE sn = $1"
        )
        .bind(sn.as_str())
        .bind(text(&wiring(desired).or(&fresh)))
        .bind(text(&wiring(reported)))
    )?;
    Ok(())
}
