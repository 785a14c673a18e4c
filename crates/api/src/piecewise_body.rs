//! Hands an answer to hyper in small pieces. hyper drops a body as soon as it has the last piece, and only then are its guards dropped:
//! an answer of one piece would count as sent while it still waits for its reader.
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// As large as a frame of HTTP/2.
const MAX_PIECE_BYTES: usize = 16 * 1024;

pub(crate) struct PiecewiseBody {
    body: Body,
    /// What is left of the last piece of `body`.
    rest: Bytes,
}

impl PiecewiseBody {
    pub(crate) fn new(body: Body) -> Self {
        Self {
            body,
            rest: Bytes::new(),
        }
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        let length = self.rest.len().min(MAX_PIECE_BYTES);
        Frame::data(self.rest.split_to(length))
    }
}

impl HttpBody for PiecewiseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.next_piece())));
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(match frame {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => {
                    self.rest = data;
                    Some(Ok(self.next_piece()))
                }
                Err(trailers) => Some(Ok(trailers)),
            },
            other => other,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let body = self.body.size_hint();
        let mut hint = SizeHint::new();
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(body.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    #[tokio::test]
    async fn an_answer_ends_with_its_last_piece() {
        let text: Vec<u8> = (0..40_000_u32).map(|n| n as u8).collect();
        let mut body = PiecewiseBody::new(Body::from(text.clone()));
        assert_eq!(body.size_hint().exact(), Some(40_000));
        let mut read = Vec::new();
        let mut sizes = Vec::new();
        while !body.is_end_stream() {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            let piece = frame.unwrap().unwrap().into_data().unwrap();
            sizes.push(piece.len());
            read.extend_from_slice(&piece);
            assert_eq!(body.size_hint().exact(), Some(40_000 - read.len() as u64));
        }
        assert_eq!(sizes, [16_384, 16_384, 7_232]);
        assert_eq!(read, text);
    }
}
