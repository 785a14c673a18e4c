//! Over memory instead of a socket, with tokio's clock.
use super::*;
use axum::Router;
use axum::body::Bytes;
use axum::routing::get;
use futures_util::stream;
use hyper::client::conn::http2::{Builder, SendRequest};
use std::error::Error as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection of a client, and how the server's side of it ends.
fn connect(router: Router, shutdown: &Shutdown) -> (DuplexStream, JoinHandle<hyper::Result<()>>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let shutdown = shutdown.clone();
    let served = tokio::spawn(async move { serve(theirs, router, IDLE_TIMEOUT, &shutdown).await });
    (ours, served)
}

async fn client(stream: DuplexStream) -> SendRequest<Body> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(1_000);
    let handshake = builder.handshake(TokioIo::new(stream));
    let (sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    sender
}

fn request(path: &str) -> Request<Body> {
    let uri = format!("https://test{path}");
    Request::get(uri).body(Body::empty()).unwrap()
}

/// The seconds until the server has closed the connection.
async fn seconds_until_closed(served: JoinHandle<hyper::Result<()>>) -> u64 {
    let begun = Instant::now();
    let ended = timeout(Duration::from_secs(300), served).await;
    if let Err(error) = ended.expect("the connection is closed").unwrap() {
        // Nothing else may fail: the client, told to leave, closed its side first.
        let cause = error.source().and_then(|it| it.downcast_ref::<io::Error>());
        let cause = cause.map(io::Error::kind);
        assert_eq!(cause, Some(io::ErrorKind::BrokenPipe), "{error}");
    }
    begun.elapsed().as_secs()
}

fn page() -> Router {
    Router::new().route("/", get(|| async { "page" }))
}

