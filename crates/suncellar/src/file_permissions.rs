//! Only this user may read our files: the database holds personal data, and mails hold links that open accounts.
use crate::config::Config;
use rustix::fs::Mode;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const OTHERS_MODE: u32 = 0o077;

/// New files get mode 0600, new folders 0700.
pub(crate) fn set_umask() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS_MODE));
}

/// Corrects files that exist already.
pub(crate) fn restrict_existing(config: &Config) {
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
    if holds_only_our_files(&config.data_dir) {
        paths.push(config.data_dir.clone());
    } else {
        tracing::warn!(path = %config.data_dir.display(), "shared_folder: give Suncellar a data folder of its own");
    }
    for path in paths {
        restrict(&path);
    }
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// A folder that contains other folders, such as /var/lib, may be shared: its permissions stay as they are.
fn holds_only_our_files(folder: &Path) -> bool {
    let ours = ["backups", "mail", "lost+found"].map(|name| folder.join(name));
    children(folder)
        .iter()
        .all(|child| !child.is_dir() || ours.contains(child))
}

/// Removes all rights of group and others from a file or folder, if it exists.
fn restrict(path: &Path) {
    let mode = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => return,
        Ok(found) => found.permissions().mode(),
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => return warn(path, &error),
    };
    if mode & OTHERS_MODE == 0 {
        return;
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS_MODE)) {
        Ok(()) => tracing::info!(path = %path.display(), "permissions_corrected"),
        Err(error) => warn(path, &error),
    }
}

fn warn(path: &Path, error: &std::io::Error) {
    tracing::warn!(path = %path.display(), %error, "permissions_not_corrected: others may read it");
}

/// Warns if others can read the secret file. It is accepted anyway, as some systems mount secrets that way.
pub(crate) fn check_secret_file(path: &Path) {
    if is_open_to_others(path) {
        tracing::warn!(path = %path.display(), "secret_file_open: other users of this machine can read the secret file; run chmod 600 on it");
    }
}

pub(crate) fn is_open_to_others(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS_MODE != 0)
}
