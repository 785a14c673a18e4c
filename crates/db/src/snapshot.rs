//! Reads all tables of a database at one moment, while others go on writing.
use crate::database_file::{explain, read_only};
use crate::row::{TableSum, Value, encode};
use crate::table::{self, Column, Kind, Table, quoted};
use crate::{DatabaseFile, Error, Result};
use domain::clock::Millis;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};
use std::path::PathBuf;
use std::str::FromStr as _;

/// How long to wait for others who change the schema or write: then the command fails, and can be run again.
const LOCK_TIMEOUT: &str = "10s";

/// Before it, every sample was a row.
const FIRST_VERSION_WITH_LOG: i64 = 29;

/// A few figures by which people recognise a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseContents {
    pub systems: i64,
    pub accounts: i64,
    /// When the newest sample that is not sealed yet was measured.
    pub newest_sample: Option<Millis>,
}

/// A connection in a transaction that sees one moment.
pub(crate) enum Snapshot {
    Sqlite(SqliteConnection, PathBuf),
    Postgres(PgConnection),
}

/// What others may do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    MayWrite,
    /// On PostgreSQL, where several processes may use the database, their writes wait. An SQLite database is locked beforehand.
    MustWait,
}

impl Snapshot {
    pub(crate) async fn open(url: &str, others: Others) -> Result<Self> {
        if let Some(file) = DatabaseFile::of(url)? {
            return Self::of_file(file.path().to_owned()).await;
        }
        let mut db = connect_postgres(url).await?;
        // Found before the transaction: its first query fixes the moment, which must come after the locks. With them no month
        // can be dropped until the end.
        let tables = table::of_postgres(&mut db).await?;
        let names: Vec<String> = tables.iter().map(|table| quoted(&table.name)).collect();
        let mut begin = vec!["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned()];
        if !names.is_empty() {
            let mode = match others {
                Others::MayWrite => "ACCESS SHARE",
                // READ ONLY allows no stronger lock than ROW EXCLUSIVE.
                Others::MustWait => {
                    begin = vec!["BEGIN ISOLATION LEVEL REPEATABLE READ".to_owned()];
                    "SHARE"
                }
            };
            begin.push(format!("LOCK TABLE {} IN {mode} MODE", names.join(", ")));
        }
        for statement in begin {
            sqlx::query(AssertSqlSafe(statement))
                .execute(&mut db)
                .await?;
        }
        Ok(Self::Postgres(db))
    }

    /// An SQLite file under whatever name.
    pub(crate) async fn of_file(file: PathBuf) -> Result<Self> {
        let mut db = read_only(&file).await?;
        sqlx::query("BEGIN").execute(&mut db).await?;
        Ok(Self::Sqlite(db, file))
    }

    pub(crate) fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(..) => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// Whether the portal's tables are there at all.
    pub(crate) async fn schema_version(&mut self) -> Result<Option<i64>> {
        const VERSION: &str = "SELECT max(version) FROM _sqlx_migrations";
        let found = match self {
            Self::Sqlite(db, file) => {
                let found = sqlx::query_scalar(
                    "/* SQLite */ SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')",
                );
                let found: bool = found
                    .fetch_one(&mut *db)
                    .await
                    .map_err(|error| explain(file, error))?;
                match found {
                    true => sqlx::query_scalar(VERSION).fetch_one(db).await?,
                    false => None,
                }
            }
            Self::Postgres(db) => {
                let found =
                    sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL");
                match found.fetch_one(&mut *db).await? {
                    true => sqlx::query_scalar(VERSION).fetch_one(db).await?,
                    false => None,
                }
            }
        };
        Ok(found)
    }

    pub(crate) async fn tables(&mut self) -> Result<Vec<Table>> {
        match self {
            Self::Sqlite(db, _) => table::of_sqlite(db).await,
            Self::Postgres(db) => table::of_postgres(db).await,
        }
    }

    /// A few figures by which people recognise a database.
    pub(crate) async fn contents(&mut self, version: i64) -> Result<DatabaseContents> {
        const COUNTS: &str =
            "SELECT (SELECT count(*) FROM systems), (SELECT count(*) FROM accounts)";
        let newest = match version < FIRST_VERSION_WITH_LOG {
            true => "SELECT max(ts) FROM samples",
            false => {
                "SELECT max(at) FROM (SELECT max(newest) AS at FROM sample_log UNION ALL SELECT max(ends_at) FROM sample_chunks) AS newest"
            }
        };
        let ((systems, accounts), newest_sample) = match self {
            Self::Sqlite(db, _) => (
                sqlx::query_as(COUNTS).fetch_one(&mut *db).await?,
                sqlx::query_scalar(newest).fetch_one(db).await?,
            ),
            Self::Postgres(db) => (
                sqlx::query_as(COUNTS).fetch_one(&mut *db).await?,
                sqlx::query_scalar(newest).fetch_one(db).await?,
            ),
        };
        Ok(DatabaseContents {
            systems,
            accounts,
            newest_sample,
        })
    }

    pub(crate) async fn count(&mut self, table: &Table) -> Result<u64> {
        let sql = AssertSqlSafe(format!("SELECT count(*) FROM {}", quoted(&table.name)));
        let count: i64 = match self {
            Self::Sqlite(db, _) => sqlx::query_scalar(sql).fetch_one(db).await?,
            Self::Postgres(db) => sqlx::query_scalar(sql).fetch_one(db).await?,
        };
        Ok(count.unsigned_abs())
    }

    /// All rows of a table, as they are stored.
    pub(crate) fn rows<'a>(&'a mut self, table: &'a Table) -> BoxStream<'a, Result<Vec<Value>>> {
        self.read(table, String::new())
    }

    /// The rows after the first ones, always in the same order as long as nobody writes.
    pub(crate) fn rows_after<'a>(
        &'a mut self,
        table: &'a Table,
        skip: u64,
    ) -> BoxStream<'a, Result<Vec<Value>>> {
        let end = match self {
            Self::Sqlite(..) => format!(" LIMIT -1 OFFSET {skip}"),
            Self::Postgres(_) => {
                let key = match table.key.is_empty() {
                    true => table.column_names(),
                    false => table.key.clone(),
                };
                let key: Vec<String> = key.iter().map(|column| quoted(column)).collect();
                format!(" ORDER BY {} OFFSET {skip}", key.join(", "))
            }
        };
        self.read(table, end)
    }

    fn read<'a>(&'a mut self, table: &'a Table, end: String) -> BoxStream<'a, Result<Vec<Value>>> {
        let (columns, name) = (table.column_list(), quoted(&table.name));
        let kinds: Vec<&Column> = table.columns.iter().collect();
        match self {
            Self::Sqlite(db, file) => {
                // From the table itself: an index may be intact where it is damaged.
                let sql = format!("/* SQLite */ SELECT {columns} FROM {name} NOT INDEXED{end}");
                let rows = sqlx::query(AssertSqlSafe(sql)).fetch(db);
                let rows = rows.map_err(|error| explain(file, error));
                rows.map(move |row| from_sqlite(&row?, &kinds)).boxed()
            }
            Self::Postgres(db) => {
                let sql = format!("SELECT {columns} FROM {name}{end}");
                let rows = sqlx::query(AssertSqlSafe(sql)).fetch(db);
                let rows = rows.map_err(Error::from);
                rows.map(move |row| from_postgres(&row?, &kinds)).boxed()
            }
        }
    }

    /// Reads a whole table.
    pub(crate) async fn sum(&mut self, table: &Table) -> Result<TableSum> {
        let mut sum = TableSum::default();
        let mut bytes = Vec::new();
        let mut rows = self.rows(table);
        while let Some(row) = rows.try_next().await? {
            encode(&row, &mut bytes);
            sum.add(&bytes);
        }
        Ok(sum)
    }

    pub(crate) async fn close(self) -> Result<()> {
        match self {
            Self::Sqlite(db, _) => db.close().await?,
            Self::Postgres(db) => db.close().await?,
        }
        Ok(())
    }
}

