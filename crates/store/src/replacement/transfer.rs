//! What moves from the old serial number to the new one when a unit is exchanged.
use super::Unit;
use crate::{Error, Result, claim, grant, unit};
use db::Tx;
use domain::Serial;
use domain::claim::LinkedBy;
use domain::clock::Millis;
use telemetry::Telemetry;

/// Moves samples, events and sealed days. The new unit counts from its first sample that was certainly measured at this site:
/// after it was added (or after midnight, if nobody had added it), and after the last known sample of the old unit. Everything
/// before belongs to the old unit, which may still have samples to send.
pub async fn move_measurements(
    tx: &mut Tx,
    telemetry: &Telemetry,
    old: &Unit,
    new: &Unit,
    now: Millis,
) -> Result<()> {
    let (old_sn, new_sn, zone) = (&old.sn, &new.sn, &old.zone);
    let stood = new.linked_at.unwrap_or(zone.start_of(zone.day_of(now)));
    let from = telemetry::exchange_moment(tx, telemetry, old_sn, new_sn, stood, now).await?;
    let before = u8::try_from(old.number).map_err(|_| Error::Damaged("systems.unit"))?;
    let number = unit::replace_at_site(tx, old_sn, new_sn, before, from).await?;
    telemetry::transfer_history(tx, old_sn, new_sn, zone, number, from).await?;
    for forget in [
        "DELETE FROM events WHERE sn = $1 AND (at IS NULL OR at < $2)",
        "DELETE FROM hidden_samples WHERE sn = $1 AND received_at < $2",
        "DELETE FROM journal WHERE sn = $1 AND at < $2 AND account_id IS NULL AND actor = 'battery'",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(forget).bind(new_sn.as_str()).bind(from)
        )?;
    }
    for renumber in [
        "UPDATE events SET boot = boot + $2 WHERE sn = $1",
        "UPDATE hidden_samples SET boot = boot + $2 WHERE sn = $1",
    ] {
        let offset = telemetry::boot_offset(number);
        execute!(
            &mut *tx,
            sqlx::query(renumber).bind(new_sn.as_str()).bind(offset)
        )?;
    }
    run_statements(
        tx,
        old_sn,
        new_sn,
        &[
            "UPDATE events SET sn = $2 WHERE sn = $1",
            "UPDATE hidden_samples SET sn = $2 WHERE sn = $1",
        ],
    )
    .await?;
    execute!(
        tx,
        sqlx::query("UPDATE systems SET unit = $2 WHERE sn = $1")
            .bind(new_sn.as_str())
            .bind(i64::from(number))
    )?;
    Ok(())
}

