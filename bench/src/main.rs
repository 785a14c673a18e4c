//! Measures Suncellar against its peers on this machine and writes the results. `bench/run` prepares and calls it; arguments
//! choose parts: `charts`, `growth`, `fleet`, `loop`, `updates`, `electrician`, `plan`, `browser`.

mod browser;
mod charts;
mod devices;
mod electrician;
mod figure;
mod growth;
mod history;
mod http;
mod load;
mod machine;
mod peer;
mod plan;
mod process;
mod server;
mod updates;

use figure::Figure;
use std::path::Path;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |part: &str| chosen.is_empty() || chosen.iter().any(|name| name == part);
    let mut figures: Vec<Figure> = Vec::new();
    if wanted("charts") {
        charts::run(&mut figures).await?;
    }
    if wanted("growth") {
        growth::run(&mut figures).await?;
    }
    if wanted("loop") {
        devices::closed_loop(&mut figures).await?;
    }
    if wanted("fleet") {
        devices::fleet(&mut figures).await?;
    }
    if wanted("updates") {
        updates::run(&mut figures).await?;
    }
    if wanted("electrician") {
        electrician::run(&mut figures).await?;
    }
    if wanted("plan") {
        plan::run(&mut figures);
    }
    if wanted("browser") {
        browser::run(&mut figures).await?;
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
