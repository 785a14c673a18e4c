//! Many batteries at once: `suncellar simulate` against `suncellar serve`, both on this machine.
use crate::server::{Deployment, Server};
use anyhow::{Context as _, ensure};
use domain::Serial;
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::process::{Child, Command};

/// What the simulator counted.
#[derive(Debug, Deserialize)]
pub(crate) struct FleetSummary {
    /// Samples.
    pub(crate) acknowledged: f64,
    /// Acknowledged samples per second.
    pub(crate) rate: f64,
    pub(crate) ack_p99_ms: f64,
    /// Samples that a battery dropped because its buffer was full.
    forgotten: u64,
    /// Whether every other sample was acknowledged in the end.
    complete: bool,
}

impl FleetSummary {
    pub(crate) fn none_lost(&self) -> bool {
        self.complete && self.forgotten == 0
    }
}

/// Runs the simulator to its end and reads its summary.
pub(crate) async fn simulate(
    deployment: &Deployment,
    server: &Server,
    arguments: &[&str],
) -> anyhow::Result<FleetSummary> {
    let simulation = Simulation::start(&deployment.secrets(), server.devices, arguments)?;
    simulation.ended().await
}

/// Batteries that run until they are stopped or their time is over.
pub(crate) struct Simulation(Child);

impl Simulation {
    /// Those in a table of secrets, against the endpoint at a port.
    pub(crate) fn start(secrets: &Path, port: u16, arguments: &[&str]) -> anyhow::Result<Self> {
        let binary = std::env::current_exe()?.with_file_name("suncellar");
        let child = Command::new(binary)
            .arg("simulate")
            .arg(format!("--gateway=127.0.0.1:{port}"))
            .arg("--secrets")
            .arg(secrets)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self(child))
    }

    /// Lets the batteries deliver what they have, and ends them.
    pub(crate) async fn stop(self) -> anyhow::Result<FleetSummary> {
        let pid = self.0.id().context("the simulator has ended")?;
        let pid = Pid::from_raw(i32::try_from(pid)?).context("0 is not a process")?;
        kill_process(pid, Signal::TERM)?;
        self.ended().await
    }

    /// Waits for its end.
    pub(crate) async fn ended(self) -> anyhow::Result<FleetSummary> {
        summary(&self.0.wait_with_output().await?)
    }
}

/// The last line that the simulator prints.
fn summary(output: &Output) -> anyhow::Result<FleetSummary> {
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "the simulator failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let last = printed
        .lines()
        .last()
        .context("the simulator printed nothing")?;
    serde_json::from_str(last).context("the simulator's summary")
}

pub(crate) fn serials(count: u32) -> Vec<Serial> {
    (0..count)
        .map(|n| format!("BE{n:07}").parse().expect("a valid serial number"))
        .collect()
}
