//! Work that takes a core for a while: so much of it at a time, a bounded number of callers that wait, and the others are sent
//! away at once.
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Too many requests are waiting already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

/// Permits for working, and slots for waiting.
#[derive(Clone, Debug)]
pub(crate) struct WorkQueue {
    permits: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl WorkQueue {
    pub(crate) fn new(at_once: usize, max_waiting: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            waiting: Arc::new(Semaphore::new(max_waiting)),
        }
    }

    pub(crate) fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    pub(crate) async fn acquire(&self) -> Result<OwnedSemaphorePermit, Busy> {
        if let Some(permit) = self.try_acquire() {
            return Ok(permit);
        }
        let _waiting = self.waiting.try_acquire().map_err(|_| Busy)?;
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        Ok(permit.expect("the semaphore is never closed"))
    }

    /// Whether [`Self::acquire`] would refuse now.
    pub(crate) fn is_full(&self) -> bool {
        self.permits.available_permits() == 0 && self.waiting.available_permits() == 0
    }

    /// Places left for waiting.
    #[cfg(test)]
    pub(crate) fn free_places(&self) -> usize {
        self.waiting.available_permits()
    }
}

/// Works off the async threads. The permit stays taken until the work is done, also when whoever asked for it does not wait:
/// otherwise callers that leave at once would have any amount of it done at the same time. `None`: it has panicked.
pub(crate) async fn run<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let working = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    working.await.ok()
}

/// The same for work that could hang, because it is other people's code on strangers' bytes. `None`: it has panicked, or takes longer
/// than `limit`; then the permit is free again. It has a thread of its own, because nobody can end it, and the runtime would wait
/// for it at its end. The thread keeps `thread` for as long as it lives, so that there are not many of them.
pub(crate) async fn run_at_most<T: Send + 'static>(
    limit: Duration,
    permit: OwnedSemaphorePermit,
    thread: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, result) = oneshot::channel();
    std::thread::spawn(move || {
        let _thread = thread;
        // The caller may have left.
        let _ = done.send(work());
    });
    // A task of its own, so that the permit stays taken when the caller leaves.
    let waiting = tokio::spawn(async move {
        let _permit = permit;
        let result = tokio::time::timeout(limit, result).await;
        result.inspect_err(|_| {
            tracing::error!(?limit, "file_work_not_ending: its thread is left alone");
        })
    });
    waiting.await.ok()?.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn so_many_work_so_many_wait_and_the_next_is_sent_away() {
        let queue = WorkQueue::new(1, 2);
        let first = queue.acquire().await.unwrap();
        let second = tokio::spawn({
            let queue = queue.clone();
            async move { queue.acquire().await.map(drop) }
        });
        let third = tokio::spawn({
            let queue = queue.clone();
            async move { queue.acquire().await.map(drop) }
        });
        while queue.free_places() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(queue.is_full());
        assert_eq!(queue.acquire().await.unwrap_err(), Busy);
        drop(first);
        assert_eq!(second.await.unwrap(), Ok(()));
        assert_eq!(third.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn work_keeps_its_permit_when_nobody_waits_for_it() {
        let queue = WorkQueue::new(1, 1);
        let (go, blocked) = std::sync::mpsc::channel::<()>();
        let (started, starts) = oneshot::channel();
        let permit = queue.acquire().await.unwrap();
        let asked = tokio::spawn(run(permit, move || {
            let _ = started.send(());
            let _ = blocked.recv();
        }));
        starts.await.unwrap();
        asked.abort();
        assert!(asked.await.is_err());
        assert!(queue.try_acquire().is_none());
        drop(go);
        drop(queue.acquire().await.unwrap());
    }

    #[tokio::test]
    async fn work_that_hangs_keeps_no_permit_but_its_thread() {
        let (queue, threads) = (WorkQueue::new(1, 0), WorkQueue::new(1, 0));
        let (go, blocked) = std::sync::mpsc::channel::<()>();
        let (permit, thread) = (queue.try_acquire().unwrap(), threads.try_acquire().unwrap());
        let hung = run_at_most(Duration::ZERO, permit, thread, move || blocked.recv());
        assert!(hung.await.is_none());
        assert!(threads.try_acquire().is_none());
        let permit = queue.try_acquire().unwrap();
        drop(go);
        let thread = Arc::clone(&threads.permits).acquire_owned().await.unwrap();
        let day = Duration::from_secs(86_400);
        assert_eq!(run_at_most(day, permit, thread, || 7).await, Some(7));
    }
}