/// Moves the owner, the grants and what belongs to the household. Where both units have the same item, the old unit's wins,
/// because the household knows that one.
pub async fn move_household(tx: &mut Tx, old: &Unit, new: &Unit, now: Millis) -> Result<()> {
    let (old_sn, new_sn) = (&old.sn, &new.sn);
    // An owner who linked the new unit by its switch can still be displaced by its code, for as long as before.
    let by_switch = new.linked_by == Some(LinkedBy::Switch);
    let linked = if by_switch { new } else { old };
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET owner_id = $2, linked_at = $3, first_name = $4, last_name = $5, history_from = $6,
                 time_zone = $7, phase = CASE WHEN hardware IS NULL THEN $8 ELSE phase END, linked_by = $9 WHERE sn = $1"
        )
        .bind(new_sn.as_str())
        .bind(old.owner.map(|owner| owner.0))
        .bind(linked.linked_at)
        .bind(old.first_name.as_deref())
        .bind(old.last_name.as_deref())
        .bind(old.history_from)
        .bind(old.zone.name())
        .bind(old.phase)
        .bind(linked.linked_by.map(LinkedBy::as_str))
    )?;
    run_statements(tx, old_sn, new_sn, TRANSFER_SITE).await?;
    swap_site_ids(tx, old_sn, new_sn).await?;
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET owner_id = NULL, linked_at = NULL, linked_by = NULL, first_name = NULL, last_name = NULL, unit = 0,
                 planes = '', zone_said = FALSE, history_from = $2, retired_at = $2 WHERE sn = $1"
        )
        .bind(old_sn.as_str())
        .bind(now)
    )?;
    if let Some(owner) = old.owner {
        claim::close_claims(tx, new_sn, owner, now).await?;
    }
    if old.owner.is_some() && new.owner.is_none() {
        // A grant by installer code for the new unit stays until the owner decides.
        grant::mark_unconfirmed(tx, new_sn).await?;
    }
    // This household must not read journal entries of a household that had the new unit before.
    for hide in [
        "DELETE FROM journal WHERE sn = $1 AND at <= $2 AND account_id IS NULL",
        "UPDATE journal SET sn = NULL WHERE sn = $1 AND at <= $2",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(hide)
                .bind(new_sn.as_str())
                .bind(new.history_from)
        )?;
    }
    // The old unit's alarms are over for this site.
    let over = "UPDATE alarms SET closed_at = $2 WHERE sn = $1 AND closed_at IS NULL";
    execute!(&mut *tx, sqlx::query(over).bind(old_sn.as_str()).bind(now))?;
    run_statements(tx, old_sn, new_sn, TRANSFER_RECORDS).await?;
    for close in [
        "DELETE FROM claims WHERE sn = $1",
        "DELETE FROM code_systems WHERE sn = $1 AND code_hash IN (SELECT hash FROM codes WHERE used_at IS NULL)",
    ] {
        execute!(&mut *tx, sqlx::query(close).bind(old_sn.as_str()))?;
    }
    execute!(
        tx,
        sqlx::query(
            "DELETE FROM codes WHERE used_at IS NULL AND hash NOT IN (SELECT code_hash FROM code_systems)"
        )
    )?;
    Ok(())
}

/// The site keeps its id. No two systems may have the same one, even for a moment.
async fn swap_site_ids(tx: &mut Tx, old: &Serial, new: &Serial) -> Result<()> {
    let read =
        "SELECT o.site_id, n.site_id FROM systems o, systems n WHERE o.sn = $1 AND n.sn = $2";
    let (site, other): (i64, i64) = within!(&mut *tx, c => sqlx::query_as(read)
        .bind(old.as_str()).bind(new.as_str()).fetch_one(c).await)?;
    for (sn, id) in [(old, -site), (new, site), (old, other)] {
        execute!(
            &mut *tx,
            sqlx::query("UPDATE systems SET site_id = $2, plan_due_at = 0 WHERE sn = $1")
                .bind(sn.as_str())
                .bind(id)
        )?;
    }
    Ok(())
}

/// The roof stays the same.
const TRANSFER_SITE: &[&str] = &[
    "UPDATE systems SET (place, latitude, longitude, planes, zone_said) =
         (SELECT o.place, o.latitude, o.longitude, o.planes, o.zone_said FROM systems o WHERE o.sn = $1) WHERE sn = $2",
];

