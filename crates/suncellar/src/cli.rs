//! The command line: what operators type and tests rely on.

pub(crate) mod firmware;

use crate::options::Options;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::clock::Millis;
use domain::{Email, Serial, SiteDay, Zone};
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
    /// Run simulated batteries against a device endpoint
    Simulate(Simulate),
    /// Bring the database's schema up to date and exit
    Migrate,
    /// Write a backup of the embedded database into a new file, also while a server runs
    Backup { file: PathBuf },
    /// Put a backup in the database's place while no server runs; what was there before is kept beside it
    Restore { file: PathBuf },
    /// Read the whole embedded database and say what is damaged
    Check,
    /// What the operator does: devices, codes, partners, accounts, firmware, the fleet's brake
    Admin {
        #[command(subcommand)]
        command: Admin,
    },
    /// Print the OpenAPI document
    Openapi,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// After how many seconds a claimed battery turns its main switch by itself; 0: only when it is told to
    #[arg(long, default_value_t = 5, value_name = "SECONDS")]
    pub(crate) switch_after: u32,
    /// How many days the batteries have lived before the first start
    #[arg(long, default_value_t = 365, value_name = "DAYS")]
    pub(crate) history: u32,
    /// The accounts below with their batteries, or the whole street
    #[arg(long, value_enum, default_value_t = Systems::Full)]
    pub(crate) systems: Systems,
    /// How long a battery takes to load and install one part of its firmware
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub(crate) part_takes: u32,
    /// Live from another hour on instead of now, on the clocks of Berlin; for a new folder
    #[arg(long, value_name = "YYYY-MM-DDTHH:00", value_parser = hour_in_berlin)]
    pub(crate) starts_at: Option<Millis>,
}

/// The weather of the street is always the same, so that a day can be chosen for it.
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
pub(crate) enum Systems {
    Small,
    Full,
}

#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// The device endpoint
    #[arg(long, default_value = "127.0.0.1:1883", value_name = "HOST:PORT")]
    pub(crate) gateway: String,
    /// How many batteries; by default all of the secrets file
    #[arg(long, value_name = "COUNT")]
    pub(crate) systems: Option<usize>,
    /// Seconds between two samples of a battery
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    pub(crate) interval: f64,
    /// Another number, other homes
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// What `admin import-devices` printed: serial numbers, phases and secrets
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets: Option<PathBuf>,
    /// The public keys that the batteries have from the factory, as `admin firmware keys` prints them; without them they
    /// take no firmware
    #[arg(long, value_name = "FILE")]
    pub(crate) firmware_keys: Option<PathBuf>,
    /// Send the next sample as soon as the last one is acknowledged
    #[arg(long)]
    pub(crate) closed_loop: bool,
    /// End by itself after so many seconds
    #[arg(long = "for", value_name = "SECONDS")]
    pub(crate) end_after: Option<u64>,
    /// Write the samples that were acknowledged to this file at the end: sn, boot, sequence
    #[arg(long, value_name = "FILE")]
    pub(crate) acked: Option<PathBuf>,
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
    /// Take the second factor from an account whose person lost phone and recovery codes: sessions end, a mail tells it.
    /// Make sure first that it is them who ask
    ResetTotp { email: Email },
    /// Stop every command and every change of settings, at all batteries at once: nothing new is taken, and what waits is
    /// not sent
    BrakeFleet {
        /// Why, for the journal
        reason: String,
    },
    /// Let commands and changes through again
    ReleaseFleet,
    /// Hear a unit again whose boot counter began anew or ran to its end: until then the portal takes what it says about
    /// itself for old. Make sure first that it is this unit, by its owner or whoever repaired it
    RestartBootCounter { sn: Serial },
    /// Change the operator's secret: --secret or --secret-file names the old one. Nothing else changes; restart every
    /// process with the new one
    ChangeSecret {
        /// File that holds the new secret
        #[arg(long, value_name = "FILE")]
        new_secret_file: PathBuf,
    },
    /// Make new keys, after a leak or as a habit. A running server takes them over within two minutes
    RotateKeys {
        /// For how many days sessions of the old keys go on; 0 after a leak: everybody logs in again
        #[arg(long, default_value_t = 30, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(0..=365))]
        grace_days: u32,
    },
    /// List the versions of the keys, and what is left of old ones
    ListKeys,
    /// Keys, signing, publishing, roll-outs
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
