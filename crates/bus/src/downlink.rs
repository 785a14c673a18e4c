//! The way down: to a battery that is connected to this process, or by the other processes.
use dashmap::DashMap;
use domain::{CommandId, Serial};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// How much may wait for one battery that does not read; it gets the rest on its next hello.
const WAITING: usize = 16;

/// A message to a battery: the end of its topic (`watch` of `v1/d/{sn}/down/watch`) and the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub topic: String,
    pub payload: Vec<u8>,
    /// The command that it carries: whoever hands it over writes down that it was sent.
    pub command: Option<CommandId>,
}

impl Delivery {
    pub fn new(topic: &str, payload: impl Into<Vec<u8>>) -> Self {
        Self {
            topic: topic.to_owned(),
            payload: payload.into(),
            command: None,
        }
    }
}

/// The batteries that are connected to this process.
#[derive(Clone, Debug, Default)]
pub struct Downlink(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    outboxes: DashMap<Serial, Arc<Outbox>>,
    /// Counts connections.
    attached: AtomicU64,
}

/// What waits for one connection.
#[derive(Debug, Default)]
struct Outbox {
    number: u64,
    /// Whether the other processes have heard of this connection. What one of them said before is older than it.
    announced: AtomicBool,
    queue: Mutex<VecDeque<Delivery>>,
    replaced: AtomicBool,
    wake: Notify,
}

impl Downlink {
    /// Queues a message for a battery that is connected here; `false` when it is not, or does not keep up.
    pub fn send(&self, sn: &Serial, delivery: Delivery) -> bool {
        let Some(outbox) = self.0.outboxes.get(sn).map(|found| Arc::clone(&found)) else {
            return false;
        };
        let mut queue = outbox.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= WAITING {
            return false;
        }
        queue.push_back(delivery);
        drop(queue);
        outbox.wake.notify_one();
        true
    }

    pub(crate) fn is_attached(&self, sn: &Serial) -> bool {
        self.0.outboxes.contains_key(sn)
    }

    /// A connection of this battery begins; one that was there before is told to end.
    pub fn attach(&self, sn: &Serial) -> Attached {
        let outbox = Arc::new(Outbox {
            number: self.0.attached.fetch_add(1, Ordering::Relaxed),
            ..Outbox::default()
        });
        let former = self.0.outboxes.insert(sn.clone(), Arc::clone(&outbox));
        if let Some(former) = former {
            former.replace();
        }
        Attached {
            downlink: self.clone(),
            sn: sn.clone(),
            outbox,
        }
    }

    /// Every process has heard by now of this connection.
    pub(crate) fn announced(&self, sn: &Serial, number: u64) {
        if let Some(outbox) = self.0.outboxes.get(sn)
            && outbox.number == number
        {
            outbox.announced.store(true, Ordering::Release);
        }
    }

    /// Some words of the other processes were missed, and perhaps our own.
    pub(crate) fn all_announced(&self) {
        for outbox in &self.0.outboxes {
            outbox.announced.store(true, Ordering::Release);
        }
    }

    /// Another process says that the battery is connected to it. If our connection has been announced, its one is newer.
    pub(crate) fn replace(&self, sn: &Serial) {
        let announced = |_: &Serial, outbox: &Arc<Outbox>| outbox.announced.load(Ordering::Acquire);
        if let Some((_, former)) = self.0.outboxes.remove_if(sn, announced) {
            former.replace();
        }
    }
}

impl Outbox {
    fn replace(&self) {
        self.replaced.store(true, Ordering::Release);
        self.wake.notify_one();
    }
}

/// A connection's end of the way down; detached when dropped.
#[derive(Debug)]
pub struct Attached {
    downlink: Downlink,
    sn: Serial,
    outbox: Arc<Outbox>,
}

/// The battery has a newer connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device connected again")]
pub struct Replaced;

impl Attached {
    pub(crate) fn number(&self) -> u64 {
        self.outbox.number
    }

    /// Waits for the next message. Safe to drop and call again.
    pub async fn next(&self) -> Result<Delivery, Replaced> {
        loop {
            if self.outbox.replaced.load(Ordering::Acquire) {
                return Err(Replaced);
            }
            let waiting = self
                .outbox
                .queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            if let Some(delivery) = waiting {
                return Ok(delivery);
            }
            self.outbox.wake.notified().await;
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let outbox = &self.outbox;
        self.downlink
            .0
            .outboxes
            .remove_if(&self.sn, |_, current| Arc::ptr_eq(current, outbox));
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
        let former = downlink.attach(&sn);
        let attached = downlink.attach(&sn);
        assert_eq!(former.next().await, Err(Replaced));

        downlink.replace(&sn);
        downlink.announced(&sn, former.number());
        downlink.replace(&sn);
        assert!(
            downlink.send(&sn, Delivery::new("time", "{}")),
            "it is still attached"
        );
        assert!(attached.next().await.is_ok());

        downlink.announced(&sn, attached.number());
        downlink.replace(&sn);
        assert_eq!(attached.next().await, Err(Replaced));
    }
}
