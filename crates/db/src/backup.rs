//! Backup and restore of an SQLite database. PostgreSQL has its own tools for both.
use crate::database_file::FileError;
use crate::{DatabaseFile, Error, Result, migrations};
use domain::clock::Millis;
use domain::site_time::utc_text;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Contents of a database file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseContents {
    pub systems: i64,
    pub accounts: i64,
    /// When the newest sample that is not sealed yet was measured.
    pub newest_sample: Option<Millis>,
    pub bytes: u64,
}

/// Result of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub contents: DatabaseContents,
    /// Where the previous database was moved to, if there was one.
    pub set_aside: Option<PathBuf>,
}

/// Writes a copy of the database into a new file, also while a server uses it. The copy is consistent, synced to disk and
/// verified.
pub async fn backup(database: &DatabaseFile, target: &Path) -> Result<DatabaseContents> {
    // Creates the file first, so that an existing file is never overwritten.
    create_private(target).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists(target.to_owned()).into(),
        _ => FileError::io(target)(cause),
    })?;
    let partial = with_suffix(target, ".partial");
    let done = async {
        let contents = copy(database.path(), &partial).await?;
        rename(&partial, target)?;
        Ok(contents)
    };
    let done = done.await;
    if done.is_err() {
        let _ = std::fs::remove_file(target);
    }
    done
}

/// Replaces the database with a backup while no server uses it. The previous database is kept beside it, together with its
/// write-ahead log: left in place, that log would destroy the restored database.
pub async fn restore(backup: &Path, database: &DatabaseFile, now: Millis) -> Result<Restored> {
    let _lock = database.lock()?;
    let same = std::fs::canonicalize(backup).is_ok_and(|backup| backup == database.path());
    if same {
        return Err(FileError::Same(backup.to_owned()).into());
    }
    let partial = database.sibling(".restoring-partial");
    let mut contents = copy(backup, &partial).await?;
    // No server starts while this file exists, because neither the old nor the new database is complete in between.
    let ready = database.sibling(".restoring");
    rename(&partial, &ready)?;
    let set_aside = set_aside(database, now)?;
    rename(&ready, database.path())?;
    contents = DatabaseContents {
        bytes: contents.bytes,
        ..inspect(database.path()).await?
    };
    Ok(Restored {
        contents,
        set_aside,
    })
}

/// Problems of a database, as lines for people; empty when there are none.
pub async fn check(database: &DatabaseFile) -> Result<Vec<String>> {
    let mut db = read_only(database.path()).await?;
    let mut damage = integrity(&mut db)
        .await
        .map_err(|error| database.explain(error))?;
    if !damage.is_empty() {
        name_tables(&mut db, &mut damage).await?;
        damage.extend(unreadable_systems(&mut db).await?);
    }
    Ok(damage)
}

/// Copies `source`, including its write-ahead log, into one consistent file that is synced to disk.
async fn copy(source: &Path, target: &Path) -> Result<DatabaseContents> {
    remove(target)?;
    create_private(target).map_err(FileError::io(target))?;
    let done = async {
        let mut db = read_only(source).await?;
        let name = target.to_str().ok_or_else(|| {
            FileError::io(target)(io::Error::other("the name is not valid UTF-8"))
        })?;
        let written = sqlx::query("VACUUM INTO $1")
            .bind(name)
            .execute(&mut db)
            .await;
        written.map_err(|error| explain(source, error))?;
        db.close().await?;
        sync(target)?;
        inspect(target).await.map_err(|error| match error {
            // Errors name the source: the user does not know the name of the copy.
            Error::File(FileError::Foreign(_)) => FileError::Foreign(source.to_owned()).into(),
            Error::File(FileError::Newer(_)) => FileError::Newer(source.to_owned()).into(),
            other => other,
        })
    };
    let done = done.await;
    if done.is_err() {
        let _ = std::fs::remove_file(target);
    }
    done
}

/// Before it, every sample was a row.
const FIRST_VERSION_WITH_LOG: i64 = 29;

