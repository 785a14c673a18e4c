//! What the demo adds to the portal: the mails that would have been sent, and batteries that can be operated by hand.
use domain::Serial;
use serde::Serialize;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The mails of the demo, newest first, and its batteries.
#[derive(Clone, Debug, Default)]
pub struct DemoState {
    mails: Arc<Mutex<Vec<SentMail>>>,
    pub(super) controls: Option<Arc<dyn BatteryControls>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SentMail {
    pub to: String,
    pub subject: String,
    pub text: String,
    /// Unix time in milliseconds.
    pub at: i64,
}

/// Older mails are dropped.
const MAX_MAILS: usize = 100;

impl DemoState {
    /// Adds batteries that can be operated by hand.
    #[must_use]
    pub fn with_controls(self, controls: Arc<dyn BatteryControls>) -> Self {
        Self {
            controls: Some(controls),
            ..self
        }
    }

    pub fn deliver(&self, mail: SentMail) {
        let mut mails = self
            .mails
            .lock()
            .expect("no code panics while it holds the mails");
        mails.insert(0, mail);
        mails.truncate(MAX_MAILS);
    }

    pub(super) fn mails(&self) -> Vec<SentMail> {
        self.mails
            .lock()
            .expect("no code panics while it holds the mails")
            .clone()
    }
}

/// A manual action at a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManualAction {
    MainSwitch(bool),
    /// Turns the main switch in the pattern that completes a claim.
    SwitchPattern,
    /// Plugs it in (true) or unplugs it.
    Plug(bool),
    /// An appliance in the house that draws this many W from a phase; 0 is off.
    Appliance {
        phase: u8,
        power: i32,
    },
    /// Makes a cell faulty, or repairs it. This has no counterpart in reality.
    BadCell(bool),
}

/// A battery as a person in front of it sees it.
#[derive(Clone, Debug, Serialize)]
pub struct DemoBattery {
    pub sn: String,
    pub powered: bool,
    pub switched_on: bool,
    pub faulty: bool,
}

/// The batteries that can be operated by hand.
pub trait BatteryControls: Send + Sync {
    fn batteries(&self) -> Vec<DemoBattery>;
    /// Returns whether the battery exists.
    fn apply(&self, sn: &Serial, action: ManualAction) -> bool;
}

impl fmt::Debug for dyn BatteryControls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BatteryControls")
    }
}
