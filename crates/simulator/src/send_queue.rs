//! Undelivered messages of a battery, kept until acknowledged and limited in number.
use crate::device_event::DeviceEvent;
use crate::wire::{MAX_BATCH_SAMPLES, StampedSample};
use domain::clock::Millis;
use domain::firmware::{Part, Stage};
use domain::sample::MessageId;
use std::collections::VecDeque;
use std::num::NonZeroU16;
use tokio::time::Instant;

/// An event with its id, which stays the same however often it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedEvent {
    pub(crate) id: MessageId,
    pub(crate) device_event: DeviceEvent,
    pub(crate) uptime: Millis,
}

/// Progress of an update: an encoded `up/fw`.
#[derive(Debug)]
pub(crate) struct ProgressReport {
    pub(crate) part: Part,
    pub(crate) stage: Stage,
    pub(crate) text: String,
}

impl ProgressReport {
    /// Whether it stays true whatever happens later.
    fn is_final(&self) -> bool {
        matches!(self.stage, Stage::Confirmed | Stage::Failed)
    }
}

#[derive(Debug)]
pub(crate) enum OutgoingMessage {
    Hello,
    Sample(StampedSample),
    Batch(Vec<StampedSample>),
    Event(QueuedEvent),
    /// `up/rep`, encoded again for each attempt.
    Report,
    /// An encoded `up/res`.
    Answer(String),
    Progress(ProgressReport),
    /// A second copy of a message; only the first one counts.
    Duplicate,
}

#[derive(Debug)]
struct InFlight {
    packet_id: NonZeroU16,
    message: OutgoingMessage,
    since: Instant,
}

#[derive(Debug)]
pub(crate) struct SendQueue {
    /// Measured but not delivered, oldest first.
    waiting: VecDeque<StampedSample>,
    /// The maximum of `waiting`; beyond it the oldest is dropped.
    capacity: usize,
    events: VecDeque<QueuedEvent>,
    /// Answers to commands.
    answers: VecDeque<String>,
    /// Progress of an update.
    progress: VecDeque<ProgressReport>,
    /// A settings report was not delivered.
    report: bool,
    /// Sent but not acknowledged.
    in_flight: Vec<InFlight>,
}

impl SendQueue {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            capacity,
            events: VecDeque::new(),
            answers: VecDeque::new(),
            progress: VecDeque::new(),
            report: false,
            in_flight: Vec::new(),
        }
    }

    /// Buffers a sample. Returns whether an older one was dropped for it.
    pub(crate) fn buffer_sample(&mut self, measured: StampedSample) -> bool {
        let full = self.waiting.len() >= self.capacity;
        if full {
            self.waiting.pop_front();
        }
        self.waiting.push_back(measured);
        full
    }

    pub(crate) fn queue_event(&mut self, queued: QueuedEvent) {
        self.events.push_back(queued);
    }

    pub(crate) fn next_event(&mut self) -> Option<QueuedEvent> {
        self.events.pop_front()
    }

    pub(crate) fn queue_answers(&mut self, answers: impl IntoIterator<Item = String>) {
        self.answers.extend(answers);
    }

    pub(crate) fn next_answer(&mut self) -> Option<String> {
        self.answers.pop_front()
    }

    /// Replaces an unsent report of the same stage.
    pub(crate) fn queue_progress(&mut self, progress: ProgressReport) {
        let same = |before: &ProgressReport| {
            (before.part, before.stage) == (progress.part, progress.stage) && !before.is_final()
        };
        if self.progress.back().is_some_and(same) {
            self.progress.pop_back();
        }
        self.progress.push_back(progress);
    }

    pub(crate) fn next_progress(&mut self) -> Option<ProgressReport> {
        self.progress.pop_front()
    }

    /// After a restart, undelivered progress is out of date unless it is final.
    pub(crate) fn drop_stale_progress(&mut self) {
        self.progress.retain(ProgressReport::is_final);
    }

    /// Whether a report has to be sent again; clears the flag.
    pub(crate) fn take_report(&mut self) -> bool {
        std::mem::take(&mut self.report)
    }

    pub(crate) fn next_batch(&mut self) -> Vec<StampedSample> {
        let size = self.waiting.len().min(MAX_BATCH_SAMPLES);
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
            && self.in_flight.is_empty()
    }

    pub(crate) fn mark_in_flight(
        &mut self,
        packet_id: NonZeroU16,
        message: OutgoingMessage,
        since: Instant,
    ) {
        self.in_flight.push(InFlight {
            packet_id,
            message,
            since,
        });
    }

    pub(crate) fn samples_in_flight(&self) -> usize {
        let live = |flight: &&InFlight| matches!(flight.message, OutgoingMessage::Sample(_));
        self.in_flight.iter().filter(live).count()
    }

    pub(crate) fn batch_in_flight(&self) -> bool {
        let batch = |flight: &InFlight| matches!(flight.message, OutgoingMessage::Batch(_));
        self.in_flight.iter().any(batch)
    }

    /// When the oldest unacknowledged message was sent.
    pub(crate) fn oldest_in_flight(&self) -> Option<Instant> {
        self.in_flight.iter().map(|flight| flight.since).min()
    }

    /// Removes and returns the message that was sent under this id.
    pub(crate) fn take_acknowledged(
        &mut self,
        packet_id: NonZeroU16,
    ) -> Option<(OutgoingMessage, Instant)> {
        let index = self
            .in_flight
            .iter()
            .position(|flight| flight.packet_id == packet_id)?;
        let flight = self.in_flight.remove(index);
        Some((flight.message, flight.since))
    }

    /// Queues an undelivered message again, ahead of newer ones.
    pub(crate) fn requeue(&mut self, message: OutgoingMessage) {
        match message {
            OutgoingMessage::Sample(measured) => self.waiting.push_front(measured),
            OutgoingMessage::Batch(batch) => {
                for measured in batch.into_iter().rev() {
                    self.waiting.push_front(measured);
                }
            }
            OutgoingMessage::Event(queued) => self.events.push_front(queued),
            OutgoingMessage::Answer(answer) => self.answers.push_front(answer),
            OutgoingMessage::Progress(progress) => self.progress.push_front(progress),
            OutgoingMessage::Report => self.report = true,
            OutgoingMessage::Hello | OutgoingMessage::Duplicate => {}
        }
    }

    /// The connection is lost: pending acknowledgements will never arrive.
    pub(crate) fn requeue_in_flight(&mut self) {
        for flight in std::mem::take(&mut self.in_flight).into_iter().rev() {
            self.requeue(flight.message);
        }
    }
}
