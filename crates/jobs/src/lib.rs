//! What runs by the clock: sending mails and clearing what has run out.

mod cleanup;
pub mod mail;

use domain::{Clock, Random};
use mail::Post;
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;

/// How often the outbox is looked at.
const MAIL_EVERY: Duration = Duration::from_millis(500);
const CLEANUP_EVERY: Duration = Duration::from_secs(15 * 60);

/// Runs until `stop` is cancelled; a mail that is being sent is finished first.
pub async fn run(store: Store, clock: Clock, random: Random, post: Post, stop: CancellationToken) {
    let mut mail = tokio::time::interval(MAIL_EVERY);
    let mut cleanup = tokio::time::interval(CLEANUP_EVERY);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = mail.tick() => mail::send_due(&store, &clock, &random, &post).await,
            _ = cleanup.tick() => cleanup::run(&store, clock.now()).await,
        }
    }
}
