//! Files of ours are read by nobody else: the database holds people's data, and mails hold links that open accounts.
use crate::config::Config;
use rustix::fs::Mode;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const OTHERS: u32 = 0o077;

/// Whatever this process makes from now on is its own: files 0600, folders 0700.
pub(crate) fn from_now_on() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
}

/// Corrects what was made before, or by others.
pub(crate) fn correct(config: &Config) {
    let mails = config.data_dir.join("mail");
    let files = ["demo-key", "demo-release-key", "demo-batteries.csv"];
    let mut paths: Vec<PathBuf> = files.map(|name| config.data_dir.join(name)).into();
    if let Some(database) = config.database.strip_prefix("sqlite:") {
        let database = database
            .trim_start_matches("//")
            .split('?')
            .next()
            .unwrap_or_default();
        paths.extend(["", "-wal", "-shm"].map(|end| PathBuf::from(format!("{database}{end}"))));
    }
    paths.extend(children(&mails));
    paths.push(mails);
    if is_ours_alone(&config.data_dir) {
        paths.push(config.data_dir.clone());
    } else {
        tracing::warn!(path = %config.data_dir.display(), "shared_folder: give Suncellar a data folder of its own");
    }
    for path in paths {
        close(&path);
    }
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// A folder with other folders in it, such as /var/lib, is not for us to close.
fn is_ours_alone(folder: &Path) -> bool {
    let ours = ["mail", "lost+found"].map(|name| folder.join(name));
    children(folder)
        .iter()
        .all(|child| !child.is_dir() || ours.contains(child))
}

/// Takes everybody else's rights to a file or folder, if there is one.
fn close(path: &Path) {
    let mode = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => return,
        Ok(found) => found.permissions().mode(),
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => return warn(path, &error),
    };
    if mode & OTHERS == 0 {
        return;
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        Ok(()) => tracing::info!(path = %path.display(), "permissions_corrected"),
        Err(error) => warn(path, &error),
    }
}

fn warn(path: &Path, error: &std::io::Error) {
    tracing::warn!(path = %path.display(), %error, "permissions_not_corrected: others may read it");
}

/// A secret file that others can read is accepted, as it may come from a system that mounts it so, and named.
pub(crate) fn check_secret_file(path: &Path) {
    if let Ok(found) = fs::metadata(path)
        && found.permissions().mode() & OTHERS != 0
    {
        tracing::warn!(path = %path.display(), "secret_file_open: other users of this machine can read the secret file; run chmod 600 on it");
    }
}
