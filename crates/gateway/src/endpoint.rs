//! Accepts connections of batteries until it is stopped.
use crate::clock_check;
use crate::connect::{self, ConnectRefusal};
use crate::gateway::Gateway;
use crate::repeated_log::RepeatedLog;
use crate::session::Session;
use crate::session_end::DeviceSessionEnd;
use crate::shared_state::SharedState;
use bus::Shutdown;
use bus::downlink::Detached;
use domain::Serial;
use domain::connections::Admission;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long sessions may wait for their last commits after a stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);
/// Delay before a refusal is answered. It slows down guessing only.
const REFUSAL_DELAY: Duration = Duration::from_millis(250);

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// Serves until the shutdown, then lets every session send its last acknowledgements. During a drain it goes on accepting batteries.
pub async fn serve(listener: TcpListener, gateway: Gateway, shutdown: impl Into<Shutdown>) {
    let shutdown = shutdown.into();
    let stop = shutdown.stop();
    let sessions = TaskTracker::new();
    let mut heartbeat = tokio::spawn(send_heartbeats(gateway.clone(), stop.clone()));
    let shared = SharedState::new(&gateway);
    let (log, until) = (Arc::clone(&shared.log), stop.clone());
    sessions.spawn(async move { log.run(until).await });
    let checked = Arc::clone(&shared.clock_check);
    sessions.spawn(clock_check::run(gateway.clone(), checked, stop.clone()));
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            // Without heartbeats, other processes would consider this gateway dead.
            _ = &mut heartbeat => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Most likely the process is out of file descriptors: wait until some are closed.
                    tracing::warn!(%error, "accept_failed: retrying");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(admission) = gateway.connections.admit(peer.ip()) else {
            metrics::counter!("link_refused_total").increment(1);
            tracing::debug!(%peer, "connection_refused: too many connections");
            continue;
        };
        let (gateway, shutdown) = (gateway.clone(), shutdown.clone());
        let shared = shared.clone();
        sessions.spawn(async move {
            let open = metrics::gauge!("link_connections");
            open.increment(1.0);
            handle_connection(stream, (peer, admission), &gateway, shared, shutdown).await;
            open.decrement(1.0);
        });
    }
    drop(listener);
    sessions.close();
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, sessions.wait()).await;
}

/// Records in the database that batteries can reach this gateway. A battery that cannot reach any does not count as missing.
/// Batteries of a gateway whose heartbeats stop count as offline.
async fn send_heartbeats(gateway: Gateway, stop: CancellationToken) {
    let mut tick = tokio::time::interval(HEARTBEAT_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {
                let recorded = gateway.store.record_heartbeat(gateway.bus.gateway(), gateway.clock.now());
                if let Err(error) = recorded.await {
                    tracing::warn!(%error, "gateway_heartbeat_failed: retrying");
                }
            }
        }
    }
}

async fn handle_connection(
    stream: TcpStream,
    (peer, admission): (SocketAddr, Admission),
    gateway: &Gateway,
    shared: SharedState,
    shutdown: Shutdown,
) {
    // Acknowledgements are small, and batteries wait for them.
    let _ = stream.set_nodelay(true);
    let Some(tls) = &gateway.tls else {
        return serve_device(stream, (peer, admission), gateway, shared, shutdown).await;
    };
    match tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
        // Boxed, so that the future of a plain connection stays small.
        Ok(Ok(stream)) => {
            Box::pin(serve_device(
                stream,
                (peer, admission),
                gateway,
                shared,
                shutdown,
            ))
            .await
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "tls_handshake_failed"),
        Err(_) => tracing::debug!(%peer, "tls_handshake_timeout"),
    }
}

async fn serve_device<S>(
    stream: S,
    (peer, mut admission): (SocketAddr, Admission),
    gateway: &Gateway,
    shared: SharedState,
    shutdown: Shutdown,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut link = connect::Link::new(stream);
    let connected = tokio::select! {
        () = shutdown.stop().cancelled() => return,
        connected = Box::pin(connect::accept(&mut link, gateway)) => connected,
    };
    match connected {
        Ok(device) => {
            admission.mark_authenticated();
            let sn = device.sn.clone();
            metrics::gauge!("link_sessions").increment(1.0);
            tracing::debug!(%peer, %sn, "device_connected");
            let log = Arc::clone(&shared.log);
            let place = shutdown.connection();
            let end = Session::new(link, device, gateway, shared)
                .run(&place)
                .await;
            metrics::gauge!("link_sessions").decrement(1.0);
            log_end(&sn, peer, &end, &log);
        }
        Err(refusal) => refuse(link, peer, refusal, &shared.log).await,
    }
}

/// Warns the operator of protocol violations and unstored reports, not of ordinary ends.
fn log_end(sn: &Serial, peer: SocketAddr, end: &DeviceSessionEnd, log: &RepeatedLog) {
    match end {
        DeviceSessionEnd::ForeignTopic(_)
        | DeviceSessionEnd::Protocol(_)
        | DeviceSessionEnd::Decode(_) => {
            metrics::counter!("link_violations_total").increment(1);
            match log.disconnected.is_first() {
                true => tracing::warn!(%peer, %sn, %end, "device_disconnected"),
                false => tracing::debug!(%peer, %sn, %end, "device_disconnected"),
            }
        }
        DeviceSessionEnd::Detached(Detached::Replaced) => {
            metrics::counter!("link_takeovers_total").increment(1);
            tracing::info!(%peer, %sn, "device_connection_replaced: a newer connection of the same device took over");
        }
        DeviceSessionEnd::NotStored | DeviceSessionEnd::Detached(Detached::Revoked) => {
            tracing::warn!(%peer, %sn, %end, "device_disconnected")
        }
        _ => tracing::debug!(%peer, %sn, %end, "device_connection_ended"),
    }
}

async fn refuse<S>(
    mut link: connect::Link<S>,
    peer: SocketAddr,
    refusal: ConnectRefusal,
    log: &RepeatedLog,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    metrics::counter!("link_refused_total").increment(1);
    match log.refused.is_first() {
        true => tracing::warn!(%peer, %refusal, "device_refused"),
        false => tracing::debug!(%peer, %refusal, "device_refused"),
    }
    if let Some(code) = refusal.code() {
        tokio::time::sleep(REFUSAL_DELAY).await;
        let _ = link.send_refusal(code).await;
    }
}
