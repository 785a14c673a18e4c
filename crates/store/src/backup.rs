//! A backup of an SQLite database and its way back. PostgreSQL has tools of its own for both.
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

/// What a database file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    pub systems: i64,
    pub accounts: i64,
    /// When the newest sample was measured that is not sealed yet.
    pub newest_sample: Option<Millis>,
    pub bytes: u64,
}

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub contents: Contents,
    /// Where the database is that was there before, if there was one.
    pub set_aside: Option<PathBuf>,
}

/// Writes a copy of the database into a new file, also while a server uses it: sound, on the disk, and read back.
pub async fn backup(database: &DatabaseFile, target: &Path) -> Result<Contents> {
    // The name is taken first, so that no file of somebody else is ever replaced.
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

/// Puts a backup in the database's place while no server uses it. What was there before, with its write-ahead log, is kept
/// beside it: that log over another file would destroy it.
pub async fn restore(backup: &Path, database: &DatabaseFile, now: Millis) -> Result<Restored> {
    let _lock = database.lock()?;
    let same = std::fs::canonicalize(backup).is_ok_and(|backup| backup == database.path());
    if same {
        return Err(FileError::Same(backup.to_owned()).into());
    }
    let partial = database.beside(".restoring-partial");
    let mut contents = copy(backup, &partial).await?;
    // As long as this file is there no server starts: neither the old nor the new database is whole in between.
    let ready = database.beside(".restoring");
    rename(&partial, &ready)?;
    let set_aside = set_aside(database, now)?;
    rename(&ready, database.path())?;
    contents = Contents {
        bytes: contents.bytes,
        ..inspect(database.path()).await?
    };
    Ok(Restored {
        contents,
        set_aside,
    })
}

/// What is wrong with a database, in lines for people; none when all is well.
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

/// Everything of `source`, its write-ahead log included, as one sound file that is on the disk.
async fn copy(source: &Path, target: &Path) -> Result<Contents> {
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
            // Nobody knows the copy by its name.
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

/// Reads a whole file back.
async fn inspect(file: &Path) -> Result<Contents> {
    let mut db = read_only(file).await?;
    let damage = integrity(&mut db).await?;
    if let Some(first) = damage.first() {
        let (file, cause) = (file.to_owned(), first.clone());
        return Err(FileError::Damaged { file, cause }.into());
    }
    let version = sqlx::query_scalar::<_, Option<i64>>("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut db)
        .await;
    match version {
        Ok(Some(version)) if version > migrations::newest() => {
            return Err(FileError::Newer(file.to_owned()).into());
        }
        Ok(Some(_)) => {}
        Ok(None) | Err(sqlx::Error::Database(_)) => {
            return Err(FileError::Foreign(file.to_owned()).into());
        }
        Err(error) => return Err(error.into()),
    }
    let (systems, accounts, newest_sample) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM systems), (SELECT count(*) FROM accounts), (SELECT max(ts) FROM samples)",
    )
    .fetch_one(&mut db)
    .await?;
    db.close().await?;
    let found = std::fs::metadata(file).map_err(FileError::io(file))?;
    Ok(Contents {
        systems,
        accounts,
        newest_sample,
        bytes: found.len(),
    })
}

/// Never writes to the file, whatever state it is in.
async fn read_only(file: &Path) -> Result<SqliteConnection> {
    // SQLite says only that it cannot open it. Nobody may open the file itself here: closing it would drop SQLite's locks.
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

/// SQLite's own findings.
async fn integrity(db: &mut SqliteConnection) -> Result<Vec<String>> {
    let lines = sqlx::query_scalar::<_, String>("PRAGMA integrity_check(100)")
        .fetch_all(db)
        .await
        .map_err(Error::from);
    match lines {
        // Where rows cannot be walked through, SQLite ends its own list with an error.
        Err(error) if error.is_damage() => Ok(vec![error.to_string()]),
        lines => Ok(lines?.into_iter().filter(|line| line != "ok").collect()),
    }
}

/// SQLite names a table by the number of its first page.
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

/// Whose rows cannot be read, table by table.
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

/// Database and write-ahead log keep names that belong together, so that SQLite still opens them.
fn set_aside(database: &DatabaseFile, now: Millis) -> Result<Option<PathBuf>> {
    let stamp = utc_text(now).replace(':', "");
    let aside = database.beside(&format!(".before-restore-{stamp}"));
    let mut moved = false;
    for suffix in ["-wal", "-shm", ""] {
        let (from, to) = (database.beside(suffix), with_suffix(&aside, suffix));
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

/// A new file that nobody else may read: it holds what people entrusted to the portal.
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

/// Lasts when it returns.
fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(FileError::io(to))?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync(folder.unwrap_or(Path::new(".")))
}

fn sync(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(FileError::io(path))
}
