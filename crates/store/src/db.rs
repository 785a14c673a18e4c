//! Both engines behind one SQL text: pools, transactions and the four macros that every noun uses.
use crate::database_file::{DatabaseFile, FileError};
use crate::entered::Entered;
use crate::firmware::Running;
use crate::keyring::Keyring;
use crate::secret::Secret;
use crate::unit::KnownUnits;
use domain::clock::Millis;
use domain::{Random, Serial};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, PgPool, Postgres, Sqlite, SqlitePool, Transaction};
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

/// The database together with the keys that protect what it holds.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) db: Db,
    /// Where the database is; `None` for PostgreSQL.
    file: Option<Arc<DatabaseFile>>,
    pub(crate) keyring: Keyring,
    pub(crate) entered: Entered,
    pub(crate) running: Running,
    pub(crate) units: KnownUnits,
}

#[derive(Clone, Debug)]
pub(crate) enum Db {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// A transaction, and who has to be forgotten when it is committed.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>, Entered),
    Postgres(Transaction<'static, Postgres>),
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A unique column already holds this value, named `table.column`; of several, the last one.
    #[error("{0} is already taken")]
    Taken(String),
    /// Somebody else changed the same rows first; nothing was written.
    #[error("changed by somebody else at the same time")]
    Conflict,
    #[error("no system has the serial number {0}")]
    UnknownSerial(Serial),
    #[error("the database address must begin with sqlite: or postgres:")]
    UnknownEngine,
    #[error("this is not the secret of this database; nothing was written")]
    WrongSecret,
    #[error("stored text is damaged: {0}")]
    Damaged(&'static str),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Sqlx(sqlx::Error),
    #[error(transparent)]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error() {
            Some(cause) if cause.is_unique_violation() => Self::Taken(unique_column(cause)),
            _ => Self::Sqlx(error),
        }
    }
}

impl Error {
    /// Whether what is stored cannot be read or written any more, rather than the database being busy, full or away.
    pub fn is_damage(&self) -> bool {
        use sqlx::Error as Cause;
        use sqlx::migrate::MigrateError;
        match self {
            Self::Damaged(_) | Self::File(FileError::Damaged { .. }) => true,
            Self::Sqlx(cause)
            | Self::Migrate(
                MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _),
            ) => match cause {
                Cause::ColumnDecode { .. } | Cause::Decode(_) => true,
                Cause::Database(cause) => is_damage_code(&cause.code().unwrap_or_default()),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the database refused these rows for good, rather than being busy, full or away.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Taken(_) | Self::UnknownSerial(_) => true,
            Self::Sqlx(sqlx::Error::Database(cause)) => {
                let code = cause.code().unwrap_or_default();
                match code.len() {
                    // SQLSTATE: wrong data, broken constraints.
                    5 => code.starts_with("22") || code.starts_with("23"),
                    // SQLite, in the lowest byte: too big, constraint, mismatch.
                    _ => matches!(code.parse::<u32>().map_or(0, |code| code & 0xff), 18..=20),
                }
            }
            _ => false,
        }
    }
}

fn is_damage_code(code: &str) -> bool {
    match code.len() {
        // SQLSTATE: data or an index corrupted.
        5 => matches!(code, "XX001" | "XX002"),
        _ => {
            let code = code.parse::<u32>().unwrap_or(0);
            // SQLite: corrupt, not a database; a page that cannot be read, or only a part of it.
            matches!(code & 0xff, 11 | 26) || matches!(code, 266 | 522)
        }
    }
}

/// PostgreSQL names the constraint (`accounts_email_key`), SQLite only the columns in its message.
fn unique_column(cause: &dyn sqlx::error::DatabaseError) -> String {
    match (cause.table(), cause.constraint()) {
        (Some(table), Some(name)) => {
            let column = name
                .strip_prefix(table)
                .unwrap_or(name)
                .trim_start_matches('_');
            format!("{table}.{}", column.trim_end_matches("_key"))
        }
        _ => cause
            .message()
            .rsplit([':', ','])
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned(),
    }
}

/// Runs one expression against whichever pool is open; the compiler checks it against both drivers.
macro_rules! on {
    ($store:expr, $pool:ident => $body:expr) => {
        match &$store.db {
            $crate::db::Db::Sqlite($pool) => $body,
            $crate::db::Db::Postgres($pool) => $body,
        }
    };
}

/// Like [`on!`], inside a transaction that [`Store::begin`] opened.
macro_rules! within {
    ($tx:expr, $connection:ident => $body:expr) => {
        match $tx {
            $crate::db::Tx::Sqlite(tx, _) => {
                let $connection = &mut **tx;
                $body
            }
            $crate::db::Tx::Postgres(tx) => {
                let $connection = &mut **tx;
                $body
            }
        }
    };
}

/// Executes a statement inside a transaction (or on the pool, with `on`) and tells how many rows it changed.
macro_rules! execute {
    (on $store:expr, $query:expr) => {{
        let done = on!($store, p => $query.execute(p).await.map(|done| done.rows_affected()));
        $store.entered.forget();
        done
    }};
    ($tx:expr, $query:expr) => {
        within!($tx, c => $query.execute(c).await.map(|done| done.rows_affected()))
    };
}

/// The first row that one of several candidates finds: a hash may be of any version of the key.
macro_rules! find_first {
    ($candidates:expr, $candidate:ident => $find:expr) => {{
        let mut found = None;
        for $candidate in $candidates {
            found = $find;
            if found.is_some() {
                break;
            }
        }
        found
    }};
}

