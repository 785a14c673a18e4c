//! A listener that no slow client can hold: time limits on the TLS handshake, the headers and the whole request.
use crate::patience::Patient;
use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use domain::connections::{Admission, Connections};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// TLS for a listener, when no proxy in front does it.
pub type Tls = TlsAcceptor;

const HANDSHAKE: Duration = Duration::from_secs(5);
const HEADERS: Duration = Duration::from_secs(10);
/// How long a client may take nothing of an answer that waits for it.
const STALLED: Duration = Duration::from_secs(30);
/// How long open requests may take after a stop was asked for.
const FAREWELL: Duration = Duration::from_secs(10);

/// Cancelled when the server is about to stop: what would go on for ever ends then.
#[derive(Clone, Default)]
pub(crate) struct Stopping(pub(crate) CancellationToken);

impl<S: Send + Sync> FromRequestParts<S> for Stopping {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

/// Serves until `stop` is cancelled, then lets open requests finish.
pub async fn serve(
    listener: TcpListener,
    connections: Connections,
    router: Router,
    tls: Option<Tls>,
    stop: CancellationToken,
) {
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
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
        let Some(admission) = connections.admit(peer.ip()) else {
            metrics::counter!("connections_refused_total").increment(1);
            tracing::debug!(%peer, "connection_refused: too many are open");
            continue;
        };
        let watcher = graceful.watcher();
        let (router, tls) = (router.clone(), tls.clone());
        let stopping = Stopping(stop.clone());
        tokio::spawn(async move {
            let _admission: Admission = admission;
            match tls {
                None => connection(stream, peer, router, watcher, stopping).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) =
                        tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await
                    {
                        connection(stream, peer, router, watcher, stopping).await;
                    }
                }
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(FAREWELL, graceful.shutdown()).await;
}

async fn connection<S>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    watcher: hyper_util::server::graceful::Watcher,
    stopping: Stopping,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let service = router.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(stopping.clone());
        request.map(axum::body::Body::new)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .serve_connection(
            TokioIo::new(Patient::new(stream, STALLED)),
            TowerToHyperService::new(service),
        );
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "connection ended");
    }
}
