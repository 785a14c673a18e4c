//! Puts a backup into a database: in place of an SQLite file, or into an empty PostgreSQL database.
use crate::archive::{ArchiveReader, FileKind, Record, TableHead, kind};
use crate::error::FileError;
use crate::filling::{Filling, STEP_BYTES};
use crate::private_file::{create_private, remove, rename, with_suffix};
use crate::row::size_of_row;
use crate::snapshot::{DatabaseContents, Others, Snapshot};
use crate::table::Table;
use crate::{DatabaseFile, Error, Result, migrations, sqlite_file};
use domain::clock::Millis;
use domain::site_time::utc_text;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// Result of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub contents: DatabaseContents,
    /// Where the previous database was moved to, if there was one.
    pub set_aside: Option<PathBuf>,
    /// Whether its schema is that of an older release.
    pub is_of_older_schema: bool,
    /// Tables in the backup that are none of Suncellar's.
    pub left_out: Vec<String>,
}

/// Puts a backup into the database while no server uses it. An SQLite file is replaced, and the previous one kept beside it, together
/// with its write-ahead log: left in place, that log would destroy the restored database. A PostgreSQL database must be empty.
/// `-` reads the backup from the standard input.
pub async fn restore(backup: &Path, url: &str, now: Millis) -> Result<Restored> {
    let mut input: Box<dyn io::BufRead + Send> = match backup == Path::new("-") {
        true => Box::new(BufReader::new(io::stdin())),
        false => {
            let file = File::open(backup).map_err(FileError::io(backup))?;
            Box::new(BufReader::with_capacity(1 << 18, file))
        }
    };
    let kind = kind(&mut input).map_err(FileError::io(backup))?;
    let database = DatabaseFile::of(url)?;
    match (kind, database) {
        (FileKind::Archive, Some(database)) => {
            restore_file(&database, now, async |partial| {
                let reader = ArchiveReader::new(backup, input)?;
                check_version(&reader, backup)?;
                create_private(partial).map_err(FileError::io(partial))?;
                let version = reader.start.schema;
                let filling = Filling::of_file(partial, version, &source_of(backup)).await?;
                fill(filling, reader, Snapshot::of_file(partial.to_owned())).await
            })
            .await
        }
        (FileKind::Archive, None) => {
            let reader = ArchiveReader::new(backup, input)?;
            check_version(&reader, backup)?;
            let version = reader.start.schema;
            let filling = Filling::of_postgres(url, version, &source_of(backup)).await?;
            fill(filling, reader, Snapshot::open(url, Others::MayWrite)).await
        }
        (FileKind::Sqlite, Some(database)) => {
            let same = std::fs::canonicalize(backup).is_ok_and(|file| file == database.path());
            if same {
                return Err(FileError::Same(backup.to_owned()).into());
            }
            restore_file(&database, now, async |partial| {
                let contents = sqlite_file::copy(backup, partial).await?;
                Ok(Restored {
                    contents,
                    set_aside: None,
                    is_of_older_schema: false,
                    left_out: Vec::new(),
                })
            })
            .await
        }
        (FileKind::Sqlite, None) => Err(FileError::OnlySqlite(backup.to_owned()).into()),
        (FileKind::Encrypted, _) => Err(FileError::Encrypted(backup.to_owned()).into()),
        (FileKind::Unknown, _) => Err(FileError::Foreign(backup.to_owned()).into()),
    }
}

fn source_of(backup: &Path) -> String {
    format!("the backup {}", backup.display())
}

fn check_version(reader: &ArchiveReader, backup: &Path) -> Result<()> {
    match reader.start.schema > migrations::latest_version() {
        true => Err(FileError::Newer(backup.to_owned()).into()),
        false => Ok(()),
    }
}

/// Makes a new file by `make` and puts it in place of the database.
async fn restore_file(
    database: &DatabaseFile,
    now: Millis,
    make: impl AsyncFnOnce(&Path) -> Result<Restored>,
) -> Result<Restored> {
    let _lock = database.lock()?;
    let partial = database.sibling(".restoring-partial");
    remove_with_log(&partial)?;
    let made = make(&partial).await;
    if made.is_err() {
        let _ = remove_with_log(&partial);
    }
    let made = made?;
    // No server starts while this file exists, because neither the old nor the new database is complete in between.
    let ready = database.sibling(".restoring");
    rename(&partial, &ready)?;
    let set_aside = set_aside(database, now)?;
    rename(&ready, database.path())?;
    Ok(Restored { set_aside, ..made })
}

/// Fills the database and compares what is in it afterwards with the backup.
async fn fill(
    mut filling: Filling,
    mut reader: ArchiveReader,
    snapshot: impl Future<Output = Result<Snapshot>>,
) -> Result<Restored> {
    let version = reader.start.schema;
    // An earlier attempt may have been interrupted.
    filling.start_over().await?;
    let (mut sums, mut left_out) = (Vec::new(), Vec::new());
    let mut current: Option<Table> = None;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    let contents = loop {
        match reader.next()? {
            Record::Table(head) => {
                current = known(&filling, &head)?;
                if current.is_none() {
                    left_out.push(head.name);
                }
            }
            Record::Row(row) => {
                let Some(table) = &current else {
                    continue;
                };
                bytes += size_of_row(&row);
                rows.push(row);
                if bytes >= STEP_BYTES {
                    filling.write(table, &rows).await?;
                    rows.clear();
                    bytes = 0;
                }
            }
            Record::TableEnd(sum) => {
                if let Some(table) = current.take() {
                    filling.write(&table, &rows).await?;
                    sums.push((table, sum));
                }
                rows.clear();
                bytes = 0;
            }
            Record::End(contents) => break contents,
        }
    };
    let mut restored = snapshot.await?;
    for (table, sum) in &sums {
        if restored.sum(table).await? != *sum {
            return Err(Error::Differs(table.name.clone()));
        }
    }
    restored.close().await?;
    filling.finish().await?;
    Ok(Restored {
        contents,
        set_aside: None,
        is_of_older_schema: version < migrations::latest_version(),
        left_out,
    })
}

/// The table of the database that a table of the backup belongs to.
fn known(filling: &Filling, head: &TableHead) -> Result<Option<Table>> {
    let mut tables = filling.tables().iter();
    let Some(table) = tables.find(|table| table.name == head.name) else {
        return Ok(None);
    };
    match table.column_names() == head.columns {
        true => Ok(Some(table.clone())),
        false => Err(Error::Damaged("a table of the backup has other columns")),
    }
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

/// Removes a database file that is not complete, and its log.
fn remove_with_log(file: &Path) -> Result<()> {
    ["", "-wal", "-shm"]
        .iter()
        .try_for_each(|end| remove(&with_suffix(file, end)))
}
