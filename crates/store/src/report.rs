//! Reports of batteries: what they say, and what became of them.
mod routing;
mod write;

use crate::device::SystemFacts;
use crate::firmware::UpdateJob;
use crate::presence::Presence;
pub use crate::undated_samples::UndatedSample;
use domain::clock::Millis;
use domain::command::CommandAnswer;
use domain::firmware::FirmwareReport;
use domain::setting::SettingsReport;
use domain::{CommandId, Event, Hello, Sample, Serial};
use strum::IntoStaticStr;

/// One message of one battery, decoded, with its time determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub sn: Serial,
    pub received_at: Millis,
    pub body: ReportBody,
}

#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReportBody {
    Hello {
        hello: Hello,
        /// When this boot of the device began, by the server's clock.
        started_at: Millis,
    },
    /// A live sample: it updates the live view and shows that the battery is online.
    Sample(Sample),
    /// Samples stored by the battery while it was offline: they fill gaps and change nothing else.
    BackFill {
        samples: Vec<Sample>,
        undated: Vec<UndatedSample>,
    },
    Event(Event),
    Settings(SettingsReport),
    Answer(CommandAnswer),
    Firmware(FirmwareReport),
    /// A command was passed to the battery's connection.
    Sent(CommandId),
    /// The battery is online, although it sent no hello.
    Online,
    /// Its last will, with the boot that left it and its last contact.
    Offline {
        boot: u32,
        since: Millis,
    },
    /// A message that cannot be used, with the reason.
    Reject {
        /// The last part of the topic, or the [name](Self::name) of a report that cannot be stored.
        topic: String,
        reason: &'static str,
        payload: Vec<u8>,
    },
}

impl ReportBody {
    /// What it is, for the log.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// What became of a report. A repeat changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportOutcome {
    /// For each sample, whether it was new.
    pub new: Vec<bool>,
    /// What it changed beside samples.
    pub changes: Vec<ReportChange>,
    /// Whether settings, commands or firmware wait for the battery that sent the hello.
    pub orders_wait: bool,
    /// If the unit was exchanged: the reports that were stored instead, each with its outcome.
    pub rerouted: Option<Vec<(Report, ReportOutcome)>>,
}

/// Something about a system that a report changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportChange {
    /// What the system reports about itself: by a hello.
    Facts(SystemFacts),
    /// By a hello, a first sample or a last will.
    Presence(Presence),
    /// What is known about its settings.
    Settings,
    /// The state of a command.
    Command(CommandId),
    /// A new event.
    Event(Event),
    /// The state of the newest update.
    Update(UpdateJob),
    /// What is in force.
    Effects,
    /// The pattern at the main switch made somebody its owner.
    Owner,
}
