//! A connected battery: it sends live samples first, then events, then back-fill.
use super::{RunningDevice, SessionEnd};
use crate::connection::{Connection, KEEP_ALIVE_SECONDS};
use crate::firmware::next_download_event;
use crate::intervention::next_intervention;
use crate::send_queue::OutgoingMessage;
use crate::wire::{self, HelloFields, StampedSample};
use bytes::Bytes;
use rmqtt_codec::v3::Packet;
use std::io;
use std::num::NonZeroU16;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Live samples that may await acknowledgement; further ones are buffered.
const MAX_LIVE_IN_FLIGHT: usize = 16;
/// A gateway that does not acknowledge for this long has lost the battery.
const ACK_TIMEOUT: Duration = Duration::from_secs(60);

impl RunningDevice {
    /// Runs until the session ends.
    pub(crate) async fn run_session(
        &mut self,
        connection: &mut Connection,
    ) -> Result<SessionEnd, SessionEnd> {
        self.send_hello(connection).await?;
        self.next_ping = Instant::now();
        self.next_history = None;
        loop {
            self.publish_state();
            self.advance_update()?;
            self.update_download();
            self.do_due_work(connection).await?;
            if self.context.finish.is_cancelled() && self.send_queue.is_empty() {
                return Ok(SessionEnd::Finished);
            }
            let wake = self.next_wake();
            let intervention = tokio::select! {
                packet = connection.receive() => {
                    self.handle_packet(packet?)?;
                    None
                }
                loaded = next_download_event(&mut self.download) => {
                    self.handle_download_event(loaded);
                    None
                }
                () = sleep_until(wake) => None,
                () = self.context.finish.cancelled(), if !self.context.finish.is_cancelled() => None,
                intervention = next_intervention(&mut self.interventions) => Some(intervention),
            };
            if let Some(intervention) = intervention {
                self.apply(intervention)?;
            }
        }
    }

    fn next_wake(&self) -> Instant {
        let mut wake = self.next_ping;
        if self.is_measuring()
            && !(self.context.closed_loop && self.send_queue.samples_in_flight() > 0)
        {
            wake = wake.min(self.next_measure);
        }
        let history = self
            .next_history
            .filter(|_| !self.send_queue.batch_in_flight());
        let overdue = self
            .send_queue
            .oldest_in_flight()
            .map(|at| at + ACK_TIMEOUT);
        [
            history,
            self.main_switch.next_turn(),
            overdue,
            self.portal.next_meter_reading(),
            self.next_update_tick(),
        ]
        .into_iter()
        .flatten()
        .fold(wake, Instant::min)
    }

    async fn do_due_work(&mut self, connection: &mut Connection) -> io::Result<()> {
        let now = Instant::now();
        let overdue = |at: Instant| at + ACK_TIMEOUT <= now;
        if self.send_queue.oldest_in_flight().is_some_and(overdue) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if self.next_ping <= now {
            connection.ping().await?;
            self.next_ping = now + Duration::from_secs(u64::from(KEEP_ALIVE_SECONDS) * 3 / 4);
        }
        self.turn_switch_if_due();
        self.continue_meter_test();
        let waits = self.context.closed_loop && self.send_queue.samples_in_flight() > 0;
        if self.is_measuring() && self.next_measure <= now && !waits {
            let measured = self.measure();
            self.send_live(connection, measured).await?;
        }
        while let Some(queued) = self.send_queue.next_event() {
            self.send(connection, OutgoingMessage::Event(queued))
                .await?;
        }
        self.portal.report_due |= self.send_queue.take_report();
        if std::mem::take(&mut self.portal.report_due) {
            self.send(connection, OutgoingMessage::Report).await?;
        }
        while let Some(answer) = self.send_queue.next_answer() {
            self.send(connection, OutgoingMessage::Answer(answer))
                .await?;
        }
        while let Some(progress) = self.send_queue.next_progress() {
            self.send(connection, OutgoingMessage::Progress(progress))
                .await?;
        }
        if !self.is_measuring()
            && let Some(measured) = self.delayed_sample.take()
        {
            self.send(connection, OutgoingMessage::Sample(measured))
                .await?;
        }
        self.send_history(connection, now).await
    }

    /// Back-fill follows live samples after a random delay, one batch at a time.
    async fn send_history(&mut self, connection: &mut Connection, now: Instant) -> io::Result<()> {
        if !self.send_queue.has_history() || self.send_queue.batch_in_flight() {
            return Ok(());
        }
        let jitter = self.context.history_jitter;
        let due = match self.next_history {
            Some(due) => due,
            None => now + self.dice.up_to(jitter),
        };
        self.next_history = Some(due);
        if due <= now || !self.is_measuring() {
            let batch = self.send_queue.next_batch();
            self.send(connection, OutgoingMessage::Batch(batch)).await?;
        }
        Ok(())
    }

    async fn send_hello(&mut self, connection: &mut Connection) -> io::Result<()> {
        let (id, at) = (self.next_id(), self.context.clock.now());
        let mut text = String::with_capacity(320);
        let uptime = at - self.booted_at;
        let present = HelloFields {
            identity: &self.identity,
            settings_version: self.portal.version,
            job: self.updater.job(),
        };
        wire::hello(&mut text, id, at, uptime, self.device_clock, present);
        self.updater.report_again();
        let packet_id = connection.publish(&self.topics.hello, text.into()).await?;
        self.send_queue
            .mark_in_flight(packet_id, OutgoingMessage::Hello, Instant::now());
        Ok(())
    }