/// A connection outside of a pool.
pub(crate) async fn connect_postgres(url: &str) -> Result<PgConnection> {
    let options = PgConnectOptions::from_str(url)?.options([
        ("synchronous_commit", "on".to_owned()),
        ("lock_timeout", LOCK_TIMEOUT.to_owned()),
        // Reading in the order of the table, from its beginning.
        ("synchronize_seqscans", "off".to_owned()),
    ]);
    Ok(PgConnection::connect_with(&options).await?)
}

fn from_sqlite(row: &SqliteRow, columns: &[&Column]) -> Result<Vec<Value>> {
    let value = |(index, column): (usize, &&Column)| {
        Ok(match column.kind {
            Kind::Integer | Kind::Boolean => or_null(row.try_get(index)?, Value::Integer),
            Kind::Text => or_null(row.try_get(index)?, Value::Text),
            Kind::Bytes => or_null(row.try_get(index)?, Value::Bytes),
        })
    };
    columns.iter().enumerate().map(value).collect()
}

fn from_postgres(row: &PgRow, columns: &[&Column]) -> Result<Vec<Value>> {
    let value = |(index, column): (usize, &&Column)| {
        Ok(match column.kind {
            Kind::Integer => or_null(row.try_get(index)?, Value::Integer),
            Kind::Boolean => or_null(row.try_get(index)?, |yes: bool| Value::Integer(yes.into())),
            Kind::Text => or_null(row.try_get(index)?, Value::Text),
            Kind::Bytes => or_null(row.try_get(index)?, Value::Bytes),
        })
    };
    columns.iter().enumerate().map(value).collect()
}

fn or_null<T>(value: Option<T>, make: impl FnOnce(T) -> Value) -> Value {
    value.map_or(Value::Null, make)
}
