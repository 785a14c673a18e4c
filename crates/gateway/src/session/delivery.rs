//! What a session sends to its battery, and only if the battery subscribed to it.
use super::{DeviceSessionEnd, Session};
use crate::wire::{Down, DownTopics};
use bus::Delivery;
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::{Packet, SubscribeReturnCode};
use store::report::ReportBody;
use tokio::io::{AsyncRead, AsyncWrite};

impl<S: AsyncRead + AsyncWrite + Unpin> Session<S> {
    pub(super) fn subscribe(&mut self, filter: &str) -> SubscribeReturnCode {
        match DownTopics::of_filter(&self.sn, filter) {
            Some(topics) => {
                self.subscribed = self.subscribed.with(topics);
                SubscribeReturnCode::Success(QoS::AtMostOnce)
            }
            None => {
                match self.log.filter.is_first() {
                    true => {
                        tracing::warn!(sn = %self.sn, ?filter, "subscription_refused: topic filter not allowed")
                    }
                    false => tracing::debug!(sn = %self.sn, ?filter, "subscription_refused"),
                }
                SubscribeReturnCode::Failure
            }
        }
    }

    pub(super) fn unsubscribe(&mut self, filter: &str) {
        let topics = DownTopics::of_filter(&self.sn, filter).unwrap_or_default();
        self.subscribed = self.subscribed.without(topics);
    }

    /// Sends what a battery receives first after its hello: the time, and until when it is watched. Orders follow when the hello
    /// is durable.
    pub(super) fn send_time_and_watch(&mut self, topics: DownTopics) {
        let now = self.clock.now();
        let until = self.bus.live.watched_until(&self.sn);
        let watch = until.map(|until| Down::Watch { until });
        for message in [Some(Down::Time { now }), watch].into_iter().flatten() {
            if topics.contains(message.topic()) {
                self.send_if_subscribed(&message);
            }
        }
    }

    pub(super) async fn send_pending_orders(&mut self) -> Result<(), DeviceSessionEnd> {
        for delivery in self.bus.pending_orders(&self.sn).await {
            self.send_delivery(delivery).await?;
        }
        Ok(())
    }

    /// Sends a delivery, and records a command as sent.
    pub(super) async fn send_delivery(
        &mut self,
        delivery: Delivery,
    ) -> Result<(), DeviceSessionEnd> {
        if self.send_if_subscribed(&Down::from(&delivery))
            && let Delivery::Command(entry) = delivery
        {
            tracing::debug!(sn = %self.sn, command = entry.id.as_str(), "command_sent");
            self.submit_report(ReportBody::Sent(entry.id), self.clock.now(), None)
                .await?;
        }
        Ok(())
    }

    /// Returns whether the battery subscribed to the topic.
    fn send_if_subscribed(&mut self, message: &Down<'_>) -> bool {
        let topic = message.topic();
        if !self.subscribed.contains(topic) {
            return false;
        }
        self.link.put(Packet::Publish(Box::new(Publish {
            dup: false,
            retain: false,
            qos: QoS::AtMostOnce,
            topic: topic.of_device(&self.sn).into(),
            packet_id: None,
            payload: message.to_json().into(),
            properties: None,
        })));
        true
    }
}
