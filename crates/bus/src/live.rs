//! Every system as it is right now, in memory: read once at the start, changed after each commit.

mod alarms;
mod counting;
mod forecasts;
mod in_force;
mod presence;
mod reading;
mod reports;
mod updates;
mod watching;

pub use presence::SILENCE;
pub use updates::UPDATE_SHOWN;

use crate::changes::{Changes, Part, Subscribers};
use crate::downlink::Downlink;
use crate::heartbeat::Heartbeat;
use crate::notice::{Notice, Notices};
use crate::snapshot::Snapshot;
use dashmap::DashMap;
use domain::clock::Millis;
use domain::{Clock, CommandId, Serial};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use store::Store;
use store::firmware::Releases;
use store::presence::GatewayId;
use tokio::sync::Notify;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Live(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    systems: DashMap<Serial, Arc<Snapshot>>,
    subscribers: Arc<Subscribers>,
    /// Until when somebody looks.
    watched: DashMap<Serial, Millis>,
    downlink: Downlink,
    notices: Notices,
    /// Systems whose day has to be read from the store.
    uncounted: Mutex<BTreeSet<Serial>>,
    to_count: Notify,
    storing: AtomicBool,
    /// This process among those that batteries connect to.
    gateway: GatewayId,
    heartbeat: Heartbeat,
    /// What is being rolled out.
    releases: RwLock<Arc<Releases>>,
    /// The operator stopped all changes.
    braked_since: RwLock<Option<Millis>>,
    /// Whoever reads from the store holds it, so that an older answer never replaces a newer one.
    reading: tokio::sync::Mutex<()>,
}

impl Live {
    pub(crate) fn new(
        store: Store,
        clock: Clock,
        downlink: Downlink,
        notices: Notices,
        gateway: GatewayId,
        heartbeat: Heartbeat,
    ) -> Self {
        Self(Arc::new(Inner {
            store,
            clock,
            systems: DashMap::new(),
            subscribers: Arc::default(),
            watched: DashMap::new(),
            downlink,
            notices,
            uncounted: Mutex::default(),
            to_count: Notify::new(),
            storing: AtomicBool::new(true),
            gateway,
            heartbeat,
            releases: RwLock::default(),
            braked_since: RwLock::default(),
            reading: tokio::sync::Mutex::default(),
        }))
    }

    /// `None` for a system that was registered after the start and has not said hello yet.
    pub fn get(&self, sn: &Serial) -> Option<Arc<Snapshot>> {
        self.0.systems.get(sn).map(|found| Arc::clone(&found))
    }

    /// Changes of these systems from now on.
    pub fn subscribe(&self, systems: impl IntoIterator<Item = Serial>) -> Changes {
        self.0.subscribers.subscribe(systems)
    }

    /// Every system, as far as it is known.
    pub fn all(&self) -> impl Iterator<Item = (Serial, Arc<Snapshot>)> {
        let serials: Vec<Serial> = self
            .0
            .systems
            .iter()
            .map(|entry| entry.key().clone())
            .collect();
        serials.into_iter().filter_map(|sn| {
            let snapshot = self.get(&sn)?;
            Some((sn, snapshot))
        })
    }

    /// Keeps what memory knows better than the database: the newest sample and when the battery was heard.
    fn put(&self, sn: &Serial, mut snapshot: Snapshot) {
        let before = self.get(sn);
        snapshot.changed_at = self.0.clock.now();
        let now = self.0.clock.now();
        snapshot.received_at = snapshot.sample.map(|sample| sample.at.min(now));
        if snapshot.online && before.as_ref().is_none_or(|before| !before.online) {
            // It gets a full 90 s to say something before silence counts.
            snapshot.received_at = Some(self.0.clock.now());
        }
        let entry = self.0.systems.entry(sn.clone());
        entry
            .and_modify(|current| {
                snapshot.take_newer(current);
                *current = Arc::new(snapshot.clone());
            })
            .or_insert_with(|| Arc::new(snapshot));
        self.0.subscribers.tell(sn, &Part::Live);
    }

    /// Changes one system and tells who listens.
    fn change(&self, sn: &Serial, change: impl FnOnce(&mut Snapshot)) {
        if let Some(mut entry) = self.0.systems.get_mut(sn) {
            let snapshot = Arc::make_mut(&mut entry);
            change(snapshot);
            snapshot.changed_at = self.0.clock.now();
            drop(entry);
            self.0.subscribers.tell(sn, &Part::Live);
        }
    }

    /// Tells who listens, here and in other processes, that settings were saved or reported.
    pub(crate) fn settings_changed(&self, sn: &Serial) {
        self.hear_settings(sn);
        self.0.notices.send(Notice::Settings { sn: sn.to_string() });
    }

    pub(crate) fn hear_settings(&self, sn: &Serial) {
        self.0.subscribers.tell(sn, &Part::Settings);
    }

    /// The same of a command.
    pub(crate) fn command_changed(&self, sn: &Serial, id: &CommandId) {
        self.hear_command(sn, id.clone());
        self.0.notices.send(Notice::Command {
            sn: sn.to_string(),
            id: id.to_string(),
        });
    }

    pub(crate) fn hear_command(&self, sn: &Serial, id: CommandId) {
        self.0.subscribers.tell(sn, &Part::Command(id));
    }

    /// Whether the last group of reports could be stored: not while the database is away or its disk is full.
    pub fn is_storing(&self) -> bool {
        self.0.storing.load(Ordering::Relaxed)
    }

    /// Whether this process hears the others. While it does not, nothing that it shows of their batteries can be relied on.
    pub fn is_hearing(&self) -> bool {
        self.0.heartbeat.unbroken_since().is_some()
    }

    /// How old the newest heartbeat is that came back through the database; zero on SQLite.
    pub fn heartbeat_age(&self) -> Duration {
        self.0.heartbeat.age()
    }

    pub(crate) fn heartbeat(&self) -> &Heartbeat {
        &self.0.heartbeat
    }

    pub(crate) fn gateway(&self) -> GatewayId {
        self.0.gateway
    }

    pub(crate) fn set_storing(&self, storing: bool) {
        self.0.storing.store(storing, Ordering::Relaxed);
    }
}
