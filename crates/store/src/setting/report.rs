//! A battery's reports about its settings: its version, the applied settings and the refused fields.
use super::{refusals, refusals_text, text};
use crate::Result;
use crate::journal::NewEntry;
use crate::planning::PLAN_LEASE;
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::journal::JournalEvent;
use domain::setting::SettingsReport;
use domain::{Event as BatteryEvent, EventCode, Serial};

#[derive(Debug, FromRow)]
struct HelloRow {
    version: i64,
    held_version: i64,
    saved: bool,
    commanded: bool,
    planned: bool,
    updated: bool,
    outlived: bool,
}

/// The stored state for a battery that sent a hello.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HelloCheck {
    /// Whether settings, commands or a plan wait for the battery.
    pub(crate) orders_wait: bool,
    /// Whether it has ever had an update.
    pub(crate) has_updates: bool,
    /// Whether something that began before `before` still counts as in force.
    pub(crate) has_stale_effects: bool,
}

/// Compares the version in a hello with the stored one, and checks what waits for the battery. If the battery's version is higher
/// (the portal lost data, the battery did not), the next save gets a version above it. If it is lower, the settings are sent
/// again.
pub(crate) async fn check_hello(
    tx: &mut Tx,
    sn: &Serial,
    version: i64,
    before: Millis,
    now: Millis,
) -> Result<HelloCheck> {
    // A single query: thousands send a hello at once, and for nearly all of them nothing waits.
    let known: HelloRow = within!(&mut *tx, c => sqlx::query_as(
        "SELECT COALESCE(s.version, 0) AS version, COALESCE(s.held_version, 0) AS held_version,
             s.desired IS NOT NULL AS saved, EXISTS (SELECT 1 FROM commands c
                 WHERE c.sn = y.sn AND c.state IN ('queued', 'sent') AND c.expires_at > $2) AS commanded,
             EXISTS (SELECT 1 FROM planning p
                 WHERE p.sn = y.sn AND p.plan IS NOT NULL AND p.planned_at > $3) AS planned,
             EXISTS (SELECT 1 FROM firmware_jobs f WHERE f.sn = y.sn) AS updated,
             EXISTS (SELECT 1 FROM effects e WHERE e.sn = y.sn AND e.args IS NOT NULL AND e.at < $4)
                 OR COALESCE(s.grid_limit IS NOT NULL AND s.grid_limit_at < $4, FALSE) AS outlived
         FROM systems y LEFT JOIN settings s ON s.sn = y.sn WHERE y.sn = $1")
        .bind(sn.as_str()).bind(now).bind(now - PLAN_LEASE).bind(before).fetch_one(c).await)?;
    if known.held_version != version {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO settings (sn, version, held_version) VALUES ($1, $2, $2)
                 ON CONFLICT (sn) DO UPDATE SET held_version = excluded.held_version,
                     version = CASE WHEN settings.version < excluded.version THEN excluded.version ELSE settings.version END"
            )
            .bind(sn.as_str())
            .bind(version)
        )?;
    }
    Ok(HelloCheck {
        orders_wait: known.commanded || known.planned || known.saved && known.version > version,
        has_updates: known.updated,
        has_stale_effects: known.outlived,
    })
}

#[derive(Debug, FromRow)]
struct ReportedRow {
    version: i64,
    saved: bool,
    reported_version: i64,
    refused: Option<String>,
}

/// Stores a report unless a newer one is stored; returns whether it did.
pub(crate) async fn record_settings_report(
    tx: &mut Tx,
    sn: &Serial,
    report: &SettingsReport,
    now: Millis,
) -> Result<bool> {
    // Version 0 is the factory state, which no account saved, so the journal gets no entry. Thousands may report it at once, so
    // this query is skipped.
    let before: Option<ReportedRow> = match report.version {
        0 => None,
        _ => within!(&mut *tx, c => sqlx::query_as(
            "SELECT version, desired IS NOT NULL AS saved, reported_version, refused FROM settings WHERE sn = $1")
            .bind(sn.as_str()).fetch_optional(c).await)?,
    };
    let kept = execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO settings (sn, version, held_version, reported_version, reported, refused, reported_at, boot, seq)
             VALUES ($1, $2, $2, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (sn) DO UPDATE SET held_version = excluded.held_version,
                 version = CASE WHEN settings.version < excluded.version THEN excluded.version ELSE settings.version END,
                 reported_version = excluded.reported_version, reported = excluded.reported, refused = excluded.refused,
                 reported_at = excluded.reported_at, boot = excluded.boot, seq = excluded.seq
             WHERE (settings.boot, settings.seq) < (excluded.boot, excluded.seq)"
        )
        .bind(sn.as_str())
        .bind(report.version)
        .bind(text(&report.applied))
        .bind(refusals_text(&report.refused))
        .bind(now)
        .bind(i64::from(report.id.boot))
        .bind(i64::from(report.id.seq))
    )?;
    if let (1, Some(before)) = (kept, before.filter(|before| before.saved)) {
        journal_report(tx, sn, &before, report, now).await?;
    }
    Ok(kept == 1)
}

/// Adds a journal entry when the battery has applied a save, and one for each refused field; each only once.
async fn journal_report(
    tx: &mut Tx,
    sn: &Serial,
    before: &ReportedRow,
    report: &SettingsReport,
    now: Millis,
) -> Result<()> {
    if report.version != before.version {
        return Ok(());
    }
    let version = report.version;
    let again = before.reported_version == version;
    if !again {
        let event = JournalEvent::SettingsReported { version };
        NewEntry::by_battery(event, sn, now).write(tx).await?;
    }
    let known = match again {
        true => refusals(before.refused.as_deref())?,
        false => Vec::new(),
    };
    let new = report
        .refused
        .iter()
        .filter(|refused| !known.contains(refused));
    for (field, refusal) in new {
        let event = JournalEvent::SettingRefused {
            version,
            field: Some(*field),
            code: Some(*refusal),
        };
        NewEntry::by_battery(event, sn, now).write(tx).await?;
    }
    Ok(())
}

/// Records whether the grid operator limits the battery; returns whether that changed.
pub(crate) async fn record_grid_limit(
    tx: &mut Tx,
    sn: &Serial,
    event: &BatteryEvent,
) -> Result<bool> {
    let (EventCode::GridLimit, Some(at)) = (event.code, event.at) else {
        return Ok(false);
    };
    let args = event.args.as_deref().unwrap_or("{}");
    let args: serde_json::Value = serde_json::from_str(args).unwrap_or_default();
    let limit = event.on.then(|| args["limit"].as_i64().unwrap_or(0));
    let kept = execute!(
        tx,
        sqlx::query(
            "INSERT INTO settings (sn, grid_limit, grid_limit_at) VALUES ($1, $2, $3)
             ON CONFLICT (sn) DO UPDATE SET grid_limit = excluded.grid_limit, grid_limit_at = excluded.grid_limit_at
             WHERE settings.grid_limit_at IS NULL OR settings.grid_limit_at <= excluded.grid_limit_at"
        )
        .bind(sn.as_str())
        .bind(limit)
        .bind(at)
    )?;
    Ok(kept == 1)
}
