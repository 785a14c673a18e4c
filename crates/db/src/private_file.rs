//! Files that only this user may read, and changes of their names that survive a power failure.
use crate::Result;
use crate::error::FileError;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates a new file that only this user may read: it holds personal data.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(FileError::io(path)(cause)),
        _ => Ok(()),
    }
}

/// Renames durably: the folder is synced before this returns.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(FileError::io(to))?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync(folder.unwrap_or(Path::new(".")))
}

pub(crate) fn sync(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(FileError::io(path))
}
