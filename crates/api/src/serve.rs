//! A listener that slow clients cannot block: time limits on the TLS handshake, the headers and the whole request.
use crate::http2;
use crate::piecewise_body::PiecewiseBody;
use crate::write_timeout::{WRITE_TIMEOUT, WriteTimeout};
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::response::Response;
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

/// By which an authority asks for the proof that a name is ours (RFC 8737), in place of a protocol.
pub const ACME_TLS_ALPN: &[u8] = b"acme-tls/1";

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// For the head of a request, and between two requests of a connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Buffer per connection, and the largest head of a request. hyper's default of 400 KiB would be too much for thousands of
/// guests.
const MAX_BUFFER_BYTES: usize = 64 * 1024;
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
                None => serve_connection(stream, false, peer, router, watcher, shutdown).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) =
                        tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await
                    {
                        // An authority looks at the certificate, and asks for nothing (ACME, tls-alpn-01).
                        if stream.get_ref().1.alpn_protocol() == Some(ACME_TLS_ALPN) {
                            return;
                        }
                        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(http2::ALPN);
                        serve_connection(stream, is_http2, peer, router, watcher, shutdown).await;
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
    is_http2: bool,
    peer: SocketAddr,
    router: Router,
    watcher: hyper_util::server::graceful::Watcher,
    shutdown: ShutdownSignal,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let ending = shutdown.0.clone();
    let service = router
        .map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(shutdown.clone());
            request.map(Body::new)
        })
        .map_response(|answer: Response| answer.map(|body| Body::new(PiecewiseBody::new(body))));
    let stream = WriteTimeout::new(stream, WRITE_TIMEOUT);
    let ended = if is_http2 {
        // Held until the connection ends, which a stop waits for.
        let _watcher = watcher;
        http2::serve(stream, service, HEADER_TIMEOUT, &ending).await
    } else {
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(MAX_BUFFER_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        watcher.watch(connection).await
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection_failed");
    }
}
