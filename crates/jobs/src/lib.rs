//! Scheduled jobs: forecasts and plans, mails, alarms, commands and updates that expire, grant deadlines, tariffs that begin,
//! roll-outs, polling prices and weather, sealing finished days, re-encryption after a key rotation, retention and cleanup.

pub mod alarms;
pub mod cleanup;
mod commands;
mod grants;
pub mod mail;
pub mod planning;
pub mod retention;
mod rollouts;
mod sealing;
mod secret_keys;
pub mod sources;
mod tariffs;
mod updates;

use ::sources::Sources;
use alarms::AlarmWatcher;
use bus::Bus;
use domain::clock::{Millis, SECOND};
use domain::{Clock, Random};
use mail::Mailer;
use planning::{Planners, PlanningContext};
pub use retention::SampleRetention;
use service::Service;
use std::time::Duration;
use store::Store;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

const MAIL_INTERVAL: Duration = Duration::from_millis(500);
const MAIL_QUEUE_INTERVAL: Duration = Duration::from_secs(10);
const ALARMS_INTERVAL: Duration = Duration::from_secs(2);
const COMMANDS_INTERVAL: Duration = Duration::from_secs(1);
const PLANS_INTERVAL: Duration = Duration::from_secs(10);
const GRANTS_INTERVAL: Duration = Duration::from_secs(10);
const ROLLOUTS_INTERVAL: Duration = Duration::from_secs(10);
/// Short, so people soon see whether the provider accepts a token they entered.
const SOURCES_INTERVAL: Duration = Duration::from_secs(5);
const NEEDED_POLLS_INTERVAL: Duration = Duration::from_secs(15 * 60);
const UPDATES_INTERVAL: Duration = Duration::from_secs(30);
const TARIFFS_INTERVAL: Duration = Duration::from_secs(60);
const CLEANUP_INTERVAL: Duration = Duration::from_secs(15 * 60);
const SEALING_INTERVAL: Duration = Duration::from_secs(5 * 60);
const RETENTION_AFTER_START: Duration = Duration::from_secs(5 * 60);
/// How soon a key rotation is noticed.
const SECRET_KEYS_INTERVAL: Duration = Duration::from_secs(10);
const RETENTION_INTERVAL: Duration = Duration::from_secs(60 * 60);

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

/// Runs until `stop` is cancelled. A mail that is being sent gets a moment to finish. Other work is dropped and repeated after
/// the next start.
pub async fn run(jobs: Jobs, stop: CancellationToken) {
    tokio::join!(
        run_short_jobs(&jobs, &stop),
        send_mails(&jobs, &stop),
        watch_alarms(&jobs, &stop),
        poll_sources(&jobs, &stop),
        seal_and_forget(&jobs, &stop),
        plan_systems(&jobs, &stop)
    );
}

/// Counts a run of a job, whether or not there was something to do, so monitoring sees a job that hangs.
fn record_run(job: &'static str, now: Millis) {
    metrics::counter!("job_runs_total", "job" => job).increment(1);
    metrics::gauge!("job_last_run_timestamp_seconds", "job" => job).set((now / SECOND) as f64);
}

/// Jobs that take only a moment.
async fn run_short_jobs(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        service,
        clock,
        ..
    } = jobs;
    let mut commands = tokio::time::interval(COMMANDS_INTERVAL);
    commands.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut cleanup = tokio::time::interval(CLEANUP_INTERVAL);
    let mut rollouts = tokio::time::interval(ROLLOUTS_INTERVAL);
    let mut updates = tokio::time::interval(UPDATES_INTERVAL);
    let mut tariffs = tokio::time::interval(TARIFFS_INTERVAL);
    let mut grants = tokio::time::interval(GRANTS_INTERVAL);
    let mut queue = tokio::time::interval(MAIL_QUEUE_INTERVAL);
    let mut keys = tokio::time::interval(SECRET_KEYS_INTERVAL);
    loop {
        let job = tokio::select! {
            () = stop.cancelled() => return,
            _ = grants.tick() => {
                grants::run(&jobs.service).await;
                "grants"
            }
            _ = commands.tick() => {
                commands::run(service).await;
                "commands"
            }
            _ = cleanup.tick() => {
                cleanup::run(store, clock.now()).await;
                "cleanup"
            }
            _ = rollouts.tick() => {
                rollouts::run(service).await;
                "rollouts"
            }
            _ = updates.tick() => {
                updates::run(service).await;
                "updates"
            }
            _ = tariffs.tick() => {
                tariffs::run(service).await;
                "tariffs"
            }
            _ = keys.tick() => {
                secret_keys::run(store, &jobs.random, clock.now()).await;
                "secret_keys"
            }
            // Not in the task that sends mails: it has to show when that task hangs.
            _ = queue.tick() => {
                mail::measure_queue(store, clock.now()).await;
                "mail_queue"
            }
        };
        record_run(job, clock.now());
    }
}

/// In its own task: a mail server that does not answer must not delay the stop of a bad roll-out, the end of a grant, or our
/// shutdown.
async fn send_mails(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        clock,
        service,
        mailer,
        ..
    } = jobs;
    let mut tick = tokio::time::interval(MAIL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {
                mail::send_until(store, clock, service, mailer, stop).await;
                record_run("mail", clock.now());
            }
        }
    }
}

/// In its own task: no slow job may delay it.
async fn watch_alarms(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        service,
        bus,
        clock,
        ..
    } = jobs;
    let mut watcher = AlarmWatcher::default();
    let mut tick = tokio::time::interval(ALARMS_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => alarms::run(&mut watcher, store, service, &bus.live, clock.now()).await,
        }
        record_run("alarms", clock.now());
    }
}

/// In its own task: it computes a lot, one system after the other. Interrupted work starts again.
async fn plan_systems(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        service,
        bus,
        clock,
        ..
    } = jobs;
    let mut planners = Planners::default();
    let mut tick = tokio::time::interval(PLANS_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let work = async {
            tick.tick().await;
            let context = PlanningContext {
                store,
                service,
                bus,
                now: clock.now(),
            };
            planning::run(&mut planners, context).await;
            record_run("planning", clock.now());
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}

/// In its own task, as outside services are slow. A request interrupted by a stop is repeated by whoever runs a minute later.
async fn poll_sources(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        clock,
        random,
        sources,
        ..
    } = jobs;
    let mut tick = tokio::time::interval(SOURCES_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut needed = tokio::time::interval(NEEDED_POLLS_INTERVAL);
    loop {
        let work = async {
            tokio::select! {
                biased;
                _ = needed.tick() => sources::update_needed(store).await,
                _ = tick.tick() => {
                    sources::run(store, sources, random, clock.now()).await;
                    record_run("sources", clock.now());
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}

/// In its own task: sealing the days of a fleet takes minutes. A stop leaves each day either sealed or not.
async fn seal_and_forget(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        clock,
        sample_retention,
        ..
    } = jobs;
    let mut sealing = tokio::time::interval(SEALING_INTERVAL);
    // By then batteries have shown whether the server's clock is right.
    let first = tokio::time::Instant::now() + RETENTION_AFTER_START;
    let mut retention = tokio::time::interval_at(first, RETENTION_INTERVAL);
    loop {
        let work = async {
            tokio::select! {
                _ = sealing.tick() => {
                    sealing::run(store, clock.now()).await;
                    record_run("sealing", clock.now());
                }
                _ = retention.tick() => {
                    retention::run(store, *sample_retention, clock.now()).await;
                    record_run("retention", clock.now());
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}
