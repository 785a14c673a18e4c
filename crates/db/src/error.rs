//! What can go wrong with a database, and which of it is permanent.
use domain::Serial;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A unique column already holds this value, named `table.column`. For an index on several columns, the last one.
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
    #[error(
        "the database's schema has step {schema}, and this version of Suncellar needs step {program}: run `suncellar migrate`"
    )]
    SchemaTooOld { schema: i64, program: i64 },
    #[error(
        "the database's schema has step {schema}, and this version of Suncellar knows only step {program}: use a newer one"
    )]
    SchemaTooNew { schema: i64, program: i64 },
    #[error(
        "this database is not complete: `suncellar restore` or `suncellar move` is filling it, or was interrupted; run that command again"
    )]
    Unfinished,
    #[error("there is no portal in this database")]
    NoPortal,
    #[error(
        "there is a portal in this database already: restore into a new, empty one, and move into one"
    )]
    NotEmpty,
    #[error(
        "this database is half filled from {0}: run that command again, or begin with a new, empty one"
    )]
    OtherSource(String),
    #[error(
        "the table {0} is none of Suncellar's: keep it in another schema than the portal's tables"
    )]
    ForeignTable(String),
    #[error(
        "the rows of {0} are not the same after copying: if somebody wrote into the source meanwhile, stop them, delete what was copied and begin again"
    )]
    Differs(String),
    #[error("{0} other connections of Suncellar use the database: stop all processes first")]
    InUse(i64),
    #[error("stored text is damaged: {0}")]
    Damaged(&'static str),
    /// The store of old months does not answer, or is not configured.
    #[error("the sample store cannot be used: {0}")]
    SampleStore(String),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Sqlx(sqlx::Error),
    #[error(transparent)]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reasons why a database file cannot be used. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(
        "a server uses {file} already (process {process}): stop it first, or give this one a --data-dir of its own"
    )]
    InUse { file: PathBuf, process: String },
    #[error(
        "{0} is there, but no portal is in it: put a backup back with `suncellar restore FILE`; only if this is a first start that was interrupted, delete the file"
    )]
    Empty(PathBuf),
    #[error(
        "a restore of {0} was interrupted: run `suncellar restore FILE` again; what was there before is kept beside it, as {0}.before-restore-…"
    )]
    RestoreInterrupted(PathBuf),
    #[error(
        "{file} is damaged ({cause}): `suncellar check` says what is, `suncellar restore FILE` puts a backup back"
    )]
    Damaged { file: PathBuf, cause: String },
    #[error("{0} is neither a backup nor a database of Suncellar")]
    Foreign(PathBuf),
    #[error("{0} is of a newer version of Suncellar than this one")]
    Newer(PathBuf),
    #[error("{file} is damaged or incomplete ({cause}): take another backup")]
    DamagedBackup { file: PathBuf, cause: String },
    #[error(
        "{0} is encrypted: decrypt it on the way with `age --decrypt --identity KEYFILE {0} | suncellar restore -`"
    )]
    Encrypted(PathBuf),
    #[error(
        "{0} is an SQLite database: restore it with --database sqlite:FILE, then take it to PostgreSQL by `suncellar move`"
    )]
    OnlySqlite(PathBuf),
    #[error(
        "{0} must have recipients that begin with age1, one in each line: `age-keygen` makes a key and prints its recipient"
    )]
    NoRecipient(PathBuf),
    #[error("{0} is a file: name the folder for backups")]
    NotAFolder(PathBuf),
    #[error("{0} is there already: nothing is moved over a database")]
    Exists(PathBuf),
    #[error("{0} is the database itself")]
    Same(PathBuf),
    #[error("{file}: {cause}")]
    Io { file: PathBuf, cause: io::Error },
}

impl FileError {
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Error {
        let file = file.to_owned();
        |cause| Error::File(Self::Io { file, cause })
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error() {
            Some(cause) if cause.is_unique_violation() => Self::Taken(unique_column(cause)),
            _ => Self::Sqlx(error),
        }
    }
}

impl Error {
    /// Whether stored data is damaged, as opposed to the database being busy, full or unreachable.
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

    /// Whether the database rejected these rows permanently, as opposed to being busy, full or unreachable.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Taken(_) | Self::UnknownSerial(_) => true,
            Self::Sqlx(sqlx::Error::Database(cause)) => {
                let code = cause.code().unwrap_or_default();
                match code.len() {
                    // SQLSTATE classes 22 and 23: invalid data, violated constraints.
                    5 => code.starts_with("22") || code.starts_with("23"),
                    // SQLite primary result codes, in the lowest byte: TOOBIG, CONSTRAINT, MISMATCH.
                    _ => matches!(code.parse::<u32>().map_or(0, |code| code & 0xff), 18..=20),
                }
            }
            _ => false,
        }
    }

    /// Whether somebody else did something with the same rows at the same moment: nothing was written, and whoever looks again sees
    /// why. PostgreSQL ends one of two transactions that wait for each other; what this one refers to, or was about to read again,
    /// may be gone; what it inserts may be there.
    pub fn is_race(&self) -> bool {
        match self {
            Self::Conflict | Self::Taken(_) | Self::Sqlx(sqlx::Error::RowNotFound) => true,
            Self::Sqlx(sqlx::Error::Database(cause)) => {
                let code = cause.code().unwrap_or_default();
                // SQLSTATE: serialization_failure, deadlock_detected.
                cause.is_foreign_key_violation() || matches!(&*code, "40001" | "40P01")
            }
            _ => false,
        }
    }
}

fn is_damage_code(code: &str) -> bool {
    match code.len() {
        // SQLSTATE: corrupted data or index.
        5 => matches!(code, "XX001" | "XX002"),
        _ => {
            let code = code.parse::<u32>().unwrap_or(0);
            // SQLite: CORRUPT, NOTADB; a page that cannot be read, or only partly.
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
