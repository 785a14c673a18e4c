//! Opens and closes alarms, and queues the mails about them. What a connected battery shows is judged by the gateway that it is
//! connected to; a long absence by the process that does the jobs of its shard. Written by two at once, an alarm is still one.
mod connected;

pub use connected::AlarmWatcher;

use crate::job_runs::run_observed;
use bus::Bus;
use domain::Clock;
use domain::Serial;
use domain::alarm::{AlarmChange, AlarmKind};
use domain::clock::Millis;
use domain::shard::ShardSet;
use service::Service;
use std::time::Duration;
use store::{Result, Store};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

const CONNECTED_INTERVAL: Duration = Duration::from_secs(2);

/// Watches the batteries of this gateway, until `stop`.
pub async fn watch_connected(
    store: Store,
    service: Service,
    bus: Bus,
    clock: Clock,
    stop: CancellationToken,
) {
    let mut watcher = AlarmWatcher::default();
    let mut tick = tokio::time::interval(CONNECTED_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let watch = async {
        loop {
            tick.tick().await;
            let checked = watcher.check_connected(&store, &service, &bus.live, clock.now());
            let run = async {
                if let Err(error) = checked.await {
                    tracing::error!(%error, "alarm_check_failed: retrying at the next tick");
                }
            };
            run_observed("connected_alarms", &clock, run).await;
        }
    };
    stop.run_until_cancelled(watch).await;
}

/// Opens an alarm for each battery that has been away for long. Time in which batteries could not reach the server counts for
/// none.
pub async fn open_offline_alarms(
    store: &Store,
    service: &Service,
    shards: ShardSet,
    now: Millis,
) -> Result<()> {
    let gone_before = now - AlarmKind::Offline.opens_after();
    let reachable_since = store.reachable_since(now).await?;
    if reachable_since.is_none_or(|since| since > gone_before) {
        return Ok(());
    }
    let gone = store
        .offline_without_alarm(shards, gone_before, now)
        .await?;
    let open = |(sn, since): (Serial, Millis)| {
        let change = AlarmChange::Open {
            kind: AlarmKind::Offline,
            since,
            counter: None,
        };
        (sn, change)
    };
    let changes: Vec<(Serial, AlarmChange)> = gone.into_iter().map(open).collect();
    if !changes.is_empty() {
        service.write_alarms(&changes).await?;
    }
    Ok(())
}

pub(crate) async fn run(store: &Store, service: &Service, shards: ShardSet, now: Millis) {
    if let Err(error) = open_offline_alarms(store, service, shards, now).await {
        tracing::error!(%error, "offline_alarms_failed: retrying at the next tick");
    }
}

pub(crate) async fn queue_mails(service: &Service) {
    if let Err(error) = service.queue_alarm_mails().await {
        tracing::error!(%error, "alarm_mails_not_queued: retrying at the next tick");
    }
}
