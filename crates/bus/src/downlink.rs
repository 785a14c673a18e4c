//! Messages down to the batteries that are connected to this process.
use dashmap::DashMap;
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::SignedText;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use store::command::CommandEntry;
use store::order::SettingsOrder;
use store::planning::PlanOrder;
use tokio::sync::Notify;

/// Deliveries that may wait for one battery that does not read. It gets the rest on its next hello.
const MAX_QUEUED_DELIVERIES: usize = 16;

/// A message to a battery. The gateway knows its topic and its JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// Somebody watches the battery until then.
    Watch {
        until: Millis,
    },
    Settings(SettingsOrder),
    Command(CommandEntry),
    Plan(PlanOrder),
    Update(SignedUpdate),
}

/// An update as the battery gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedUpdate {
    pub assignment: SignedText,
    /// Where the battery downloads images from.
    pub updates_url: String,
}

/// The batteries that are connected to this process.
#[derive(Clone, Debug, Default)]
pub struct Downlink(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    connections: DashMap<Serial, Arc<DeviceConnection>>,
    next_connection_id: AtomicU64,
}

/// One connection and the deliveries that wait for it.
#[derive(Debug, Default)]
struct DeviceConnection {
    connection_id: u64,
    /// Whether the other processes know of this connection. What they announced before is older than this connection.
    announced: AtomicBool,
    /// How often the operator had ended this battery's connections when it logged in.
    revocations: i64,
    queue: Mutex<VecDeque<Delivery>>,
    ended: OnceLock<Detached>,
    wake: Notify,
}

impl Downlink {
    /// Queues a message for a battery that is connected here; `false` when it is not, or its queue is full.
    pub fn send(&self, sn: &Serial, delivery: Delivery) -> bool {
        let Some(connection) = self.0.connections.get(sn).map(|entry| Arc::clone(&entry)) else {
            return false;
        };
        let mut queue = connection
            .queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= MAX_QUEUED_DELIVERIES {
            return false;
        }
        queue.push_back(delivery);
        drop(queue);
        connection.wake.notify_one();
        true
    }

    pub(crate) fn is_attached(&self, sn: &Serial) -> bool {
        self.0.connections.contains_key(sn)
    }

    /// Registers a new connection of this battery and ends an older one.
    pub(crate) fn register(&self, sn: &Serial, revocations: i64) -> DownlinkReceiver {
        let connection = Arc::new(DeviceConnection {
            connection_id: self.0.next_connection_id.fetch_add(1, Ordering::Relaxed),
            revocations,
            ..DeviceConnection::default()
        });
        let former = self
            .0
            .connections
            .insert(sn.clone(), Arc::clone(&connection));
        if let Some(former) = former {
            former.end(Detached::Replaced);
        }
        DownlinkReceiver {
            downlink: self.clone(),
            sn: sn.clone(),
            connection,
        }
    }

    /// Every process knows of this connection by now.
    pub(crate) fn mark_announced(&self, sn: &Serial, connection_id: u64) {
        if let Some(connection) = self.0.connections.get(sn)
            && connection.connection_id == connection_id
        {
            connection.announced.store(true, Ordering::Release);
        }
    }

    /// Peer messages were missed, perhaps our own announcements among them.
    pub(crate) fn mark_all_announced(&self) {
        for connection in &self.0.connections {
            connection.announced.store(true, Ordering::Release);
        }
    }

    /// The battery connected to another process. That connection is newer than ours if ours was announced before.
    pub(crate) fn disconnect_older(&self, sn: &Serial) {
        let announced = |_: &Serial, connection: &Arc<DeviceConnection>| {
            connection.announced.load(Ordering::Acquire)
        };
        if let Some((_, former)) = self.0.connections.remove_if(sn, announced) {
            former.end(Detached::Replaced);
        }
    }

    /// The operator has ended the connections of this battery so often: ours ends if it is from before the last time.
    pub(crate) fn disconnect_revoked(&self, sn: &Serial, revocations: i64) {
        let is_older =
            |_: &Serial, connection: &Arc<DeviceConnection>| connection.revocations < revocations;
        if let Some((_, former)) = self.0.connections.remove_if(sn, is_older) {
            former.end(Detached::Revoked);
        }
    }
}

impl DeviceConnection {
    fn end(&self, why: Detached) {
        // The first reason counts.
        let _ = self.ended.set(why);
        self.wake.notify_one();
    }
}

/// A connection's end of the downlink; detached when dropped.
#[derive(Debug)]
pub struct DownlinkReceiver {
    downlink: Downlink,
    sn: Serial,
    connection: Arc<DeviceConnection>,
}

/// Why a connection has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Detached {
    #[error("replaced by a newer connection of the same device")]
    Replaced,
    #[error("ended by the operator: the device is blocked, or its old secret is invalid")]
    Revoked,
}

impl DownlinkReceiver {
    pub(crate) fn connection_id(&self) -> u64 {
        self.connection.connection_id
    }

    /// Waits for the next message. Cancel-safe.
    pub async fn next(&self) -> Result<Delivery, Detached> {
        loop {
            if let Some(why) = self.connection.ended.get() {
                return Err(*why);
            }
            let waiting = self
                .connection
                .queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            if let Some(delivery) = waiting {
                return Ok(delivery);
            }
            self.connection.wake.notified().await;
        }
    }
}

impl Drop for DownlinkReceiver {
    fn drop(&mut self) {
        let connection = &self.connection;
        self.downlink
            .0
            .connections
            .remove_if(&self.sn, |_, current| Arc::ptr_eq(current, connection));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn what_another_process_said_before_our_connection_was_announced_is_older() {
        let downlink = Downlink::default();
        let sn: Serial = "SC000001".parse().unwrap();
        let former = downlink.register(&sn, 0);
        let attached = downlink.register(&sn, 0);
        assert_eq!(former.next().await, Err(Detached::Replaced));

        downlink.disconnect_older(&sn);
        downlink.mark_announced(&sn, former.connection_id());
        downlink.disconnect_older(&sn);
        assert!(
            downlink.send(&sn, Delivery::Watch { until: 0 }),
            "it is still attached"
        );
        assert!(attached.next().await.is_ok());

        downlink.mark_announced(&sn, attached.connection_id());
        downlink.disconnect_older(&sn);
        assert_eq!(attached.next().await, Err(Detached::Replaced));
    }

    #[tokio::test]
    async fn the_operator_ends_connections_from_before_and_no_later_ones() {
        let downlink = Downlink::default();
        let sn: Serial = "SC000001".parse().unwrap();
        let before = downlink.register(&sn, 1);
        downlink.disconnect_revoked(&sn, 1);
        assert!(downlink.is_attached(&sn));
        downlink.disconnect_revoked(&sn, 2);
        assert_eq!(before.next().await, Err(Detached::Revoked));

        let _after = downlink.register(&sn, 2);
        downlink.disconnect_revoked(&sn, 2);
        assert!(downlink.is_attached(&sn));
    }
}
