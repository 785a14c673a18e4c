//! Claimed batteries perform the main switch pattern by themselves, as their owners would in the cellar.
use domain::clock::{Millis, SECOND};
use domain::{Clock, Serial};
use simulator::{Fleet, Intervention};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio_util::sync::CancellationToken;

/// If a claim is still open this long after the pattern began, the pattern is repeated.
const RETRY_AFTER: Millis = 30 * SECOND;

/// The pattern begins `after` the claim, as an owner would first walk down to the battery.
pub(super) async fn run(
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
            let lately = turned.get(&sn).is_some_and(|at| now - at < RETRY_AFTER);
            if !lately && fleet.intervene(&sn, Intervention::SwitchPattern) {
                turned.insert(sn, now);
            }
        }
    }
}
