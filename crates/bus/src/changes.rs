//! Who wants to hear of changes: each subscriber names its systems and hears of each change once,
//! however often it happened while nobody asked.
use dashmap::DashMap;
use domain::{CommandId, Serial};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::Notify;

/// A system, and what about it changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    pub sn: Serial,
    pub part: Part,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What it measures, whether it is there, what it is.
    Live,
    /// What is wanted of it, or what it has applied.
    Settings,
    Command(CommandId),
}

#[derive(Debug, Default)]
struct Mailbox {
    changed: Mutex<BTreeSet<Changed>>,
    wake: Notify,
}

/// Mailboxes by system.
#[derive(Debug, Default)]
pub(crate) struct Subscribers(DashMap<Serial, Vec<Weak<Mailbox>>>);

impl Subscribers {
    pub(crate) fn subscribe(
        self: &Arc<Self>,
        systems: impl IntoIterator<Item = Serial>,
    ) -> Changes {
        let mailbox = Arc::new(Mailbox::default());
        let systems: Vec<Serial> = systems.into_iter().collect();
        for sn in &systems {
            let mut entry = self.0.entry(sn.clone()).or_default();
            entry.push(Arc::downgrade(&mailbox));
        }
        Changes {
            subscribers: Arc::clone(self),
            systems,
            mailbox,
        }
    }

    pub(crate) fn tell(&self, sn: &Serial, part: &Part) {
        let Some(mailboxes) = self.0.get(sn) else {
            return;
        };
        for mailbox in mailboxes.iter().filter_map(Weak::upgrade) {
            let mut changed = mailbox
                .changed
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let news = Changed {
                sn: sn.clone(),
                part: part.clone(),
            };
            if changed.insert(news) {
                mailbox.wake.notify_one();
            }
        }
    }
}

/// A subscription; ends when dropped.
#[derive(Debug)]
pub struct Changes {
    subscribers: Arc<Subscribers>,
    systems: Vec<Serial>,
    mailbox: Arc<Mailbox>,
}

impl Changes {
    /// The next change; one that happened several times since it was last returned is one. Safe to drop and call again.
    pub async fn next(&mut self) -> Changed {
        loop {
            let changed = self
                .mailbox
                .changed
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_first();
            if let Some(changed) = changed {
                return changed;
            }
            self.mailbox.wake.notified().await;
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        let own = Arc::as_ptr(&self.mailbox);
        for sn in &self.systems {
            self.subscribers.0.remove_if_mut(sn, |_, mailboxes| {
                mailboxes.retain(|mailbox| mailbox.as_ptr() != own);
                mailboxes.is_empty()
            });
        }
    }
}
