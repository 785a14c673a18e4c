//! Firmware updates: which releases are offered, the state of each update, and the portal's signature under each assignment.
use crate::{Bus, SignedUpdate};
use domain::clock::{HOUR, Millis};
use domain::firmware::{Assignment, JobId, PublicKey, SecretKey};
use domain::{Random, Serial};
use std::collections::HashMap;
use std::time::Duration;
use store::Store;
use store::order::UpdateOrder;
use tokio::time::MissedTickBehavior;

/// How often to check for updates that can begin.
const TICK_INTERVAL: Duration = Duration::from_secs(1);
/// Releases that another process published are read every so many ticks.
const RELEASE_POLL_TICKS: u32 = 3;
/// How long an assignment is valid. It is signed again each time it is sent.
const ASSIGNMENT_TTL: Millis = HOUR;

/// Signs assignments with the portal's key.
#[derive(Debug)]
pub(crate) struct AssignmentSigner {
    key: SecretKey,
    /// Where batteries download images from.
    updates_url: String,
}

impl AssignmentSigner {
    pub(crate) async fn open(
        store: &Store,
        random: &Random,
        updates_url: String,
    ) -> store::Result<Self> {
        let key = store.director_key(random.bytes(), random.bytes()).await?;
        Ok(Self { key, updates_url })
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        self.key.public()
    }

    pub(crate) fn sign(&self, update: UpdateOrder, now: Millis) -> SignedUpdate {
        let assignment = Assignment {
            sn: update.job.sn,
            job: update.job.id,
            number: update.job.number,
            parts: update.parts,
            expires_at: now + ASSIGNMENT_TTL,
        };
        SignedUpdate {
            assignment: assignment.sign(&self.key),
            updates_url: self.updates_url.clone(),
        }
    }
}

impl Bus {
    /// An update was started, withdrawn or interrupted, or expired: notifies subscribers and delivers it.
    pub async fn update_changed(&self, sn: &Serial) {
        self.live.update_changed(sn).await;
        self.deliver_orders(sn).await;
    }
}

/// Delivers updates that can begin. Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut delivered = HashMap::new();
    let mut tick = tokio::time::interval(TICK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for tick_number in 0_u32.. {
        tick.tick().await;
        let work = async {
            deliver_ready_updates(bus, &mut delivered).await;
            if tick_number % RELEASE_POLL_TICKS == 0 && !bus.live.is_empty() {
                bus.live.read_releases().await?;
            }
            Ok::<(), store::Error>(())
        };
        if let Err(error) = work.await {
            tracing::warn!(%error, "updates_tick_failed: retrying");
        }
    }
}

/// Delivers updates that can begin because the main switch was turned off. Each is sent once; the reminder repeats a lost one.
async fn deliver_ready_updates(bus: &Bus, delivered: &mut HashMap<Serial, JobId>) {
    let ready = bus.live.ready_updates();
    for (sn, job) in &ready {
        if delivered.get(sn) != Some(job) && bus.downlink.is_attached(sn) {
            bus.deliver_orders(sn).await;
        }
    }
    *delivered = ready;
}