/// `FromRow` for both drivers; the field names are the column names.
macro_rules! row {
    ($t:ty { $($f:ident),* $(,)? }) => {
        row!(@ sqlx::sqlite::SqliteRow, $t { $($f),* });
        row!(@ sqlx::postgres::PgRow, $t { $($f),* });
    };
    (@ $row:ty, $t:ty { $($f:ident),* }) => {
        impl sqlx::FromRow<'_, $row> for $t {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self { $($f: row.try_get(stringify!($f))?),* })
            }
        }
    };
}

impl Store {
    /// Opens `sqlite:PATH` or `postgres://…`, if this is its secret, and brings the schema up to date.
    pub async fn open(url: &str, secret: &Secret, random: &Random, now: Millis) -> Result<Self> {
        let (db, file) = match url.split(':').next() {
            Some("sqlite") => open_sqlite_file(url).await?,
            Some("postgres" | "postgresql") => (Db::Postgres(open_postgres(url).await?), None),
            _ => return Err(Error::UnknownEngine),
        };
        let store = Self {
            db,
            file,
            keyring: Keyring::new(secret.clone()),
            entered: Entered::default(),
            running: Running::default(),
            units: KnownUnits::default(),
        };
        let ready = async {
            store.check_secret().await?;
            crate::migrations::run(&store.db).await?;
            store.open_keys(random, now).await
        };
        ready.await.map_err(|error| store.explain(error))?;
        Ok(store)
    }

    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// Names the file and what to do, where the database says only that it is damaged.
    pub fn explain(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => file.explain(error),
            None => error,
        }
    }

    /// Rows of one system that are damaged are left out and reported; they must not keep the others from being served.
    pub(crate) fn tolerate<T>(
        &self,
        read: Result<T>,
        table: &str,
        sn: &Serial,
    ) -> Result<Option<T>> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_damage() => {
                self.report_damage(&error, table, sn);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Tells the operator whose rows are damaged, where, and what to do.
    pub fn report_damage(&self, error: &Error, table: &str, sn: &Serial) {
        let file = self.file.as_ref().map(|file| file.path().display());
        let file = file.map_or_else(|| "PostgreSQL".to_owned(), |file| file.to_string());
        tracing::error!(
            %sn, table, file, %error,
            "rows of a system are damaged and left out: `suncellar check` says what is damaged, `suncellar restore FILE` puts a backup back"
        );
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        on!(self, p => sqlx::query("SELECT 1").execute(p).await.map(drop))?;
        Ok(())
    }

    /// How many connections to the database are open, and how many of them nobody uses now.
    pub fn connections(&self) -> (u32, usize) {
        on!(self, p => (p.size(), p.num_idle()))
    }

    /// Whether a commit is on the disk when it returns.
    pub async fn is_durable(&self) -> Result<bool> {
        Ok(match &self.db {
            Db::Sqlite(pool) => {
                let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous")
                    .fetch_one(pool)
                    .await?;
                synchronous >= 2
            }
            Db::Postgres(pool) => {
                let commit: String = sqlx::query_scalar("SHOW synchronous_commit")
                    .fetch_one(pool)
                    .await?;
                commit == "on"
            }
        })
    }

    pub async fn close(&self) {
        on!(self, p => p.close().await);
    }

    pub(crate) async fn begin(&self) -> Result<Tx> {
        Ok(match &self.db {
            // A deferred transaction that reads first and writes later fails with SQLITE_BUSY instead of waiting.
            Db::Sqlite(pool) => {
                let tx = pool.begin_with("BEGIN IMMEDIATE").await?;
                Tx::Sqlite(tx, self.entered.clone())
            }
            Db::Postgres(pool) => Tx::Postgres(pool.begin().await?),
        })
    }
}

impl Tx {
    pub(crate) async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(tx, entered) => {
                let done = tx.commit().await;
                // Of a commit that failed nobody knows for sure that nothing was written.
                entered.forget();
                done?;
            }
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }

    /// For what changes nobody's rights; these systems said something new of themselves.
    pub(crate) async fn commit_reports(
        self,
        described: impl Iterator<Item = &Serial>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(tx, entered) => {
                let done = tx.commit().await;
                entered.describe(described);
                done?;
            }
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}

async fn open_postgres(url: &str) -> Result<PgPool> {
    // An answer means that it is durable, whatever the server is set to for others.
    let options = PgConnectOptions::from_str(url)?.options([("synchronous_commit", "on")]);
    Ok(PgPoolOptions::new()
        // Who asks while the database is away should hear so, before the request is given up.
        .acquire_timeout(Duration::from_secs(10))
        .connect_with(options)
        .await?)
}

/// An existing file has to hold a portal already; only a missing one is a first start.
async fn open_sqlite_file(url: &str) -> Result<(Db, Option<Arc<DatabaseFile>>)> {
    let file = DatabaseFile::of(url)?.ok_or(Error::UnknownEngine)?;
    let existed = file.before_open().await?;
    let open = async {
        let pool = open_sqlite(url).await?;
        if existed {
            file.holds_a_portal(&pool).await?;
        }
        Ok(Db::Sqlite(pool))
    };
    let db = open.await.map_err(|error| file.explain(error))?;
    Ok((db, Some(Arc::new(file))))
}

async fn open_sqlite(url: &str) -> Result<SqlitePool> {
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        // Samples of thousands of systems touch a page each, and a sealed day leaves half a page empty: small ones cost less.
        .page_size(1024)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL can lose a commit that was acknowledged when the power goes.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10));
    Ok(SqlitePoolOptions::new()
        .max_connections(4)
        // A commit on a full disk ends the transaction without the driver noticing: such a connection never begins
        // another one.
        .before_acquire(|connection, _| Box::pin(async { Ok(!connection.is_in_transaction()) }))
        // A file does not go away: asking it first would double the cost of a small query.
        .test_before_acquire(false)
        .connect_with(options)
        .await?)
}
