//! `suncellar`: one binary for the portal, its demo and its operator.

mod admin;
mod cli;
mod config;
mod demo;
mod options;
mod roles;
mod simulate;
mod tasks;
mod tls;

use clap::Parser as _;
use cli::{Cli, Command};
use config::Config;
use options::LogFormat;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// A sixth of a request's time went into the C library's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One sentence with its causes, for the person who started it.
            eprintln!("suncellar: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    if matches!(cli.command, Command::Openapi) {
        println!("{}", api::openapi().to_pretty_json()?);
        return Ok(());
    }
    let config = Config::load(cli.options)?;
    start_log(config.log);
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(async {
            match cli.command {
                Command::Serve => roles::serve(config).await,
                Command::Demo(demo) => demo::run(config, demo).await,
                Command::Simulate(options) => simulate::run(options).await,
                Command::Migrate => roles::open_store(&config).await.map(drop),
                Command::Admin { command } => admin::run(&config, command).await,
                Command::Openapi => Ok(()),
            }
        })
}

fn start_log(format: LogFormat) {
    let filter =
        EnvFilter::try_from_env("SUNCELLAR_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}
