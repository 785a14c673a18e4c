//! The MQTT session of one battery, after its CONNECT. A message is acknowledged only after it is committed.

mod delivery;
mod throttling;

use crate::session_end::DeviceSessionEnd;

use crate::clock_check::ClockCheck;
use crate::connect::{AcceptedDevice, Link};
use crate::decoder::ReportDecoder;
use crate::gateway::Gateway;
use crate::quota::{Cost, DeviceQuota};
use crate::repeated_log::RepeatedLog;
use crate::shared_state::SharedState;
use crate::wire::{DownTopics, LastWill, RejectReason, UpTopic, has_control_character};
use bus::downlink::DownlinkReceiver;
use bus::{Bus, LongConnection, NotStored, Receipt};
use bytes::Bytes;
use domain::clock::Millis;
use domain::{Clock, Serial};
use metrics::Histogram;
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::Packet;
use std::collections::VecDeque;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::Duration;
use store::report::{Report, ReportBody, ReportOutcome};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

/// Messages that may wait for their commit. While so many wait, nothing more is read from the battery.
const MAX_PENDING_RECEIPTS: usize = 32;

pub(crate) struct Session<S> {
    link: Link<S>,
    sn: Serial,
    bus: Bus,
    clock: Clock,
    down: DownlinkReceiver,
    decoder: ReportDecoder,
    clock_check: Arc<ClockCheck>,
    log: Arc<RepeatedLog>,
    /// `None` for no quota.
    quota: Option<DeviceQuota>,
    /// Whether the quota is used up, so that nothing is read from the battery now.
    is_throttled: bool,
    max_silence: Duration,
    last_contact: Millis,
    will: Option<Bytes>,
    subscribed: DownTopics,
    /// In the order of arrival, with what to acknowledge when the report is durable.
    pending_receipts: VecDeque<(Option<Acknowledgement>, Receipt)>,
    acknowledgement_time: Histogram,
    /// Whether to send pending orders: the hello is durable, or the battery has just subscribed.
    orders_pending: bool,
}

