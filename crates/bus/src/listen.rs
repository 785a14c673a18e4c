//! Receives peer messages and applies them to this process.
use crate::Bus;
use crate::peer_message::{PeerEnvelope, PeerMessage};
use crate::transport::{Listener, Transport};
use db::notify::PeerEvent;
use domain::Serial;
use std::time::Duration;
use store::presence::{GatewayId, Presence};
use tokio::time::{Instant, timeout_at};

const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// `None` if it fails: the process starts without a listener, and is not ready until it receives peer messages.
pub(crate) async fn first_listener(transport: &Transport) -> Option<Listener> {
    let listener = transport.listen().await;
    let log = |error| tracing::warn!(%error, "peer_listen_failed: retrying");
    listener.map_err(log).ok()
}

/// Receives peer messages and reconnects when the connection is lost. Never returns.
pub(crate) async fn listen(
    transport: &Transport,
    bus: &Bus,
    process_id: u64,
    mut listener: Option<Listener>,
) {
    loop {
        if let Some(listener) = &mut listener {
            receive(listener, bus, process_id).await;
        }
        metrics::counter!("notify_reconnects_total").increment(1);
        bus.live.heartbeat().mark_broken();
        drop(listener.take());
        while listener.is_none() {
            tokio::time::sleep(RECONNECT_DELAY).await;
            listener = first_listener(transport).await;
        }
        catch_up(bus).await;
    }
}

/// Reads from the database what changed while peer messages were missed.
async fn catch_up(bus: &Bus) {
    bus.peers.followed().assume_all();
    bus.announce(&bus.live.serials());
    while let Err(error) = bus.live.reload_all().await {
        tracing::warn!(%error, "live_view_reload_failed: retrying");
        tokio::time::sleep(RECONNECT_DELAY).await;
    }
    bus.live.notify_all_settings();
    // Receiving counts as unbroken from the next heartbeat on.
    bus.live.heartbeat().mark_broken();
}

/// Returns when the connection is lost or goes silent.
async fn receive(listener: &mut Listener, bus: &Bus, process_id: u64) {
    let connected = Instant::now();
    loop {
        let deadline = bus.live.heartbeat().deadline(connected);
        match timeout_at(deadline, listener.next()).await {
            Ok(Ok(PeerEvent::Gap)) => catch_up(bus).await,
            Ok(Ok(PeerEvent::Message(text))) => {
                match serde_json::from_str::<PeerEnvelope<'_>>(&text) {
                    Ok(envelope) => apply_envelope(bus, process_id, &envelope),
                    Err(error) => {
                        tracing::warn!(%error, "peer_message_unreadable: ignored")
                    }
                }
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "peer_listen_lost: reconnecting");
                return;
            }
            Err(_) => {
                tracing::warn!("peer_listen_lost: own heartbeat did not come back, reconnecting");
                return;
            }
        }
    }
}

fn apply_envelope(bus: &Bus, process_id: u64, envelope: &PeerEnvelope<'_>) {
    for message in &envelope.messages {
        match serde_json::from_str::<PeerMessage>(message.get()) {
            Ok(message) if envelope.from == process_id => apply_own_message(bus, &message),
            Ok(message) => {
                bus.peers.count_received(message.kind());
                apply_peer_message(bus, message);
            }
            // Most likely of a newer version. The other messages of this envelope still count.
            Err(error) => {
                bus.peers.count_dropped("unreadable", 1);
                tracing::warn!(%error, "peer_message_unreadable: ignored");
            }
        }
    }
}

fn apply_own_message(bus: &Bus, message: &PeerMessage) {
    match message {
        PeerMessage::Heartbeat { uptime_ms, .. } => {
            bus.live.heartbeat().received(*uptime_ms, bus.clock.now());
        }
        PeerMessage::AskFollowed {} => bus.peers.followed().question_came_back(),
        _ => {}
    }
}

/// Serial numbers come from our own processes. An invalid one is ignored.
fn apply_peer_message(bus: &Bus, message: PeerMessage) {
    match &message {
        PeerMessage::Heartbeat {
            announces: false, ..
        } => return bus.peers.followed().assume_all(),
        PeerMessage::Heartbeat { answers: false, .. } => {
            return bus.peers.followed().expect_no_answers();
        }
        PeerMessage::AskFollowed {} => return bus.announce(&bus.live.serials()),
        PeerMessage::Follow { systems } => {
            let systems = systems.iter().filter_map(|sn| sn.parse().ok());
            return bus.peers.followed().add(systems);
        }
        PeerMessage::Missed {} => {
            bus.live.notify_all_settings();
            return bus.live.request_reload(bus.live.serials());
        }
        _ => {}
    }
    let Ok(sn) = message.sn().parse::<Serial>() else {
        return;
    };
    match message {
        PeerMessage::Heartbeat { .. }
        | PeerMessage::Follow { .. }
        | PeerMessage::AskFollowed {}
        | PeerMessage::Missed {} => {}
        PeerMessage::Sampled(sampled) => {
            bus.live
                .apply_sample(&sn, &sampled.sample(), sampled.received_at());
        }
        PeerMessage::Presence {
            online,
            since,
            boot,
            gateway,
            ..
        } => bus.live.set_presence(
            &sn,
            Presence {
                online,
                since,
                boot,
                gateway: GatewayId(gateway),
            },
        ),
        PeerMessage::Updated(update) => bus.live.apply_update(*update),
        PeerMessage::Reload { .. } => bus.live.request_reload([sn]),
        PeerMessage::UnitReplaced { .. } => bus.live.request_replaced_unit(sn),
        PeerMessage::Watch { until, .. } => {
            bus.live.watch_here(&sn, until);
        }
        PeerMessage::Attached { connection, .. } => {
            // One without a number comes from an earlier release, and is taken as the newest.
            let newer = bus
                .downlink
                .disconnect_older(&sn, connection.unwrap_or(i64::MAX));
            if newer.is_some() {
                bus.announce_connection(&sn, newer);
            }
        }
        PeerMessage::Orders { .. } => bus.request_delivery(sn),
        PeerMessage::Settings { .. } => bus.live.notify_settings(&sn),
        PeerMessage::Command { id, .. } => {
            if let Ok(id) = id.parse() {
                bus.live.notify_command(&sn, id);
            }
        }
    }
}
