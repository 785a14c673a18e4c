//! Schema steps, one text each under `migrations/`, applied on start, or on PostgreSQL by `suncellar migrate`. The texts are in
//! SQLite's dialect; [`text_for`] makes PostgreSQL's of them. A line `-- [SQLite]` or `-- [PostgreSQL]` begins what only this
//! engine gets, `-- [both]` ends it.
use crate::table::UNFINISHED;
use crate::{Error, Pool, Result};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr as _};
use std::time::Duration;

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
    37 "0037_schema_compatibility",
    38 "0038_job_leases",
    39 "0039_weather_cells",
    40 "0040_forecast_models",
    41 "0041_connection_numbers",
    42 "0042_sample_retention",
    43 "0043_sealed_days_checked",
    44 "0044_sealed_day_months",
    45 "0045_sample_objects",
    46 "0046_confirmed_addresses",
    47 "0047_passkeys",
    48 "0048_alarm_comments",
    49 "0049_grant_messages",
    50 "0050_companies",
    51 "0051_customer_cards",
    52 "0052_withdrawn_requests",
    53 "0053_customer_codes",
    54 "0054_acme",
];

/// A migration without a further step after this time is not running, or takes long: the process has to be started again.
const MIGRATION_STEP_TIMEOUT: Duration = Duration::from_secs(3);

/// The version that this program brings a database to.
pub(crate) fn latest_version() -> i64 {
    STEPS.last().map_or(0, |step| step.version)
}

/// Brings the schema to the version of this program. A newer one stays as it is, if this program can work with it.
pub(crate) async fn run(pool: &Pool) -> Result<()> {
    let schema = Schema::read(pool).await?;
    if schema
        .version
        .is_some_and(|version| version > latest_version())
    {
        return schema.check_with(latest_version());
    }
    match pool {
        Pool::Sqlite(pool) => migrator(Engine::Sqlite, STEPS).run(pool).await?,
        Pool::Postgres(pool) => migrator(Engine::Postgres, STEPS).run(pool).await?,
    }
    Ok(())
}

/// Brings an empty database to the schema of an earlier release.
pub(crate) async fn run_to(pool: &Pool, version: i64) -> Result<()> {
    let count = STEPS.partition_point(|step| step.version <= version);
    match pool {
        Pool::Sqlite(pool) => migrator(Engine::Sqlite, &STEPS[..count]).run(pool).await?,
        Pool::Postgres(pool) => {
            let steps = migrator(Engine::Postgres, &STEPS[..count]);
            steps.run(pool).await?;
        }
    }
    Ok(())
}

/// Like [`run`], but changes only an empty database: whoever shares it with other processes decides when they are ready.
pub(crate) async fn require(pool: &Pool) -> Result<()> {
    let mut schema = Schema::read(pool).await?;
    if schema.version.is_none() {
        return run(pool).await;
    }
    // Somebody may be migrating it at this moment, or creating it, as two processes start at once.
    while schema.version < Some(latest_version()) {
        tokio::time::sleep(MIGRATION_STEP_TIMEOUT).await;
        let before = std::mem::replace(&mut schema, Schema::read(pool).await?);
        if schema.version == before.version {
            break;
        }
    }
    schema.check_with(latest_version())
}

/// What is known about the schema of a database.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The last applied step; `None` for an empty database.
    pub version: Option<i64>,
    /// The step that this program brings it to.
    pub program: i64,
    /// The oldest version of the program that works with it. Steps that older programs cannot work with raise it.
    oldest_program: i64,
}

impl Schema {
    pub(crate) async fn read(pool: &Pool) -> Result<Self> {
        if pool.has_table(UNFINISHED).await? {
            return Err(Error::Unfinished);
        }
        let mut state = Self {
            version: None,
            program: latest_version(),
            oldest_program: 0,
        };
        if pool.has_table("_sqlx_migrations").await? {
            state.version = read_number(pool, "SELECT max(version) FROM _sqlx_migrations").await?;
        }
        if pool.has_table("schema_compatibility").await? {
            let oldest = "SELECT max(oldest_program) FROM schema_compatibility";
            state.oldest_program = read_number(pool, oldest).await?.unwrap_or_default();
        }
        Ok(state)
    }

    /// Whether a program of this version works with the schema.
    pub(crate) fn check_with(self, program: i64) -> Result<()> {
        let schema = self.version.unwrap_or_default();
        if schema < program {
            return Err(Error::SchemaTooOld { schema, program });
        }
        // Programs from before the table of compatibility knew nothing of it.
        if schema > program && (self.oldest_program == 0 || self.oldest_program > program) {
            return Err(Error::SchemaTooNew { schema, program });
        }
        Ok(())
    }
}

async fn read_number(pool: &Pool, query: &'static str) -> Result<Option<i64>> {
    Ok(match pool {
        Pool::Sqlite(pool) => sqlx::query_scalar(query).fetch_one(pool).await?,
        Pool::Postgres(pool) => sqlx::query_scalar(query).fetch_one(pool).await?,
    })
}

fn migrator(engine: Engine, steps: &[SchemaStep]) -> Migrator {
    let migration = |step: &SchemaStep| {
        Migration::new(
            step.version,
            step.name.into(),
            MigrationType::Simple,
            AssertSqlSafe(text_for(engine, step.text)).into_sql_str(),
            false,
        )
    };
    Migrator::with_migrations(steps.iter().map(migration).collect())
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

    #[test]
    fn a_program_works_with_its_own_schema_and_newer_ones_that_allow_it() {
        let check = |version, oldest_program, program| {
            let version = Some(version);
            let state = Schema {
                version,
                program,
                oldest_program,
            };
            state.check_with(program)
        };
        check(40, 37, 40).unwrap();
        check(40, 37, 39).unwrap();
        check(40, 37, 37).unwrap();
        let too_old = check(39, 37, 40).unwrap_err().to_string();
        assert!(too_old.contains("suncellar migrate"), "{too_old}");
        let too_new = check(40, 40, 39).unwrap_err().to_string();
        assert!(too_new.contains("newer"), "{too_new}");
        check(40, 0, 39).unwrap_err();
    }

    /// A released step is never edited: databases that have it would refuse to start. A new one adds its line.
    #[test]
    fn released_steps_are_unchanged_on_both_engines() {
        let steps = [Engine::Sqlite, Engine::Postgres].map(|engine| migrator(engine, STEPS));
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
