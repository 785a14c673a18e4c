//! Connects the roles: reports of batteries go up, orders go down, and the live view is in between.
//!
//! In one process the calls are direct. Several processes on one PostgreSQL inform each other of live changes, viewers and
//! deliveries by short peer messages, through the database or through NATS servers.

mod alarms;
mod announce;
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
mod shutdown;
mod silence;
mod snapshot;
mod transport;
mod uplink;

pub use changes::{ChangeKind, ChangeSubscription, LiveChange};
pub use downlink::{Delivery, Downlink, SignedUpdate};
pub use heartbeat::Liveness;
pub use live::{ENDED_UPDATE_SHOWN_FOR, LiveView, OFFLINE_AFTER};
pub use shutdown::{LongConnection, Shutdown};
pub use snapshot::{Snapshot, Today};
pub use transport::{InvalidNatsServers, NatsServers};
pub use uplink::{NotStored, PendingReport, REPORT_HOLD_TIMEOUT, Receipt, Uplink};

use domain::{Clock, Random, Serial};
use firmware::AssignmentSigner;
use heartbeat::Heartbeat;
use peer_message::{PeerMessage, PeerSender};
use std::sync::Arc;
use store::Store;
use store::presence::GatewayId;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use transport::{Listener, Transport};

const MAX_DAY_TOTALS_AT_START: usize = 200;
/// Batteries that may wait for their orders to be read. The others get their orders with the next reminder.
const MAX_PENDING_ORDERS: usize = 1_024;

/// The handle that the roles share. Cheap to clone.
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
    uses_nats: bool,
    /// Batteries connected here that another process has orders for.
    delivery_requests: mpsc::Sender<Serial>,
}

/// The background tasks; a [`Bus`] works only while they run.
#[derive(Debug)]
pub struct Engine {
    store: Store,
    bus: Bus,
    process_id: u64,
    /// `None` on SQLite, where there are no other processes.
    transport: Option<Transport>,
    /// Peer messages since the start; `None` if the connection failed.
    listener: Option<Listener>,
    pending_reports: mpsc::Receiver<uplink::PendingReport>,
    outgoing: mpsc::Receiver<PeerMessage>,
    delivery_requests: mpsc::Receiver<Serial>,
}

#[derive(Clone, Debug, Default)]
pub struct BusOptions {
    /// Where batteries download firmware from.
    pub updates_url: String,
    /// Processes inform each other through these instead of the database.
    pub nats: Option<NatsServers>,
    pub liveness: Liveness,
}

impl Bus {
    /// Nothing runs before [`Engine::run`].
    pub async fn open(
        store: Store,
        clock: Clock,
        random: &Random,
        options: BusOptions,
    ) -> store::Result<(Self, Engine)> {
        let BusOptions {
            updates_url,
            nats,
            liveness,
        } = options;
        let process_id = peer_message::new_process_id(random);
        let shared = store.db().is_shared();
        let gateway = match shared {
            true => GatewayId(i64::try_from(process_id >> 1).expect("63 bits fit")),
            false => GatewayId::default(),
        };
        let limit = shared.then_some(liveness.heartbeat_limit);
        let downlink = Downlink::default();
        let transport = if nats.is_some() { "nats" } else { "database" };
        let (peers, outgoing) = PeerSender::channel(shared.then_some(transport));
        let (uplink, pending_reports) = Uplink::channel();
        let live = LiveView::new(
            store.clone(),
            clock.clone(),
            downlink.clone(),
            peers.clone(),
            gateway,
            Heartbeat::new(limit, clock.now()),
        );
        let assignment_signer = AssignmentSigner::open(&store, random, updates_url).await?;
        let installation = assignment_signer.public_key().to_string();
        let uses_nats = nats.is_some();
        let transport = Transport::new(store.db(), nats, &installation);
        // Listen before reading, so that nothing is missed between the two.
        let listener = match &transport {
            Some(transport) => listen::first_listener(transport).await,
            None => None,
        };
        live.read_installation().await?;
        // With SQLite this process may have been restarted: batteries that were connected count as online until they are silent.
        live.hold(&store.online_at(gateway).await?).await?;
        // A small fleet has its day totals at once. A large one would delay the start; the rest is computed in the background.
        for _ in 0..MAX_DAY_TOTALS_AT_START {
            if !live.recalculate_next_day_totals().await? {
                break;
            }
        }
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
            uses_nats,
            delivery_requests: request_sender,
        };
        let engine = Engine {
            store,
            bus: bus.clone(),
            process_id,
            transport,
            listener,
            pending_reports,
            outgoing,
            delivery_requests,
        };
        Ok((bus, engine))
    }

    /// Registers a new connection of this battery. An older one, in this process or another, ends. `connection` and `revocations`
    /// are from its login: a later login has a higher number, and the operator ends the connection by a higher count.
    pub fn attach(
        &self,
        sn: &Serial,
        connection: Option<i64>,
        revocations: i64,
    ) -> downlink::DownlinkReceiver {
        let receiver = self.downlink.register(sn, connection, revocations);
        self.announce_connection(sn, connection);
        receiver
    }

    /// Asks other processes to end an older connection of this battery. A process that misses the message keeps it until the
    /// keep-alive expires.
    pub(crate) fn announce_connection(&self, sn: &Serial, connection: Option<i64>) {
        self.peers.send(PeerMessage::Attached {
            sn: sn.to_string(),
            connection,
            number: 0,
        });
    }

    /// Reads a newly connected battery into the live view, before its reports arrive.
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
            transport,
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
                announce::run(&bus),
                bus.live.reload_requested(),
                bus.live.work_after_commits(),
                bus.live.recalculate_day_totals(),
                exchange_peer_messages(&bus, transport, process_id, listener, outgoing),
            )
        };
        tokio::select! {
            // At a stop both end: the commits are waited for below.
            biased;
            () = stop.cancelled() => {}
            _ = tasks => {}
            ended = &mut commits => {
                // Not an error: all senders of reports have stopped.
                if let Err(error) = ended {
                    tracing::error!(%error, "report_commits_ended: reports are no longer stored, restart this process");
                }
                return;
            }
        }
        if let Err(error) = commits.await {
            tracing::error!(%error, "last_commit_failed: batteries send the last reports again");
        }
    }
}

/// Never returns; on SQLite it does nothing.
async fn exchange_peer_messages(
    bus: &Bus,
    transport: Option<Transport>,
    process_id: u64,
    listener: Option<Listener>,
    outgoing: mpsc::Receiver<PeerMessage>,
) {
    let Some(transport) = transport else {
        return std::future::pending().await;
    };
    tokio::join!(
        peer_message::send_all(&transport, &bus.peers, process_id, outgoing),
        listen::listen(&transport, bus, process_id, listener),
    );
}