    async fn send_live(
        &mut self,
        connection: &mut Connection,
        measured: StampedSample,
    ) -> io::Result<()> {
        if self.send_queue.samples_in_flight() >= MAX_LIVE_IN_FLIGHT {
            self.buffer_sample(measured);
            return Ok(());
        }
        if self.delayed_sample.is_none() && self.dice.happens(self.context.link_faults.reorder) {
            self.delayed_sample = Some(measured);
            return Ok(());
        }
        self.send(connection, OutgoingMessage::Sample(measured))
            .await?;
        match self.delayed_sample.take() {
            Some(older) => self.send(connection, OutgoingMessage::Sample(older)).await,
            None => Ok(()),
        }
    }

    /// Sends, with injected faults.
    async fn send(
        &mut self,
        connection: &mut Connection,
        message: OutgoingMessage,
    ) -> io::Result<()> {
        let (topic, payload, messages) = match message {
            OutgoingMessage::Report => (self.topics.rep.clone(), self.write_report().into(), 1),
            _ => self.encode(&message),
        };
        let sent = connection.publish(&topic, payload.clone()).await;
        let packet_id = match sent {
            Ok(packet_id) => packet_id,
            Err(error) => {
                self.send_queue.requeue(message);
                return Err(error);
            }
        };
        let link_faults = self.context.link_faults;
        let now = Instant::now();
        self.next_ping = now + Duration::from_secs(u64::from(KEEP_ALIVE_SECONDS) * 3 / 4);
        self.send_queue.mark_in_flight(packet_id, message, now);
        self.context.stats.sent.fetch_add(messages, Relaxed);
        if self.dice.happens(link_faults.duplicate) {
            let packet_id = connection.publish(&topic, payload).await?;
            self.send_queue
                .mark_in_flight(packet_id, OutgoingMessage::Duplicate, now);
            self.context.stats.sent.fetch_add(messages, Relaxed);
        }
        if self.dice.happens(link_faults.disconnect) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    /// Topic, payload, and the number of samples or other messages in it.
    fn encode(&self, message: &OutgoingMessage) -> (String, Bytes, u64) {
        let (topics, device_clock) = (&self.topics, self.device_clock);
        let mut text = String::new();
        match message {
            OutgoingMessage::Sample(measured) => {
                text.reserve(420);
                wire::sample(&mut text, measured, device_clock);
                (topics.tele.clone(), text.into(), 1)
            }
            OutgoingMessage::Batch(batch) => {
                let packed = wire::history(&mut text, batch, device_clock);
                (topics.hist.clone(), packed.into(), batch.len() as u64)
            }
            OutgoingMessage::Event(queued) => {
                wire::event(
                    &mut text,
                    queued.id,
                    &queued.device_event,
                    queued.uptime,
                    device_clock,
                );
                (topics.ev.clone(), text.into(), 1)
            }
            OutgoingMessage::Answer(answer) => (topics.res.clone(), answer.clone().into(), 1),
            OutgoingMessage::Progress(progress) => {
                (topics.fw.clone(), progress.text.clone().into(), 1)
            }
            OutgoingMessage::Hello | OutgoingMessage::Report | OutgoingMessage::Duplicate => {
                (topics.hello.clone(), Bytes::new(), 0)
            }
        }
    }

    fn handle_packet(&mut self, packet: Packet) -> Result<(), SessionEnd> {
        match packet {
            Packet::PublishAck { packet_id } => self.handle_acknowledgement(packet_id),
            Packet::Publish(publish) => {
                return self.handle_message(&publish.topic, &publish.payload);
            }
            _ => {}
        }
        Ok(())
    }

    fn handle_acknowledgement(&mut self, packet_id: NonZeroU16) {
        let Some((message, since)) = self.send_queue.take_acknowledged(packet_id) else {
            return;
        };
        // A hello is sent only once per connection, and its acknowledgement confirms a new firmware version.
        let hello = matches!(message, OutgoingMessage::Hello);
        if !hello && self.dice.happens(self.context.link_faults.lose_ack) {
            self.send_queue.requeue(message);
            return;
        }
        match message {
            OutgoingMessage::Sample(measured) => {
                self.context.stats.delays.add(since.elapsed());
                self.record_stored(&[measured]);
            }
            OutgoingMessage::Batch(batch) => {
                self.record_stored(&batch);
                self.next_history = self.send_queue.has_history().then(Instant::now);
            }
            OutgoingMessage::Hello => self.updater.hello_acknowledged(Instant::now()),
            OutgoingMessage::Event(_)
            | OutgoingMessage::Report
            | OutgoingMessage::Answer(_)
            | OutgoingMessage::Progress(_)
            | OutgoingMessage::Duplicate => {}
        }
    }

    fn record_stored(&self, stored: &[StampedSample]) {
        let stats = &self.context.stats;
        stats.acknowledged.fetch_add(stored.len() as u64, Relaxed);
        if let Some(acknowledged) = &self.acknowledged {
            let mut ids = acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
            ids.extend(stored.iter().map(|measured| measured.sample.id));
        }
    }
}
