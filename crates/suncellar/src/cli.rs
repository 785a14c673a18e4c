//! The command line: what operators type and tests rely on.
use crate::options::Options;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::{Email, Serial};
use std::path::PathBuf;

/// The web portal for home batteries and the people who install them.
#[derive(Parser)]
#[command(version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the product. Stops on SIGTERM or Ctrl-C after open requests are answered
    Serve,
    /// Serve it with an embedded database and demo accounts, with a secret of its own
    Demo(Demo),
    /// Bring the database's schema up to date and exit
    Migrate,
    /// What the operator does: devices, codes, partners, accounts
    Admin {
        #[command(subcommand)]
        command: Admin,
    },
    /// Print the OpenAPI document
    #[command(hide = true)]
    Openapi,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// After how many seconds a claimed battery turns its main switch by itself; 0: only when it is told to
    #[arg(long, default_value_t = 5, value_name = "SECONDS")]
    pub(crate) switch_after: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Register devices from a CSV file with the columns sn, phase (1 to 3) and secret.
    /// An empty secret is drawn at random; the answer is the same table with every secret filled in
    ImportDevices { file: PathBuf },
    /// Issue a single-use code for the systems of one site; it replaces unused ones of its kind
    IssueCode {
        kind: CodeKind,
        /// Serial numbers that the code covers
        #[arg(required = true)]
        systems: Vec<Serial>,
    },
    /// Register a partner app, or change its name and return addresses
    RegisterPartner {
        /// The app's client_id
        #[arg(long)]
        id: String,
        /// The name that owners see on the consent screen
        #[arg(long)]
        name: String,
        /// A return address that is allowed, exactly as the app sends it; give it once for each
        #[arg(long = "redirect", required = true, value_name = "URL")]
        redirects: Vec<String>,
    },
    /// Lock an account: its sessions end and nobody can log in
    LockAccount { email: Email },
    /// Let a locked account in again
    UnlockAccount { email: Email },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CodeKind {
    Registration,
    Installer,
}
