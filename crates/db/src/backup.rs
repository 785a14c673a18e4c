//! Backups, the same for both engines: a file with the rows of all tables at one moment, which can be restored into either of them.
use crate::archive::{ArchiveReader, ArchiveWriter, Record, Start, TableHead};
use crate::error::FileError;
use crate::private_file::{create_private, remove, rename, with_suffix};
use crate::snapshot::{DatabaseContents, Others, Snapshot};
use crate::{DatabaseFile, Error, Recipient, Result, TableSum};
use domain::clock::Millis;
use domain::site_time::utc_text;
use futures_util::TryStreamExt as _;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

const NAME_START: &str = "suncellar-";
const NAME_END: &str = ".backup";
const ENCRYPTED_END: &str = ".backup.age";
const PARTIAL_END: &str = ".partial";

#[derive(Clone, Debug)]
pub struct BackupOptions<'a> {
    /// Made if it does not exist.
    pub folder: &'a Path,
    /// How many backups the folder has afterwards at most.
    pub keep: Option<u32>,
    /// Who can read it; empty: everybody who has the file.
    pub recipients: &'a [Recipient],
    pub now: Millis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    pub file: PathBuf,
    pub bytes: u64,
    pub contents: DatabaseContents,
    /// Older backups that were deleted.
    pub deleted: Vec<PathBuf>,
}

/// Writes all rows of one moment into a new file, while servers use the database. The file is on the disk and was read back when
/// this returns.
pub async fn backup(url: &str, options: &BackupOptions<'_>) -> Result<BackedUp> {
    let BackupOptions {
        folder,
        keep,
        recipients,
        now,
    } = *options;
    make_folder(folder)?;
    remove_abandoned(folder)?;
    let mut snapshot = Snapshot::open(url, Others::MayWrite).await?;
    let version = match snapshot.schema_version().await? {
        Some(version) => version,
        None => return Err(Error::NoPortal),
    };
    let end = match recipients.is_empty() {
        true => NAME_END,
        false => ENCRYPTED_END,
    };
    let time = utc_text(now / 1_000 * 1_000).replace(':', "");
    let target = folder.join(format!("{NAME_START}{time}{end}"));
    if target.exists() {
        return Err(FileError::io(&target)(io::ErrorKind::AlreadyExists.into()));
    }
    let partial = with_suffix(&target, PARTIAL_END);
    let file = create_private(&partial).map_err(FileError::io(&partial))?;
    // As long as it is held, nobody takes the file for one that a killed backup left.
    let lock = file.try_clone().map_err(FileError::io(&partial))?;
    lock.lock().map_err(FileError::io(&partial))?;
    let done = async {
        let start = Start::new(version, snapshot.engine(), now);
        let writer = ArchiveWriter::new(&partial, file, recipients, &start)?;
        let contents = write(&mut snapshot, version, writer, &partial).await?;
        rename(&partial, &target)?;
        Ok::<_, Error>(contents)
    };
    let done = done.await;
    if done.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    let database = DatabaseFile::of(url)?;
    let contents = done.map_err(|error| match database {
        Some(database) => database.explain(error),
        None => error,
    })?;
    snapshot.close().await?;
    let found = std::fs::metadata(&target).map_err(FileError::io(&target))?;
    let deleted = match keep {
        Some(keep) => delete_older(folder, keep)?,
        None => Vec::new(),
    };
    Ok(BackedUp {
        file: target,
        bytes: found.len(),
        contents,
        deleted,
    })
}

/// Writes everything and reads it back. The files are read and written without yielding: this is the only task of its process.
async fn write(
    snapshot: &mut Snapshot,
    version: i64,
    mut writer: ArchiveWriter,
    path: &Path,
) -> Result<DatabaseContents> {
    let contents = snapshot.contents(version).await?;
    let mut written = Vec::new();
    for table in snapshot.tables().await? {
        let head = TableHead::from(&table);
        writer.table(&head)?;
        let mut rows = snapshot.rows(&table);
        while let Some(row) = rows.try_next().await? {
            writer.row(&row)?;
        }
        drop(rows);
        written.push((head, writer.table_end()?));
    }
    let key = writer.finish(&contents)?;
    if read_back(ArchiveReader::of_written(path, key.as_ref())?)? != written {
        let (file, cause) = (path.to_owned(), "it is not as it was written".to_owned());
        return Err(FileError::DamagedBackup { file, cause }.into());
    }
    Ok(contents)
}

fn read_back(mut reader: ArchiveReader) -> Result<Vec<(TableHead, TableSum)>> {
    let (mut tables, mut current) = (Vec::new(), None);
    loop {
        match reader.next()? {
            Record::Table(head) => current = Some(head),
            Record::Row(_) => {}
            Record::TableEnd(sum) => tables.extend(current.take().map(|head| (head, sum))),
            Record::End(_) => return Ok(tables),
        }
    }
}

fn make_folder(folder: &Path) -> Result<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(FileError::NotAFolder(folder.to_owned()).into());
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(FileError::io(folder))
}

/// Names of backups say their time, so that their order is that of time.
fn names(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(FileError::io(folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(NAME_START) && is_wanted(name))
    };
    let mut paths: Vec<PathBuf> = paths.filter(is_ours).collect();
    paths.sort();
    Ok(paths)
}

fn delete_older(folder: &Path, keep: u32) -> Result<Vec<PathBuf>> {
    let is_complete = |name: &str| name.ends_with(NAME_END) || name.ends_with(ENCRYPTED_END);
    let mut files = names(folder, is_complete)?;
    let keep = usize::try_from(keep).unwrap_or(usize::MAX);
    files.truncate(files.len().saturating_sub(keep));
    files.iter().try_for_each(|file| remove(file))?;
    Ok(files)
}

/// Removes what killed backups left.
fn remove_abandoned(folder: &Path) -> Result<()> {
    for partial in names(folder, |name| name.ends_with(PARTIAL_END))? {
        let is_abandoned = File::open(&partial).is_ok_and(|file| file.try_lock().is_ok());
        if is_abandoned {
            remove(&partial)?;
        }
    }
    Ok(())
}
