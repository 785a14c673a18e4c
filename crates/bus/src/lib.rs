//! How the roles talk: what batteries report goes up, what they are told goes down, and the live view in between.
//!
//! In one process the calls are direct. Several processes on one PostgreSQL tell each other of live changes,
//! viewers and deliveries by short notices.

mod alarms;
mod changes;
pub mod downlink;
mod firmware;
mod forecasts;
mod heartbeat;
mod listen;
mod live;
mod notice;
mod orders;
mod secret_keys;
mod silence;
mod snapshot;
mod uplink;

pub use changes::{Changed, Changes, Part};
pub use downlink::{Delivery, Downlink};
pub use heartbeat::Liveness;
pub use live::{Live, SILENCE, UPDATE_SHOWN};
pub use snapshot::{Snapshot, Today};
pub use uplink::{HOLD, NotStored, Receipt, Uplink};

use domain::{Clock, Random, Serial};
use firmware::Director;
use heartbeat::Heartbeat;
use notice::{Notice, Notices};
use std::sync::Arc;
use store::Store;
use store::notify::Listener;
use store::presence::GatewayId;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const COUNTED_AT_START: usize = 200;
/// Batteries that may wait for their orders to be read; the others are reminded later.
const MAX_PENDING_ORDERS: usize = 1_024;

/// The ends that the roles hold. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bus {
    pub uplink: Uplink,
    pub live: Live,
    pub downlink: Downlink,
    store: Store,
    clock: Clock,
    notices: Notices,
    director: Arc<Director>,
    liveness: Liveness,
    /// Batteries of this process that another one has orders for.
    ordered: mpsc::Sender<Serial>,
}

/// What has to run for the ends to work.
#[derive(Debug)]
pub struct Engine {
    store: Store,
    bus: Bus,
    number: u64,
    /// What other processes have said since the live view was read; `None` on SQLite, where there are none.
    listener: Option<Listener>,
    jobs: mpsc::Receiver<uplink::Job>,
    outgoing: mpsc::Receiver<Notice>,
    ordered: mpsc::Receiver<Serial>,
}

impl Bus {
    /// Reads the live view; nothing moves before [`Engine::run`]. `updates_url` is where batteries load firmware from.
    pub async fn open(
        store: Store,
        clock: Clock,
        random: &Random,
        updates_url: String,
    ) -> store::Result<(Self, Engine)> {
        Self::open_with(store, clock, random, updates_url, Liveness::default()).await
    }

    /// The same with other times for the processes' heartbeats.
    pub async fn open_with(
        store: Store,
        clock: Clock,
        random: &Random,
        updates_url: String,
        liveness: Liveness,
    ) -> store::Result<(Self, Engine)> {
        let number = notice::own_number(random);
        let shared = store.is_shared();
        let gateway = match shared {
            true => GatewayId(i64::try_from(number >> 1).expect("63 bits fit")),
            false => GatewayId::default(),
        };
        let limit = shared.then_some(liveness.heartbeat_limit);
        let downlink = Downlink::default();
        let (notices, outgoing) = Notices::channel(store.is_shared());
        let (uplink, jobs) = Uplink::channel();
        let live = Live::new(
            store.clone(),
            clock.clone(),
            downlink.clone(),
            notices.clone(),
            gateway,
            Heartbeat::new(limit, clock.now()),
        );
        // Heard first and read then, so that nothing is missed between the two.
        let listener = store.listen().await?;
        live.load().await?;
        // A small fleet is complete at once; a large one would keep its start waiting, and is counted meanwhile.
        for _ in 0..COUNTED_AT_START {
            if !live.count_one().await? {
                break;
            }
        }
        let director = Director::open(&store, random, updates_url).await?;
        let (to_order, ordered) = mpsc::channel(MAX_PENDING_ORDERS);
        let bus = Self {
            director: Arc::new(director),
            uplink,
            live,
            downlink,
            store: store.clone(),
            clock,
            notices,
            liveness,
            ordered: to_order,
        };
        let engine = Engine {
            store,
            bus: bus.clone(),
            number,
            listener,
            jobs,
            outgoing,
            ordered,
        };
        Ok((bus, engine))
    }

    /// A connection of this battery begins here; one elsewhere, in this process or another, ends.
    pub fn attach(&self, sn: &Serial) -> downlink::Attached {
        let attached = self.downlink.attach(sn);
        let number = attached.number();
        let notice = Notice::Attached {
            sn: sn.to_string(),
            number,
        };
        if !self.notices.send(notice) {
            self.downlink.announced(sn, number);
        }
        attached
    }

    /// A unit was exchanged: both systems begin anew, here and in other processes, and the new unit gets the settings of the old.
    pub async fn unit_replaced(&self, old: &Serial, new: &Serial) {
        for sn in [old, new] {
            self.live.renew(sn).await;
            self.notices.send(Notice::Renew { sn: sn.to_string() });
        }
        self.settings_saved(new).await;
        self.bring(old).await;
    }

    /// This process among those that batteries connect to.
    pub fn gateway(&self) -> GatewayId {
        self.live.gateway()
    }
}

impl Engine {
    /// Runs until `stop` is cancelled, then commits what was handed in before. If it ends earlier, nothing works any more.
    pub async fn run(self, stop: CancellationToken) {
        let Self {
            store,
            bus,
            number,
            listener,
            jobs,
            outgoing,
            ordered,
        } = self;
        let commits = uplink::commit_all(store.clone(), bus.live.clone(), jobs, stop.clone());
        // Of its own, so that a long commit holds up neither the listener nor who declares silence.
        let mut commits = tokio::spawn(commits);
        let talk = async {
            tokio::join!(
                silence::watch(&bus),
                heartbeat::send(&bus),
                orders::mind(&bus),
                orders::bring_all(&bus, ordered),
                firmware::mind(&bus),
                alarms::mind(&bus),
                forecasts::mind(&bus),
                secret_keys::poll(&bus),
                bus.live.count(),
                notice::send_all(&store, number, outgoing),
                listen::listen(&store, &bus, number, listener),
            )
        };
        tokio::select! {
            _ = talk => {}
            () = stop.cancelled() => {}
            ended = &mut commits => {
                tracing::error!(?ended, "reports are not committed any more");
                return;
            }
        }
        if let Err(error) = commits.await {
            tracing::error!(%error, "the last reports were not committed");
        }
    }
}
