//! Connects the roles: reports of batteries go up, orders go down, and the live view lies in between.
//!
//! In one process the calls are direct. Several processes on one PostgreSQL inform each other of live changes,
//! viewers and deliveries by short peer messages.

mod alarms;
mod changes;
mod device_access;
pub mod downlink;
mod firmware;
mod fold;
mod followed;
mod heartbeat;
mod listen;
mod live;
mod orders;
mod peer_message;
mod secret_keys;
mod silence;
mod snapshot;
mod uplink;

pub use changes::{ChangeKind, ChangeSubscription, LiveChange};
pub use downlink::{Delivery, Downlink, SignedUpdate};
pub use heartbeat::Liveness;
pub use live::{ENDED_UPDATE_SHOWN_FOR, LiveView, OFFLINE_AFTER};
pub use snapshot::{Snapshot, Today};
pub use uplink::{NotStored, PendingReport, REPORT_HOLD_TIMEOUT, Receipt, Uplink};

use db::notify::Listener;
use domain::{Clock, Random, Serial};
use firmware::AssignmentSigner;
use heartbeat::Heartbeat;
use peer_message::{PeerMessage, PeerSender};
use std::sync::Arc;
use store::Store;
use store::presence::GatewayId;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const MAX_DAY_TOTALS_AT_START: usize = 200;
/// Batteries that may wait for their orders to be read. The others get theirs with the next reminder.
const MAX_PENDING_ORDERS: usize = 1_024;

/// The handle that the roles hold. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus {
    pub uplink: Uplink,
    pub live: LiveView,
    pub downlink: Downlink,
    store: Store,
    clock: Clock,
    peers: PeerSender,
    assignment_signer: Arc<AssignmentSigner>,
    liveness: Liveness,
    /// Batteries connected here that another process has orders for.
    delivery_requests: mpsc::Sender<Serial>,
}

/// The background tasks; a [`Bus`] works only while they run.
#[derive(Debug)]
pub struct Engine {
    store: Store,
    bus: Bus,
    process_id: u64,
    /// Peer messages since the start; `None` on SQLite, where there are no other processes.
    listener: Option<Listener>,
    pending_reports: mpsc::Receiver<uplink::PendingReport>,
    outgoing: mpsc::Receiver<PeerMessage>,
    delivery_requests: mpsc::Receiver<Serial>,
}

impl Bus {
    /// Nothing runs before [`Engine::run`]. `updates_url` is where batteries download firmware from.
    pub async fn open(
        store: Store,
        clock: Clock,
        random: &Random,
        updates_url: String,
    ) -> store::Result<(Self, Engine)> {
        Self::open_with(store, clock, random, updates_url, Liveness::default()).await
    }

    /// Like [`Bus::open`], with other times for the processes' heartbeats.
    pub async fn open_with(
        store: Store,
        clock: Clock,
        random: &Random,
        updates_url: String,
        liveness: Liveness,
    ) -> store::Result<(Self, Engine)> {
        let process_id = peer_message::new_process_id(random);
        let shared = store.db().is_shared();
        let gateway = match shared {
            true => GatewayId(i64::try_from(process_id >> 1).expect("63 bits fit")),
            false => GatewayId::default(),
        };
        let limit = shared.then_some(liveness.heartbeat_limit);
        let downlink = Downlink::default();
        let (peers, outgoing) = PeerSender::channel(store.db().is_shared());
        let (uplink, pending_reports) = Uplink::channel();
        let live = LiveView::new(
            store.clone(),
            clock.clone(),
            downlink.clone(),
            peers.clone(),
            gateway,
            Heartbeat::new(limit, clock.now()),
        );
        // Listen before reading: nothing is missed between the two.
        let listener = store.db().listen().await?;
        live.read_installation().await?;
        // With SQLite this process may have been restarted: batteries that were connected count as online until they are silent.
        live.hold(&store.online_at(gateway).await?).await?;
        // A small fleet has its day totals at once. A large one would delay the start; the rest is computed in the background.
        for _ in 0..MAX_DAY_TOTALS_AT_START {
            if !live.recalculate_next_day_totals().await? {
                break;
            }
        }
        let assignment_signer = AssignmentSigner::open(&store, random, updates_url).await?;
        let (request_sender, delivery_requests) = mpsc::channel(MAX_PENDING_ORDERS);
        let bus = Self {
            assignment_signer: Arc::new(assignment_signer),
            uplink,
            live,
            downlink,
            store: store.clone(),
            clock,
            peers,
            liveness,
            delivery_requests: request_sender,
        };
        let engine = Engine {
            store,
            bus: bus.clone(),
            process_id,
            listener,
            pending_reports,
            outgoing,
            delivery_requests,
        };
        Ok((bus, engine))
    }

    /// Registers a new connection of this battery. An older one, in this process or another, ends. `revocations` is the count at
    /// its login: the operator ends the connection by a higher one.
    pub fn attach(&self, sn: &Serial, revocations: i64) -> downlink::DownlinkReceiver {
        let receiver = self.downlink.register(sn, revocations);
        let connection_id = receiver.connection_id();
        let message = PeerMessage::Attached {
            sn: sn.to_string(),
            connection_id,
        };
        if !self.peers.send(message) {
            self.downlink.mark_announced(sn, connection_id);
        }
        receiver
    }

    /// Reads a battery that has connected into the live view, before its reports come.
    pub async fn battery_connected(&self, sn: &Serial) {
        self.live.hold_or_log(sn).await;
    }

    /// A unit was exchanged: every process reloads both systems from scratch, and the new unit gets the settings of the old.
    pub async fn unit_replaced(&self, old: &Serial, new: &Serial) {
        for sn in [old, new] {
            self.live.reload_replaced_unit(sn).await;
            self.peers
                .send(PeerMessage::UnitReplaced { sn: sn.to_string() });
        }
        self.settings_saved(new).await;
        self.deliver_orders(old).await;
    }

    /// The id of this process as a gateway.
    pub fn gateway(&self) -> GatewayId {
        self.live.gateway()
    }
}

impl Engine {
    /// Runs until `stop` is cancelled, then commits the reports submitted before. If it ends earlier, the bus no longer works.
    pub async fn run(self, stop: CancellationToken) {
        let Self {
            store,
            bus,
            process_id,
            listener,
            pending_reports,
            outgoing,
            delivery_requests,
        } = self;
        let commits = uplink::commit_all(
            store.clone(),
            bus.live.clone(),
            pending_reports,
            stop.clone(),
        );
        // A task of its own: a long commit must delay neither the listener nor the detection of silent batteries.
        let mut commits = tokio::spawn(commits);
        let tasks = async {
            tokio::join!(
                silence::run(&bus),
                heartbeat::run(&bus),
                orders::run(&bus),
                orders::deliver_requested(&bus, delivery_requests),
                firmware::run(&bus),
                fold::run(&bus),
                alarms::run(&bus),
                device_access::run(&bus),
                secret_keys::run(&bus),
                followed::run(&bus),
                bus.live.reload_requested(),
                bus.live.recalculate_day_totals(),
                peer_message::send_all(&store, process_id, outgoing),
                listen::listen(&store, &bus, process_id, listener),
            )
        };
        tokio::select! {
            // At a stop both end: the commits are waited for below.
            biased;
            () = stop.cancelled() => {}
            _ = tasks => {}
            ended = &mut commits => {
                tracing::error!(?ended, "report_commits_ended: reports are no longer stored, restart this process");
                return;
            }
        }
        if let Err(error) = commits.await {
            tracing::error!(%error, "last_commit_failed: batteries send the last reports again");
        }
    }
}
