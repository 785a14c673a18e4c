//! How the roles talk: what batteries report goes up, what they are told goes down, and the live view in between.
//!
//! In one process the calls are direct. Several processes on one PostgreSQL tell each other of live changes,
//! viewers and deliveries by short notices.

mod alarms;
mod changes;
pub mod downlink;
mod firmware;
mod forecasts;
mod live;
mod notice;
mod orders;
mod snapshot;
mod uplink;

pub use changes::{Changed, Changes, Part};
pub use downlink::{Delivery, Downlink};
pub use live::{Live, SILENCE, UPDATE_SHOWN};
pub use snapshot::{Snapshot, Today};
pub use uplink::{HOLD, NotStored, Receipt, Uplink};

use domain::{Clock, Random, Serial};
use firmware::Director;
use notice::{Letter, Notice, Notices};
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::notify::{Heard, Listener};
use store::presence::Presence;
use store::report::{Body, Report};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// How often somebody looks who has fallen silent.
const SWEEP: Duration = Duration::from_secs(1);
const COUNTED_AT_START: usize = 200;
const RECONNECT: Duration = Duration::from_secs(1);

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
}

impl Bus {
    /// Reads the live view; nothing moves before [`Engine::run`]. `updates_url` is where batteries load firmware from.
    pub async fn open(
        store: Store,
        clock: Clock,
        random: &Random,
        updates_url: String,
    ) -> store::Result<(Self, Engine)> {
        let downlink = Downlink::default();
        let (notices, outgoing) = Notices::channel(store.is_shared());
        let (uplink, jobs) = Uplink::channel();
        let live = Live::new(
            store.clone(),
            clock.clone(),
            downlink.clone(),
            notices.clone(),
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
        let bus = Self {
            director: Arc::new(director),
            uplink,
            live,
            downlink,
            store: store.clone(),
            clock,
            notices,
        };
        let engine = Engine {
            store,
            bus: bus.clone(),
            number: notice::own_number(random),
            listener,
            jobs,
            outgoing,
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

    /// Hands a message to the battery's connection, here or in another process. `false` when there is surely none,
    /// or it does not keep up: the battery gets it on its next hello.
    pub fn deliver(&self, sn: &Serial, delivery: Delivery) -> bool {
        self.downlink.send(sn, delivery.clone())
            || self.live.is_online(sn)
                && self.notices.send(Notice::Deliver {
                    sn: sn.to_string(),
                    topic: delivery.topic,
                    payload: delivery.payload,
                    command: delivery.command.map(|id| id.to_string()),
                })
    }
}

impl Engine {
    /// Runs until `stop` is cancelled, then commits what was handed in before.
    pub async fn run(self, stop: CancellationToken) {
        let Self {
            store,
            bus,
            number,
            listener,
            jobs,
            outgoing,
        } = self;
        let commits = uplink::commit_all(store.clone(), bus.live.clone(), jobs, stop.clone());
        // Of its own, so that a long commit holds up neither the sweeper nor the listener.
        let commits = tokio::spawn(commits);
        let talk = async {
            tokio::join!(
                sweep(&bus),
                orders::mind(&bus),
                firmware::mind(&bus),
                alarms::mind(&bus),
                forecasts::mind(&bus),
                bus.live.count(),
                notice::send_all(&store, number, outgoing),
                listen(&store, &bus, number, listener),
            )
        };
        tokio::select! {
            _ = talk => {}
            () = stop.cancelled() => {}
        }
        if let Err(error) = commits.await {
            tracing::error!(%error, "the last reports were not committed");
        }
    }
}

/// One look at all systems instead of a timer for each.
async fn sweep(bus: &Bus) {
    let mut tick = tokio::time::interval(SWEEP);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        bus.live.forget_viewers();
        for sn in bus.live.silent() {
            let report = Report {
                sn,
                received_at: bus.clock.now(),
                body: Body::Offline { boot: None },
            };
            // The answer does not matter: who is still silent is found again by the next look.
            if bus.uplink.submit(report).await.is_err() {
                break;
            }
        }
    }
}

/// Hears what other processes say, for ever; on SQLite there are none.
async fn listen(store: &Store, bus: &Bus, number: u64, first: Option<Listener>) {
    let Some(mut listener) = first else {
        return std::future::pending().await;
    };
    loop {
        hear(&mut listener, bus, number).await;
        listener = loop {
            tokio::time::sleep(RECONNECT).await;
            match store.listen().await {
                Ok(Some(again)) => break again,
                Ok(None) => return std::future::pending().await,
                Err(error) => tracing::warn!(%error, "other processes cannot be heard"),
            }
        };
        catch_up(bus).await;
    }
}

/// What was said while nobody listened is in the database.
async fn catch_up(bus: &Bus) {
    bus.downlink.all_announced();
    bus.live.load_or_log().await;
}

async fn hear(listener: &mut Listener, bus: &Bus, number: u64) {
    loop {
        match listener.next().await {
            Ok(Heard::Gap) => catch_up(bus).await,
            Ok(Heard::Notice(text)) => match serde_json::from_str::<Letter>(&text) {
                Ok(letter) if letter.from == number => {
                    letter
                        .notices
                        .iter()
                        .for_each(|notice| came_back(bus, notice));
                }
                Ok(letter) => {
                    for notice in letter.notices {
                        take(bus, notice).await;
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a notice of another process is not understood")
                }
            },
            Err(error) => {
                tracing::warn!(%error, "other processes are not heard any more");
                return;
            }
        }
    }
}

/// What this process said comes back in the same order in which everybody hears it.
fn came_back(bus: &Bus, notice: &Notice) {
    if let Notice::Attached { sn, number } = notice
        && let Ok(sn) = sn.parse()
    {
        bus.downlink.announced(&sn, *number);
    }
}

/// What another process said. A serial number comes from a process of ours, so one that is none is left out.
async fn take(bus: &Bus, notice: Notice) {
    let Ok(sn) = notice.sn().parse::<Serial>() else {
        return;
    };
    match notice {
        Notice::Sampled(sampled) => {
            bus.live
                .sampled(&sn, &sampled.sample(), sampled.received_at());
        }
        Notice::Presence {
            online,
            since,
            boot,
            ..
        } => bus.live.stands(
            &sn,
            Presence {
                online,
                since,
                boot,
            },
        ),
        Notice::Reload { .. } => bus.live.reload_or_log(&sn).await,
        Notice::Renew { .. } => bus.live.renew(&sn).await,
        Notice::Watch { until, .. } => {
            bus.live.watch_here(&sn, until);
        }
        Notice::Attached { .. } => bus.downlink.replace(&sn),
        Notice::Deliver {
            topic,
            payload,
            command,
            ..
        } => {
            let command = command.and_then(|id| id.parse().ok());
            let delivery = Delivery {
                topic,
                payload,
                command,
            };
            bus.downlink.send(&sn, delivery);
        }
        Notice::Settings { .. } => bus.live.hear_settings(&sn),
        Notice::Command { id, .. } => {
            if let Ok(id) = id.parse() {
                bus.live.hear_command(&sn, id);
            }
        }
    }
}
