//! Scheduled jobs: forecasts and plans, mails, alarms, commands and updates that expire, grant deadlines, tariffs that begin,
//! roll-outs, polling prices and weather, sealing finished days, re-encryption after a key rotation, retention and cleanup.

pub mod alarms;
pub mod cleanup;
mod commands;
mod grants;
mod job_runs;
mod leases;
pub mod mail;
pub mod planning;
pub mod retention;
mod rollouts;
mod sample_store;
mod schedule;
mod sealing;
mod secret_keys;
pub mod sources;
mod tariffs;
mod updates;

pub use leases::{LeaseTimes, Leases};
pub use retention::SampleRetention;

use ::sources::Sources;
use bus::Bus;
use domain::{Clock, Random};
use mail::Mailer;
use planning::Planners;
use schedule::JOBS;
use service::Service;
use std::ops::Deref;
use std::sync::Arc;
use store::Store;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The dependencies of the jobs.
#[derive(Clone)]
pub struct Jobs {
    pub store: Store,
    pub service: Service,
    /// The live view, and the connection to the batteries.
    pub bus: Bus,
    pub clock: Clock,
    pub random: Random,
    pub mailer: Mailer,
    pub sample_retention: SampleRetention,
    pub sources: Sources,
}

/// What a running job has. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Worker {
    jobs: Arc<Jobs>,
    leases: Leases,
    stop: CancellationToken,
    planners: Arc<Mutex<Planners>>,
}

impl Deref for Worker {
    type Target = Jobs;

    fn deref(&self) -> &Jobs {
        &self.jobs
    }
}

/// Runs until `stop` is cancelled. A mail that is being sent gets a moment to finish. Other work is dropped and repeated after
/// the next start.
pub async fn run(jobs: Jobs, stop: CancellationToken) {
    let leases = Leases::new(jobs.store.clone(), &jobs.random, LeaseTimes::default());
    leases.renew().await;
    let worker = Worker {
        jobs: Arc::new(jobs),
        leases: leases.clone(),
        stop: stop.clone(),
        planners: Arc::default(),
    };
    let mut tasks = JoinSet::new();
    for job in JOBS {
        tasks.spawn(job.repeat(worker.clone()));
    }
    // They end only at a stop, or by a panic, which ends the process.
    let all_ended = async {
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended
                && error.is_panic()
            {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    };
    tokio::join!(all_ended, leases.run(stop));
}
