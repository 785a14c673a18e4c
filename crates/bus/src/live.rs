//! The live view: snapshots in memory of the systems that are needed, read when first needed and changed after each commit. A
//! gateway needs the systems that are connected to it, a portal those that are on screen.

mod after_commit;
mod alarms;
mod day_totals;
mod forecasts;
mod held;
mod in_force;
mod load;
mod presence;
mod reports;
mod updates;
mod watch;

pub use presence::OFFLINE_AFTER;
pub use updates::ENDED_UPDATE_SHOWN_FOR;

use crate::changes::{ChangeKind, ChangeSubscription, Subscribers};
use crate::downlink::Downlink;
use crate::heartbeat::Heartbeat;
use crate::peer_message::{PeerMessage, PeerSender};
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
pub struct LiveView(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    systems: DashMap<Serial, Arc<Snapshot>>,
    subscribers: Arc<Subscribers>,
    /// Until when each system is watched.
    watched_until: DashMap<Serial, Millis>,
    /// Until when systems that were requested stay in the view.
    kept_until: DashMap<Serial, Millis>,
    /// Systems that a caller waits for.
    to_load: Mutex<BTreeSet<Serial>>,
    /// Systems whose unit another process has exchanged.
    replaced_units: Mutex<BTreeSet<Serial>>,
    /// Systems that other processes have asked to read again.
    reload_requested: Notify,
    /// Systems that entered the view and were not announced to the other processes yet.
    new_systems: Mutex<Vec<Serial>>,
    new_systems_added: Notify,
    /// Systems that are being read, and whether they changed meanwhile.
    loading: DashMap<Serial, bool>,
    downlink: Downlink,
    peers: PeerSender,
    /// Systems whose day totals have to be read from the store.
    day_totals_queue: Mutex<BTreeSet<Serial>>,
    day_totals_queued: Notify,
    storing: AtomicBool,
    /// The id of this process as a gateway.
    gateway: GatewayId,
    heartbeat: Heartbeat,
    /// Releases that are being rolled out.
    releases: RwLock<Arc<Releases>>,
    /// When the operator put on the brake.
    braked_since: RwLock<Option<Millis>>,
    /// Held while reading a batch from the store, so that an older answer never replaces a newer one. Commits of reports never wait
    /// for it: see `after_commit.rs`.
    read_lock: tokio::sync::Mutex<()>,
    after_commit: after_commit::AfterCommit,
}

impl LiveView {
    pub(crate) fn new(
        store: Store,
        clock: Clock,
        downlink: Downlink,
        peers: PeerSender,
        gateway: GatewayId,
        heartbeat: Heartbeat,
    ) -> Self {
        Self(Arc::new(Inner {
            store,
            clock,
            systems: DashMap::new(),
            subscribers: Arc::default(),
            watched_until: DashMap::new(),
            kept_until: DashMap::new(),
            to_load: Mutex::default(),
            replaced_units: Mutex::default(),
            reload_requested: Notify::new(),
            new_systems: Mutex::default(),
            new_systems_added: Notify::new(),
            loading: DashMap::new(),
            downlink,
            peers,
            day_totals_queue: Mutex::default(),
            day_totals_queued: Notify::new(),
            storing: AtomicBool::new(true),
            gateway,
            heartbeat,
            releases: RwLock::default(),
            braked_since: RwLock::default(),
            read_lock: tokio::sync::Mutex::default(),
            after_commit: after_commit::AfterCommit::default(),
        }))
    }

    /// `None` for a system that is not in the view: see [`LiveView::hold`].
    pub fn get(&self, sn: &Serial) -> Option<Arc<Snapshot>> {
        self.0.systems.get(sn).map(|entry| Arc::clone(&entry))
    }

    /// Subscribes to changes of these systems from now on.
    pub fn subscribe(&self, systems: impl IntoIterator<Item = Serial>) -> ChangeSubscription {
        self.0.subscribers.subscribe(systems)
    }

    /// Every system in the view.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Serial, Arc<Snapshot>)> {
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

    /// Replaces a snapshot, but keeps values that are newer in memory than in the database; see [`Snapshot::merge_newer_from`].
    fn put(&self, sn: &Serial, mut snapshot: Snapshot) {
        let now = self.0.clock.now();
        snapshot.changed_at = now;
        let measured_at = snapshot.sample.map(|sample| sample.at);
        snapshot.last_contact = measured_at.max(snapshot.since).map(|at| at.min(now));
        let entry = self.0.systems.entry(sn.clone());
        entry
            .and_modify(|current| {
                snapshot.merge_newer_from(current);
                *current = Arc::new(snapshot.clone());
            })
            .or_insert_with(|| Arc::new(snapshot));
        self.0.subscribers.notify(sn, &ChangeKind::Live);
    }

    /// Changes one system and notifies subscribers.
    fn change(&self, sn: &Serial, change: impl FnOnce(&mut Snapshot)) {
        if let Some(mut entry) = self.0.systems.get_mut(sn) {
            let snapshot = Arc::make_mut(&mut entry);
            change(snapshot);
            snapshot.changed_at = self.0.clock.now();
            drop(entry);
            self.0.subscribers.notify(sn, &ChangeKind::Live);
        } else {
            self.note_change_while_loading(sn);
        }
    }

    /// Marks that the data being read may be older than this change.
    fn note_change_while_loading(&self, sn: &Serial) {
        if let Some(mut changed) = self.0.loading.get_mut(sn) {
            *changed = true;
        }
    }

    /// Notifies subscribers, here and in other processes, that settings were saved or reported.
    pub(crate) fn settings_changed(&self, sn: &Serial) {
        self.notify_settings(sn);
        let peers = &self.0.peers;
        peers.send_change(sn, |sn| PeerMessage::Settings { sn });
    }

    pub(crate) fn notify_settings(&self, sn: &Serial) {
        self.0.subscribers.notify(sn, &ChangeKind::Settings);
    }

    /// Changes of settings may have been missed.
    pub(crate) fn notify_all_settings(&self) {
        for sn in self.serials() {
            self.notify_settings(&sn);
        }
    }

    /// Notifies subscribers, here and in other processes, that a command changed.
    pub(crate) fn command_changed(&self, sn: &Serial, id: &CommandId) {
        self.notify_command(sn, id.clone());
        self.0.peers.send_change(sn, |sn| PeerMessage::Command {
            sn,
            id: id.to_string(),
        });
    }

    pub(crate) fn notify_command(&self, sn: &Serial, id: CommandId) {
        self.0.subscribers.notify(sn, &ChangeKind::Command(id));
    }

    /// Whether the last batch of reports could be stored. `false` while the database is unavailable or its disk is full.
    pub fn is_storing(&self) -> bool {
        self.0.storing.load(Ordering::Relaxed)
    }

    /// Whether this process receives peer messages. While it does not, its view of other processes' batteries is unreliable.
    pub fn receives_peer_messages(&self) -> bool {
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
