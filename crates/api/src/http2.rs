//! HTTP/2, for clients that ask for it in the TLS handshake. One connection carries many requests, so what HTTP/1 limits by the number of
//! connections is limited here: requests at once, memory, silence, answers that are left unread, requests that are taken back.
use crate::open_requests::{Activity, OpenRequests};
use axum::body::Body;
use bus::Shutdown;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tower::{Service, ServiceExt as _};

/// By which client and server agree on it in the TLS handshake.
pub(crate) const ALPN: &[u8] = b"h2";

/// Requests at once. A page that needs more lets them wait in the browser.
const MAX_REQUESTS: u32 = 32;
/// All fields of a request's head.
const MAX_HEAD_BYTES: u32 = 16 * 1024;
/// What a client may send of one body, and of all on a connection, before a handler reads it.
const REQUEST_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 128 * 1024;
/// What waits of one answer beyond the piece that its body was asked for.
const MAX_UNSENT_BYTES: usize = 32 * 1024;
/// Requests that are taken back before anybody saw them ("rapid reset", CVE-2023-44487). More end the connection.
const MAX_TAKEN_BACK: usize = 20;
/// Requests that we take back because of the client's errors ("made you reset", CVE-2025-8671). More end the connection.
const MAX_RESET_FOR_ERRORS: usize = 100;
/// How often a client must show that it is there, and how long it may take.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(20);
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// How long a connection that is closing may take for what its buffers still hold.
const LAST_BYTES_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves a connection until it ends, was without requests for `idle_timeout`, or this process ends and its open requests are answered.
/// During a drain a client that was served is asked to make its next requests on another connection, which another process gets.
pub(crate) async fn serve<T, S>(
    stream: T,
    service: S,
    idle_timeout: Duration,
    shutdown: &Shutdown,
) -> hyper::Result<()>
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    let requests = OpenRequests::new();
    let watched = {
        let requests = requests.clone();
        hyper::service::service_fn(move |request: Request<Incoming>| {
            let open = requests.begin();
            let answer = service.clone().oneshot(request);
            async move {
                answer
                    .await
                    .map(|answer| answer.map(|body| open.watch(body)))
            }
        })
    };
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_REQUESTS)
        .max_header_list_size(MAX_HEAD_BYTES)
        .initial_stream_window_size(REQUEST_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(MAX_UNSENT_BYTES)
        .max_pending_accept_reset_streams(MAX_TAKEN_BACK)
        .max_local_error_reset_streams(MAX_RESET_FOR_ERRORS)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .serve_connection(TokioIo::new(stream), watched);
    let mut connection = pin!(connection);
    let mut check = tokio::time::interval(CHECK_INTERVAL);
    let mut is_closing = false;
    loop {
        let closes = tokio::select! {
            ended = connection.as_mut() => return ended,
            () = shutdown.stop().cancelled(), if !is_closing => true,
            _ = check.tick() => match requests.activity() {
                Activity::Busy => shutdown.is_ending(),
                Activity::Idle(time) if time > idle_timeout + LAST_BYTES_TIMEOUT => return Ok(()),
                Activity::Idle(time) => time > idle_timeout || shutdown.is_ending(),
                Activity::Silent(time) if is_closing || time > idle_timeout => return Ok(()),
                Activity::Silent(_) => false,
                Activity::LeftUnread => {
                    tracing::debug!("answer_left_unread: the connection is closed");
                    return Ok(());
                }
            },
        };
        if closes && !is_closing {
            is_closing = true;
            connection.as_mut().graceful_shutdown();
        }
    }
}

#[cfg(test)]
mod tests;
