//! `suncellar`: one binary for the portal, its demo and its operator's commands.

mod acme;
mod admin;
mod backup;
mod certificate;
mod check;
mod cli;
mod config;
mod demo;
mod file_permissions;
mod health;
mod init;
mod monitoring;
mod open_files;
mod opening;
mod option_help;
mod options;
mod roles;
mod shared_options;
mod simulate;
mod stop_signal;
mod tasks;
mod tls;
mod traces;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};
use cli::{Cli, Command};
use config::Config;
use options::LogFormat;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use traces::Traces;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// The C library's allocator took a sixth of a request's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    file_permissions::set_umask();
    let arguments = option_help::of_each_command(Cli::command()).get_matches();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line with all causes.
            eprintln!("suncellar: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &ArgMatches) -> anyhow::Result<()> {
    let cli = Cli::from_arg_matches(arguments).unwrap_or_else(|error| error.exit());
    if matches!(cli.command, Command::Openapi) {
        println!("{}", api::openapi().to_pretty_json()?);
        return Ok(());
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    if let Command::Init(init) = &cli.command {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        return runtime.block_on(init::run(cli.options, init));
    }
    let config = Config::load(cli.options, arguments)?;
    // Dropped after the runtime.
    let _traces = start_log(&config)?;
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(async {
            match cli.command {
                Command::Serve => roles::serve(config).await,
                Command::Demo(demo) => demo::run(config, demo).await,
                Command::Simulate(options) => simulate::run(options).await,
                Command::Migrate => opening::migrate(&config).await,
                Command::Backup(options) => backup::backup(&config, &options).await,
                Command::Restore(options) => backup::restore(&config, &options).await,
                Command::Move(options) => backup::move_database(&config, &options).await,
                Command::Check(options) => check::run(&config, &options).await,
                Command::Health => health::ask(&config).await,
                Command::Admin { command } => admin::run(&config, command).await,
                Command::Init(_) | Command::Openapi => Ok(()),
            }
        })
}

fn start_log(config: &Config) -> anyhow::Result<Option<Traces>> {
    // PostgreSQL logs at each start that the migrations table exists already, and h2 warns of what any stranger can cause.
    const USUAL: &str = "info,sqlx::postgres::notice=warn,h2=error";
    let filter = EnvFilter::try_from_env("SUNCELLAR_LOG").unwrap_or_else(|_| EnvFilter::new(USUAL));
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let log = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal() && !plain)
        .with_writer(std::io::stderr);
    let log: Box<dyn Layer<Registry> + Send + Sync> = match config.log {
        LogFormat::Text => log.with_filter(filter).boxed(),
        LogFormat::Json => log.json().with_filter(filter).boxed(),
    };
    let mut layers = vec![log, monitoring::log_layer().boxed()];
    let traces = config.otlp_endpoint.as_deref().map(Traces::open);
    let traces = traces.transpose()?;
    layers.extend(traces.as_ref().map(|traces| traces.layer().boxed()));
    tracing_subscriber::registry().with(layers).init();
    Ok(traces)
}