/// Reads the whole file and checks it.
async fn inspect(file: &Path) -> Result<DatabaseContents> {
    let mut db = read_only(file).await?;
    let damage = integrity(&mut db).await?;
    if let Some(first) = damage.first() {
        let (file, cause) = (file.to_owned(), first.clone());
        return Err(FileError::Damaged { file, cause }.into());
    }
    let version = sqlx::query_scalar::<_, Option<i64>>("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut db)
        .await;
    let version = match version {
        Ok(Some(version)) if version > migrations::latest_version() => {
            return Err(FileError::Newer(file.to_owned()).into());
        }
        Ok(Some(version)) => version,
        Ok(None) | Err(sqlx::Error::Database(_)) => {
            return Err(FileError::Foreign(file.to_owned()).into());
        }
        Err(error) => return Err(error.into()),
    };
    let (systems, accounts) =
        sqlx::query_as("SELECT (SELECT count(*) FROM systems), (SELECT count(*) FROM accounts)")
            .fetch_one(&mut db)
            .await?;
    let newest_sample = match version < FIRST_VERSION_WITH_LOG {
        true => "SELECT max(ts) FROM samples",
        false => {
            "SELECT max(at) FROM (SELECT max(newest) AS at FROM sample_log UNION ALL SELECT max(ends_at) FROM sample_chunks) AS newest"
        }
    };
    let newest_sample = sqlx::query_scalar(newest_sample).fetch_one(&mut db).await?;
    db.close().await?;
    let found = std::fs::metadata(file).map_err(FileError::io(file))?;
    Ok(DatabaseContents {
        systems,
        accounts,
        newest_sample,
        bytes: found.len(),
    })
}

/// Opens the file without ever writing to it, whatever state it is in.
async fn read_only(file: &Path) -> Result<SqliteConnection> {
    // SQLite would only report that it cannot open the file. Only the metadata is read: opening and closing the file would drop
    // SQLite's locks.
    std::fs::metadata(file).map_err(FileError::io(file))?;
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    options
        .connect()
        .await
        .map_err(|error| explain(file, error))
}

fn explain(file: &Path, error: sqlx::Error) -> Error {
    let error = Error::from(error);
    if error.is_damage() {
        let (file, cause) = (file.to_owned(), error.to_string());
        return FileError::Damaged { file, cause }.into();
    }
    error
}

/// Results of SQLite's own integrity check.
async fn integrity(db: &mut SqliteConnection) -> Result<Vec<String>> {
    let lines = sqlx::query_scalar::<_, String>("PRAGMA integrity_check(100)")
        .fetch_all(db)
        .await
        .map_err(Error::from);
    match lines {
        // If SQLite cannot traverse the rows, its own list ends with an error.
        Err(error) if error.is_damage() => Ok(vec![error.to_string()]),
        lines => Ok(lines?.into_iter().filter(|line| line != "ok").collect()),
    }
}

/// Adds table names: SQLite identifies a table only by its root page.
async fn name_tables(db: &mut SqliteConnection, damage: &mut [String]) -> Result<()> {
    let roots: Vec<(i64, String)> =
        sqlx::query_as("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0")
            .fetch_all(db)
            .await?;
    for line in damage {
        let root = line
            .strip_prefix("Tree ")
            .and_then(|rest| rest.split(' ').next());
        let root = root.and_then(|root| root.parse::<i64>().ok());
        if let Some((_, table)) = roots.iter().find(|(page, _)| Some(*page) == root) {
            *line = format!("table {table}: {line}");
        }
    }
    Ok(())
}

/// Systems whose rows cannot be read, table by table.
async fn unreadable_systems(db: &mut SqliteConnection) -> Result<Vec<String>> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT t.name FROM sqlite_schema t WHERE t.type = 'table'
         AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) c WHERE c.name = 'sn') ORDER BY t.name",
    )
    .fetch_all(&mut *db)
    .await?;
    let serials: Vec<String> = sqlx::query_scalar("SELECT sn FROM systems ORDER BY sn")
        .fetch_all(&mut *db)
        .await?;
    let mut found = Vec::new();
    for table in tables {
        for sn in &serials {
            let rows = sqlx::AssertSqlSafe(format!("SELECT * FROM {table} WHERE sn = $1"));
            let read = sqlx::query(rows).bind(sn).fetch_all(&mut *db).await;
            if let Err(error) = read {
                found.push(format!(
                    "table {table}: rows of {sn} cannot be read: {error}"
                ));
            }
        }
    }
    Ok(found)
}

/// Moves the database and its write-ahead log to matching names, so that SQLite can still open them.
fn set_aside(database: &DatabaseFile, now: Millis) -> Result<Option<PathBuf>> {
    let stamp = utc_text(now).replace(':', "");
    let aside = database.sibling(&format!(".before-restore-{stamp}"));
    let mut moved = false;
    for suffix in ["-wal", "-shm", ""] {
        let (from, to) = (database.sibling(suffix), with_suffix(&aside, suffix));
        if from.exists() {
            rename(&from, &to)?;
            moved = true;
        }
    }
    Ok(moved.then_some(aside))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates a new file that only this user may read: it holds personal data.
fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(FileError::io(path)(cause)),
        _ => Ok(()),
    }
}

/// Renames durably: the folder is synced before this returns.
fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(FileError::io(to))?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync(folder.unwrap_or(Path::new(".")))
}

fn sync(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(FileError::io(path))
}
