//! A battery's memory of the portal: the version of its settings and its recent commands.
use crate::document::RefusedFields;
use domain::clock::Millis;
use std::collections::VecDeque;
use tokio::time::Instant;

/// A repeated command among these is answered as before.
const MAX_REMEMBERED_COMMANDS: usize = 32;

/// The battery's memory of the portal; most of it survives a restart.
#[derive(Debug, Default)]
pub(crate) struct PortalMemory {
    pub(crate) version: i64,
    pub(crate) refused: RefusedFields,
    /// The settings have to be reported.
    pub(crate) report_due: bool,
    /// Command ids with their answers; `None` while a command runs.
    commands: VecDeque<(String, Option<String>)>,
    pub(crate) test: Option<RunningMeterTest>,
    /// The portal's time when it was last received, and the battery's uptime then.
    pub(crate) time_sync: Option<(Millis, Millis)>,
}

#[derive(Debug)]
pub(crate) struct RunningMeterTest {
    pub(crate) id: String,
    pub(crate) readings: u32,
    pub(crate) next: Instant,
}

impl PortalMemory {
    /// A new battery reports its settings once.
    pub(crate) fn new() -> Self {
        Self {
            report_due: true,
            ..Self::default()
        }
    }

    pub(crate) fn next_meter_reading(&self) -> Option<Instant> {
        self.test.as_ref().map(|test| test.next)
    }

    /// After a restart the portal has to send the time again, and a running test is cancelled.
    pub(crate) fn restart(&mut self) {
        self.time_sync = None;
        self.test = None;
        self.report_due = true;
    }

    /// The answer to a known command; the inner `None` means that it still runs.
    pub(crate) fn answer_to(&self, id: &str) -> Option<Option<String>> {
        let known = self.commands.iter().find(|(known, _)| known == id);
        known.map(|(_, answer)| answer.clone())
    }

    pub(crate) fn record_command(&mut self, id: &str) {
        if self.commands.len() == MAX_REMEMBERED_COMMANDS {
            self.commands.pop_front();
        }
        self.commands.push_back((id.to_owned(), None));
    }

    pub(crate) fn record_answer(&mut self, id: &str, answer: &str) {
        let known = self.commands.iter_mut().find(|(known, _)| known == id);
        if let Some((_, remembered)) = known {
            *remembered = Some(answer.to_owned());
        }
    }
}
