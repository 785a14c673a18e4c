//! Schema steps, written once per dialect under `migrations/` and applied on start.
use crate::Result;
use crate::db::Db;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

struct Step {
    version: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! steps {
    ($($version:literal $name:literal),* $(,)?) => {
        &[$(Step {
            version: $version,
            name: $name,
            sqlite: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

const STEPS: &[Step] = steps![
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
];

/// The version that this program brings a database to.
pub(crate) fn newest() -> i64 {
    STEPS.last().map_or(0, |step| step.version)
}

pub(crate) async fn run(db: &Db) -> Result<()> {
    match db {
        Db::Sqlite(pool) => migrator(|step| step.sqlite).run(pool).await?,
        Db::Postgres(pool) => migrator(|step| step.postgres).run(pool).await?,
    }
    Ok(())
}

fn migrator(text: fn(&Step) -> &'static str) -> Migrator {
    let migration = |s: &Step| {
        Migration::new(
            s.version,
            s.name.into(),
            MigrationType::Simple,
            text(s).into_sql_str(),
            false,
        )
    };
    Migrator::with_migrations(STEPS.iter().map(migration).collect())
}