/// An acknowledgement that a message waits for.
#[derive(Clone, Copy, Debug)]
struct Acknowledgement {
    packet_id: NonZeroU16,
    arrived: Instant,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<S> {
    pub(crate) fn new(
        link: Link<S>,
        device: AcceptedDevice,
        gateway: &Gateway,
        shared: SharedState,
    ) -> Self {
        let now = gateway.clock.now();
        Self {
            link,
            quota: shared.quotas.of(&device.sn, now),
            is_throttled: false,
            down: gateway
                .bus
                .attach(&device.sn, device.connection, device.revocations),
            sn: device.sn,
            bus: gateway.bus.clone(),
            clock: gateway.clock.clone(),
            decoder: ReportDecoder::new(device.clock_correction),
            clock_check: shared.clock_check,
            log: shared.log,
            acknowledgement_time: shared.acknowledgement_time,
            max_silence: device.max_silence,
            last_contact: now,
            will: device.will,
            subscribed: DownTopics::default(),
            pending_receipts: VecDeque::new(),
            orders_pending: false,
        }
    }

    pub(crate) async fn run(mut self, place: &LongConnection) -> DeviceSessionEnd {
        self.bus.battery_connected(&self.sn).await;
        let end = match self.exchange_packets(place).await {
            Err(end) => end,
            Ok(()) => DeviceSessionEnd::Closed,
        };
        if matches!(end, DeviceSessionEnd::Stopped) {
            self.send_last_acknowledgements().await;
        }
        if end.triggers_will() {
            self.submit_will().await;
        }
        self.set_throttled(false);
        self.link.close().await;
        end
    }

    async fn exchange_packets(&mut self, place: &LongConnection) -> Result<(), DeviceSessionEnd> {
        let mut deadline = Instant::now() + self.max_silence;
        loop {
            let mut pause = self.pause();
            while pause.is_none() && self.pending_receipts.len() < MAX_PENDING_RECEIPTS {
                match self.link.next_packet().map_err(DeviceSessionEnd::Decode)? {
                    Some(packet) => self.handle(packet).await?,
                    None => break,
                }
                pause = self.pause();
            }
            self.set_throttled(pause.is_some());
            if std::mem::take(&mut self.orders_pending) {
                // Boxed, so that the future of an idle session stays small.
                Box::pin(self.send_pending_orders()).await?;
            }
            self.link.flush().await?;
            let wake_at = match pause {
                None => deadline,
                Some(pause) => {
                    Box::pin(self.report_throttled(pause)).await;
                    let now = Instant::now();
                    // The battery is not silent while we do not read from it.
                    deadline = now + self.max_silence;
                    now + pause.duration
                }
            };
            let reads = pause.is_none() && self.pending_receipts.len() < MAX_PENDING_RECEIPTS;
            tokio::select! {
                () = place.ended() => return Err(DeviceSessionEnd::Stopped),
                stored = first_receipt(&mut self.pending_receipts) => self.acknowledge(stored)?,
                delivery = self.down.next() => {
                    self.send_delivery(delivery?).await?;
                }
                more = self.link.read(), if reads => {
                    if !more.map_err(DeviceSessionEnd::Io)? {
                        return Ok(());
                    }
                    deadline = Instant::now() + self.max_silence;
                    self.last_contact = self.clock.now();
                }
                // Silence is fine while the battery waits for our acknowledgements.
                () = tokio::time::sleep_until(wake_at), if pause.is_some() || self.pending_receipts.is_empty() => {
                    if pause.is_none() {
                        return Err(DeviceSessionEnd::Silent);
                    }
                }
            }
        }
    }

    /// Acknowledges the first waiting message and all durable ones after it in one write.
    fn acknowledge(
        &mut self,
        stored: Result<ReportOutcome, NotStored>,
    ) -> Result<(), DeviceSessionEnd> {
        let mut stored = stored;
        loop {
            self.orders_pending |= stored?.orders_wait;
            if let Some((Some(wanted), _)) = self.pending_receipts.pop_front() {
                let packet_id = wanted.packet_id;
                self.link.put(Packet::PublishAck { packet_id });
                self.acknowledgement_time.record(wanted.arrived.elapsed());
            }
            let Some((_, next)) = self.pending_receipts.front_mut() else {
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

    /// At shutdown, pending reports are still committed, so they are acknowledged.
    async fn send_last_acknowledgements(&mut self) {
        while !self.pending_receipts.is_empty() {
            let stored = first_receipt(&mut self.pending_receipts).await;
            if self.acknowledge(stored).is_err() || self.link.flush().await.is_err() {
                return;
            }
        }
    }

    async fn handle(&mut self, packet: Packet) -> Result<(), DeviceSessionEnd> {
        match packet {
            Packet::Publish(publish) => self.receive(&publish).await,
            Packet::Subscribe {
                packet_id,
                topic_filters,
            } => {
                self.charge(Cost::OTHER);
                for (filter, _) in &topic_filters {
                    reject_control_characters(filter)?;
                }
                let before = self.subscribed;
                let status = topic_filters
                    .iter()
                    .map(|(filter, _)| self.subscribe(filter))
                    .collect();
                self.link.put(Packet::SubscribeAck { packet_id, status });
                if self.decoder.knows_boot() {
                    self.send_time_and_watch(self.subscribed.without(before));
                    self.orders_pending = true;
                }
                Ok(())
            }
            Packet::Unsubscribe {
                packet_id,
                topic_filters,
            } => {
                self.charge(Cost::OTHER);
                for filter in &topic_filters {
                    self.unsubscribe(filter);
                }
                self.link.put(Packet::UnsubscribeAck { packet_id });
                Ok(())
            }
            Packet::PingRequest => {
                self.link.put(Packet::PingResponse);
                Ok(())
            }
            Packet::Disconnect => Err(DeviceSessionEnd::Goodbye),
            // Includes PUBACK: nothing is sent to a battery with QoS 1.
            _ => Err(DeviceSessionEnd::Protocol(
                "a packet that a device does not send",
            )),
        }
    }

    async fn receive(&mut self, publish: &Publish) -> Result<(), DeviceSessionEnd> {
        if publish.qos == QoS::ExactlyOnce {
            return Err(DeviceSessionEnd::Protocol("QoS 2"));
        }
        reject_control_characters(&publish.topic)?;
        let Some(topic) = UpTopic::parse(&self.sn, &publish.topic) else {
            return Err(DeviceSessionEnd::ForeignTopic(publish.topic.to_string()));
        };
        let received = self.clock.now();
        let acknowledgement = publish.packet_id.map(|packet_id| Acknowledgement {
            packet_id,
            arrived: Instant::now(),
        });
        let (body, rejected) = match self.decoder.decode(topic, &publish.payload, received) {
            Ok(decoded) => decoded,
            Err(reason) => (None, vec![(reason, publish.payload.to_vec())]),
        };
        self.charge_message(topic, body.as_ref(), rejected.len());
        if let Some(ahead) = self.decoder.take_clock_ahead() {
            self.clock_check.record(&self.sn, ahead);
        }
        if let Some(ReportBody::Answer(answer)) = &body {
            tracing::debug!(sn = %self.sn, command = answer.command.as_str(), "command_answered");
        }
        let is_hello = matches!(body, Some(ReportBody::Hello { .. }));
        let mut rejects = rejected.into_iter().map(|(reason, payload)| {
            metrics::counter!("link_rejected_total", "reason" => reason).increment(1);
            reject(topic, reason, payload)
        });
        // Reports become durable in this order, so the last one carries the acknowledgement.
        let last = body.or_else(|| rejects.next());
        for reject in rejects {
            self.submit_report(reject, received, None).await?;
        }
        if let Some(body) = last {
            self.submit_report(body, received, acknowledgement).await?;
        }
        if is_hello {
            self.send_time_and_watch(self.subscribed);
        }
        Ok(())
    }

    async fn submit_report(
        &mut self,
        body: ReportBody,
        received_at: Millis,
        acknowledgement: Option<Acknowledgement>,
    ) -> Result<(), DeviceSessionEnd> {
        let report = Report {
            sn: self.sn.clone(),
            received_at,
            body,
        };
        let receipt = self.bus.uplink.submit(report).await?;
        self.pending_receipts.push_back((acknowledgement, receipt));
        Ok(())
    }

    /// Submits the last will. The receipt is not needed: if it fails, the battery is marked offline a little later for its
    /// silence.
    async fn submit_will(&mut self) {
        let Some(will) = self.will.take() else { return };
        let body = match LastWill::from_json(&will) {
            Ok(will) => ReportBody::Offline {
                boot: will.boot,
                since: self.last_contact,
            },
            Err(reason) => reject(UpTopic::Presence, reason, will.to_vec()),
        };
        let _ = self.submit_report(body, self.clock.now(), None).await;
    }
}

fn reject(topic: UpTopic<'_>, reason: RejectReason, payload: Vec<u8>) -> ReportBody {
    ReportBody::Reject {
        topic: topic.name().to_owned(),
        reason,
        payload,
    }
}

fn reject_control_characters(topic: &str) -> Result<(), DeviceSessionEnd> {
    match has_control_character(topic) {
        true => Err(DeviceSessionEnd::Protocol("a control character in a topic")),
        false => Ok(()),
    }
}

/// Waits until the first message is durable; forever if none waits. Cancel-safe.
async fn first_receipt(
    pending_receipts: &mut VecDeque<(Option<Acknowledgement>, Receipt)>,
) -> Result<ReportOutcome, NotStored> {
    match pending_receipts.front_mut() {
        Some((_, receipt)) => receipt.await.map_err(|_| NotStored),
        None => std::future::pending().await,
    }
}
