//! What a battery does while it is connected: live samples first, then events, then what it measured while it was away.
use crate::connection::{Connection, KEEP_ALIVE};
use crate::device::{End, Running};
use crate::firmware::next_loaded;
use crate::order::next_order;
use crate::outbox::Cargo;
use crate::wire::{self, Measured, Present};
use bytes::Bytes;
use rmqtt_codec::v3::Packet;
use std::io;
use std::num::NonZeroU16;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Live samples that may wait for their acknowledgement; what is measured beyond that waits in the buffer.
const LIVE_FLIGHTS: usize = 16;
/// An endpoint that does not acknowledge for so long has lost the battery.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(60);

impl Running {
    /// Stays connected until something ends it.
    pub(crate) async fn talk(&mut self, connection: &mut Connection) -> Result<End, End> {
        self.say_hello(connection).await?;
        self.next_ping = Instant::now();
        self.next_history = None;
        loop {
            self.show();
            self.mind_firmware()?;
            self.mind_download();
            self.do_what_is_due(connection).await?;
            if self.world.finish.is_cancelled() && self.outbox.is_empty() {
                return Ok(End::Finished);
            }
            let wake = self.next_wake();
            let order = tokio::select! {
                packet = connection.receive() => {
                    self.hear(packet?)?;
                    None
                }
                loaded = next_loaded(&mut self.download) => {
                    self.take_loaded(loaded);
                    None
                }
                () = sleep_until(wake) => None,
                () = self.world.finish.cancelled(), if !self.world.finish.is_cancelled() => None,
                order = next_order(&mut self.orders) => Some(order),
            };
            if let Some(order) = order {
                self.obey(order)?;
            }
        }
    }

    fn next_wake(&self) -> Instant {
        let mut wake = self.next_ping;
        if self.measures() && !(self.world.closed_loop && self.outbox.samples_flying() > 0) {
            wake = wake.min(self.next_measure);
        }
        let history = self.next_history.filter(|_| !self.outbox.batch_flying());
        let overdue = self
            .outbox
            .oldest_flight()
            .map(|at| at + ACKNOWLEDGED_WITHIN);
        [
            history,
            self.main_switch.next_turn(),
            overdue,
            self.portal.next_look(),
            self.next_firmware(),
        ]
        .into_iter()
        .flatten()
        .fold(wake, Instant::min)
    }

    async fn do_what_is_due(&mut self, connection: &mut Connection) -> io::Result<()> {
        let now = Instant::now();
        let overdue = |at: Instant| at + ACKNOWLEDGED_WITHIN <= now;
        if self.outbox.oldest_flight().is_some_and(overdue) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if self.next_ping <= now {
            connection.ping().await?;
            self.next_ping = now + Duration::from_secs(u64::from(KEEP_ALIVE) * 3 / 4);
        }
        self.turn_switch_if_due();
        self.look_at_meter_if_due();
        let waits = self.world.closed_loop && self.outbox.samples_flying() > 0;
        if self.measures() && self.next_measure <= now && !waits {
            let measured = self.measure();
            self.send_live(connection, measured).await?;
        }
        while let Some(told) = self.outbox.next_event() {
            self.send(connection, Cargo::Event(told)).await?;
        }
        self.portal.to_report |= self.outbox.take_report();
        if std::mem::take(&mut self.portal.to_report) {
            self.send(connection, Cargo::Report).await?;
        }
        while let Some(answer) = self.outbox.next_answer() {
            self.send(connection, Cargo::Answer(answer)).await?;
        }
        while let Some(progress) = self.outbox.next_progress() {
            self.send(connection, Cargo::Progress(progress)).await?;
        }
        if !self.measures()
            && let Some(measured) = self.overtaken.take()
        {
            self.send(connection, Cargo::Sample(measured)).await?;
        }
        self.send_history(connection, now).await
    }

    /// Live first: what was measured before follows after a while, one batch at a time.
    async fn send_history(&mut self, connection: &mut Connection, now: Instant) -> io::Result<()> {
        if !self.outbox.has_history() || self.outbox.batch_flying() {
            return Ok(());
        }
        let jitter = self.world.history_jitter;
        let due = match self.next_history {
            Some(due) => due,
            None => now + self.dice.up_to(jitter),
        };
        self.next_history = Some(due);
        if due <= now || !self.measures() {
            let batch = self.outbox.next_batch();
            self.send(connection, Cargo::Batch(batch)).await?;
        }
        Ok(())
    }

    async fn say_hello(&mut self, connection: &mut Connection) -> io::Result<()> {
        let (id, at) = (self.next_id(), self.world.clock.now());
        let mut text = String::with_capacity(320);
        let uptime = at - self.booted_at;
        let present = Present {
            identity: &self.identity,
            settings_version: self.portal.version,
            job: self.updater.job(),
        };
        wire::hello(&mut text, id, at, uptime, self.watch, present);
        self.updater.say_again();
        let packet_id = connection.publish(&self.topics.hello, text.into()).await?;
        self.outbox.fly(packet_id, Cargo::Hello, Instant::now());
        Ok(())
    }

