//! A listener that slow clients cannot block: time limits on the TLS handshake, the headers and the whole request.
use crate::write_timeout::WriteTimeout;
use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use bus::Shutdown;
use domain::connections::{Admission, Connections};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

/// TLS for a listener without a TLS proxy in front.
pub type Tls = TlsAcceptor;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Buffer per connection, and the largest head of a request. hyper's default of 400 KiB would be too much for thousands of
/// guests.
const MAX_BUFFER_BYTES: usize = 64 * 1024;
/// How long a client may read nothing while an answer is waiting.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long open requests may take after shutdown was requested.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

/// The end of the server, for answers that would otherwise never end.
#[derive(Clone, Default)]
pub(crate) struct ShutdownSignal(pub(crate) Shutdown);

impl<S: Send + Sync> FromRequestParts<S> for ShutdownSignal {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

/// Serves until the shutdown, then lets open requests finish. During a drain it goes on answering requests.
pub async fn serve(
    listener: TcpListener,
    connections: Connections,
    router: Router,
    tls: Option<Tls>,
    shutdown: impl Into<Shutdown>,
) {
    let shutdown = shutdown.into();
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = shutdown.stop().cancelled() => break,
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
        let Some(admission) = connections.admit(peer.ip()) else {
            metrics::counter!("connections_refused_total").increment(1);
            tracing::debug!(%peer, "connection_refused: too many are open");
            continue;
        };
        let watcher = graceful.watcher();
        let (router, tls) = (router.clone(), tls.clone());
        let shutdown = ShutdownSignal(shutdown.clone());
        tokio::spawn(async move {
            let _admission: Admission = admission;
            match tls {
                None => serve_connection(stream, peer, router, watcher, shutdown).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) =
                        tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await
                    {
                        serve_connection(stream, peer, router, watcher, shutdown).await;
                    }
                }
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, graceful.shutdown()).await;
}

async fn serve_connection<S>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    watcher: hyper_util::server::graceful::Watcher,
    shutdown: ShutdownSignal,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let service = router.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(shutdown.clone());
        request.map(axum::body::Body::new)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_BUFFER_BYTES)
        .serve_connection(
            TokioIo::new(WriteTimeout::new(stream, WRITE_TIMEOUT)),
            TowerToHyperService::new(service),
        );
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "connection_failed");
    }
}
