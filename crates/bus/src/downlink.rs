//! Messages down to the batteries that are connected to this process.
use dashmap::{DashMap, Entry};
use domain::Serial;
use domain::clock::Millis;
use domain::firmware::SignedText;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use store::command::CommandEntry;
use store::order::SettingsOrder;
use store::planning::PlanOrder;
use tokio::sync::Notify;

/// Deliveries that may wait for a battery that does not read. It gets the rest on its next hello.
const MAX_QUEUED_DELIVERIES: usize = 16;

/// A message to a battery. The gateway knows its topic and its JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// Until when the battery is watched.
    Watch {
        until: Millis,
    },
    Settings(SettingsOrder),
    Command(CommandEntry),
    Plan(PlanOrder),
    Update(SignedUpdate),
}

/// An update with its signed assignment, as sent to the battery.
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
    /// Used with a database that has no other processes.
    next_connection: AtomicI64,
}

/// One connection and the deliveries that wait for it.
#[derive(Debug, Default)]
struct DeviceConnection {
    /// Later connections of a battery have higher numbers, in any process.
    number: i64,
    /// The battery's revocation count when this connection logged in.
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

    /// The batteries that are connected here.
    pub(crate) fn attached(&self) -> Vec<Serial> {
        let connections = self.0.connections.iter();
        connections.map(|entry| entry.key().clone()).collect()
    }

    /// Whether no battery is connected to this process.
    pub fn is_empty(&self) -> bool {
        self.0.connections.is_empty()
    }

    /// Registers a new connection of this battery and ends an older one. `number` is higher for later connections; without it
    /// there are no other processes.
    pub(crate) fn register(
        &self,
        sn: &Serial,
        number: Option<i64>,
        revocations: i64,
    ) -> DownlinkReceiver {
        let next = || self.0.next_connection.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(DeviceConnection {
            number: number.unwrap_or_else(next),
            revocations,
            ..DeviceConnection::default()
        });
        match self.0.connections.entry(sn.clone()) {
            Entry::Occupied(newer) if newer.get().number > connection.number => {
                connection.end(Detached::Replaced);
            }
            Entry::Occupied(mut former) => {
                let former = former.insert(Arc::clone(&connection));
                former.end(Detached::Replaced);
            }
            Entry::Vacant(none) => drop(none.insert(Arc::clone(&connection))),
        }
        DownlinkReceiver {
            downlink: self.clone(),
            sn: sn.clone(),
            connection,
        }
    }

    /// The battery has connected to another process: ends our connection if it is older. Returns its number if it is newer.
    pub(crate) fn disconnect_older(&self, sn: &Serial, number: i64) -> Option<i64> {
        let is_older = |_: &Serial, ours: &Arc<DeviceConnection>| ours.number < number;
        if let Some((_, former)) = self.0.connections.remove_if(sn, is_older) {
            former.end(Detached::Replaced);
        }
        let ours = self.0.connections.get(sn).map(|ours| ours.number);
        ours.filter(|ours| *ours > number)
    }

    /// The operator has revoked the battery's connections this many times: ends our connection if it is older than the last time.
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
        // The first reason is kept.
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
    async fn the_newest_connection_stays_wherever_it_is() {
        let downlink = Downlink::default();
        let sn: Serial = "SC000001".parse().unwrap();
        let former = downlink.register(&sn, Some(3), 0);
        let attached = downlink.register(&sn, Some(5), 0);
        assert_eq!(former.next().await, Err(Detached::Replaced));
        let late = downlink.register(&sn, Some(4), 0);
        assert_eq!(late.next().await, Err(Detached::Replaced));

        assert_eq!(downlink.disconnect_older(&sn, 4), Some(5));
        assert!(
            downlink.send(&sn, Delivery::Watch { until: 0 }),
            "it is still attached"
        );
        assert!(attached.next().await.is_ok());

        assert_eq!(downlink.disconnect_older(&sn, 6), None);
        assert_eq!(attached.next().await, Err(Detached::Replaced));
        assert_eq!(downlink.disconnect_older(&sn, 1), None, "it is gone");
    }

    #[tokio::test]
    async fn the_operator_ends_connections_from_before_and_no_later_ones() {
        let downlink = Downlink::default();
        let sn: Serial = "SC000001".parse().unwrap();
        let before = downlink.register(&sn, None, 1);
        downlink.disconnect_revoked(&sn, 1);
        assert!(downlink.is_attached(&sn));
        downlink.disconnect_revoked(&sn, 2);
        assert_eq!(before.next().await, Err(Detached::Revoked));

        let _after = downlink.register(&sn, None, 2);
        downlink.disconnect_revoked(&sn, 2);
        assert!(downlink.is_attached(&sn));
    }
}
