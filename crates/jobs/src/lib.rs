//! What runs by the clock: forecasts and plans, sending mails, watching over systems, telling people about grants, telling prices that have begun, asking for prices and weather, sealing finished days, forgetting and clearing what has run out.

pub mod alarms;
pub mod cleanup;
mod grants;
pub mod mail;
pub mod planning;
pub mod retention;
mod rollouts;
mod sealing;
mod secret_keys;
pub mod sources;
mod tariffs;

use ::sources::Sources;
use alarms::Watches;
use bus::Bus;
use domain::clock::{Millis, SECOND};
use domain::{Clock, Random};
use mail::Post;
use planning::{Planners, World};
pub use retention::KeepSamples;
use std::time::Duration;
use store::Store;
use store::mail::Desk;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// How often the outbox is looked at.
const MAIL_EVERY: Duration = Duration::from_millis(500);
const MAIL_QUEUE_EVERY: Duration = Duration::from_secs(10);
/// How often every system is looked at.
const ALARMS_EVERY: Duration = Duration::from_secs(2);
/// How often somebody looks whether there is something to plan.
const PLANS_EVERY: Duration = Duration::from_secs(10);
const GRANTS_EVERY: Duration = Duration::from_secs(10);
const ROLLOUTS_EVERY: Duration = Duration::from_secs(10);
/// Soon after somebody has entered a token, they see what the provider says of it.
const SOURCES_EVERY: Duration = Duration::from_secs(5);
const TARIFFS_EVERY: Duration = Duration::from_secs(60);
const CLEANUP_EVERY: Duration = Duration::from_secs(15 * 60);
const SEALING_EVERY: Duration = Duration::from_secs(5 * 60);
const RETENTION_AFTER_START: Duration = Duration::from_secs(5 * 60);
/// Looks whether the keys were rotated.
const SECRET_KEYS_EVERY: Duration = Duration::from_secs(10);
const RETENTION_EVERY: Duration = Duration::from_secs(60 * 60);

/// What the jobs need.
#[derive(Clone)]
pub struct Jobs {
    pub store: Store,
    /// The live view, and the way to the batteries.
    pub bus: Bus,
    pub clock: Clock,
    pub random: Random,
    pub post: Post,
    /// What the links in mails begin with.
    pub public_url: String,
    pub keep: KeepSamples,
    pub sources: Sources,
}

/// Runs until `stop` is cancelled; a day that is being sealed is finished first, and a mail that is being sent has a moment.
pub async fn run(jobs: Jobs, stop: CancellationToken) {
    tokio::join!(
        short(&jobs, &stop),
        mails(&jobs, &stop),
        watch(&jobs, &stop),
        ask(&jobs, &stop),
        telemetry(&jobs, &stop),
        plans(&jobs, &stop)
    );
}

impl Jobs {
    fn desk(&self) -> Desk<'_> {
        Desk {
            public_url: &self.public_url,
            random: &self.random,
        }
    }
}

/// Says that a job has had its turn, whether or not there was something to do: one that stands still is seen from outside.
fn done(job: &'static str, now: Millis) {
    metrics::counter!("job_runs_total", "job" => job).increment(1);
    metrics::gauge!("job_last_run_timestamp_seconds", "job" => job).set((now / SECOND) as f64);
}

/// What takes a moment.
async fn short(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs { store, clock, .. } = jobs;
    let desk = jobs.desk();
    let mut cleanup = tokio::time::interval(CLEANUP_EVERY);
    let mut waves = tokio::time::interval(ROLLOUTS_EVERY);
    let mut begun = tokio::time::interval(TARIFFS_EVERY);
    let mut granted = tokio::time::interval(GRANTS_EVERY);
    let mut queue = tokio::time::interval(MAIL_QUEUE_EVERY);
    let mut keys = tokio::time::interval(SECRET_KEYS_EVERY);
    loop {
        let job = tokio::select! {
            () = stop.cancelled() => return,
            _ = granted.tick() => {
                grants::run(store, desk, clock.now()).await;
                "grants"
            }
            _ = cleanup.tick() => {
                cleanup::run(store, clock.now()).await;
                "cleanup"
            }
            _ = waves.tick() => {
                rollouts::run(store, clock.now()).await;
                "rollouts"
            }
            _ = begun.tick() => {
                tariffs::run(store, clock.now()).await;
                "tariffs"
            }
            _ = keys.tick() => {
                secret_keys::run(store, desk.random, clock.now()).await;
                "secret_keys"
            }
            // Not where mails are sent: it shows when that stands still.
            _ = queue.tick() => {
                mail::measure_queue(store, clock.now()).await;
                "mail_queue"
            }
        };
        done(job, clock.now());
    }
}

/// Of its own: a mail server that does not answer must not hold up the stop of a bad roll-out, the end of a grant, or ours.
async fn mails(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        clock,
        random,
        post,
        ..
    } = jobs;
    let mut tick = tokio::time::interval(MAIL_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {
                mail::send_until(store, clock, random, post, stop).await;
                done("mail", clock.now());
            }
        }
    }
}

/// Of its own, too: nobody who is slow may keep it from looking.
async fn watch(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store, bus, clock, ..
    } = jobs;
    let mut watches = Watches::default();
    let mut tick = tokio::time::interval(ALARMS_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => alarms::run(&mut watches, store, &bus.live, jobs.desk(), clock.now()).await,
        }
        done("alarms", clock.now());
    }
}

/// Of its own, too: it reckons a lot, and one system after the other. What is broken off is begun anew.
async fn plans(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store, bus, clock, ..
    } = jobs;
    let mut planners = Planners::default();
    let mut tick = tokio::time::interval(PLANS_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let work = async {
            tick.tick().await;
            let world = World {
                store,
                bus,
                desk: jobs.desk(),
                now: clock.now(),
            };
            planning::run(&mut planners, world).await;
            done("planning", clock.now());
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}

/// Of its own, as services outside take their time. A question that is under way when it stops is asked again at the next start.
async fn ask(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store,
        clock,
        random,
        sources,
        ..
    } = jobs;
    let mut tick = tokio::time::interval(SOURCES_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let work = async {
            tick.tick().await;
            sources::run(store, sources, random, clock.now()).await;
            done("sources", clock.now());
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}

/// Beside what takes a moment, as a fleet's days take minutes. It stops between two days: each is sealed or not.
async fn telemetry(jobs: &Jobs, stop: &CancellationToken) {
    let Jobs {
        store, clock, keep, ..
    } = jobs;
    let mut sealing = tokio::time::interval(SEALING_EVERY);
    // By then batteries have said whether the clock is right.
    let first = tokio::time::Instant::now() + RETENTION_AFTER_START;
    let mut retention = tokio::time::interval_at(first, RETENTION_EVERY);
    loop {
        let work = async {
            tokio::select! {
                _ = sealing.tick() => {
                    sealing::run(store, clock.now()).await;
                    done("sealing", clock.now());
                }
                _ = retention.tick() => {
                    retention::run(store, *keep, clock.now()).await;
                    done("retention", clock.now());
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}