/// $1 is the old serial number, $2 the new one.
const TRANSFER_RECORDS: &[&str] = &[
    "UPDATE journal SET sn = $2 WHERE sn = $1",
    "DELETE FROM grants WHERE sn = $2 AND state IN ('active', 'unconfirmed', 'ended') AND (account_id IN
         (SELECT account_id FROM grants WHERE sn = $1 AND state IN ('active', 'unconfirmed', 'ended')) OR company_id IN
         (SELECT company_id FROM grants WHERE sn = $1 AND state IN ('active', 'unconfirmed', 'ended')))",
    "DELETE FROM grants WHERE sn = $2 AND state = 'invited' AND email IN
         (SELECT email FROM grants WHERE sn = $1 AND state = 'invited')",
    // An account that has only asked for access must not learn from this that the system exists.
    "UPDATE grants SET sn = $2 WHERE sn = $1 AND state NOT IN ('asked', 'refused')",
    "DELETE FROM handovers WHERE sn = $2 AND EXISTS (SELECT 1 FROM handovers o WHERE o.sn = $1)",
    "UPDATE handovers SET sn = $2 WHERE sn = $1",
    "DELETE FROM group_systems WHERE sn = $2 AND account_id IN (SELECT account_id FROM group_systems WHERE sn = $1)",
    "UPDATE group_systems SET sn = $2 WHERE sn = $1",
    "DELETE FROM tariffs WHERE sn = $2 AND EXISTS (SELECT 1 FROM tariffs o WHERE o.sn = $1)",
    "UPDATE tariffs SET sn = $2 WHERE sn = $1",
    "DELETE FROM time_of_use WHERE sn = $2 AND EXISTS (SELECT 1 FROM time_of_use o WHERE o.sn = $1)",
    "UPDATE time_of_use SET sn = $2 WHERE sn = $1",
    "DELETE FROM prices WHERE area = $2 AND EXISTS (SELECT 1 FROM prices o WHERE o.area = $1)",
    "UPDATE prices SET area = $2 WHERE area = $1",
    "DELETE FROM source_states WHERE area = $2 AND EXISTS (SELECT 1 FROM source_states o WHERE o.area = $1)",
    "UPDATE source_states SET area = $2 WHERE area = $1",
    "DELETE FROM weather_forecasts WHERE sn = $2 AND EXISTS (SELECT 1 FROM weather_forecasts o WHERE o.sn = $1)",
    "UPDATE weather_forecasts SET sn = $2 WHERE sn = $1",
    "DELETE FROM forecasts WHERE sn = $2 AND EXISTS (SELECT 1 FROM forecasts o WHERE o.sn = $1)",
    "UPDATE forecasts SET sn = $2 WHERE sn = $1",
    "DELETE FROM forecast_models WHERE sn = $2 AND EXISTS (SELECT 1 FROM forecast_models o WHERE o.sn = $1)",
    "UPDATE forecast_models SET sn = $2 WHERE sn = $1",
    "DELETE FROM plan_days WHERE sn = $2 AND EXISTS (SELECT 1 FROM plan_days o WHERE o.sn = $1)",
    "UPDATE plan_days SET sn = $2 WHERE sn = $1",
    // The new battery needs a new plan. The owner's charge target stays.
    "DELETE FROM planning WHERE sn = $2 AND EXISTS (SELECT 1 FROM planning o WHERE o.sn = $1)",
    "UPDATE planning SET sn = $2, plan = NULL, running = NULL, planned_at = NULL, adopted_at = NULL WHERE sn = $1",
    "UPDATE alarms SET sn = $2 WHERE sn = $1",
    "DELETE FROM customer_notes WHERE sn = $2 AND company_id IN (SELECT company_id FROM customer_notes WHERE sn = $1)",
    "UPDATE customer_notes SET sn = $2 WHERE sn = $1",
    "UPDATE customer_photos SET sn = $2 WHERE sn = $1",
    "UPDATE commissioning_units SET sn = $2, named = COALESCE(named, $1) WHERE sn = $1 AND finished_at IS NOT NULL
         AND commissioning_id NOT IN (SELECT o.commissioning_id FROM commissioning_units o WHERE o.sn = $2)",
    // The version must be higher than any that the new unit holds, so that it takes the desired settings.
    "INSERT INTO settings (sn, version, desired, changed_at, changed_by, provider_token, acknowledged_at)
         SELECT $2, version + 1, desired, changed_at, changed_by, provider_token, acknowledged_at FROM settings
         WHERE sn = $1 AND desired IS NOT NULL
     ON CONFLICT (sn) DO UPDATE SET desired = excluded.desired, changed_at = excluded.changed_at,
         changed_by = excluded.changed_by, provider_token = excluded.provider_token,
         acknowledged_at = excluded.acknowledged_at, version = CASE WHEN settings.version >= excluded.version
             THEN settings.version + 1 ELSE excluded.version END",
];

async fn run_statements(
    tx: &mut Tx,
    old: &Serial,
    new: &Serial,
    statements: &[&'static str],
) -> Result<()> {
    for statement in statements {
        execute!(
            &mut *tx,
            sqlx::query(*statement)
                .bind(old.as_str())
                .bind(new.as_str())
        )?;
    }
    Ok(())
}
