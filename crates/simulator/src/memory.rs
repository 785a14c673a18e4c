//! What a battery remembers of the portal: the settings it holds, and the commands it has had.
use crate::document::Refused;
use domain::clock::Millis;
use std::collections::VecDeque;
use tokio::time::Instant;

/// It remembers so many commands, and answers a repeated one with what it answered before.
const REMEMBERED: usize = 32;
/// What the battery remembers of the portal, over restarts too.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) version: i64,
    pub(crate) refused: Refused,
    /// Whether the portal has to hear of its settings.
    pub(crate) to_report: bool,
    /// Commands with the answer that each got; `None` while it runs.
    commands: VecDeque<(String, Option<String>)>,
    pub(crate) test: Option<MeterTest>,
    /// What the portal's clock showed, and the battery's uptime then.
    pub(crate) told: Option<(Millis, Millis)>,
}

#[derive(Debug)]
pub(crate) struct MeterTest {
    pub(crate) id: String,
    pub(crate) looked: u32,
    pub(crate) next: Instant,
}

impl Memory {
    /// A battery that has never heard of a portal tells once what it works with.
    pub(crate) fn of_new() -> Self {
        Self {
            to_report: true,
            ..Self::default()
        }
    }

    pub(crate) fn next_look(&self) -> Option<Instant> {
        self.test.as_ref().map(|test| test.next)
    }

    /// It starts anew: it has to be told the time again, and a test that ran is over.
    pub(crate) fn restart(&mut self) {
        self.told = None;
        self.test = None;
        self.to_report = true;
    }

    /// The answer that this command got, if it is a known one; `None` inside while it runs.
    pub(crate) fn remembers(&self, id: &str) -> Option<Option<String>> {
        let known = self.commands.iter().find(|(known, _)| known == id);
        known.map(|(_, answer)| answer.clone())
    }

    pub(crate) fn remember(&mut self, id: &str) {
        if self.commands.len() == REMEMBERED {
            self.commands.pop_front();
        }
        self.commands.push_back((id.to_owned(), None));
    }

    pub(crate) fn remember_answer(&mut self, id: &str, answer: &str) {
        let known = self.commands.iter_mut().find(|(known, _)| known == id);
        if let Some((_, remembered)) = known {
            *remembered = Some(answer.to_owned());
        }
    }
}
