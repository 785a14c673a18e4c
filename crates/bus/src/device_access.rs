//! Polls which devices the operator has blocked or given a new secret, and ends their connections to this process.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

const POLL_INTERVAL: Duration = Duration::from_secs(3);

/// Rows are read only for so many ticks after they changed: by then, logins that began before the change have ended or are connected.
const TICKS_AFTER_CHANGE: u32 = 5;
/// But at least every so many ticks: a row that came while another one went leaves the version as it was.
const FULL_READ_TICKS: u32 = 20;

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut version = None;
    let mut unchanged_for = 0;
    loop {
        tick.tick().await;
        if bus.downlink.is_empty() {
            // A process without batteries, or without any at the moment.
            version = None;
            continue;
        }
        let read = bus.store.revocations_version().await;
        let is_same = matches!(&read, Ok(read) if version == Some(*read));
        unchanged_for = if is_same { unchanged_for + 1 } else { 0 };
        version = read.as_ref().ok().copied();
        let is_due = unchanged_for < TICKS_AFTER_CHANGE || unchanged_for % FULL_READ_TICKS == 0;
        let done = match read {
            Ok(_) if is_due => disconnect_revoked(bus).await,
            other => other.map(|_| ()),
        };
        if let Err(error) = done {
            version = None;
            tracing::warn!(%error, "device_access_read_failed: retrying");
        }
    }
}

async fn disconnect_revoked(bus: &Bus) -> store::Result<()> {
    for (sn, revocations) in bus.store.device_revocations().await? {
        bus.downlink.disconnect_revoked(&sn, revocations);
    }
    Ok(())
}
