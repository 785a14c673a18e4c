//! Processes that a benchmark starts and stops: on free ports, in their own folders.
use anyhow::{Context as _, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// How long a process may take to finish its work after it was asked to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(60);
/// Short: the time to get ready is measured, too.
const LISTEN_POLL_INTERVAL: Duration = Duration::from_millis(5);

pub(crate) struct Process {
    child: Child,
    name: &'static str,
}

impl Process {
    /// Starts it and waits until it listens; its output is discarded.
    pub(crate) async fn start(
        name: &'static str,
        command: &mut Command,
        port: u16,
    ) -> anyhow::Result<Self> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let mut process = Self { child, name };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if let Some(status) = process.child.try_wait()? {
                bail!("{name} exited during startup: {status}");
            }
            if started.elapsed() > Duration::from_secs(60) {
                bail!("{name} does not listen on {port}");
            }
            tokio::time::sleep(LISTEN_POLL_INTERVAL).await;
        }
        Ok(process)
    }

    /// The peak resident memory so far, in MB.
    pub(crate) fn resident_mb(&self) -> anyhow::Result<f64> {
        let pid = self.child.id().context("the process has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .context("no VmHWM in /proc/PID/status")?;
        let kb: f64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kb / 1000.0)
    }

    /// Waits until it is idle: its startup work must not disturb the measurement.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        let mut before = self.cpu_ticks()?;
        loop {
            tokio::time::sleep(Duration::from_secs(2)).await;
            let now = self.cpu_ticks()?;
            if now - before <= 4 {
                return Ok(());
            }
            before = now;
        }
    }

    /// User and system time so far.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        Ok(self.cpu_ticks()? as f64 / 100.0)
    }

    /// The same with all its children, also those that have ended: a PostgreSQL server has one for each connection.
    pub(crate) fn cpu_seconds_with_children(&self) -> anyhow::Result<f64> {
        let pid = self.child.id().context("the process has ended")?;
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        let mut ticks = ticks(pid, 4)?;
        for child in children.split_whitespace() {
            // Whoever ends meanwhile counts for its parent the next time.
            ticks += self::ticks(child.parse()?, 4).unwrap_or_default();
        }
        Ok(ticks as f64 / 100.0)
    }

    /// CPU time so far, in hundredths of a second.
    fn cpu_ticks(&self) -> anyhow::Result<u64> {
        ticks(self.child.id().context("the process has ended")?, 2)
    }

    /// Asks it to stop, as its operator would, and waits until it has finished its work.
    pub(crate) async fn stop_gracefully(mut self, signal: Signal) -> anyhow::Result<()> {
        let name = self.name;
        let pid = self.child.id().context("the process has ended")?;
        let pid = Pid::from_raw(i32::try_from(pid)?).context("0 is not a process")?;
        kill_process(pid, signal).with_context(|| format!("cannot stop {name}"))?;
        let status = tokio::time::timeout(STOP_TIMEOUT, self.child.wait())
            .await
            .with_context(|| format!("{name} does not stop"))??;
        ensure!(status.success(), "{name} failed while it stopped: {status}");
        Ok(())
    }

    /// Kills it.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        self.child
            .kill()
            .await
            .with_context(|| format!("cannot stop {}", self.name))
    }
}

/// The sum of the first `fields` of: user time, system time, and both of the children that have ended. In hundredths of a second.
fn ticks(pid: u32, fields: usize) -> anyhow::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain spaces; the times are the 12th field after it and the next ones.
    let (_, after_name) = stat
        .rsplit_once(") ")
        .context("no process name in /proc/PID/stat")?;
    let times = after_name.split(' ').skip(11).take(fields);
    let times: Vec<u64> = times.map(str::parse).collect::<Result<_, _>>()?;
    Ok(times.iter().sum())
}

pub(crate) fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The size of all files in a folder, in bytes.
pub(crate) fn folder_bytes(path: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => folder_bytes(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
