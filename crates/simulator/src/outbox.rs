//! What a battery has not been able to deliver: kept until it is acknowledged, within bounds.
use crate::happening::Happening;
use crate::wire::{BATCH, Measured};
use domain::clock::Millis;
use domain::firmware::{Part, Stage};
use domain::sample::MessageId;
use std::collections::VecDeque;
use std::num::NonZeroU16;
use tokio::time::Instant;

/// An event under the id that it keeps however often it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) id: MessageId,
    pub(crate) happening: Happening,
    pub(crate) uptime: Millis,
}

/// How far an update is: `up/fw`, as it was written.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) part: Part,
    pub(crate) stage: Stage,
    pub(crate) text: String,
}

impl Progress {
    /// Whether it is still true when something has happened since.
    fn is_final(&self) -> bool {
        matches!(self.stage, Stage::Confirmed | Stage::Failed)
    }
}

#[derive(Debug)]
pub(crate) enum Cargo {
    Hello,
    Sample(Measured),
    Batch(Vec<Measured>),
    Event(Told),
    /// `up/rep`: it is written anew when it has to be sent again.
    Report,
    /// `up/res`, as it was written.
    Answer(String),
    Progress(Progress),
    /// Something that flies a second time; the first one counts.
    Repeat,
}

#[derive(Debug)]
struct Flight {
    packet_id: NonZeroU16,
    cargo: Cargo,
    since: Instant,
}

#[derive(Debug)]
pub(crate) struct Outbox {
    /// Measured and not delivered, oldest first.
    waiting: VecDeque<Measured>,
    /// How many may wait; the oldest is forgotten then.
    room: usize,
    events: VecDeque<Told>,
    /// Answers to commands.
    answers: VecDeque<String>,
    /// Of an update.
    progress: VecDeque<Progress>,
    /// A report of settings was not delivered.
    report: bool,
    /// Sent and not acknowledged.
    flying: Vec<Flight>,
}

impl Outbox {
    pub(crate) fn new(room: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            room,
            events: VecDeque::new(),
            answers: VecDeque::new(),
            progress: VecDeque::new(),
            report: false,
            flying: Vec::new(),
        }
    }

    /// Keeps a sample for later. Whether an older one had to go for it.
    pub(crate) fn keep(&mut self, measured: Measured) -> bool {
        let full = self.waiting.len() >= self.room;
        if full {
            self.waiting.pop_front();
        }
        self.waiting.push_back(measured);
        full
    }

    pub(crate) fn tell(&mut self, told: Told) {
        self.events.push_back(told);
    }

    pub(crate) fn next_event(&mut self) -> Option<Told> {
        self.events.pop_front()
    }

    pub(crate) fn answer_all(&mut self, answers: impl IntoIterator<Item = String>) {
        self.answers.extend(answers);
    }

    pub(crate) fn next_answer(&mut self) -> Option<String> {
        self.answers.pop_front()
    }

    /// What is said about a stage replaces what was to be said about it before.
    pub(crate) fn tell_progress(&mut self, progress: Progress) {
        let same = |before: &Progress| {
            (before.part, before.stage) == (progress.part, progress.stage) && !before.is_final()
        };
        if self.progress.back().is_some_and(same) {
            self.progress.pop_back();
        }
        self.progress.push_back(progress);
    }

    pub(crate) fn next_progress(&mut self) -> Option<Progress> {
        self.progress.pop_front()
    }

    /// What was to be said about an update is out of date after a start, unless it was the last word.
    pub(crate) fn forget_progress(&mut self) {
        self.progress.retain(Progress::is_final);
    }

    /// Whether a report has to be sent again; only asked once.
    pub(crate) fn take_report(&mut self) -> bool {
        std::mem::take(&mut self.report)
    }

    pub(crate) fn next_batch(&mut self) -> Vec<Measured> {
        let size = self.waiting.len().min(BATCH);
        self.waiting.drain(..size).collect()
    }

    pub(crate) fn has_history(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
            && self.events.is_empty()
            && self.answers.is_empty()
            && self.progress.is_empty()
            && self.flying.is_empty()
    }

    pub(crate) fn fly(&mut self, packet_id: NonZeroU16, cargo: Cargo, since: Instant) {
        self.flying.push(Flight {
            packet_id,
            cargo,
            since,
        });
    }

    pub(crate) fn samples_flying(&self) -> usize {
        let live = |flight: &&Flight| matches!(flight.cargo, Cargo::Sample(_));
        self.flying.iter().filter(live).count()
    }

    pub(crate) fn batch_flying(&self) -> bool {
        let batch = |flight: &Flight| matches!(flight.cargo, Cargo::Batch(_));
        self.flying.iter().any(batch)
    }

    /// Since when the oldest waits for its acknowledgement.
    pub(crate) fn oldest_flight(&self) -> Option<Instant> {
        self.flying.iter().map(|flight| flight.since).min()
    }

    /// Takes what was sent under this id out of the air.
    pub(crate) fn land(&mut self, packet_id: NonZeroU16) -> Option<(Cargo, Instant)> {
        let place = self
            .flying
            .iter()
            .position(|flight| flight.packet_id == packet_id)?;
        let flight = self.flying.remove(place);
        Some((flight.cargo, flight.since))
    }

    /// It was not delivered: it waits again, before what is newer.
    pub(crate) fn put_back(&mut self, cargo: Cargo) {
        match cargo {
            Cargo::Sample(measured) => self.waiting.push_front(measured),
            Cargo::Batch(batch) => {
                for measured in batch.into_iter().rev() {
                    self.waiting.push_front(measured);
                }
            }
            Cargo::Event(told) => self.events.push_front(told),
            Cargo::Answer(answer) => self.answers.push_front(answer),
            Cargo::Progress(progress) => self.progress.push_front(progress),
            Cargo::Report => self.report = true,
            Cargo::Hello | Cargo::Repeat => {}
        }
    }

    /// The connection is gone, and with it every acknowledgement that was on its way.
    pub(crate) fn crash(&mut self) {
        for flight in std::mem::take(&mut self.flying).into_iter().rev() {
            self.put_back(flight.cargo);
        }
    }
}
