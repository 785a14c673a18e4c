//! The command line. Operators and tests rely on it.

pub(crate) mod firmware;

use crate::backup::{Backup, Move, Restore};
use crate::check::Check;
use crate::init::Init;
use crate::options::Options;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::clock::Millis;
use domain::{Email, Serial, SiteDay, Zone};
use std::path::PathBuf;

/// The web portal for home batteries and the people who install them.
#[derive(Parser)]
#[command(
    version,
    propagate_version = true,
    after_help = "`suncellar COMMAND --help` lists the options of a command."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server. Stops on SIGTERM or Ctrl-C after open requests are answered
    Serve,
    /// Run a demo with an embedded database, demo accounts and a secret of its own
    Demo(DemoOptions),
    /// Run simulated batteries against a gateway
    Simulate(Simulate),
    /// Bring the database's schema up to date and exit
    Migrate,
    /// Write a backup into a folder, also while servers run: a new file with its time, read back and compared
    Backup(Backup),
    /// Put a backup into the database while no server runs. A previous SQLite database is kept beside it; a PostgreSQL database
    /// must be empty
    Restore(Restore),
    /// Copy everything into another database, of whichever kind, while no server runs, and compare both; run it again after an
    /// interruption
    Move(Move),
    /// Write the first configuration and secret, asking for what is not given, and check them
    Init(Init),
    /// Check secret, certificates, mail server, open files, disk, database and clock; one line each, and exit with 0 if all is well
    Check(Check),
    /// Ask the server with the same configuration on this machine whether it is alive; exit with 0 if it is
    Health,
    /// Operator's commands: devices, codes, partners, accounts, firmware, the fleet's brake
    Admin {
        #[command(subcommand)]
        command: Admin,
    },
    /// Print the OpenAPI document
    Openapi,
}

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// Seconds after which a claimed battery turns its main switch by itself; 0: only on request
    #[arg(long, default_value_t = 5, value_name = "SECONDS")]
    pub(crate) switch_after: u32,
    /// Days of history at the first start
    #[arg(long, default_value_t = 365, value_name = "DAYS")]
    pub(crate) history: u32,
    /// Only the accounts below with their batteries, or the whole street
    #[arg(long, value_enum, default_value_t = DemoSize::Full)]
    pub(crate) systems: DemoSize,
    /// How long a battery takes to download and install one part of its firmware
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub(crate) part_takes: u32,
    /// Start at another hour than now, in Berlin's local time; only for a new folder
    #[arg(long, value_name = "YYYY-MM-DDTHH:00", value_parser = hour_in_berlin)]
    pub(crate) starts_at: Option<Millis>,
}

/// The demo's weather is deterministic, so it makes sense to choose a day.
fn hour_in_berlin(text: &str) -> Result<Millis, &'static str> {
    const WRONG: &str = "not a full hour like 2026-01-31T18:00";
    let (day, time) = text.split_once('T').ok_or(WRONG)?;
    let day: SiteDay = day.parse().map_err(|_| WRONG)?;
    let hour = time.strip_suffix(":00").filter(|hour| hour.len() == 2);
    let hour = hour.and_then(|hour| hour.parse().ok()).ok_or(WRONG)?;
    (0..24)
        .contains(&hour)
        .then(|| Zone::default().hour_of(day, hour))
        .ok_or(WRONG)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoSize {
    Small,
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// Address of the gateway
    #[arg(long, default_value = "127.0.0.1:1883", value_name = "HOST:PORT")]
    pub(crate) gateway: String,
    /// Number of batteries [default: all of the secrets file]
    #[arg(long, value_name = "COUNT")]
    pub(crate) systems: Option<usize>,
    /// Seconds between two samples of a battery
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    pub(crate) interval: f64,
    /// Seed of the homes; another number gives other homes
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Output of `admin import-devices`: serial numbers, phases and secrets
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets: Option<PathBuf>,
    /// Output of `admin firmware keys`: the public keys that batteries get at the factory; without them they refuse all
    /// updates
    #[arg(long, value_name = "FILE")]
    pub(crate) firmware_keys: Option<PathBuf>,
    /// Send the next sample as soon as the last one is acknowledged
    #[arg(long)]
    pub(crate) closed_loop: bool,
    /// Stop after this many seconds
    #[arg(long = "for", value_name = "SECONDS")]
    pub(crate) end_after: Option<u64>,
    /// Write the acknowledged samples to this file at the end: sn, boot, sequence
    #[arg(long, value_name = "FILE")]
    pub(crate) acked: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Register devices from a CSV file with the columns sn, phase (1 to 3) and secret.
    /// An empty secret is replaced by a random one; prints the same table with all secrets
    ImportDevices { file: PathBuf },
    /// Issue a single-use code for the systems of one site; it replaces unused codes of the same kind
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
        /// An allowed return address, exactly as the app sends it; give it once for each
        #[arg(long = "redirect", required = true, value_name = "URL")]
        redirects: Vec<String>,
    },
    /// Lock an account: its sessions end and nobody can log in
    LockAccount { email: Email },
    /// Unlock an account
    UnlockAccount { email: Email },
    /// Remove the second factor and all passkeys of an account whose person lost phone and recovery codes. Its sessions end, and
    /// a mail informs the person. Verify first that the request comes from them
    ResetTotp { email: Email },
    /// Block all commands and all changes of settings for all batteries at once: new ones are refused, pending ones are not
    /// sent
    BrakeFleet {
        /// Why, for the journal
        reason: String,
    },
    /// Allow commands and changes again
    ReleaseFleet,
    /// Block a device: it is disconnected within seconds and cannot connect until it is unblocked. Its owner sees it as offline
    BlockDevice {
        sn: Serial,
        /// Allow it to connect again
        #[arg(long)]
        unblock: bool,
    },
    /// List the devices that are blocked
    ListBlocked,
    /// List the devices that sent more than their quota in the last seven days
    ListThrottled,
    /// Make a new secret for a device and print it, this once. The old one stays valid until the device uses the new one, for 30
    /// days at most
    RotateDeviceSecret {
        sn: Serial,
        /// The old secret is invalid at once, and the device is disconnected
        #[arg(long)]
        now: bool,
    },
    /// Accept a unit again whose boot counter was reset or reached its maximum; until then the portal takes its reports for
    /// old ones. Verify first that it is this unit, with its owner or whoever repaired it
    RestartBootCounter { sn: Serial },
    /// Change the operator's secret; --secret or --secret-file is the old one. Nothing else changes; restart every process
    /// with the new one
    ChangeSecret {
        /// File that holds the new secret
        #[arg(long, value_name = "FILE")]
        new_secret_file: PathBuf,
    },
    /// Create new keys, after a leak or regularly. A running server takes them over within two minutes
    RotateKeys {
        /// For how many days sessions of the old keys stay valid; 0 after a leak: everybody logs in again
        #[arg(long, default_value_t = 30, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(0..=365))]
        grace_days: u32,
    },
    /// List the key versions, and what still uses old ones
    ListKeys,
    /// Change an option that all processes on a PostgreSQL database share, such as public-url; it takes effect when they are
    /// restarted. Without a value it is forgotten, and the next process that is given one stores it
    SetOption { name: String, value: Option<String> },
    /// List the options that all processes on this database share
    ListOptions,
    /// Keys, signing, publishing, rollouts
    Firmware {
        #[command(subcommand)]
        command: firmware::Firmware,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CodeKind {
    Registration,
    Installer,
}
