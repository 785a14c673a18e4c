//! A PostgreSQL cluster of our own, with the defaults of its installation: a commit is answered after fsync.
use crate::process::{Process, free_port};
use anyhow::{Context as _, bail, ensure};
use rustix::process::Signal;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;

/// Debian has one folder per version here, outside PATH.
const DEBIAN_VERSIONS: &str = "/usr/lib/postgresql";
const START_ATTEMPTS: u32 = 300;
const START_RETRY_DELAY: Duration = Duration::from_millis(100);

pub(crate) struct Cluster {
    process: Process,
    /// Every commit waits for its disk, too.
    standby: Option<Process>,
    port: u16,
    programs: Programs,
    folder: TempDir,
}

impl Cluster {
    /// Creates a cluster inside this folder and starts it.
    pub(crate) async fn start(parent: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir_in(parent)?;
        let programs = Programs::find().await?;
        if let Some((user, group)) = programs.account {
            chown(folder.path(), Some(user), Some(group))?;
        }
        let data = folder.path().join("data");
        let mut initdb = programs.command("initdb", folder.path());
        initdb.arg("-D").arg(&data);
        initdb.args(["-U", "suncellar", "-A", "trust", "-E", "UTF8"]);
        initdb.arg("--locale=C.UTF-8");
        finish(&mut initdb).await?;
        let port = free_port()?;
        let cluster = Self {
            process: server(&programs, folder.path(), &data, port).await?,
            standby: None,
            port,
            programs,
            folder,
        };
        cluster.wait_until_ready().await?;
        Ok(cluster)
    }

    /// The same with a synchronous standby on this machine.
    pub(crate) async fn start_with_standby(parent: &Path) -> anyhow::Result<Self> {
        let mut cluster = Self::start(parent).await?;
        let (folder, port) = (cluster.folder.path(), free_port()?);
        let data = folder.join("standby");
        let mut copy = cluster.programs.command("pg_basebackup", folder);
        copy.args(["-h", "127.0.0.1", "-U", "suncellar", "-p"]);
        copy.arg(cluster.port.to_string()).arg("-D").arg(&data);
        finish(copy.args(["-R", "-X", "stream", "-c", "fast"])).await?;
        cluster.standby = Some(server(&cluster.programs, folder, &data, port).await?);
        cluster
            .query("ALTER SYSTEM SET synchronous_standby_names = '*'")
            .await?;
        cluster.query("SELECT pg_reload_conf()").await?;
        for _ in 0..START_ATTEMPTS {
            let state = "SELECT sync_state FROM pg_stat_replication";
            if cluster.query(state).await? == "sync" {
                return Ok(cluster);
            }
            tokio::time::sleep(START_RETRY_DELAY).await;
        }
        bail!("the standby does not become synchronous")
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://suncellar@127.0.0.1:{}/postgres", self.port)
    }

    /// It listens before it accepts logins.
    async fn wait_until_ready(&self) -> anyhow::Result<()> {
        for _ in 0..START_ATTEMPTS {
            if finish(&mut self.client("pg_isready")).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(START_RETRY_DELAY).await;
        }
        bail!("PostgreSQL does not get ready")
    }

    /// Writes everything that waits in memory.
    pub(crate) async fn checkpoint(&self) -> anyhow::Result<()> {
        self.query("CHECKPOINT").await.map(drop)
    }

    /// Runs a statement; returns what it printed: a line per row, columns separated by `|`.
    pub(crate) async fn query(&self, sql: &str) -> anyhow::Result<String> {
        let mut psql = self.client("psql");
        psql.args([
            "-d",
            "postgres",
            "-AtqX",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            sql,
        ]);
        let output = psql.output().await.context("cannot start psql")?;
        ensure!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// A statement that returns one number.
    pub(crate) async fn number(&self, sql: &str) -> anyhow::Result<f64> {
        let printed = self.query(sql).await?;
        printed
            .parse()
            .with_context(|| format!("{sql}: {printed:?} is not a number"))
    }

    /// User and system time of all its processes so far, with those of the standby.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let standby = self.standby.as_ref();
        let standby = standby.map(Process::cpu_seconds_with_children);
        Ok(self.process.cpu_seconds_with_children()? + standby.transpose()?.unwrap_or_default())
    }

    fn client(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.folder.join(name));
        command.args(["-h", "127.0.0.1", "-U", "suncellar", "-p"]);
        command.arg(self.port.to_string());
        command
    }

    /// Ends its clients' connections, writes a last checkpoint and stops.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.process.stop_gracefully(Signal::INT).await?;
        match self.standby {
            Some(standby) => standby.stop_gracefully(Signal::INT).await,
            None => Ok(()),
        }
    }
}

async fn server(
    programs: &Programs,
    folder: &Path,
    data: &Path,
    port: u16,
) -> anyhow::Result<Process> {
    let mut postgres = programs.command("postgres", folder);
    postgres.arg("-D").arg(data).arg(format!("--port={port}"));
    postgres.args(["--listen_addresses=127.0.0.1", "--unix_socket_directories="]);
    Process::start("PostgreSQL", &mut postgres, port).await
}

struct Programs {
    folder: PathBuf,
    /// User and group that the server runs as, if we are root: PostgreSQL refuses to run as root.
    account: Option<(u32, u32)>,
}

impl Programs {
    /// The newest version on this machine; an empty folder leaves the search to PATH.
    async fn find() -> anyhow::Result<Self> {
        let version = |path: &Path| -> Option<u32> { path.file_name()?.to_str()?.parse().ok() };
        let versions = std::fs::read_dir(DEBIAN_VERSIONS).into_iter().flatten();
        let versions = versions.flatten().map(|entry| entry.path());
        let newest = versions
            .filter(|path| path.join("bin/initdb").exists())
            .max_by_key(|path| version(path));
        let folder = newest.map_or_else(PathBuf::new, |path| path.join("bin"));
        let account = match rustix::process::geteuid().is_root() {
            false => None,
            true => Some((id_of_postgres("-u").await?, id_of_postgres("-g").await?)),
        };
        Ok(Self { folder, account })
    }

    fn command(&self, name: &str, folder: &Path) -> Command {
        let mut command = Command::new(self.folder.join(name));
        command.current_dir(folder);
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command
    }
}

async fn id_of_postgres(option: &str) -> anyhow::Result<u32> {
    let output = Command::new("id").args([option, "postgres"]).output();
    let printed = String::from_utf8(output.await?.stdout)?;
    printed
        .trim()
        .parse()
        .context("PostgreSQL is not installed: there is no user postgres")
}

async fn finish(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().await.context("cannot start PostgreSQL")?;
    ensure!(
        output.status.success(),
        "PostgreSQL failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}
