//! The requests of an HTTP/2 connection that are not answered completely. HTTP/2 has a flow control of its own: a client that takes
//! everything from the socket can still leave its answers unread. So each answer is watched, as `write_timeout.rs` watches a socket.
use crate::write_timeout::{GRACE, MIN_BYTES_A_SECOND, WRITE_TIMEOUT};
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// Of one connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct OpenRequests(Arc<Mutex<State>>);

struct State {
    begun: u64,
    open: HashMap<u64, Answer>,
    /// Since when there is no open request.
    idle_since: Instant,
}

/// What the client has taken of an answer.
#[derive(Default)]
struct Answer {
    /// Since when a piece waits for the client to make room for it.
    waiting_since: Option<Instant>,
    /// How long pieces have waited before.
    waited: Duration,
    bytes: u64,
}

impl Answer {
    /// Nothing for a while, or next to nothing on average.
    fn is_left_unread(&self, now: Instant) -> bool {
        let Some(since) = self.waiting_since else {
            return false;
        };
        let waits = now - since;
        let all = self.waited + waits;
        waits > WRITE_TIMEOUT || all > GRACE && self.bytes < all.as_secs() * MIN_BYTES_A_SECOND
    }
}

/// What a connection does at the moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It never sent a request, for this long.
    Silent(Duration),
    /// Everything it asked for is answered, for this long.
    Idle(Duration),
    Busy,
    /// An answer is left unread for too long.
    LeftUnread,
}

impl OpenRequests {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            begun: 0,
            open: HashMap::new(),
            idle_since: Instant::now(),
        })))
    }

    /// A request, open until what is returned is dropped.
    pub(crate) fn begin(&self) -> OpenRequest {
        let mut state = self.state();
        let number = state.begun;
        state.begun += 1;
        state.open.insert(number, Answer::default());
        OpenRequest {
            number,
            requests: self.clone(),
        }
    }

    pub(crate) fn activity(&self) -> Activity {
        let now = Instant::now();
        let state = self.state();
        if state.open.values().any(|answer| answer.is_left_unread(now)) {
            return Activity::LeftUnread;
        }
        match (state.open.is_empty(), state.begun) {
            (false, _) => Activity::Busy,
            (true, 0) => Activity::Silent(now - state.idle_since),
            (true, _) => Activity::Idle(now - state.idle_since),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct OpenRequest {
    number: u64,
    requests: OpenRequests,
}

impl OpenRequest {
    /// The answer's body, watched. hyper asks for its next piece as soon as the client made room for the one before.
    pub(crate) fn watch(self, body: Body) -> Body {
        self.change(|answer| answer.waiting_since = Some(Instant::now()));
        Body::new(WatchedBody {
            body,
            request: self,
        })
    }

    fn change(&self, change: impl FnOnce(&mut Answer)) {
        if let Some(answer) = self.requests.state().open.get_mut(&self.number) {
            change(answer);
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.requests.state();
        state.open.remove(&self.number);
        if state.open.is_empty() {
            state.idle_since = Instant::now();
        }
    }
}

struct WatchedBody {
    body: Body,
    request: OpenRequest,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // The client has room: from here on it waits for us.
        self.request.change(|answer| {
            if let Some(since) = answer.waiting_since.take() {
                answer.waited += since.elapsed();
            }
        });
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.request.change(|answer| {
                answer.bytes += bytes as u64;
                answer.waiting_since = Some(Instant::now());
            });
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::future::poll_fn;
    use tokio::time::advance;

    async fn next(body: &mut Body) -> Option<usize> {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        frame.map(|frame| frame.unwrap().into_data().unwrap().len())
    }

    /// A body of pieces of this size.
    fn pieces(size: usize, count: usize) -> Body {
        let piece = Bytes::from(vec![0; size]);
        let pieces = std::iter::repeat_n(Ok::<_, Infallible>(piece), count);
        Body::from_stream(futures_util::stream::iter(pieces))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_silent_then_busy_then_idle() {
        let requests = OpenRequests::new();
        advance(Duration::from_secs(3)).await;
        assert_eq!(
            requests.activity(),
            Activity::Silent(Duration::from_secs(3))
        );
        let [first, second] = [requests.begin(), requests.begin()];
        drop(first);
        // However long a handler takes.
        advance(Duration::from_secs(300)).await;
        assert_eq!(requests.activity(), Activity::Busy);
        drop(second);
        advance(Duration::from_secs(2)).await;
        assert_eq!(requests.activity(), Activity::Idle(Duration::from_secs(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_takes_is_left_unread_and_one_without_news_is_not() {
        let requests = OpenRequests::new();
        let mut quiet = requests
            .begin()
            .watch(Body::from_stream(futures_util::stream::pending::<
                Result<Bytes, Infallible>,
            >()));
        let waits = poll_fn(|context| Poll::Ready(Pin::new(&mut quiet).poll_frame(context)));
        assert!(waits.await.is_pending());
        advance(Duration::from_secs(600)).await;
        assert_eq!(requests.activity(), Activity::Busy);
        let unread = requests.begin().watch(Body::from("text"));
        advance(Duration::from_secs(29)).await;
        assert_eq!(requests.activity(), Activity::Busy);
        advance(Duration::from_secs(2)).await;
        assert_eq!(requests.activity(), Activity::LeftUnread);
        drop(unread);
        assert_eq!(requests.activity(), Activity::Busy);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_waited_for_and_one_that_trickles_is_not() {
        for (size, end) in [
            (24 * 1024, Activity::Idle(Duration::ZERO)),
            (1_024, Activity::LeftUnread),
        ] {
            let requests = OpenRequests::new();
            let mut body = requests.begin().watch(pieces(size, 20));
            while next(&mut body).await.is_some() {
                advance(Duration::from_secs(20)).await;
                if requests.activity() == Activity::LeftUnread {
                    break;
                }
            }
            if end != Activity::LeftUnread {
                drop(body);
            }
            assert_eq!(requests.activity(), end, "{size}");
        }
    }
}
