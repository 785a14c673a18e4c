//! Which jobs there are and how often each runs. Each has a task of its own, so that a slow one delays no other.
use crate::job_runs::run_observed;
use crate::{
    Worker, alarms, cleanup, commands, grants, mail, planning, retention, rollouts, sample_store,
    sealing, secret_keys, sources, tariffs, updates,
};
use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior};

pub(crate) struct Job {
    /// As monitoring sees it.
    pub(crate) name: &'static str,
    interval: Duration,
    first_after: Duration,
    performer: Performer,
    at_stop: AtStop,
    run: for<'a> fn(&'a Worker) -> BoxFuture<'a, ()>,
}

enum Performer {
    /// One process, the holder of the first shard.
    One,
    /// Every process: it does its own shards, or claims what it does.
    Each,
}

enum AtStop {
    /// Interrupted: it starts again with the next process.
    Interrupt,
    /// It watches for the stop itself.
    Wait,
}

const fn job(
    name: &'static str,
    interval_ms: u64,
    performer: Performer,
    run: for<'a> fn(&'a Worker) -> BoxFuture<'a, ()>,
) -> Job {
    Job {
        name,
        interval: Duration::from_millis(interval_ms),
        first_after: Duration::ZERO,
        performer,
        at_stop: AtStop::Interrupt,
        run,
    }
}

const SECONDS: u64 = 1_000;
const MINUTES: u64 = 60 * SECONDS;

pub(crate) const JOBS: &[Job] = {
    use Performer::{Each, One};
    &[
        Job {
            at_stop: AtStop::Wait,
            ..job("mail", SECONDS, Each, |w| {
                Box::pin(mail::send_until(
                    &w.store, &w.clock, &w.service, &w.mailer, &w.stop,
                ))
            })
        },
        // Not in the task that sends mails: it has to show when that task hangs.
        job("mail_queue", 10 * SECONDS, Each, |w| {
            Box::pin(mail::measure_queue(&w.store, w.clock.now()))
        }),
        job("alarms", 10 * SECONDS, Each, |w| {
            Box::pin(alarms::run(
                &w.store,
                &w.service,
                w.leases.held().shards(),
                w.clock.now(),
            ))
        }),
        job("alarm_mails", 2 * SECONDS, One, |w| {
            Box::pin(alarms::queue_mails(&w.service))
        }),
        job("commands", SECONDS, One, |w| {
            Box::pin(commands::run(&w.service))
        }),
        job("grants", 10 * SECONDS, One, |w| {
            Box::pin(grants::run(&w.service))
        }),
        job("rollouts", 10 * SECONDS, One, |w| {
            Box::pin(rollouts::run(&w.service))
        }),
        job("updates", 30 * SECONDS, One, |w| {
            Box::pin(updates::run(&w.service))
        }),
        job("stalled_updates", SECONDS, One, |w| {
            Box::pin(updates::interrupt_stalled(&w.service))
        }),
        job("tariffs", MINUTES, One, |w| {
            Box::pin(tariffs::run(&w.service))
        }),
        job("secret_keys", 10 * SECONDS, One, |w| {
            Box::pin(secret_keys::run(&w.store, &w.random, w.clock.now()))
        }),
        job("cleanup", 15 * MINUTES, One, |w| {
            Box::pin(cleanup::run(&w.store, w.clock.now()))
        }),
        // Often, so people soon see whether the provider accepts a token they entered.
        job("sources", 5 * SECONDS, Each, |w| {
            Box::pin(sources::run(&w.store, &w.sources, &w.random, w.clock.now()))
        }),
        job("needed_polls", 15 * MINUTES, One, |w| {
            Box::pin(sources::update_needed(&w.store))
        }),
        job("planning", 10 * SECONDS, Each, |w| {
            Box::pin(planning::run(w))
        }),
        job("sealing", 5 * MINUTES, Each, |w| {
            Box::pin(sealing::run(
                &w.store,
                w.leases.held().shards(),
                w.clock.now(),
            ))
        }),
        job("sample_store", 60 * MINUTES, Each, |w| {
            Box::pin(sample_store::run(
                &w.store,
                w.leases.held().shards(),
                &w.random,
                w.clock.now(),
            ))
        }),
        Job {
            // By then batteries have shown whether the server's clock is right.
            first_after: Duration::from_secs(5 * 60),
            ..job("retention", 60 * MINUTES, Each, |w| {
                Box::pin(retention::run(
                    &w.store,
                    w.leases.held().shards(),
                    w.sample_retention,
                    w.clock.now(),
                ))
            })
        },
    ]
};

impl Job {
    /// Runs it again and again until the stop.
    pub(crate) async fn repeat(&self, worker: Worker) {
        let repeat = async {
            let mut ticks =
                tokio::time::interval_at(Instant::now() + self.first_after, self.interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                if matches!(self.performer, Performer::One)
                    && !worker.leases.does_jobs_without_system()
                {
                    continue;
                }
                run_observed(self.name, &worker.clock, (self.run)(&worker)).await;
                if worker.stop.is_cancelled() {
                    return;
                }
            }
        };
        match self.at_stop {
            AtStop::Interrupt => {
                worker.stop.run_until_cancelled(repeat).await;
            }
            AtStop::Wait => repeat.await,
        }
    }
}
