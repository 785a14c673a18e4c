//! Firmware commands of the manufacturer and the operator.
use clap::{Args, Subcommand};
use domain::firmware::{AffectedFirmware, Part, PublicKey, Version};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Firmware {
    /// Create a release key: writes the secret key to the file, to be kept on a machine without a network; prints the public key
    NewKey { file: PathBuf },
    /// Sign an image with the release key and print the manifest to publish. Needs no database
    Sign(Sign),
    /// Set the manufacturer's release key; published images have to be signed with it
    TrustKey {
        key: PublicKey,
        /// Trust it instead of another one; batteries keep the key that they got at the factory
        #[arg(long)]
        replace: bool,
    },
    /// Print the public keys that batteries get at the factory, as JSON
    Keys,
    /// Publish a signed image to the first wave
    Publish(Publish),
    /// List the releases and the progress of their rollouts
    List,
    /// Pause a rollout: the release is offered to no more systems for now
    Pause {
        release: i64,
        /// Why, for the journal
        #[arg(long)]
        reason: Option<String>,
    },
    /// Continue a rollout that was paused or stopped by itself
    Resume { release: i64 },
    /// Offer a release to the next wave now, whatever the present wave has shown so far
    Proceed {
        release: i64,
        /// Why, for the journal
        #[arg(long)]
        reason: Option<String>,
    },
    /// Withdraw a release for good: it is offered to nobody any more
    Withdraw {
        release: i64,
        /// Why, for the journal
        #[arg(long)]
        reason: String,
    },
    /// List the units with certain firmware, as CSV: serial number, version, hardware, whether somebody owns it, the owner's
    /// country. How many there are, and of which version and country, goes to standard error
    Affected(Affected),
    /// Mail a security advisory to the owners of units with certain firmware, each once and in their language. Without --send it
    /// only says how many would get it
    Advise {
        #[command(flatten)]
        affected: Affected,
        /// Folder with de.txt, en.txt, pl.txt, fr.txt and hr.txt: the first line of each is the subject, the rest is the text.
        /// The units and a link to their updates are added
        #[arg(long, value_name = "FOLDER")]
        texts: PathBuf,
        /// Queue the mails
        #[arg(long)]
        send: bool,
    },
}

/// Which firmware is affected.
#[derive(Debug, Args)]
pub(crate) struct Affected {
    /// gateway, master or slave
    #[arg(long)]
    part: Part,
    /// As batteries report it, for example SC10 [default: any]
    #[arg(long)]
    hardware: Option<String>,
    /// The first affected version [default: all]
    #[arg(long, value_name = "VERSION")]
    from: Option<Version>,
    /// The first version that is not affected any more [default: there is none yet]
    #[arg(long, value_name = "VERSION")]
    fixed_in: Option<Version>,
}

impl Affected {
    pub(crate) fn into_firmware(self) -> AffectedFirmware {
        AffectedFirmware {
            part: self.part,
            hardware: self.hardware,
            from: self.from,
            fixed_in: self.fixed_in,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Sign {
    /// The file with the secret release key
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
    /// Sequence number, higher than in all earlier releases of this part; batteries never go back
    #[arg(long)]
    pub(crate) seq: i64,
    /// The oldest version that can be updated from
    #[arg(long, value_name = "VERSION")]
    pub(crate) min_from: Option<Version>,
    /// For how many days it may be installed
    #[arg(long, default_value_t = 365, value_name = "DAYS")]
    pub(crate) good_for: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// The output of `sign`
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    #[arg(long, value_name = "FILE")]
    pub(crate) image: PathBuf,
    /// Release note, for example de="Der Zähler wird schneller gelesen."; give it once for each language
    #[arg(long = "note", value_name = "LANG=TEXT")]
    pub(crate) notes: Vec<String>,
    /// Minimum duration of each wave (1, 10, 50, 100 %)
    #[arg(long, default_value_t = 24.0, value_name = "HOURS")]
    pub(crate) soak: f64,
}
