//! Many batteries at once: `suncellar simulate` against `suncellar serve`, both on this machine.
use crate::figure::Figure;
use crate::server::Deployment;
use anyhow::{Context as _, ensure};
use domain::Serial;
use serde_json::Value;
use tokio::process::Command;

/// 10,000 batteries, one sample each every 10 s.
pub(crate) async fn fleet(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let deployment = Deployment::new(&serials(10_000)).await?;
    let server = deployment.serve().await?;
    let summary = simulate(
        &deployment,
        server.devices,
        &["--systems=10000", "--interval=10", "--for=90"],
    )
    .await?;
    let memory = server.process.resident_mb()?;
    let number = |name: &str| summary[name].as_f64();
    let all = summary["complete"].as_bool();
    let p99 = number("ack_p99_ms").context("no ack_p99_ms in the simulator's summary")?;
    figures.push(
        Figure::new(
            "10,000 batteries, a sample every 10 s: p99 of the acknowledgement",
            "ms",
            "≤ 500, all acknowledged",
        )
        .ours(p99)
        .holds(all.map(|all| all && p99 <= 500.0)),
    );
    figures.push(
        Figure::new(
            "10,000 batteries: largest memory of the server",
            "MB",
            "≤ 300",
        )
        .ours(memory)
        .holds(Some(memory <= 300.0)),
    );
    server.process.stop().await
}

/// A thousand batteries that send again as soon as they are acknowledged.
pub(crate) async fn closed_loop(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let deployment = Deployment::new(&serials(1_000)).await?;
    // A real battery sends every 2 s at most: the quota would measure itself.
    let server = deployment.serve_with(&["--samples-a-second=0"]).await?;
    let summary = simulate(
        &deployment,
        server.devices,
        &["--systems=1000", "--closed-loop", "--for=20"],
    )
    .await?;
    let rate = summary["rate"]
        .as_f64()
        .context("no rate in the simulator's summary")?;
    figures.push(
        Figure::new(
            "closed loop, 1,000 batteries: samples acknowledged after fsync",
            "/s",
            "≥ 8,000",
        )
        .ours(rate)
        .holds(Some(rate >= 8_000.0)),
    );
    server.process.stop().await
}

/// Runs the simulator to its end and reads its summary, the last line it prints.
async fn simulate(deployment: &Deployment, port: u16, arguments: &[&str]) -> anyhow::Result<Value> {
    let binary = std::env::current_exe()?.with_file_name("suncellar");
    let output = Command::new(binary)
        .arg("simulate")
        .arg(format!("--gateway=127.0.0.1:{port}"))
        .arg("--secrets")
        .arg(deployment.secrets())
        .args(arguments)
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
    Ok(serde_json::from_str(last)?)
}

pub(crate) fn serials(count: u32) -> Vec<Serial> {
    (0..count)
        .map(|n| format!("BE{n:07}").parse().expect("a valid serial number"))
        .collect()
}
