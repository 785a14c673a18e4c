//! An answer with a guard, such as the slot that it takes: the guard is dropped when the answer was sent or given up.
use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The same answer; the guard is dropped with its body.
pub(crate) fn attach_guard<T: Send + Unpin + 'static>(answer: Response, guard: T) -> Response {
    answer.map(|body| {
        Body::new(GuardedBody {
            body,
            _guard: guard,
        })
    })
}

struct GuardedBody<T> {
    body: Body,
    _guard: T,
}

impl<T: Unpin> HttpBody for GuardedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
