//! Measures Suncellar against its peers on this machine and writes the results. `bench/run` prepares and calls it; arguments
//! choose parts: `charts`, `growth`, `ingest` (or of it `loop`, `fleet`, `bytes`, `start`), `processes` (or of it `gateways`, `takeover`,
//! `fleet-size`, `planners`), `updates`, `electrician`, `plan`, `browser`.

mod browser;
mod charts;
mod devices;
mod electrician;
mod figure;
mod growth;
mod history;
mod http;
mod ingest;
mod load;
mod loop_device;
mod machine;
mod peer;
mod plan;
mod postgres;
mod process;
mod processes;
mod server;
mod updates;

use anyhow::bail;
use figure::Figure;
use std::path::Path;
use std::process::ExitCode;

/// As the server: its endpoint is measured here without commits.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    if chosen == [ingest::without_commit::ARGUMENT] {
        ingest::without_commit::run().await?;
        return Ok(ExitCode::SUCCESS);
    }
    if chosen == [processes::balancer::ARGUMENT] {
        processes::balancer::run().await?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut figures: Vec<Figure> = Vec::new();
    tokio::select! {
        // Its end stops the processes that it has started, and unmounts their folders.
        measured = measure(&chosen, &mut figures) => measured?,
        _ = tokio::signal::ctrl_c() => bail!("stopped"),
    }
    println!();
    figures.iter().for_each(Figure::print);
    figure::write(Path::new("bench/results/latest.json"), &figures)?;
    let all = figures.iter().all(|figure| figure.holds == Some(true));
    Ok(if all {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs the chosen parts, or all.
async fn measure(chosen: &[String], figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let wanted = |part: &str| chosen.is_empty() || chosen.iter().any(|name| name == part);
    if wanted("charts") {
        charts::run(figures).await?;
    }
    if wanted("growth") {
        growth::run(figures).await?;
    }
    if wanted("ingest") || wanted("loop") {
        ingest::closed_loop::run(figures).await?;
    }
    if wanted("ingest") || wanted("fleet") {
        ingest::fleet::run(figures).await?;
    }
    if wanted("ingest") || wanted("bytes") {
        ingest::device_bytes::run(figures).await;
    }
    if wanted("ingest") || wanted("start") {
        ingest::start::run(figures).await?;
    }
    if wanted("processes") || wanted("gateways") {
        processes::gateways::run(figures).await?;
    }
    if wanted("processes") || wanted("takeover") {
        processes::takeover::run(figures).await?;
    }
    if wanted("processes") || wanted("fleet-size") {
        processes::fleet_size::run(figures).await?;
    }
    if wanted("processes") || wanted("planners") {
        processes::planners::run(figures).await?;
    }
    if wanted("updates") {
        updates::run(figures).await?;
    }
    if wanted("electrician") {
        electrician::run(figures).await?;
    }
    if wanted("plan") {
        plan::run(figures);
    }
    if wanted("browser") {
        browser::run(figures).await?;
    }
    Ok(())
}
