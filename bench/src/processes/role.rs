//! One process with one role, as in an installation of several machines.
use crate::http;
use crate::process::{Process, free_port};
use crate::server::{Deployment, Server};
use anyhow::{Context as _, bail};
use std::time::{Duration, Instant};

const READY_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Starts it. `Server::port` serves its metrics, and the pages if it is a portal.
pub(super) async fn start(
    deployment: &Deployment,
    role: &str,
    options: &[&str],
) -> anyhow::Result<Server> {
    let (port, devices, updates) = (free_port()?, free_port()?, free_port()?);
    let status = match role {
        "portal" => format!("--listen=127.0.0.1:{port}"),
        _ => format!("--status-listen=127.0.0.1:{port}"),
    };
    let mut command = deployment.command()?;
    command
        .arg("serve")
        .arg(format!("--role={role}"))
        .arg(status)
        .arg(format!("--devices-listen=127.0.0.1:{devices}"))
        .arg(format!("--updates-listen=127.0.0.1:{updates}"))
        .args(options);
    let process = Process::start("suncellar", &mut command, port).await?;
    let server = Server {
        port,
        devices,
        updates,
        process,
    };
    wait_until_ready(&server).await?;
    Ok(server)
}

async fn wait_until_ready(server: &Server) -> anyhow::Result<()> {
    let began = Instant::now();
    while http::get(server.port, "/readyz", None).await.is_err() {
        if began.elapsed() > READY_TIMEOUT {
            bail!("a process does not get ready");
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// A metric without labels; 0 before it was first set.
pub(super) async fn metric(server: &Server, name: &str) -> anyhow::Result<f64> {
    let answer = http::get(server.port, "/metrics", None).await?;
    let text = String::from_utf8_lossy(&answer.body);
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(Ok(0.0), |value| value.parse().context("a metric"))
}
