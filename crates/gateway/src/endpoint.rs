//! Accepts batteries until it is told to stop.
use crate::clock_check::{self, ClockCheck};
use crate::connect::{self, Refusal};
use crate::session::{End, Session};
use bus::Bus;
use domain::connections::{Admission, Connections};
use domain::{Clock, Serial};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long sessions may wait for their last commits after a stop was asked for.
const FAREWELL: Duration = Duration::from_secs(10);
/// What a refused connection waits for its answer: guessing gets slower, the others do not.
const REFUSAL: Duration = Duration::from_millis(250);

/// How often the endpoint says that batteries can reach it.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// What the endpoint needs.
#[derive(Clone)]
pub struct Gateway {
    pub store: Store,
    pub bus: Bus,
    pub clock: Clock,
    /// Without it the endpoint is plain: on loopback, or behind a proxy that does TLS.
    pub tls: Option<TlsAcceptor>,
    /// How many may be connected. One caller's count only until the battery has logged in: a whole village may come from
    /// one address.
    pub connections: Connections,
}

/// Serves until `stop` is cancelled, then lets every session write its last acknowledgements.
pub async fn serve(listener: TcpListener, gateway: Gateway, stop: CancellationToken) {
    let sessions = TaskTracker::new();
    let mut heartbeat = tokio::spawn(beat(gateway.clone(), stop.clone()));
    let clock_check = Arc::new(ClockCheck::default());
    let checked = Arc::clone(&clock_check);
    sessions.spawn(clock_check::watch(gateway.clone(), checked, stop.clone()));
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            // Without it others would take this gateway for dead.
            _ = &mut heartbeat => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, most likely: wait for some to be closed.
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(admission) = gateway.connections.admit(peer.ip()) else {
            metrics::counter!("link_refused_total").increment(1);
            tracing::debug!(%peer, "connection_refused: too many are open");
            continue;
        };
        let (gateway, stop) = (gateway.clone(), stop.clone());
        let clock_check = Arc::clone(&clock_check);
        sessions.spawn(async move {
            let open = metrics::gauge!("link_connections");
            open.increment(1.0);
            connection(stream, (peer, admission), &gateway, clock_check, stop).await;
            open.decrement(1.0);
        });
    }
    drop(listener);
    sessions.close();
    let _ = tokio::time::timeout(FAREWELL, sessions.wait()).await;
}

/// Says that batteries can reach us: who could not is not missed, and those of a gateway that says nothing more are.
async fn beat(gateway: Gateway, stop: CancellationToken) {
    let mut tick = tokio::time::interval(HEARTBEAT_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => {
                let pulse = gateway.store.pulse(gateway.bus.gateway(), gateway.clock.now());
                if let Err(error) = pulse.await {
                    tracing::warn!(%error, "that batteries can connect cannot be written down");
                }
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    (peer, admission): (SocketAddr, Admission),
    gateway: &Gateway,
    clock_check: Arc<ClockCheck>,
    stop: CancellationToken,
) {
    // Acknowledgements are small and waited for.
    let _ = stream.set_nodelay(true);
    let Some(tls) = &gateway.tls else {
        return talk(stream, (peer, admission), gateway, clock_check, stop).await;
    };
    match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
        // Boxed, so that a plain connection does not carry the room for it.
        Ok(Ok(stream)) => {
            Box::pin(talk(stream, (peer, admission), gateway, clock_check, stop)).await
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS with a device"),
        Err(_) => tracing::debug!(%peer, "a device did not finish its TLS handshake"),
    }
}

async fn talk<S>(
    stream: S,
    (peer, mut admission): (SocketAddr, Admission),
    gateway: &Gateway,
    clock_check: Arc<ClockCheck>,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut link = connect::Link::new(stream);
    let connected = tokio::select! {
        () = stop.cancelled() => return,
        connected = Box::pin(connect::accept(&mut link, gateway)) => connected,
    };
    match connected {
        Ok(welcome) => {
            admission.prove();
            let sn = welcome.sn.clone();
            metrics::gauge!("link_sessions").increment(1.0);
            tracing::debug!(%peer, %sn, "a device is connected");
            let end = Session::new(link, welcome, gateway, clock_check)
                .run(stop)
                .await;
            metrics::gauge!("link_sessions").decrement(1.0);
            tell(&sn, peer, &end);
        }
        Err(refusal) => refuse(link, peer, refusal).await,
    }
}

/// What a device did wrong is for the operator; that it left is not.
fn tell(sn: &Serial, peer: SocketAddr, end: &End) {
    match end {
        End::Foreign(_) | End::Protocol(_) | End::Decode(_) => {
            metrics::counter!("link_violations_total").increment(1);
            tracing::warn!(%peer, %sn, %end, "a device was disconnected");
        }
        End::Replaced(_) => {
            metrics::counter!("link_takeovers_total").increment(1);
            tracing::info!(%peer, %sn, "another connection of the same device took over");
        }
        End::NotStored => tracing::warn!(%peer, %sn, %end, "a device was disconnected"),
        _ => tracing::debug!(%peer, %sn, %end, "a device is gone"),
    }
}

async fn refuse<S>(mut link: connect::Link<S>, peer: SocketAddr, refusal: Refusal)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    metrics::counter!("link_refused_total").increment(1);
    tracing::warn!(%peer, %refusal, "a device was refused");
    if let Some(code) = refusal.code() {
        tokio::time::sleep(REFUSAL).await;
        let _ = link.refuse(code).await;
    }
}
