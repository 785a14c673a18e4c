//! An electrician with five thousand systems: what the lists cost the server, and how fast the fleet table is in a browser
//! (`web/e2e/fleet-speed.ts` measures, the bars are here).
use crate::figure::Figure;
use crate::load::{Target, single_client_latency};
use crate::machine::Machine;
use crate::server::{Deployment, Server};
use crate::{devices, http};
use anyhow::ensure;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

const SYSTEMS: u32 = 5_000;
const MEASURED_SECONDS: u32 = 10;
const ONLINE_TIMEOUT: Duration = Duration::from_secs(300);

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let serials = devices::serials(SYSTEMS);
    let deployment = Deployment::new(&serials).await?;
    let server = deployment.serve().await?;
    let electrician = deployment.electrician(&server, &serials).await?;
    let mut batteries = batteries(&deployment, &server)?;
    wait_until_online(&server, &electrician.token).await?;
    let machine = Machine::watch();
    for (name, path) in [
        (
            "an electrician with 5,000 systems: their list, p95",
            "/api/auth/usr_sn/",
        ),
        (
            "an electrician with 5,000 systems: live data of all, p95",
            "/api/auth/data/",
        ),
    ] {
        let target = Target {
            port: server.port,
            paths: vec![path.to_owned()],
            token: Some(electrician.token.clone()),
        };
        let wait = single_client_latency(&target, MEASURED_SECONDS).await?;
        let figure = Figure::new(name, "ms", "< 300");
        figures.push(figure.ours(wait.p95_ms).holds(Some(wait.p95_ms < 300.0)));
    }
    let seen = in_browser(&server, &electrician.email, &electrician.password).await?;
    for (name, key, unit, bar, limit) in [
        (
            "5,000 systems in a browser: the first rows are there",
            "first_rows_ms",
            "ms",
            "≤ 1,000",
            1_000.0,
        ),
        (
            "5,000 systems in a browser: a search is answered",
            "search_ms",
            "ms",
            "< 100",
            100.0,
        ),
        (
            "5,000 systems in a browser: a count is used as a filter",
            "filter_ms",
            "ms",
            "< 100",
            100.0,
        ),
        (
            "5,000 systems in a browser: frames with a gap while scrolling",
            "gaps",
            "",
            "0",
            0.5,
        ),
    ] {
        let measured = seen[key].as_f64();
        let figure = Figure::new(name, unit, bar);
        figures.push(
            figure
                .measured(measured)
                .holds(measured.map(|value| value <= limit)),
        );
    }
    // On two cores shared with a busy server a single run may be disturbed: recorded without a bar.
    for (name, key) in [
        ("    the longest search", "search_worst_ms"),
        ("    the longest wait for a count", "filter_worst_ms"),
    ] {
        figures.push(Figure::recorded(name, "ms", seen[key].as_f64()));
    }
    batteries.kill().await?;
    figures.extend(machine.figures());
    server.process.stop().await
}

fn batteries(deployment: &Deployment, server: &Server) -> anyhow::Result<Child> {
    Ok(deployment
        .low_priority_command()?
        .arg("simulate")
        .arg(format!("--gateway=127.0.0.1:{}", server.devices))
        .arg("--secrets")
        .arg(deployment.secrets())
        .arg("--interval=30")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?)
}

async fn wait_until_online(server: &Server, token: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let data = http::get(server.port, "/api/auth/data/", Some(token)).await?;
        let text = String::from_utf8_lossy(&data.body);
        if text.matches("\"online\":true").count() >= SYSTEMS as usize {
            return Ok(());
        }
        ensure!(
            begun.elapsed() < ONLINE_TIMEOUT,
            "not all batteries are online"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Numbers by name. If the browser is missing or fails they are left out, and its output is on the screen.
async fn in_browser(server: &Server, email: &str, password: &str) -> anyhow::Result<Value> {
    let folder = tempfile::tempdir()?;
    let results = folder.path().join("fleet.json");
    Command::new("npm")
        .args([
            "--prefix",
            "web",
            "run",
            "--silent",
            "bench",
            "--",
            "fleet-speed.ts",
        ])
        .env(
            "SUNCELLAR_TEST_BINARY",
            std::env::current_exe()?.with_file_name("suncellar"),
        )
        .env("FLEET_URL", format!("http://127.0.0.1:{}", server.port))
        .env("FLEET_EMAIL", email)
        .env("FLEET_PASSWORD", password)
        .env("BENCH_RESULTS", &results)
        .status()
        .await?;
    let text = std::fs::read_to_string(&results).unwrap_or_else(|_| "null".to_owned());
    Ok(serde_json::from_str(&text)?)
}
