//! What other processes say, and what this one makes of it.
use crate::Bus;
use crate::notice::{Letter, Notice};
use domain::Serial;
use std::time::Duration;
use store::Store;
use store::notify::{Heard, Listener};
use store::presence::{GatewayId, Presence};
use tokio::time::{Instant, timeout, timeout_at};

const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Hears what other processes say, for ever; on SQLite there are none.
pub(crate) async fn listen(store: &Store, bus: &Bus, number: u64, first: Option<Listener>) {
    let Some(mut listener) = first else {
        return std::future::pending().await;
    };
    loop {
        hear(&mut listener, bus, number).await;
        metrics::counter!("notify_reconnects_total").increment(1);
        bus.live.heartbeat().broke();
        drop(listener);
        listener = loop {
            tokio::time::sleep(RECONNECT_PAUSE).await;
            match timeout(CONNECT_LIMIT, store.listen()).await {
                Ok(Ok(Some(again))) => break again,
                Ok(Ok(None)) => return std::future::pending().await,
                Ok(Err(error)) => tracing::warn!(%error, "other processes cannot be heard"),
                Err(_) => tracing::warn!("other processes cannot be heard: no connection in time"),
            }
        };
        catch_up(bus).await;
    }
}

/// What was said while nobody listened is in the database.
async fn catch_up(bus: &Bus) {
    bus.downlink.all_announced();
    while let Err(error) = bus.live.load().await {
        tracing::warn!(%error, "the live view could not be read again");
        tokio::time::sleep(RECONNECT_PAUSE).await;
    }
    // What this process hears counts from the next heartbeat on.
    bus.live.heartbeat().broke();
}

/// Until the connection is lost, or goes silent without a word.
async fn hear(listener: &mut Listener, bus: &Bus, number: u64) {
    let connected = Instant::now();
    loop {
        let deadline = bus.live.heartbeat().deadline(connected);
        match timeout_at(deadline, listener.next()).await {
            Ok(Ok(Heard::Gap)) => catch_up(bus).await,
            Ok(Ok(Heard::Notice(text))) => match serde_json::from_str::<Letter<'_>>(&text) {
                Ok(letter) => read(bus, number, &letter).await,
                Err(error) => {
                    tracing::warn!(%error, "a notice of another process is not understood")
                }
            },
            Ok(Err(error)) => {
                tracing::warn!(%error, "other processes are not heard any more");
                return;
            }
            Err(_) => {
                tracing::warn!(
                    "other processes are not heard any more: the heartbeat did not come back"
                );
                return;
            }
        }
    }
}

async fn read(bus: &Bus, number: u64, letter: &Letter<'_>) {
    for notice in &letter.notices {
        match serde_json::from_str::<Notice>(notice.get()) {
            Ok(notice) if letter.from == number => came_back(bus, &notice),
            Ok(notice) => take(bus, notice).await,
            // Of a newer version, most likely; the others in this letter are not lost with it.
            Err(error) => {
                tracing::warn!(%error, "a notice of another process is not understood");
            }
        }
    }
}

/// What this process said comes back in the same order in which everybody hears it.
fn came_back(bus: &Bus, notice: &Notice) {
    match notice {
        Notice::Attached { sn, number } => {
            if let Ok(sn) = sn.parse() {
                bus.downlink.announced(&sn, *number);
            }
        }
        Notice::Heartbeat { stamp } => {
            bus.live.heartbeat().came_back(*stamp, bus.clock.now());
        }
        _ => {}
    }
}

/// What another process said. A serial number comes from a process of ours, so one that is none is left out.
async fn take(bus: &Bus, notice: Notice) {
    let Ok(sn) = notice.sn().parse::<Serial>() else {
        return;
    };
    match notice {
        Notice::Heartbeat { .. } => {}
        Notice::Sampled(sampled) => {
            bus.live
                .sampled(&sn, &sampled.sample(), sampled.received_at());
        }
        Notice::Presence {
            online,
            since,
            boot,
            gateway,
            ..
        } => bus.live.stands(
            &sn,
            Presence {
                online,
                since,
                boot,
                gateway: GatewayId(gateway),
            },
        ),
        Notice::Reload { .. } => bus.live.reload_or_log(&sn).await,
        Notice::Renew { .. } => bus.live.renew(&sn).await,
        Notice::Watch { until, .. } => {
            bus.live.watch_here(&sn, until);
        }
        Notice::Attached { .. } => bus.downlink.replace(&sn),
        Notice::Orders { .. } => bus.orders_wait(sn),
        Notice::Settings { .. } => bus.live.hear_settings(&sn),
        Notice::Command { id, .. } => {
            if let Ok(id) = id.parse() {
                bus.live.hear_command(&sn, id);
            }
        }
    }
}
