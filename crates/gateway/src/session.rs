//! One battery, from its CONNECT to its end. An acknowledgement leaves only after the commit that holds the message.
use crate::clock_check::ClockCheck;
use crate::connect::{Link, Welcome};
use crate::endpoint::Gateway;
use crate::payload;
use crate::reader::Reader;
use crate::topics;
use bus::downlink::{Attached, Delivery, Replaced};
use bus::{Bus, NotStored, Receipt};
use bytes::Bytes;
use domain::clock::Millis;
use domain::{Clock, Serial};
use rmqtt_codec::error::DecodeError;
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::{Packet, SubscribeReturnCode};
use std::collections::VecDeque;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;
use store::report::{Body, Outcome, Report};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Messages that may wait for their commit; a battery that sends more is not read meanwhile.
const IN_FLIGHT: usize = 32;

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum End {
    #[error("it said goodbye")]
    Goodbye,
    #[error("the connection was closed")]
    Closed,
    #[error("the endpoint stops")]
    Stopped,
    #[error(transparent)]
    Replaced(#[from] Replaced),
    #[error("silent for one and a half keep-alive periods")]
    Silent,
    #[error("it does not take what is sent to it")]
    Slow,
    #[error("it used a topic of somebody else: {0:?}")]
    Foreign(String),
    #[error("it broke the protocol: {0}")]
    Protocol(&'static str),
    #[error("not MQTT: {0}")]
    Decode(DecodeError),
    #[error(transparent)]
    Io(std::io::Error),
    #[error("a message could not be stored in time")]
    NotStored,
}

impl End {
    /// Whether the battery's last will is to be carried out.
    fn leaves_will(&self) -> bool {
        !matches!(self, Self::Goodbye | Self::Stopped | Self::Replaced(_))
    }
}

impl From<NotStored> for End {
    fn from(_: NotStored) -> Self {
        Self::NotStored
    }
}

pub(crate) struct Session<S> {
    link: Link<S>,
    sn: Serial,
    bus: Bus,
    clock: Clock,
    down: Attached,
    reader: Reader,
    clock_check: Arc<ClockCheck>,
    silence: Duration,
    will: Option<Bytes>,
    /// The topics of `down/` that it listens to, a bit for each.
    listens: u8,
    /// In the order they came, with the packet to acknowledge when it is durable.
    waiting: VecDeque<(Option<NonZeroU16>, Receipt)>,
    /// Something may wait for it: a hello of it is durable, or it has begun to listen.
    orders_wait: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<S> {
    pub(crate) fn new(
        link: Link<S>,
        welcome: Welcome,
        gateway: &Gateway,
        clock_check: Arc<ClockCheck>,
    ) -> Self {
        Self {
            link,
            down: gateway.bus.attach(&welcome.sn),
            sn: welcome.sn,
            bus: gateway.bus.clone(),
            clock: gateway.clock.clone(),
            reader: Reader::new(welcome.places),
            clock_check,
            silence: welcome.silence,
            will: welcome.will,
            listens: 0,
            waiting: VecDeque::new(),
            orders_wait: false,
        }
    }

    pub(crate) async fn run(mut self, stop: CancellationToken) -> End {
        let end = match self.talk(&stop).await {
            Err(end) => end,
            Ok(()) => End::Closed,
        };
        if matches!(end, End::Stopped) {
            self.last_acknowledgements().await;
        }
        if end.leaves_will() {
            self.carry_out_will().await;
        }
        self.link.close().await;
        end
    }

    async fn talk(&mut self, stop: &CancellationToken) -> Result<(), End> {
        let mut deadline = Instant::now() + self.silence;
        loop {
            while self.waiting.len() < IN_FLIGHT {
                match self.link.take().map_err(End::Decode)? {
                    Some(packet) => self.handle(packet).await?,
                    None => break,
                }
            }
            if std::mem::take(&mut self.orders_wait) {
                self.bus.bring(&self.sn).await;
            }
            self.link.flush().await?;
            let reads = self.waiting.len() < IN_FLIGHT;
            tokio::select! {
                () = stop.cancelled() => return Err(End::Stopped),
                stored = front(&mut self.waiting) => self.acknowledge(stored)?,
                delivery = self.down.next() => {
                    self.hand_over(delivery?).await?;
                }
                more = self.link.read(), if reads => {
                    if !more.map_err(End::Io)? {
                        return Ok(());
                    }
                    deadline = Instant::now() + self.silence;
                }
                // While it waits for us it need not say anything.
                () = tokio::time::sleep_until(deadline), if self.waiting.is_empty() => return Err(End::Silent),
            }
        }
    }

    /// Acknowledges the first message that waits, and all behind it that are durable too: one write for a group.
    fn acknowledge(&mut self, stored: Result<Outcome, NotStored>) -> Result<(), End> {
        let mut stored = stored;
        loop {
            self.orders_wait |= stored?.orders_wait;
            if let Some((Some(packet_id), _)) = self.waiting.pop_front() {
                self.link.put(Packet::PublishAck { packet_id });
            }
            let Some((_, next)) = self.waiting.front_mut() else {
                return Ok(());
            };
            use tokio::sync::oneshot::error::TryRecvError;
            stored = match next.try_recv() {
                Ok(outcome) => Ok(outcome),
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Closed) => Err(NotStored),
            };
        }
    }

    /// At a stop: what was taken in is still committed, and the battery may know.
    async fn last_acknowledgements(&mut self) {
        while !self.waiting.is_empty() {
            let stored = front(&mut self.waiting).await;
            if self.acknowledge(stored).is_err() || self.link.flush().await.is_err() {
                return;
            }
        }
    }

    async fn handle(&mut self, packet: Packet) -> Result<(), End> {
        match packet {
            Packet::Publish(publish) => self.publish(&publish).await,
            Packet::Subscribe {
                packet_id,
                topic_filters,
            } => {
                for (filter, _) in &topic_filters {
                    check(filter)?;
                }
                let before = self.listens;
                let status = topic_filters
                    .iter()
                    .map(|(filter, _)| self.subscribe(filter))
                    .collect();
                self.link.put(Packet::SubscribeAck { packet_id, status });
                if self.reader.has_read() {
                    self.greet(self.listens & !before);
                    self.orders_wait = true;
                }
                Ok(())
            }
            Packet::Unsubscribe {
                packet_id,
                topic_filters,
            } => {
                for filter in &topic_filters {
                    self.listens &= !topics::subscribed(&self.sn, filter).unwrap_or(0);
                }
                self.link.put(Packet::UnsubscribeAck { packet_id });
                Ok(())
            }
            Packet::PingRequest => {
                self.link.put(Packet::PingResponse);
                Ok(())
            }
            Packet::Disconnect => Err(End::Goodbye),
            // Nothing is sent to a battery with QoS 1, so that nothing is acknowledged by it.
            _ => Err(End::Protocol("a packet that a device does not send")),
        }
    }

    fn subscribe(&mut self, filter: &str) -> SubscribeReturnCode {
        match topics::subscribed(&self.sn, filter) {
            Some(bits) => {
                self.listens |= bits;
                SubscribeReturnCode::Success(QoS::AtMostOnce)
            }
            None => {
                tracing::warn!(sn = %self.sn, ?filter, "a device may not listen to this");
                SubscribeReturnCode::Failure
            }
        }
    }

    /// Sends what somebody has for the battery, and writes down that a command is on its way.
    async fn hand_over(&mut self, delivery: Delivery) -> Result<(), End> {
        if self.put(&delivery)
            && let Some(command) = delivery.command
        {
            self.submit(Body::Sent(command), self.clock.now(), None)
                .await?;
        }
        Ok(())
    }

    /// Whether it listens to that.
    fn put(&mut self, delivery: &Delivery) -> bool {
        if self.listens & topics::bit(&delivery.topic) == 0 {
            return false;
        }
        self.link.put(Packet::Publish(Box::new(Publish {
            dup: false,
            retain: false,
            qos: QoS::AtMostOnce,
            topic: topics::down(&self.sn, &delivery.topic).into(),
            packet_id: None,
            payload: Bytes::copy_from_slice(&delivery.payload),
            properties: None,
        })));
        true
    }

    /// What a battery that said hello hears first: the time, and who looks. Settings, commands and firmware follow when
    /// the hello is durable.
    fn greet(&mut self, listens: u8) {
        let time = format!("{{\"now\":{}}}", self.clock.now());
        let until = self.bus.live.watched(&self.sn);
        let watch = until.map(|until| format!("{{\"until\":{until}}}"));
        for (topic, body) in [("time", Some(time)), ("watch", watch)] {
            if let Some(body) = body.filter(|_| listens & topics::bit(topic) != 0) {
                self.put(&Delivery::new(topic, body));
            }
        }
    }

    async fn publish(&mut self, publish: &Publish) -> Result<(), End> {
        if publish.qos == QoS::ExactlyOnce {
            return Err(End::Protocol("QoS 2"));
        }
        check(&publish.topic)?;
        let Some(topic) = topics::up(&self.sn, &publish.topic) else {
            return Err(End::Foreign(publish.topic.to_string()));
        };
        let received = self.clock.now();
        let (body, left_over) = match self.reader.read(topic, &publish.payload, received) {
            Ok(decoded) => decoded,
            Err(reason) => (None, vec![(reason, publish.payload.to_vec())]),
        };
        if let Some(ahead) = self.reader.take_ahead() {
            self.clock_check.note(&self.sn, ahead);
        }
        let greets = matches!(body, Some(Body::Hello { .. }));
        let mut rejects = left_over.into_iter().map(|(reason, payload)| {
            metrics::counter!("link_rejected_total", "reason" => reason).increment(1);
            let topic = publish.topic.rsplit('/').next().unwrap_or_default();
            Body::Reject {
                topic: topic.to_owned(),
                reason,
                payload,
            }
        });
        // The last of them carries the acknowledgement, as they become durable in this order.
        let last = body.or_else(|| rejects.next());
        for reject in rejects {
            self.submit(reject, received, None).await?;
        }
        if let Some(body) = last {
            self.submit(body, received, publish.packet_id).await?;
        }
        if greets {
            self.greet(self.listens);
        }
        Ok(())
    }

    async fn submit(
        &mut self,
        body: Body,
        received_at: Millis,
        packet_id: Option<NonZeroU16>,
    ) -> Result<(), End> {
        let report = Report {
            sn: self.sn.clone(),
            received_at,
            body,
        };
        let receipt = self.bus.uplink.submit(report).await?;
        self.waiting.push_back((packet_id, receipt));
        Ok(())
    }

    /// The battery left without a word. Nobody waits for the answer: silence would tell the same a little later.
    async fn carry_out_will(&mut self) {
        let Some(will) = self.will.take() else { return };
        let body = match payload::will(&will) {
            Ok(boot) => Body::Offline { boot },
            Err(reason) => Body::Reject {
                topic: "pres".to_owned(),
                reason,
                payload: will.to_vec(),
            },
        };
        let _ = self.submit(body, self.clock.now(), None).await;
    }
}

fn check(topic: &str) -> Result<(), End> {
    match topics::has_control_character(topic) {
        true => Err(End::Protocol("a control character in a topic")),
        false => Ok(()),
    }
}

/// Waits until the first message is durable; for ever when none waits. Safe to drop and call again.
async fn front(
    waiting: &mut VecDeque<(Option<NonZeroU16>, Receipt)>,
) -> Result<Outcome, NotStored> {
    match waiting.front_mut() {
        Some((_, receipt)) => receipt.await.map_err(|_| NotStored),
        None => std::future::pending().await,
    }
}
