//! The shards whose jobs this process does.
use domain::Random;
use domain::shard::Shard;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::Store;
use store::job_lease::ShardLeases;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// In real time, whatever the clock of a test or a demo shows.
#[derive(Clone, Copy, Debug)]
pub struct LeaseTimes {
    /// When a process that has died is replaced.
    pub duration: Duration,
    pub renewal_interval: Duration,
}

impl Default for LeaseTimes {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(30),
            renewal_interval: Duration::from_secs(5),
        }
    }
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Leases(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    /// A random id of this process.
    worker: i64,
    times: LeaseTimes,
    held: Mutex<Option<(ShardLeases, Instant)>>,
}

impl Leases {
    pub fn new(store: Store, random: &Random, times: LeaseTimes) -> Self {
        Self(Arc::new(Inner {
            store,
            worker: i64::from_le_bytes(random.bytes()),
            times,
            held: Mutex::default(),
        }))
    }

    /// The shards that this process holds now: none if they could not be renewed in time.
    pub fn held(&self) -> ShardLeases {
        let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some((shards, until)) if Instant::now() < *until => shards.clone(),
            _ => ShardLeases::default(),
        }
    }

    /// Whether this process does what belongs to no system.
    pub fn does_jobs_without_system(&self) -> bool {
        self.held().lease(Shard::FIRST).is_some()
    }

    /// Renews them once. After a failure the present ones are held until their time is over.
    pub async fn renew(&self) {
        let Inner {
            store,
            worker,
            times,
            held,
        } = &*self.0;
        let until = Instant::now() + times.duration;
        match store.renew_job_leases(*worker, times.duration).await {
            Ok(shards) => {
                metrics::gauge!("job_shards").set(shards.shards().len() as f64);
                *held.lock().unwrap_or_else(PoisonError::into_inner) = Some((shards, until));
            }
            Err(error) => tracing::warn!(%error, "job_leases_not_renewed: retrying"),
        }
    }

    /// Renews them until `stop`, then gives them up, so that another process goes on at once.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(self.0.times.renewal_interval);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = tick.tick() => self.renew().await,
            }
        }
        let held = &self.0.held;
        *held.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Err(error) = self.0.store.release_job_leases(self.0.worker).await {
            tracing::warn!(%error, "job_leases_not_released: others get them when they expire");
        }
    }
}
