//! Closes a connection whose peer stops reading, or reads next to nothing, so an unread answer does not hold memory or a slot forever.
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a client may read nothing while an answer is waiting.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// A slower average rate is no slow network, but a client that holds an answer.
pub(crate) const MIN_BYTES_A_SECOND: u64 = 1024;
/// So long may a peer take even less, on a train for example.
pub(crate) const GRACE: Duration = Duration::from_secs(60);

pub(crate) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// Runs while the peer accepts no data.
    stalled: Option<Pin<Box<Sleep>>>,
    backlog: Option<Backlog>,
}

/// More was to be written than the peer takes.
struct Backlog {
    since: Instant,
    /// What it has taken since.
    taken: u64,
    /// Whether it had to be waited for since the last time that everything was written.
    is_blocked: bool,
}

impl Backlog {
    fn begin() -> Self {
        Self {
            since: Instant::now(),
            taken: 0,
            is_blocked: true,
        }
    }

    fn is_too_slow(&self) -> bool {
        let time = self.since.elapsed();
        time > GRACE && self.taken < time.as_secs() * MIN_BYTES_A_SECOND
    }
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, limit: Duration) -> Self {
        Self {
            stream,
            limit,
            stalled: None,
            backlog: None,
        }
    }

    fn count(&mut self, written: &Poll<io::Result<usize>>) {
        if let (Poll::Ready(Ok(bytes)), Some(backlog)) = (written, &mut self.backlog) {
            backlog.taken += *bytes as u64;
        }
    }

    /// Everything is written. The backlog is over when nothing had to be waited for.
    fn end_backlog(&mut self) {
        self.backlog = self.backlog.take().filter(|backlog| backlog.is_blocked);
        if let Some(backlog) = &mut self.backlog {
            backlog.is_blocked = false;
        }
    }

    /// Passes a write through, or measures how long it is blocked.
    fn with_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let backlog = self.backlog.get_or_insert_with(Backlog::begin);
        backlog.is_blocked = true;
        if backlog.is_too_slow() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let limit = self.limit;
        let timer = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        timer
            .as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.count(&written);
        self.with_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.count(&written);
        self.with_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.end_backlog();
        }
        self.with_timeout(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.with_timeout(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_stops_reading_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(16);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(30));
        stream.write_all(&[0; 16]).await.unwrap();
        let error = stream.write_all(&[0; 16]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    /// A peer that takes `portion` bytes every 20 seconds, until it has 40 of them; and how that ends for whoever writes.
    async fn read_by(portion: usize) -> io::Result<()> {
        use tokio::io::AsyncReadExt as _;
        let (ours, mut theirs) = tokio::io::duplex(16);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(30));
        let reading = tokio::spawn(async move {
            let mut bytes = vec![0; portion];
            while theirs.read_exact(&mut bytes).await.is_ok() {
                tokio::time::sleep(Duration::from_secs(20)).await;
            }
        });
        let mut result = Ok(());
        // As an export does: piece by piece.
        for _ in 0..40 {
            result = stream.write_all(&vec![0; portion]).await;
            if result.is_err() {
                break;
            }
            result = stream.flush().await;
        }
        drop(stream);
        reading.await.unwrap();
        result
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_slowly_is_waited_for_and_one_that_trickles_is_given_up() {
        read_by(24 * 1024).await.unwrap();
        let error = read_by(1024).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_now_and_then_is_no_trickle() {
        use tokio::io::AsyncReadExt as _;
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut stream = WriteTimeout::new(ours, Duration::from_secs(30));
        let reading = tokio::spawn(async move {
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).await.map(|_| all.len())
        });
        // What is on screen at first has to be waited for, and later events have not.
        for bytes in [10_000].into_iter().chain([40; 40]) {
            stream.write_all(&vec![0; bytes]).await.unwrap();
            stream.flush().await.unwrap();
            tokio::time::sleep(Duration::from_secs(20)).await;
        }
        drop(stream);
        assert_eq!(reading.await.unwrap().unwrap(), 11_600);
    }
}
