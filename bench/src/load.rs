//! HTTP load by wrk. Each request asks for something else, and the responses are counted.
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::process::Stdio;
use tokio::process::Command;

const CONNECTIONS: u32 = 16;

/// A server and the requests to send to it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) port: u16,
    pub(crate) paths: Vec<String>,
    pub(crate) token: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadResult {
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p95_ms: f64,
}

/// Sends requests as fast as the server responds.
pub(crate) async fn run(target: &Target, seconds: u32) -> anyhow::Result<LoadResult> {
    ask(target, seconds, CONNECTIONS).await
}

/// One request at a time: the latency for one person.
pub(crate) async fn single_client_latency(
    target: &Target,
    seconds: u32,
) -> anyhow::Result<LoadResult> {
    ask(target, seconds, 1).await
}

async fn ask(target: &Target, seconds: u32, connections: u32) -> anyhow::Result<LoadResult> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("requests.lua");
    std::fs::write(&script, requests(target))?;
    let output = Command::new("wrk")
        .args(["--latency", "-t1"])
        .arg(format!("-c{connections}"))
        .arg(format!("-d{seconds}s"))
        .arg("-s")
        .arg(&script)
        .arg(format!("http://127.0.0.1:{}", target.port))
        .stderr(Stdio::piped())
        .output()
        .await
        .context("cannot start wrk")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "wrk failed: {text}");
    ensure!(
        !text.contains("Non-2xx"),
        "the server refused requests: {text}"
    );
    let result = text
        .lines()
        .find_map(|line| line.strip_prefix("RESULT "))
        .with_context(|| format!("wrk gave no result: {text}"))?;
    let mut numbers = result.split(' ').map(str::parse::<f64>);
    let mut next = || {
        numbers
            .next()
            .context("wrk's result is too short")?
            .context("not a number")
    };
    Ok(LoadResult {
        per_second: next()?,
        p50_ms: next()?,
        p95_ms: next()?,
    })
}

/// The script walks through the paths in a scattered order, so no request predicts the next one.
fn requests(target: &Target) -> String {
    let mut script = String::from("local paths = {\n");
    for path in &target.paths {
        let _ = writeln!(script, "  {path:?},");
    }
    script.push_str("}\nlocal headers = {}\n");
    if let Some(token) = &target.token {
        let _ = writeln!(script, "headers['Authorization'] = 'Bearer {token}'");
    }
    script.push_str(
        "math.randomseed(7)
request = function()
  return wrk.format('GET', paths[math.random(#paths)], headers)
end
done = function(summary, latency, requests)
  io.write(string.format('RESULT %f %f %f\\n', summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(95) / 1000))
end
",
    );
    script
}
