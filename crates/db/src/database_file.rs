//! The file of an SQLite database: which server uses it, and whether it holds a portal.
use crate::error::FileError;
use crate::{Error, Result};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use sqlx::{ConnectOptions as _, SqliteConnection};
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::Duration;

/// Another process may be creating the database, which takes some ten milliseconds.
const MAX_SET_UP_POLLS: u32 = 20;
const SET_UP_POLL_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Clone, Debug)]
pub struct DatabaseFile {
    path: PathBuf,
}

/// Held by the only server of a database. The kernel releases it however the process ends.
#[derive(Debug)]
pub struct DatabaseLock(#[allow(dead_code, reason = "open as long as the lock is held")] File);

impl DatabaseFile {
    /// `None` for PostgreSQL.
    pub fn of(url: &str) -> Result<Option<Self>> {
        if !url.starts_with("sqlite:") {
            return Ok(None);
        }
        let options = SqliteConnectOptions::from_str(url)?;
        Ok(Some(Self {
            path: canonical_path(options.get_filename()),
        }))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of an accompanying file: the database's name plus a suffix.
    pub(crate) fn sibling(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(suffix);
        name.into()
    }

    /// Locks the database against a second server. The operator's commands run beside a server and do not take this lock.
    pub fn lock(&self) -> Result<DatabaseLock> {
        let path = self.sibling(".lock");
        let open = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path);
        let mut file = open.map_err(FileError::io(&path))?;
        match file.try_lock() {
            Ok(()) => {
                // For the error message of a second server.
                let note = file
                    .set_len(0)
                    .and_then(|()| writeln!(file, "{}", std::process::id()));
                note.map_err(FileError::io(&path))?;
                Ok(DatabaseLock(file))
            }
            Err(TryLockError::WouldBlock) => {
                let mut process = String::new();
                let _ = file.read_to_string(&mut process);
                let (file, process) = (self.path.clone(), process.trim().to_owned());
                Err(FileError::InUse { file, process }.into())
            }
            Err(TryLockError::Error(cause)) => Err(FileError::io(&path)(cause)),
        }
    }

    /// Whether the file should hold a portal; a missing file is a first start. An empty file is neither: its content was lost, or
    /// another process is creating it.
    pub(crate) async fn check_before_open(&self) -> Result<bool> {
        if self.sibling(".restoring").exists() {
            return Err(FileError::RestoreInterrupted(self.path.clone()).into());
        }
        for _ in 0..MAX_SET_UP_POLLS {
            match std::fs::metadata(&self.path) {
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(cause) => return Err(FileError::io(&self.path)(cause)),
                Ok(found) if found.len() > 0 => return Ok(true),
                Ok(_) => tokio::time::sleep(SET_UP_POLL_INTERVAL).await,
            }
        }
        Err(FileError::Empty(self.path.clone()).into())
    }

    /// Refuses a database without the portal's tables.
    pub(crate) async fn require_portal_tables(&self, pool: &SqlitePool) -> Result<()> {
        const TABLE: &str = "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'";
        for _ in 0..MAX_SET_UP_POLLS {
            let found: i64 = sqlx::query_scalar(TABLE).fetch_one(pool).await?;
            if found > 0 {
                return Ok(());
            }
            tokio::time::sleep(SET_UP_POLL_INTERVAL).await;
        }
        Err(FileError::Empty(self.path.clone()).into())
    }

    /// Adds the file and what to do, where the database only says "malformed".
    pub(crate) fn explain(&self, error: Error) -> Error {
        match error {
            Error::Sqlx(_) | Error::Migrate(_) if error.is_damage() => {
                let (file, cause) = (self.path.clone(), error.to_string());
                FileError::Damaged { file, cause }.into()
            }
            other => other,
        }
    }
}

/// The same result for every spelling of a path, so that two servers find the same lock.
/// Opens the file without ever writing to it, whatever state it is in.
pub(crate) async fn read_only(file: &Path) -> Result<SqliteConnection> {
    // SQLite would only report that it cannot open the file. Only the metadata is read: opening and closing the file would drop
    // SQLite's locks.
    std::fs::metadata(file).map_err(FileError::io(file))?;
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    options
        .connect()
        .await
        .map_err(|error| explain(file, error))
}

pub(crate) fn explain(file: &Path, error: sqlx::Error) -> Error {
    let error = Error::from(error);
    if error.is_damage() {
        let (file, cause) = (file.to_owned(), error.to_string());
        return FileError::Damaged { file, cause }.into();
    }
    error
}

fn canonical_path(path: &Path) -> PathBuf {
    let whole = std::fs::canonicalize(path).ok();
    let in_folder = || {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    whole.or_else(in_folder).unwrap_or_else(|| path.to_owned())
}
