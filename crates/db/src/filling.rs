//! Fills an empty database with the rows of another one, in steps that survive a kill. Until it is complete no server starts on it.
use crate::migrations;
use crate::row::Value;
use crate::sealed_day_months::{attach_month, months, months_of};
use crate::snapshot::connect_postgres;
use crate::table::{self, Kind, SEALED_DAYS, Table, UNFINISHED, quoted};
use crate::{Error, Pool, Result};
use sqlx::postgres::PgPoolOptions;
use sqlx::query_builder::QueryBuilder;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{
    AssertSqlSafe, Connection as _, PgConnection, PgPool, Sqlite, SqliteConnection, SqlitePool,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// SQLite's limit for one statement is higher; more gain nothing.
const MAX_BOUND_VALUES: usize = 2_000;

/// Rows are written in steps of about so many bytes.
pub(crate) const STEP_BYTES: usize = 1 << 20;

/// How a row with this name in the table of progress says that the schema is there and its tables are empty.
const PREPARED: &str = "";

/// The format of PostgreSQL's binary COPY: signature, flags, length of an extension.
const COPY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

pub(crate) struct Filling {
    target: Target,
    /// Of the target.
    tables: Vec<Table>,
    /// Rows that are there already, by table.
    copied: BTreeMap<String, u64>,
    /// Months of sealed days that have a partition; `None` where there are none.
    months: Option<BTreeSet<i64>>,
}

enum Target {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Filling {
    /// Creates the file, or goes on with the one that `source` was being copied into.
    pub(crate) async fn of_file(file: &Path, version: i64, source: &str) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .page_size(1024)
            .pragma("cache_size", "-65536")
            .journal_mode(SqliteJournalMode::Wal)
            // A power failure may lose steps, with their progress.
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(false);
        let pool = SqlitePoolOptions::new().max_connections(1);
        let opened: SqlitePool = pool.connect_with(options.clone()).await?;
        let pool = Pool::Sqlite(opened.clone());
        let is_prepared = mark(&pool, source).await?;
        migrations::run_to(&pool, version).await?;
        opened.close().await;
        let mut db = SqliteConnection::connect_with(&options).await?;
        let tables = table::of_sqlite(&mut db).await?;
        let target = Target::Sqlite(db);
        Self::prepared(target, tables, None, is_prepared).await
    }

    /// An empty database, or the one that `source` was being copied into.
    pub(crate) async fn of_postgres(url: &str, version: i64, source: &str) -> Result<Self> {
        let opened: PgPool = PgPoolOptions::new().max_connections(2).connect(url).await?;
        let pool = Pool::Postgres(opened.clone());
        let is_prepared = mark(&pool, source).await?;
        migrations::run_to(&pool, version).await?;
        opened.close().await;
        let mut db = connect_postgres(url).await?;
        let tables = table::of_postgres(&mut db).await?;
        let months = months(&mut db).await?;
        let target = Target::Postgres(db);
        Self::prepared(target, tables, months, is_prepared).await
    }

    async fn prepared(
        target: Target,
        tables: Vec<Table>,
        months: Option<BTreeSet<i64>>,
        is_prepared: bool,
    ) -> Result<Self> {
        let mut filling = Self {
            target,
            tables,
            copied: BTreeMap::new(),
            months,
        };
        if !is_prepared {
            filling.start_over().await?;
        }
        let progress = AssertSqlSafe(format!("SELECT table_name, copied FROM {UNFINISHED}"));
        let copied: Vec<(String, i64)> = match &mut filling.target {
            Target::Sqlite(db) => sqlx::query_as(progress).fetch_all(db).await?,
            Target::Postgres(db) => sqlx::query_as(progress).fetch_all(db).await?,
        };
        filling.copied = copied
            .into_iter()
            .map(|(table, rows)| (table, rows.unsigned_abs()))
            .collect();
        Ok(filling)
    }

    pub(crate) fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// How many rows of a table an earlier attempt has copied.
    pub(crate) fn copied(&self, table: &str) -> u64 {
        self.copied.get(table).copied().unwrap_or_default()
    }

    /// Empties all tables: the schema comes with some rows.
    pub(crate) async fn start_over(&mut self) -> Result<()> {
        let mut statements: Vec<String> = self.tables.iter().rev().map(emptied).collect();
        statements.push(format!("DELETE FROM {UNFINISHED} WHERE table_name <> ''"));
        statements.push(format!(
            "UPDATE {UNFINISHED} SET copied = 1 WHERE table_name = ''"
        ));
        self.execute(statements).await?;
        self.copied.clear();
        Ok(())
    }

    /// Writes rows after those that are there already; all of them or none.
    pub(crate) async fn write(&mut self, table: &Table, rows: &[Vec<Value>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let copied = self.copied(&table.name) + rows.len() as u64;
        let progress = format!(
            "INSERT INTO {UNFINISHED} (table_name, source, copied) VALUES ($1, '', $2)
             ON CONFLICT (table_name) DO UPDATE SET copied = excluded.copied"
        );
        let number = i64::try_from(copied).unwrap_or(i64::MAX);
        match &mut self.target {
            Target::Sqlite(db) => {
                let mut tx = db.begin().await?;
                let at_once = (MAX_BOUND_VALUES / table.columns.len().max(1)).max(1);
                for some in rows.chunks(at_once) {
                    insert(&mut tx, table, some).await?;
                }
                let progress = sqlx::query(AssertSqlSafe(progress));
                let progress = progress.bind(&table.name).bind(number);
                progress.execute(&mut *tx).await?;
                tx.commit().await?;
            }
            Target::Postgres(db) => {
                let mut tx = db.begin().await?;
                if table.name == SEALED_DAYS
                    && let Some(known) = &mut self.months
                {
                    for month in months_of(table, rows) {
                        if known.insert(month) {
                            attach_month(&mut tx, month).await?;
                        }
                    }
                }
                let (name, columns) = (quoted(&table.name), table.column_list());
                let copy = format!("COPY {name} ({columns}) FROM STDIN (FORMAT binary)");
                let mut copy = tx.copy_in_raw(&copy).await?;
                copy.send(binary(table, rows)).await?;
                copy.finish().await?;
                let progress = sqlx::query(AssertSqlSafe(progress));
                let progress = progress.bind(&table.name).bind(number);
                progress.execute(&mut *tx).await?;
                tx.commit().await?;
            }
        }
        self.copied.insert(table.name.clone(), copied);
        Ok(())
    }

    /// The database is complete: servers may start.
    pub(crate) async fn finish(mut self) -> Result<()> {
        if let Target::Sqlite(db) = &mut self.target {
            let wrong = sqlx::query("PRAGMA foreign_key_check").fetch_optional(db);
            if wrong.await?.is_some() {
                return Err(Error::Damaged("rows refer to others that are not there"));
            }
        }
        let mut statements = Vec::new();
        if matches!(self.target, Target::Postgres(_)) {
            for table in &self.tables {
                let columns = table.columns.iter().filter(|column| column.is_numbered);
                statements.extend(columns.map(|column| {
                    let (table, name) = (quoted(&table.name), quoted(&column.name));
                    format!(
                        "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), COALESCE(max({name}), 1), max({name}) IS NOT NULL) FROM {table}",
                        column = column.name
                    )
                }));
            }
        }
        statements.push(format!("DROP TABLE {UNFINISHED}"));
        self.execute(statements).await?;
        match self.target {
            Target::Sqlite(mut db) => {
                // One file without a log beside it.
                for end in [
                    "PRAGMA wal_checkpoint(TRUNCATE)",
                    "PRAGMA journal_mode = DELETE",
                ] {
                    sqlx::query(end).execute(&mut db).await?;
                }
                db.close().await?;
            }
            Target::Postgres(mut db) => {
                // Its planner knows nothing about the new rows yet.
                sqlx::query("ANALYZE").execute(&mut db).await?;
                db.close().await?;
            }
        }
        Ok(())
    }

    /// In one transaction.
    async fn execute(&mut self, statements: Vec<String>) -> Result<()> {
        match &mut self.target {
            Target::Sqlite(db) => {
                let mut tx = db.begin().await?;
                for statement in statements {
                    sqlx::query(AssertSqlSafe(statement))
                        .execute(&mut *tx)
                        .await?;
                }
                tx.commit().await?;
            }
            Target::Postgres(db) => {
                let mut tx = db.begin().await?;
                for statement in statements {
                    sqlx::query(AssertSqlSafe(statement))
                        .execute(&mut *tx)
                        .await?;
                }
                tx.commit().await?;
            }
        }
        Ok(())
    }
}

fn emptied(table: &Table) -> String {
    format!("DELETE FROM {}", quoted(&table.name))
}

/// Marks an empty database as unfinished. Returns whether its tables are there and emptied already. Fails if it is complete, or if
/// something else was being copied into it.
async fn mark(pool: &Pool, source: &str) -> Result<bool> {
    let create = format!(
        "CREATE TABLE IF NOT EXISTS {UNFINISHED} (table_name TEXT NOT NULL PRIMARY KEY, source TEXT NOT NULL, copied BIGINT NOT NULL)"
    );
    let read = format!("SELECT source, copied FROM {UNFINISHED} WHERE table_name = $1");
    let write = format!("INSERT INTO {UNFINISHED} (table_name, source, copied) VALUES ($1, $2, 0)");
    if !pool.has_table(UNFINISHED).await? && pool.has_table("_sqlx_migrations").await? {
        return Err(Error::NotEmpty);
    }
    let (create, read, write) = (
        AssertSqlSafe(create),
        AssertSqlSafe(read),
        AssertSqlSafe(write),
    );
    macro_rules! on_pool {
        ($pool:ident) => {{
            sqlx::query(create).execute($pool).await?;
            let found: Option<(String, i64)> = sqlx::query_as(read)
                .bind(PREPARED)
                .fetch_optional($pool)
                .await?;
            if found.is_none() {
                let write = sqlx::query(write).bind(PREPARED).bind(source);
                write.execute($pool).await?;
            }
            found
        }};
    }
    let found = match pool {
        Pool::Sqlite(pool) => on_pool!(pool),
        Pool::Postgres(pool) => on_pool!(pool),
    };
    match found {
        Some((other, _)) if other != source => Err(Error::OtherSource(other)),
        Some((_, is_prepared)) => Ok(is_prepared != 0),
        None => Ok(false),
    }
}

async fn insert(db: &mut SqliteConnection, table: &Table, rows: &[Vec<Value>]) -> Result<()> {
    let (name, columns) = (quoted(&table.name), table.column_list());
    let start = format!("/* SQLite */ INSERT INTO {name} ({columns}) ");
    let mut query = QueryBuilder::<Sqlite>::new(start);
    query.push_values(rows, |mut row, values| {
        for value in values {
            match value {
                Value::Null => row.push_bind(None::<i64>),
                Value::Integer(number) => row.push_bind(*number),
                Value::Text(text) => row.push_bind(text.as_str()),
                Value::Bytes(bytes) => row.push_bind(bytes.as_slice()),
            };
        }
    });
    query.build().execute(db).await?;
    Ok(())
}

/// Rows in the format of PostgreSQL's binary COPY.
fn binary(table: &Table, rows: &[Vec<Value>]) -> Vec<u8> {
    let mut out = COPY_HEADER.to_vec();
    let columns = u16::try_from(table.columns.len()).unwrap_or(u16::MAX);
    let sized = |out: &mut Vec<u8>, bytes: &[u8]| {
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&size.to_be_bytes());
        out.extend_from_slice(bytes);
    };
    for row in rows {
        out.extend_from_slice(&columns.to_be_bytes());
        for (value, column) in row.iter().zip(&table.columns) {
            match value {
                Value::Null => out.extend_from_slice(&(-1_i32).to_be_bytes()),
                Value::Integer(number) if column.kind == Kind::Boolean => {
                    sized(&mut out, &[u8::from(*number != 0)]);
                }
                Value::Integer(number) => sized(&mut out, &number.to_be_bytes()),
                Value::Text(text) => sized(&mut out, text.as_bytes()),
                Value::Bytes(bytes) => sized(&mut out, bytes),
            }
        }
    }
    out.extend_from_slice(&(-1_i16).to_be_bytes());
    out
}
