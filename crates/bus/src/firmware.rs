//! Firmware on its way to the batteries: what is offered, how updates fare, and the portal's name under each of them.
use crate::{Bus, Delivery};
use domain::clock::{HOUR, Millis};
use domain::firmware::{Assignment, JobId, SecretKey};
use domain::{Random, Serial};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use store::Store;
use store::order::NewUpdate;
use tokio::time::MissedTickBehavior;

/// How often somebody looks for updates that have fallen silent.
const LOOK: Duration = Duration::from_secs(1);
/// What is published by another process is seen after so many looks.
const RELEASES: u32 = 3;
/// What has waited for too long is looked for every so many looks.
const EXPIRY: u32 = 30;
/// An assignment is signed anew each time it is sent, and is good for so long.
const ASSIGNMENT_LIFE: Millis = HOUR;

/// Signs for the portal.
#[derive(Debug)]
pub(crate) struct Director {
    key: SecretKey,
    /// Where batteries load images from.
    updates_url: String,
}

impl Director {
    pub(crate) async fn open(
        store: &Store,
        random: &Random,
        updates_url: String,
    ) -> store::Result<Self> {
        let key = store.director_key(random.bytes(), random.bytes()).await?;
        Ok(Self { key, updates_url })
    }

    pub(crate) fn delivery(&self, update: &NewUpdate, now: Millis) -> Delivery {
        let assignment = Assignment {
            sn: update.job.sn.clone(),
            job: update.job.id.clone(),
            number: update.job.number,
            parts: update.parts.clone(),
            expires_at: now + ASSIGNMENT_LIFE,
        };
        let sealed = assignment.sign(&self.key);
        let document = json!({
            "assignment": sealed.text(), "sig": sealed.signature_hex(), "url": self.updates_url,
        });
        Delivery::new("fw", document.to_string())
    }
}

impl Bus {
    /// An update was started or withdrawn: whoever listens hears of it, and the battery gets it.
    pub async fn update_changed(&self, sn: &Serial) {
        self.live.update_changed(sn).await;
        self.bring(sn).await;
    }
}

/// Looks after updates, for ever.
pub(crate) async fn mind(bus: &Bus) {
    let mut handed_over = HashMap::new();
    let mut tick = tokio::time::interval(LOOK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for look in 0_u32.. {
        tick.tick().await;
        let minded = async {
            for sn in bus.store.interrupt_stalled_updates(bus.clock.now()).await? {
                bus.live.update_changed(&sn).await;
            }
            hand_over(bus, &mut handed_over).await;
            if look % RELEASES == 0 {
                bus.live.read_releases().await?;
            }
            if look % EXPIRY == 0 {
                for sn in bus.store.expire_updates(bus.clock.now()).await? {
                    bus.live.update_changed(&sn).await;
                }
            }
            Ok::<(), store::Error>(())
        };
        if let Err(error) = minded.await {
            tracing::warn!(%error, "updates cannot be looked after");
        }
    }
}

/// A main switch that was turned off lets an update begin: the battery gets it now, once; what gets lost is told again later.
async fn hand_over(bus: &Bus, handed_over: &mut HashMap<Serial, JobId>) {
    let ready = bus.live.ready_updates();
    for (sn, job) in &ready {
        if handed_over.get(sn) != Some(job) && bus.downlink.is_attached(sn) {
            bus.bring(sn).await;
        }
    }
    *handed_over = ready;
}
