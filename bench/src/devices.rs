//! Many batteries at once: `suncellar simulate` against `suncellar serve`, both on this machine.
use crate::server::{Deployment, Server};
use anyhow::{Context as _, ensure};
use domain::Serial;
use serde::Deserialize;
use tokio::process::Command;

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

/// Runs the simulator to its end and reads its summary, the last line it prints.
pub(crate) async fn simulate(
    deployment: &Deployment,
    server: &Server,
    arguments: &[&str],
) -> anyhow::Result<FleetSummary> {
    let binary = std::env::current_exe()?.with_file_name("suncellar");
    let output = Command::new(binary)
        .arg("simulate")
        .arg(format!("--gateway=127.0.0.1:{}", server.devices))
        .arg("--secrets")
        .arg(deployment.secrets())
        .args(arguments)
        .kill_on_drop(true)
        .output()
        .await?;
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
