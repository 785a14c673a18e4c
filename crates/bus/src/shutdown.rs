//! How the roles of a process end together: at once, or after they have given their long connections to other processes, a few at a
//! time.
use domain::drain::DrainSchedule;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shutdown(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    stop: CancellationToken,
    /// Cancelled when a drain begins, and by the stop.
    ending: CancellationToken,
    connections: TaskTracker,
    drain: OnceLock<Drain>,
}

#[derive(Debug)]
struct Drain {
    begun: Instant,
    schedule: DrainSchedule,
    /// The place of the next connection that asks for one.
    next_place: AtomicUsize,
}

/// One battery or one event stream. It counts as open until it is dropped.
#[derive(Debug)]
pub struct LongConnection {
    shutdown: Shutdown,
    place: OnceLock<usize>,
    _open: TaskTrackerToken,
}

/// Stops when the token is cancelled.
impl From<CancellationToken> for Shutdown {
    fn from(stop: CancellationToken) -> Self {
        Self(Arc::new(Inner {
            ending: stop.child_token(),
            stop,
            connections: TaskTracker::new(),
            drain: OnceLock::new(),
        }))
    }
}

/// Never stops.
impl Default for Shutdown {
    fn default() -> Self {
        CancellationToken::new().into()
    }
}

impl Shutdown {
    /// Cancelled when everything ends.
    pub fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    /// Whether this process is about to end, so that nobody should be sent to it any more.
    pub fn is_ending(&self) -> bool {
        self.0.ending.is_cancelled()
    }

    /// Counts a connection that lasts.
    pub fn connection(&self) -> LongConnection {
        LongConnection {
            shutdown: self.clone(),
            place: OnceLock::new(),
            _open: self.0.connections.token(),
        }
    }

    /// The connections that are open.
    pub fn connections(&self) -> usize {
        self.0.connections.len()
    }

    /// Gives all connections away, as [`DrainSchedule`] says. Returns when none is left, or after `limit`.
    pub async fn drain(&self, limit: Duration) {
        let Inner {
            ending,
            connections,
            drain,
            ..
        } = &*self.0;
        let begun = Instant::now();
        let schedule = DrainSchedule::new(connections.len(), limit);
        let new = Drain {
            begun,
            schedule,
            next_place: AtomicUsize::new(0),
        };
        if drain.set(new).is_err() {
            return; // it has begun before
        }
        ending.cancel();
        connections.close();
        sleep_until(begun + schedule.notice()).await;
        let _ = timeout_at(begun + limit, connections.wait()).await;
    }
}

impl LongConnection {
    /// Waits until this connection has to end. Cancel-safe.
    pub async fn ended(&self) {
        let Inner {
            stop,
            ending,
            drain,
            ..
        } = &*self.shutdown.0;
        ending.cancelled().await;
        let Some(drain) = drain.get() else {
            return; // the stop
        };
        let next = || drain.next_place.fetch_add(1, Ordering::Relaxed);
        let place = *self.place.get_or_init(next);
        let turn = drain.begun + drain.schedule.closes_after(place);
        // Boxed, so that the future of an idle connection stays small.
        let _ = Box::pin(timeout_at(turn, stop.cancelled())).await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tokio::task::JoinSet;
    use tokio::time::advance;

    const SECOND: Duration = Duration::from_secs(1);

    /// Connections that stay until they have to end. Each asks again every 100 ms, as a session does whenever something happens.
    fn connect(shutdown: &Shutdown, count: usize) -> JoinSet<()> {
        let mut open = JoinSet::new();
        for _ in 0..count {
            let connection = shutdown.connection();
            open.spawn(async move {
                let turn = SECOND / 10;
                while tokio::time::timeout(turn, connection.ended())
                    .await
                    .is_err()
                {}
            });
        }
        open
    }

    #[tokio::test(start_paused = true)]
    async fn connections_end_a_few_at_a_time_and_the_drain_with_the_last() {
        let shutdown = Shutdown::default();
        let _open = connect(&shutdown, 100);
        assert!(!shutdown.is_ending());
        let draining = tokio::spawn({
            let shutdown = shutdown.clone();
            async move { shutdown.drain(60 * SECOND).await }
        });
        let begun = Instant::now();
        let mut before = 100;
        while !draining.is_finished() {
            advance(SECOND / 2).await;
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(shutdown.is_ending());
            let open = shutdown.connections();
            let passed = begun.elapsed();
            assert!(open == 100 || passed >= 5 * SECOND, "{passed:?}");
            assert!(before - open <= 2, "{before} became {open} at {passed:?}");
            before = open;
        }
        assert_eq!(before, 0);
        let took = begun.elapsed();
        assert!(took > 54 * SECOND && took < 56 * SECOND, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_without_connections_waits_until_balancers_have_noticed() {
        let (shutdown, begun) = (Shutdown::default(), Instant::now());
        shutdown.drain(60 * SECOND).await;
        assert_eq!(begun.elapsed().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_ends_the_drain_and_a_stop_ends_every_connection() {
        let shutdown = Shutdown::default();
        let begun = Instant::now();
        let stays = shutdown.connection();
        shutdown.drain(20 * SECOND).await;
        assert_eq!(begun.elapsed().as_secs(), 20);
        drop(stays);

        let shutdown = Shutdown::default();
        let mut open = connect(&shutdown, 10);
        tokio::task::yield_now().await;
        let begun = Instant::now();
        shutdown.stop().cancel();
        while open.join_next().await.is_some() {}
        assert!(shutdown.is_ending() && begun.elapsed() < SECOND);
    }
}