#[tokio::test(start_paused = true)]
async fn a_client_that_asks_for_nothing_is_let_go() {
    let shutdown = Shutdown::default();
    let (_silent, served) = connect(page(), &shutdown);
    assert!((10..15).contains(&seconds_until_closed(served).await));
    let (stream, served) = connect(page(), &shutdown);
    let mut sender = client(stream).await;
    let answer = sender.send_request(request("/")).await.unwrap();
    assert_eq!(answer.status(), 200);
    drop(answer);
    assert!((10..15).contains(&seconds_until_closed(served).await));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_read_ends_the_connection() {
    let piece = Bytes::from(vec![0; 16 * 1024]);
    let large = move || {
        let pieces = stream::iter(std::iter::repeat_n(Ok::<_, Infallible>(piece), 1_000));
        async { Body::from_stream(pieces) }
    };
    let (stream, served) = connect(Router::new().route("/", get(large)), &Shutdown::default());
    let mut sender = client(stream).await;
    let unread = sender.send_request(request("/")).await.unwrap();
    assert!((30..35).contains(&seconds_until_closed(served).await));
    drop(unread);
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_events_stays_open_until_it_ends() {
    let (events, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(1);
    let receiver = Arc::new(tokio::sync::Mutex::new(Some(receiver)));
    let handler = move || async move {
        let receiver = receiver.lock().await.take().unwrap();
        Body::from_stream(stream::unfold(receiver, |mut receiver| async move {
            let event = receiver.recv().await?;
            Some((event, receiver))
        }))
    };
    let stop = CancellationToken::new();
    let (stream, served) = connect(Router::new().route("/", get(handler)), &stop.clone().into());
    let mut sender = client(stream).await;
    let answer = sender.send_request(request("/")).await.unwrap();
    let read = tokio::spawn(axum::body::to_bytes(Body::new(answer.into_body()), 100));
    for event in ["one ", "two"] {
        sleep(Duration::from_secs(600)).await;
        events.send(Ok(Bytes::from(event))).await.unwrap();
    }
    // A stop waits for the end of the stream.
    stop.cancel();
    sleep(Duration::from_secs(1)).await;
    assert!(!served.is_finished());
    drop(events);
    assert_eq!(read.await.unwrap().unwrap(), "one two");
    assert_eq!(seconds_until_closed(served).await, 0);
}

#[tokio::test(start_paused = true)]
async fn during_a_drain_a_client_that_was_served_is_sent_elsewhere_and_open_answers_go_on() {
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let ended = Arc::new(tokio::sync::Mutex::new(Some(ended)));
    let handler = move || async move {
        let ended = ended.lock().await.take().unwrap();
        ended.await.unwrap();
        "answered"
    };
    let shutdown = Shutdown::default();
    let (stream, served) = connect(Router::new().route("/", get(handler)), &shutdown);
    let mut sender = client(stream).await;
    let answer = tokio::spawn(sender.send_request(request("/")));
    let drain = shutdown.clone();
    tokio::spawn(async move { drain.drain(Duration::from_secs(60)).await });
    sleep(Duration::from_secs(5)).await;
    let next = timeout(Duration::from_secs(10), sender.send_request(request("/")));
    assert!(next.await.unwrap().is_err());
    assert!(!served.is_finished());
    end.send(()).unwrap();
    let answer = answer.await.unwrap().unwrap();
    let text = axum::body::to_bytes(Body::new(answer.into_body()), 100).await;
    assert_eq!(text.unwrap(), "answered");
    assert_eq!(seconds_until_closed(served).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_client_has_only_so_many_requests_at_once() {
    let running = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&running);
    let handler = move || async move {
        counted.fetch_add(1, Ordering::Relaxed);
        std::future::pending::<()>().await;
    };
    let (stream, _served) = connect(Router::new().route("/", get(handler)), &Shutdown::default());
    let sender = client(stream).await;
    for _ in 0..MAX_REQUESTS + 10 {
        let mut sender = sender.clone();
        tokio::spawn(async move { sender.send_request(request("/")).await });
    }
    sleep(Duration::from_secs(1)).await;
    assert_eq!(running.load(Ordering::Relaxed), MAX_REQUESTS as usize);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_too_long_is_refused() {
    let (stream, _served) = connect(page(), &Shutdown::default());
    let mut sender = client(stream).await;
    for (length, status) in [(8_000, 200), (20_000, 431)] {
        let mut request = request("/");
        let value = "a".repeat(length).parse().unwrap();
        request.headers_mut().insert("x-long", value);
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{length}");
    }
}

/// As RFC 9113, 4.1 has it.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [head.as_slice(), payload].concat()
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_requests_that_are_taken_back_ends_the_connection() {
    const HEADERS: u8 = 1;
    const RST_STREAM: u8 = 3;
    const SETTINGS: u8 = 4;
    const GOAWAY: u8 = 7;
    const COMPLETE: u8 = 0x5;
    const CANCEL: [u8; 4] = 8_u32.to_be_bytes();
    const ENHANCE_YOUR_CALM: [u8; 4] = 11_u32.to_be_bytes();
    // GET, /, https, and the authority "test" (RFC 7541, appendix A).
    const HEAD: &[u8] = b"\x82\x84\x87\x41\x04test";
    let (mut stream, served) = connect(page(), &Shutdown::default());
    let mut flood = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    flood.extend(frame(SETTINGS, 0, 0, &[]));
    for number in (1..400).step_by(2) {
        flood.extend(frame(HEADERS, COMPLETE, number, HEAD));
        flood.extend(frame(RST_STREAM, 0, number, &CANCEL));
    }
    stream.write_all(&flood).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let mut frames = answer.as_slice();
    let mut reason = None;
    while let [a, b, c, kind, _, _, _, _, _, rest @ ..] = frames {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let (payload, next) = rest.split_at(length);
        if *kind == GOAWAY {
            reason = payload.get(4..8).map(<[u8]>::to_vec);
        }
        frames = next;
    }
    assert_eq!(reason.as_deref(), Some(ENHANCE_YOUR_CALM.as_slice()));
    served.await.unwrap().unwrap_err();
}
