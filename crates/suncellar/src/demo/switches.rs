//! Claimed batteries perform the pattern at their main switch by themselves, as their owners would in the cellar.
use domain::clock::{Millis, SECOND};
use domain::{Clock, Serial};
use simulator::{Fleet, Order};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;

/// A claim that still waits so long after the pattern was begun needs another try.
const AGAIN: Millis = 30 * SECOND;

/// Each claim waits for `after` first, as the owner has to walk down the stairs.
pub(super) async fn turn(
    store: Store,
    fleet: Arc<Fleet>,
    clock: Clock,
    after: Millis,
    stop: CancellationToken,
) {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    let mut turned: HashMap<Serial, Millis> = HashMap::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {}
        }
        if after == 0 {
            continue;
        }
        let now = clock.now();
        let claimed = store.claimed_serials(now - after, now).await;
        for sn in claimed.unwrap_or_default() {
            let lately = turned.get(&sn).is_some_and(|at| now - at < AGAIN);
            if !lately && fleet.order(&sn, Order::SwitchPattern) {
                turned.insert(sn, now);
            }
        }
    }
}
