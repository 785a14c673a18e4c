//! Both database engines behind one SQL text: pools, transactions, the schema, and the macros that SQL is written with.

#[macro_use]
mod macros;

mod age;
mod archive;
pub mod backup;
mod bech32;
mod changes;
mod database_file;
mod error;
mod examination;
mod filling;
mod migrations;
pub mod move_database;
pub mod notify;
mod open;
mod private_file;
pub mod restore;
mod row;
mod sealed_day_months;
mod snapshot;
mod sqlite_file;
mod table;
mod transaction;

pub use age::Recipient;
pub use changes::{ChangeVersion, Changes};
pub use database_file::{DatabaseFile, DatabaseLock};
pub use db_macros::FromRow;
pub use error::{Error, FileError, Result};
pub use examination::check;
pub use migrations::Schema;
pub use open::DEFAULT_CONNECTIONS;
pub use row::TableSum;
pub use sealed_day_months::attach_month;
pub use snapshot::DatabaseContents;
#[doc(hidden)]
pub use tracing::Instrument;
pub use transaction::{Tx, WritePermit};

use domain::Serial;
use sqlx::{PgPool, SqlitePool};
use std::sync::Arc;
use transaction::WriteQueue;

/// The span of one statement; see [`in_span!`].
#[doc(hidden)]
pub fn statement_span(module: &'static str, line: u32) -> tracing::Span {
    tracing::debug_span!(target: "db", "statement", module, line)
}

/// An open database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    pool: Pool,
    /// The database file; `None` for PostgreSQL.
    file: Option<Arc<DatabaseFile>>,
    changes: Changes,
    /// Only SQLite needs it, where one transaction writes at a time.
    write_queue: WriteQueue,
}

#[derive(Clone, Debug)]
pub enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

const _: () = assert!(domain::shard::SHARDS == 32, "as in `in_shards!`");

/// Serial numbers as a parameter for SQLite.
pub fn json_list(systems: &[Serial]) -> String {
    let names: Vec<String> = systems.iter().map(|sn| format!("\"{sn}\"")).collect();
    format!("[{}]", names.join(","))
}

/// Serial numbers as a parameter for PostgreSQL.
pub fn text_list(systems: &[Serial]) -> Vec<String> {
    systems.iter().map(Serial::to_string).collect()
}

impl Pool {
    pub async fn has_table(&self, name: &str) -> Result<bool> {
        Ok(match self {
            Self::Sqlite(pool) => {
                let sql = "/* SQLite */ SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1)";
                sqlx::query_scalar(sql).bind(name).fetch_one(pool).await?
            }
            Self::Postgres(pool) => {
                let sql = "SELECT to_regclass($1) IS NOT NULL";
                sqlx::query_scalar(sql).bind(name).fetch_one(pool).await?
            }
        })
    }
}

impl Db {
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Whether other processes may share this database.
    pub fn is_shared(&self) -> bool {
        matches!(self.pool, Pool::Postgres(_))
    }

    pub async fn begin(&self) -> Result<Tx> {
        match &self.pool {
            Pool::Sqlite(pool) => {
                let permit = self.write_queue.permit().await?;
                Tx::begin_sqlite(pool, permit, self.changes.clone()).await
            }
            Pool::Postgres(pool) => Ok(Tx::Postgres(pool.begin().await?)),
        }
    }

    /// To be held while one statement writes outside of a transaction. PostgreSQL needs no queue.
    pub async fn write_permit(&self) -> sqlx::Result<Option<WritePermit>> {
        match &self.pool {
            Pool::Sqlite(_) => self.write_queue.permit().await.map(Some),
            Pool::Postgres(_) => Ok(None),
        }
    }

    /// Adds the file and what to do, where the database only says that it is damaged.
    pub fn explain(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => file.explain(error),
            None => error,
        }
    }

    /// Skips and reports damaged rows of one system, so that all other systems are still served.
    pub fn tolerate<T>(&self, read: Result<T>, table: &str, sn: &Serial) -> Result<Option<T>> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_damage() => {
                self.report_damage(&error, table, sn);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Logs for the operator whose rows are damaged, where, and what to do.
    pub fn report_damage(&self, error: &Error, table: &str, sn: &Serial) {
        let file = self.file.as_ref().map(|file| file.path().display());
        let file = file.map_or_else(|| "PostgreSQL".to_owned(), |file| file.to_string());
        tracing::error!(
            %sn, table, file, %error,
            "system_rows_damaged: they are left out; `suncellar check` says what is damaged, `suncellar restore FILE` puts a backup back"
        );
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        match &self.pool {
            Pool::Sqlite(pool) => sqlx::query("SELECT 1").execute(pool).await.map(drop),
            Pool::Postgres(pool) => sqlx::query("SELECT 1").execute(pool).await.map(drop),
        }?;
        Ok(())
    }

    /// The most connections that this process may open.
    pub fn max_connections(&self) -> u32 {
        match &self.pool {
            Pool::Sqlite(pool) => pool.options().get_max_connections(),
            Pool::Postgres(pool) => pool.options().get_max_connections(),
        }
    }

    /// The number of open database connections, and how many of them are idle.
    pub fn connections(&self) -> (u32, usize) {
        match &self.pool {
            Pool::Sqlite(pool) => (pool.size(), pool.num_idle()),
            Pool::Postgres(pool) => (pool.size(), pool.num_idle()),
        }
    }

    /// Whether a commit is on disk when it returns.
    pub async fn is_durable(&self) -> Result<bool> {
        Ok(match &self.pool {
            Pool::Sqlite(pool) => {
                let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous")
                    .fetch_one(pool)
                    .await?;
                synchronous >= 2
            }
            Pool::Postgres(pool) => {
                let commit: String = sqlx::query_scalar("SHOW synchronous_commit")
                    .fetch_one(pool)
                    .await?;
                commit == "on"
            }
        })
    }

    pub async fn close(&self) {
        match &self.pool {
            Pool::Sqlite(pool) => pool.close().await,
            Pool::Postgres(pool) => pool.close().await,
        }
    }
}
