//! What runs by the clock: sending mails, telling prices that have begun, sealing finished days, forgetting and clearing what has run out.

mod cleanup;
pub mod mail;
mod retention;
mod sealing;
mod tariffs;

use domain::{Clock, Random};
use mail::Post;
pub use retention::KeepSamples;
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;

/// How often the outbox is looked at.
const MAIL_EVERY: Duration = Duration::from_millis(500);
const TARIFFS_EVERY: Duration = Duration::from_secs(60);
const CLEANUP_EVERY: Duration = Duration::from_secs(15 * 60);
const SEALING_EVERY: Duration = Duration::from_secs(5 * 60);
const RETENTION_EVERY: Duration = Duration::from_secs(60 * 60);

/// Runs until `stop` is cancelled; a mail that is being sent and a day that is being sealed are finished first.
pub async fn run(
    store: Store,
    clock: Clock,
    random: Random,
    post: Post,
    keep: KeepSamples,
    stop: CancellationToken,
) {
    tokio::join!(
        short(&store, &clock, &random, &post, &stop),
        telemetry(&store, &clock, keep, &stop)
    );
}

/// What takes a moment.
async fn short(
    store: &Store,
    clock: &Clock,
    random: &Random,
    post: &Post,
    stop: &CancellationToken,
) {
    let mut mail = tokio::time::interval(MAIL_EVERY);
    let mut cleanup = tokio::time::interval(CLEANUP_EVERY);
    let mut begun = tokio::time::interval(TARIFFS_EVERY);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = mail.tick() => mail::send_due(store, clock, random, post).await,
            _ = cleanup.tick() => cleanup::run(store, clock.now()).await,
            _ = begun.tick() => tariffs::run(store, clock.now()).await,
        }
    }
}

/// Beside what takes a moment, as a fleet's days take minutes. It stops between two days: each is sealed or not.
async fn telemetry(store: &Store, clock: &Clock, keep: KeepSamples, stop: &CancellationToken) {
    let mut sealing = tokio::time::interval(SEALING_EVERY);
    let mut retention = tokio::time::interval(RETENTION_EVERY);
    loop {
        let work = async {
            tokio::select! {
                _ = sealing.tick() => sealing::run(store, clock.now()).await,
                _ = retention.tick() => retention::run(store, keep, clock.now()).await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
    }
}
