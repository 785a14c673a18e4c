//! Opens a database: which engine, and how durable.
use crate::transaction::{WAIT_TIMEOUT, WriteQueue};
use crate::{Changes, DatabaseFile, Db, Error, Pool, Result, migrations};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, PgPool, SqlitePool};
use std::str::FromStr as _;
use std::sync::Arc;

/// The level at which each wait for a connection is logged; the waits are counted from there. A name, because the type is of a crate
/// that we do not use otherwise.
const WAIT_LEVEL: &str = "debug";

/// How PostgreSQL names the connections of servers and the operator's commands.
pub(crate) const APPLICATION: &str = "suncellar";

/// Connections to PostgreSQL unless the operator says otherwise. One more, outside of the pool, listens for notifications.
pub const DEFAULT_CONNECTIONS: u32 = 10;
const SQLITE_CONNECTIONS: u32 = 4;

impl Db {
    /// Opens `sqlite:PATH` or `postgres://…`. Writes nothing: [`Db::migrate`] brings the schema up to date.
    pub async fn open(url: &str) -> Result<Self> {
        Self::open_with_connections(url, DEFAULT_CONNECTIONS).await
    }

    /// The same with so many connections at most; SQLite has a number of its own.
    pub async fn open_with_connections(url: &str, connections: u32) -> Result<Self> {
        let (pool, file) = match url.split(':').next() {
            Some("sqlite") => open_sqlite_file(url).await?,
            Some("postgres" | "postgresql") => {
                let pool = open_postgres(url, connections).await?;
                (Pool::Postgres(pool), None)
            }
            _ => return Err(Error::UnknownEngine),
        };
        Ok(Self {
            pool,
            file,
            changes: Changes::default(),
            write_queue: WriteQueue::default(),
        })
    }

    /// Brings the schema to the version of this program.
    pub async fn migrate(&self) -> Result<()> {
        migrations::run(&self.pool).await
    }

    /// Brings an empty database to the schema of an earlier release, for tests of what comes after it.
    pub async fn migrate_to(&self, version: i64) -> Result<()> {
        migrations::run_to(&self.pool, version).await
    }

    /// Fails if this program cannot work with the schema. An empty database gets one.
    pub async fn require_schema(&self) -> Result<()> {
        migrations::require(&self.pool).await
    }
}

async fn open_postgres(url: &str, connections: u32) -> Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?.application_name(APPLICATION);
    let options = options.options([
        // An acknowledged commit must be durable, whatever the server's default is.
        ("synchronous_commit", "on".to_owned()),
        // By default a statement waits for a lock for ever.
        ("lock_timeout", format!("{}ms", WAIT_TIMEOUT.as_millis())),
    ]);
    Ok(PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(WAIT_TIMEOUT)
        .acquire_time_level(WAIT_LEVEL.parse().expect("it is a level"))
        .connect_with(options)
        .await?)
}

/// An existing file must already hold a portal; only a missing file is a first start.
async fn open_sqlite_file(url: &str) -> Result<(Pool, Option<Arc<DatabaseFile>>)> {
    let file = DatabaseFile::of(url)?.ok_or(Error::UnknownEngine)?;
    let existed = file.check_before_open().await?;
    let open = async {
        let pool = open_sqlite(url).await?;
        if existed {
            file.require_portal_tables(&pool).await?;
        }
        Ok(Pool::Sqlite(pool))
    };
    let pool = open.await.map_err(|error| file.explain(error))?;
    Ok((pool, Some(Arc::new(file))))
}

async fn open_sqlite(url: &str) -> Result<SqlitePool> {
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        // Small pages cost less: samples of thousands of systems touch one page each, and a sealed day leaves half a page empty.
        .page_size(1024)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL can lose an acknowledged commit on power failure.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(WAIT_TIMEOUT);
    Ok(SqlitePoolOptions::new()
        .max_connections(SQLITE_CONNECTIONS)
        .acquire_timeout(WAIT_TIMEOUT)
        .acquire_time_level(WAIT_LEVEL.parse().expect("it is a level"))
        // A failed commit on a full disk ends the transaction without the driver noticing. Such a connection is not used again,
        // because it could not begin another transaction.
        .before_acquire(|connection, _| Box::pin(async { Ok(!connection.is_in_transaction()) }))
        // A file does not disconnect, and a test query would double the cost of a small query.
        .test_before_acquire(false)
        .connect_with(options)
        .await?)
}
