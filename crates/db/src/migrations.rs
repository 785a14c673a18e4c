//! Schema steps, one text each under `migrations/`, applied on start. The texts are in SQLite's dialect; [`text_for`] makes
//! PostgreSQL's of them. A line `-- [SQLite]` or `-- [PostgreSQL]` begins what only this engine gets, `-- [both]` ends it.
use crate::{Pool, Result};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr as _};

struct SchemaStep {
    version: i64,
    name: &'static str,
    text: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    Sqlite,
    Postgres,
}

macro_rules! steps {
    ($($version:literal $name:literal),* $(,)?) => {
        &[$(SchemaStep {
            version: $version,
            name: $name,
            text: include_str!(concat!("../migrations/", $name, ".sql")),
        }),*]
    };
}

const STEPS: &[SchemaStep] = steps![
    1 "0001_accounts",
    2 "0002_systems",
    3 "0003_partners",
    4 "0004_system_facts",
    5 "0005_telemetry",
    6 "0006_device_link",
    7 "0007_groups_and_tariffs",
    8 "0008_settings",
    9 "0009_commands",
    10 "0010_fleet_brake",
    11 "0011_firmware",
    12 "0012_grants",
    13 "0013_alarms",
    14 "0014_setting_batches",
    15 "0015_commissionings",
    16 "0016_totp",
    17 "0017_units",
    18 "0018_sites",
    19 "0019_sources",
    20 "0020_planning",
    21 "0021_claims",
    22 "0022_electricians",
    23 "0023_update_needs_off",
    24 "0024_secret_keys",
    25 "0025_partner_token_families",
    26 "0026_gateways",
    27 "0027_server_clock",
    28 "0028_effects",
    29 "0029_sample_log",
    30 "0030_throttled_devices",
    31 "0031_device_access",
    32 "0032_phase_changes",
    33 "0033_report_retention",
    34 "0034_chunk_index",
    35 "0035_limited_attempts",
    36 "0036_shared_options",
];

/// The version that this program brings a database to.
pub(crate) fn latest_version() -> i64 {
    STEPS.last().map_or(0, |step| step.version)
}

pub(crate) async fn run(pool: &Pool) -> Result<()> {
    match pool {
        Pool::Sqlite(pool) => migrator(Engine::Sqlite).run(pool).await?,
        Pool::Postgres(pool) => migrator(Engine::Postgres).run(pool).await?,
    }
    Ok(())
}

fn migrator(engine: Engine) -> Migrator {
    let migration = |step: &SchemaStep| {
        Migration::new(
            step.version,
            step.name.into(),
            MigrationType::Simple,
            AssertSqlSafe(text_for(engine, step.text)).into_sql_str(),
            false,
        )
    };
    Migrator::with_migrations(STEPS.iter().map(migration).collect())
}

/// A step as this engine gets it. sqlx compares its checksum with that of the applied step, so every byte counts.
fn text_for(engine: Engine, text: &str) -> String {
    let mut only = None;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim_end() {
            "-- [SQLite]" => only = Some(Engine::Sqlite),
            "-- [PostgreSQL]" => only = Some(Engine::Postgres),
            "-- [both]" => only = None,
            _ if only.is_some() && only != Some(engine) => {}
            _ if only.is_none() && engine == Engine::Postgres => out.push_str(&to_postgres(line)),
            _ => out.push_str(line),
        }
    }
    out
}

/// Keeps the columns of a table aligned, as the texts were before they became one.
fn to_postgres(line: &str) -> String {
    line.replace(
        "INTEGER PRIMARY KEY",
        "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    )
    .replace(") WITHOUT ROWID;", ");")
    .replace("BLOB,  ", "BYTEA, ")
    .replace("BLOB  ", "BYTEA ")
    .replace("BLOB", "BYTEA")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fmt::Write as _;

    /// A released step is never edited: databases that have it would refuse to start. A new one adds its line.
    #[test]
    fn released_steps_are_unchanged_on_both_engines() {
        let steps = [Engine::Sqlite, Engine::Postgres].map(migrator);
        let checksum = |migration: &Migration| {
            let mut text = String::new();
            for byte in &migration.checksum[..12] {
                write!(text, "{byte:02x}").unwrap();
            }
            text
        };
        let [sqlite, postgres] = &steps;
        let lines = sqlite
            .iter()
            .zip(postgres.iter())
            .map(|(sqlite, postgres)| {
                let version = sqlite.version;
                format!("{version:04} {} {}\n", checksum(sqlite), checksum(postgres))
            });
        let released = include_str!("../migrations/checksums.txt");
        assert_eq!(lines.collect::<String>(), released);
    }
}
