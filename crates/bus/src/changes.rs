//! Change notifications. A subscriber names its systems and gets each change once, however often it happened between two calls.
use dashmap::DashMap;
use domain::{CommandId, Serial};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::Notify;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiveChange {
    pub sn: Serial,
    pub kind: ChangeKind,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Samples, presence, or facts about the system.
    Live,
    /// Desired or reported settings.
    Settings,
    Command(CommandId),
}

#[derive(Debug, Default)]
struct Subscriber {
    changed: Mutex<BTreeSet<LiveChange>>,
    wake: Notify,
}

/// Subscribers by system.
#[derive(Debug, Default)]
pub(crate) struct Subscribers(DashMap<Serial, Vec<Weak<Subscriber>>>);

impl Subscribers {
    pub(crate) fn subscribe(
        self: &Arc<Self>,
        systems: impl IntoIterator<Item = Serial>,
    ) -> ChangeSubscription {
        let subscriber = Arc::new(Subscriber::default());
        let systems: Vec<Serial> = systems.into_iter().collect();
        for sn in &systems {
            let mut entry = self.0.entry(sn.clone()).or_default();
            entry.push(Arc::downgrade(&subscriber));
        }
        ChangeSubscription {
            subscribers: Arc::clone(self),
            systems,
            subscriber,
        }
    }

    /// Whether this system has subscribers.
    pub(crate) fn has(&self, sn: &Serial) -> bool {
        self.0.contains_key(sn)
    }

    pub(crate) fn notify(&self, sn: &Serial, kind: &ChangeKind) {
        let Some(subscribers) = self.0.get(sn) else {
            return;
        };
        for subscriber in subscribers.iter().filter_map(Weak::upgrade) {
            let mut changed = subscriber
                .changed
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let change = LiveChange {
                sn: sn.clone(),
                kind: kind.clone(),
            };
            if changed.insert(change) {
                subscriber.wake.notify_one();
            }
        }
    }
}

/// A subscription; ends when dropped.
#[derive(Debug)]
pub struct ChangeSubscription {
    subscribers: Arc<Subscribers>,
    systems: Vec<Serial>,
    subscriber: Arc<Subscriber>,
}

impl ChangeSubscription {
    /// The next change. Repeats of a change since it was last returned are merged into one. Cancel-safe.
    pub async fn next(&mut self) -> LiveChange {
        loop {
            let changed = self
                .subscriber
                .changed
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_first();
            if let Some(changed) = changed {
                return changed;
            }
            self.subscriber.wake.notified().await;
        }
    }
}

impl Drop for ChangeSubscription {
    fn drop(&mut self) {
        let own = Arc::as_ptr(&self.subscriber);
        for sn in &self.systems {
            self.subscribers.0.remove_if_mut(sn, |_, subscribers| {
                subscribers.retain(|subscriber| subscriber.as_ptr() != own);
                subscribers.is_empty()
            });
        }
    }
}
