//! The way down: to a battery that is connected to this process, or by the other processes.
use dashmap::DashMap;
use domain::Serial;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// How much may wait for one battery that does not read; it gets the rest on its next hello.
const WAITING: usize = 16;

/// A message to a battery: the end of its topic (`watch` of `v1/d/{sn}/down/watch`) and the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub topic: String,
    pub payload: Vec<u8>,
}

/// The batteries that are connected to this process.
#[derive(Clone, Debug, Default)]
pub struct Downlink(Arc<DashMap<Serial, Arc<Outbox>>>);

/// What waits for one connection.
#[derive(Debug, Default)]
struct Outbox {
    queue: Mutex<VecDeque<Delivery>>,
    replaced: AtomicBool,
    wake: Notify,
}

impl Downlink {
    /// Queues a message for a battery that is connected here; `false` when it is not, or does not keep up.
    pub fn send(&self, sn: &Serial, topic: &str, payload: impl Into<Vec<u8>>) -> bool {
        let Some(outbox) = self.0.get(sn).map(|found| Arc::clone(&found)) else {
            return false;
        };
        let mut queue = outbox.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= WAITING {
            return false;
        }
        queue.push_back(Delivery {
            topic: topic.to_owned(),
            payload: payload.into(),
        });
        drop(queue);
        outbox.wake.notify_one();
        true
    }

    /// A connection of this battery begins; one that was there before is told to end.
    pub fn attach(&self, sn: &Serial) -> Attached {
        let outbox = Arc::new(Outbox::default());
        if let Some(former) = self.0.insert(sn.clone(), Arc::clone(&outbox)) {
            former.replace();
        }
        Attached {
            downlink: self.clone(),
            sn: sn.clone(),
            outbox,
        }
    }

    /// The battery is connected to another process now.
    pub(crate) fn replace(&self, sn: &Serial) {
        if let Some((_, former)) = self.0.remove(sn) {
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
            .remove_if(&self.sn, |_, current| Arc::ptr_eq(current, outbox));
    }
}