    async fn send_live(
        &mut self,
        connection: &mut Connection,
        measured: Measured,
    ) -> io::Result<()> {
        if self.outbox.samples_flying() >= LIVE_FLIGHTS {
            self.keep(measured);
            return Ok(());
        }
        if self.overtaken.is_none() && self.dice.happens(self.world.mischief.overtaken) {
            self.overtaken = Some(measured);
            return Ok(());
        }
        self.send(connection, Cargo::Sample(measured)).await?;
        match self.overtaken.take() {
            Some(older) => self.send(connection, Cargo::Sample(older)).await,
            None => Ok(()),
        }
    }

    /// Sends, with whatever goes wrong on the way.
    async fn send(&mut self, connection: &mut Connection, cargo: Cargo) -> io::Result<()> {
        let (topic, payload, messages) = match cargo {
            Cargo::Report => (self.topics.rep.clone(), self.write_report().into(), 1),
            _ => self.written(&cargo),
        };
        let sent = connection.publish(&topic, payload.clone()).await;
        let packet_id = match sent {
            Ok(packet_id) => packet_id,
            Err(error) => {
                self.outbox.put_back(cargo);
                return Err(error);
            }
        };
        let mischief = self.world.mischief;
        let now = Instant::now();
        self.next_ping = now + Duration::from_secs(u64::from(KEEP_ALIVE) * 3 / 4);
        self.outbox.fly(packet_id, cargo, now);
        self.world.tally.sent.fetch_add(messages, Relaxed);
        if self.dice.happens(mischief.duplicate) {
            let packet_id = connection.publish(&topic, payload).await?;
            self.outbox.fly(packet_id, Cargo::Repeat, now);
            self.world.tally.sent.fetch_add(messages, Relaxed);
        }
        if self.dice.happens(mischief.cut) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    /// Topic, payload, and how many messages that is.
    fn written(&self, cargo: &Cargo) -> (String, Bytes, u64) {
        let (topics, watch) = (&self.topics, self.watch);
        let mut text = String::new();
        match cargo {
            Cargo::Sample(measured) => {
                text.reserve(420);
                wire::sample(&mut text, measured, watch);
                (topics.tele.clone(), text.into(), 1)
            }
            Cargo::Batch(batch) => {
                let packed = wire::history(&mut text, batch, watch);
                (topics.hist.clone(), packed.into(), batch.len() as u64)
            }
            Cargo::Event(told) => {
                wire::event(&mut text, told.id, &told.happening, told.uptime, watch);
                (topics.ev.clone(), text.into(), 1)
            }
            Cargo::Answer(answer) => (topics.res.clone(), answer.clone().into(), 1),
            Cargo::Progress(progress) => (topics.fw.clone(), progress.text.clone().into(), 1),
            Cargo::Hello | Cargo::Report | Cargo::Repeat => (topics.hello.clone(), Bytes::new(), 0),
        }
    }

    fn hear(&mut self, packet: Packet) -> Result<(), End> {
        match packet {
            Packet::PublishAck { packet_id } => self.hear_acknowledged(packet_id),
            Packet::Publish(publish) => return self.hear_portal(&publish.topic, &publish.payload),
            _ => {}
        }
        Ok(())
    }

    fn hear_acknowledged(&mut self, packet_id: NonZeroU16) {
        let Some((cargo, since)) = self.outbox.land(packet_id) else {
            return;
        };
        // A hello has no second try on this connection, and a new version is confirmed by it.
        let hello = matches!(cargo, Cargo::Hello);
        if !hello && self.dice.happens(self.world.mischief.deaf) {
            self.outbox.put_back(cargo);
            return;
        }
        match cargo {
            Cargo::Sample(measured) => {
                self.world.tally.delays.add(since.elapsed());
                self.note(&[measured]);
            }
            Cargo::Batch(batch) => {
                self.note(&batch);
                self.next_history = self.outbox.has_history().then(Instant::now);
            }
            Cargo::Hello => self.updater.hello_was_heard(Instant::now()),
            Cargo::Event(_)
            | Cargo::Report
            | Cargo::Answer(_)
            | Cargo::Progress(_)
            | Cargo::Repeat => {}
        }
    }

    fn note(&self, stored: &[Measured]) {
        let tally = &self.world.tally;
        tally.acknowledged.fetch_add(stored.len() as u64, Relaxed);
        if let Some(acknowledged) = &self.acknowledged {
            let mut ids = acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
            ids.extend(stored.iter().map(|measured| measured.sample.id));
        }
    }
}
