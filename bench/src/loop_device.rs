//! A file system on a block device of its own, whose counter says how many bytes really reach the device. The counters of a
//! process do not: they count whole folios of the page cache, which are far larger than what is written.
use anyhow::{Context as _, ensure};
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Unit of the counters in `/sys/block`, whatever the device's own sector size is.
const SECTOR_BYTES: u64 = 512;
/// A process that was just killed may still have open files: unmounting is tried this often.
const UNMOUNT_ATTEMPTS: u32 = 100;
const UNMOUNT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Unmounted and detached when dropped.
pub(crate) struct LoopDevice {
    folder: TempDir,
    /// Such as `/dev/loop0`.
    device: PathBuf,
    is_mounted: bool,
}

impl LoopDevice {
    /// An empty ext4 of this size; needs root.
    pub(crate) fn create(bytes: u64) -> anyhow::Result<Self> {
        ensure!(
            rustix::process::geteuid().is_root(),
            "a loop device needs root"
        );
        let folder = tempfile::tempdir()?;
        // A database that runs as another user has to get in.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        let image = folder.path().join("image");
        File::create(&image)?.set_len(bytes)?;
        // Otherwise the kernel writes empty inode tables later, during the measurement.
        let complete = "lazy_itable_init=0,lazy_journal_init=0";
        run(Command::new("mkfs.ext4")
            .args(["-q", "-E", complete])
            .arg(&image))?;
        let attached = run(Command::new("losetup")
            .args(["--find", "--show"])
            .arg(&image))?;
        let mut disk = Self {
            folder,
            device: attached.trim().into(),
            is_mounted: false,
        };
        std::fs::create_dir(disk.path())?;
        run(Command::new("mount").arg(&disk.device).arg(disk.path()))?;
        disk.is_mounted = true;
        Ok(disk)
    }

    /// Where it is mounted.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    /// Bytes written to the device so far, after everything that waits in memory was written, too.
    pub(crate) fn written_bytes(&self) -> anyhow::Result<u64> {
        run(Command::new("sync").arg("-f").arg(self.path()))?;
        let name = self.device.file_name().context("a device has a name")?;
        let stat = std::fs::read_to_string(Path::new("/sys/block").join(name).join("stat"))?;
        let sectors = stat
            .split_whitespace()
            .nth(6)
            .context("no written sectors in /sys/block")?;
        Ok(sectors.parse::<u64>()? * SECTOR_BYTES)
    }

    fn unmount(&self) -> anyhow::Result<()> {
        for _ in 0..UNMOUNT_ATTEMPTS {
            if run(Command::new("umount").arg(self.path())).is_ok() {
                return Ok(());
            }
            std::thread::sleep(UNMOUNT_RETRY_DELAY);
        }
        // The mount point is gone at once, the device when its last file is closed.
        run(Command::new("umount").arg("-l").arg(self.path())).map(drop)
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let unmounted = match self.is_mounted {
            true => self.unmount(),
            false => Ok(()),
        };
        let detached = run(Command::new("losetup").arg("-d").arg(&self.device));
        for error in [unmounted.err(), detached.err()].into_iter().flatten() {
            eprintln!("{}: {error:#}", self.device.display());
        }
    }
}

/// Runs a command to its end and returns what it printed.
fn run(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_owned();
    let program = program.display();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    ensure!(
        output.status.success(),
        "{program} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?)
}
