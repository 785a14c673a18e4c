//! What goes from the old serial number to the new one when a unit is exchanged.
use super::Row;
use crate::db::Tx;
use crate::{Error, Result, claim, grant, telemetry, unit};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::{AccountId, Serial};

/// Samples, events and sealed days follow. The new unit counts from its first sample that is surely of this place: since it
/// was added, or since midnight where nobody had added it, and in any case after the last that is known of the old one. All
/// before that is left to the old one, which may still have samples to send.
pub(super) async fn measured(tx: &mut Tx, old: &Row, new: &Row, now: Millis) -> Result<()> {
    let (old_sn, new_sn, zone) = (old.serial()?, new.serial()?, old.zone()?);
    let stood = new.linked_at.unwrap_or(zone.start_of(zone.day_of(now)));
    let last = telemetry::last_measured(tx, &old_sn).await?;
    let since = stood.max(last.map_or(0, |last| last + 1));
    let first = telemetry::first_measured(tx, &new_sn, since).await?;
    let from = first.unwrap_or(now).min(now);
    let before = u8::try_from(old.unit).map_err(|_| Error::Damaged("systems.unit"))?;
    let number = unit::succeed(tx, &old_sn, &new_sn, before, from).await?;
    telemetry::exchange(tx, &old_sn, &new_sn, &zone, number, from).await?;
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
        let offset = telemetry::boots_before(number);
        execute!(
            &mut *tx,
            sqlx::query(renumber).bind(new_sn.as_str()).bind(offset)
        )?;
    }
    follow(
        tx,
        &old_sn,
        &new_sn,
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

/// Who lives there, whom they let in, and what is theirs follows. Where both units have the same thing the old one's counts:
/// that is what the household knows.
pub(super) async fn people(tx: &mut Tx, old: &Row, new: &Row, now: Millis) -> Result<()> {
    let (old_sn, new_sn) = (old.serial()?, new.serial()?);
    // Whoever came to the new unit by its switch gives way to its code as long as they would have.
    let by_switch = new.linked_by.as_deref() == Some(LinkedBy::Switch.as_str());
    let linked = if by_switch { new } else { old };
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET owner_id = $2, linked_at = $3, first_name = $4, last_name = $5, history_from = $6,
                 time_zone = $7, phase = CASE WHEN hardware IS NULL THEN $8 ELSE phase END, linked_by = $9 WHERE sn = $1"
        )
        .bind(&new.sn)
        .bind(old.owner_id)
        .bind(linked.linked_at)
        .bind(old.first_name.as_deref())
        .bind(old.last_name.as_deref())
        .bind(old.history_from)
        .bind(&old.time_zone)
        .bind(old.phase)
        .bind(linked.linked_by.as_deref())
    )?;
    follow(tx, &old_sn, &new_sn, SITE).await?;
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET owner_id = NULL, linked_at = NULL, linked_by = NULL, first_name = NULL, last_name = NULL, unit = 0,
                 planes = '', zone_said = FALSE, history_from = $2, retired_at = $2 WHERE sn = $1"
        )
        .bind(&old.sn)
        .bind(now)
    )?;
    if let Some(owner) = old.owner_id {
        claim::end_others(tx, &new_sn, AccountId(owner), now).await?;
    }
    if old.owner_id.is_some() && new.owner_id.is_none() {
        // Whoever opened the new unit by an installer code stays until the owner has decided.
        grant::claimed(tx, &new_sn).await?;
    }
    // Lines of a household that had the new unit before are not this one's to read.
    for hide in [
        "DELETE FROM journal WHERE sn = $1 AND at <= $2 AND account_id IS NULL",
        "UPDATE journal SET sn = NULL WHERE sn = $1 AND at <= $2",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(hide).bind(&new.sn).bind(new.history_from)
        )?;
    }
    // The old unit's faults are over for this site.
    let over = "UPDATE alarms SET closed_at = $2 WHERE sn = $1 AND closed_at IS NULL";
    execute!(&mut *tx, sqlx::query(over).bind(&old.sn).bind(now))?;
    follow(tx, &old_sn, &new_sn, FOLLOW).await?;
    for close in [
        "DELETE FROM claims WHERE sn = $1",
        "DELETE FROM code_systems WHERE sn = $1 AND code_hash IN (SELECT hash FROM codes WHERE used_at IS NULL)",
    ] {
        execute!(&mut *tx, sqlx::query(close).bind(&old.sn))?;
    }
    execute!(
        tx,
        sqlx::query(
            "DELETE FROM codes WHERE used_at IS NULL AND hash NOT IN (SELECT code_hash FROM code_systems)"
        )
    )?;
    Ok(())
}

/// The roof is the same.
const SITE: &[&str] = &[
    "UPDATE systems SET (place, latitude, longitude, planes, zone_said) =
         (SELECT o.place, o.latitude, o.longitude, o.planes, o.zone_said FROM systems o WHERE o.sn = $1) WHERE sn = $2",
];

/// From $1, the old serial number, to $2, the new one.
const FOLLOW: &[&str] = &[
    "UPDATE journal SET sn = $2 WHERE sn = $1",
    "DELETE FROM grants WHERE sn = $2 AND state IN ('active', 'unconfirmed', 'ended') AND account_id IN
         (SELECT account_id FROM grants WHERE sn = $1 AND state IN ('active', 'unconfirmed', 'ended'))",
    "DELETE FROM grants WHERE sn = $2 AND state = 'invited' AND email IN
         (SELECT email FROM grants WHERE sn = $1 AND state = 'invited')",
    // Whoever has only asked must not learn from it that there is such a system.
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
    "DELETE FROM plan_days WHERE sn = $2 AND EXISTS (SELECT 1 FROM plan_days o WHERE o.sn = $1)",
    "UPDATE plan_days SET sn = $2 WHERE sn = $1",
    // A plan is reckoned anew for the new battery; what its people wished for stays.
    "DELETE FROM planning WHERE sn = $2 AND EXISTS (SELECT 1 FROM planning o WHERE o.sn = $1)",
    "UPDATE planning SET sn = $2, plan = NULL, running = NULL, planned_at = NULL, adopted_at = NULL WHERE sn = $1",
    "UPDATE alarms SET sn = $2 WHERE sn = $1",
    "UPDATE commissioning_units SET sn = $2, named = COALESCE(named, $1) WHERE sn = $1 AND finished_at IS NOT NULL
         AND commissioning_id NOT IN (SELECT o.commissioning_id FROM commissioning_units o WHERE o.sn = $2)",
    // The new unit takes what is wanted as newer than whatever it holds.
    "INSERT INTO settings (sn, version, desired, changed_at, changed_by, provider_token, acknowledged_at)
         SELECT $2, version + 1, desired, changed_at, changed_by, provider_token, acknowledged_at FROM settings
         WHERE sn = $1 AND desired IS NOT NULL
     ON CONFLICT (sn) DO UPDATE SET desired = excluded.desired, changed_at = excluded.changed_at,
         changed_by = excluded.changed_by, provider_token = excluded.provider_token,
         acknowledged_at = excluded.acknowledged_at, version = CASE WHEN settings.version >= excluded.version
             THEN settings.version + 1 ELSE excluded.version END",
];

async fn follow(
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
