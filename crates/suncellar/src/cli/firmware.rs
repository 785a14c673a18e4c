//! What the maker and the operator do with firmware.
use clap::{Args, Subcommand};
use domain::firmware::{Part, PublicKey, Version};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Firmware {
    /// Make a release key: the secret goes to the file, which belongs on a machine without a network; the public key is printed
    NewKey { file: PathBuf },
    /// Sign an image with the release key; prints the manifest that is published. Needs no database
    Sign(Sign),
    /// Say which release key the maker has; what is published has to be signed with it
    TrustKey { key: PublicKey },
    /// Print the public keys that batteries need from the factory, as JSON
    Keys,
    /// Publish a signed image to the first wave
    Publish(Publish),
    /// List what was published and how far it is
    List,
    /// Offer a release to nobody else for a while
    Pause {
        release: i64,
        /// Why, for the journal
        #[arg(long)]
        reason: Option<String>,
    },
    /// Go on with a release that was paused or has stopped by itself
    Resume { release: i64 },
    /// Offer a release to the next wave now, whatever the present one has shown so far
    Proceed {
        release: i64,
        /// Why, for the journal
        #[arg(long)]
        reason: Option<String>,
    },
    /// Offer a release to nobody any more, for good
    Withdraw {
        release: i64,
        /// Why, for the journal
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Sign {
    /// The file with the release key's secret
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    #[arg(long, value_name = "FILE")]
    pub(crate) image: PathBuf,
    /// gateway, master or slave
    #[arg(long)]
    pub(crate) part: Part,
    /// As batteries report it, for example SC10
    #[arg(long)]
    pub(crate) hardware: String,
    /// One or two digits, a dot, one or two digits
    #[arg(long, value_name = "VERSION")]
    pub(crate) release_version: Version,
    /// Higher than that of every release of this part before; no battery goes back
    #[arg(long)]
    pub(crate) seq: i64,
    /// The oldest version that can be updated from
    #[arg(long, value_name = "VERSION")]
    pub(crate) min_from: Option<Version>,
    /// How long it may be installed
    #[arg(long, default_value_t = 365, value_name = "DAYS")]
    pub(crate) good_for: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// What `sign` printed
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    #[arg(long, value_name = "FILE")]
    pub(crate) image: PathBuf,
    /// What is new, for example de="Der Zähler wird schneller gelesen."; give it once for each language
    #[arg(long = "note", value_name = "LANG=TEXT")]
    pub(crate) notes: Vec<String>,
    /// How long each wave (1, 10, 50, 100 %) lasts at least
    #[arg(long, default_value_t = 24.0, value_name = "HOURS")]
    pub(crate) soak: f64,
}
