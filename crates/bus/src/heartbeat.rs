//! Whether this process hears the others: it sends itself a heartbeat through the database and expects it back.
//!
//! A LISTEN connection can go silent without an error. Whoever does not hear its own heartbeat knows nothing about the batteries
//! of other processes: it is not ready, it decides nothing, and it connects again.
use crate::Bus;
use crate::notice::Notice;
use domain::clock::Millis;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior};

/// When a process counts as alive. This is real time, whatever the clock of a test or a demo shows.
#[derive(Clone, Copy, Debug)]
pub struct Liveness {
    pub heartbeat_interval: Duration,
    /// How old the newest heartbeat that came back may be.
    pub heartbeat_limit: Duration,
    /// A gateway whose heartbeat in the database has not moved for so long has died with its connections.
    pub gateway_limit: Duration,
}

impl Default for Liveness {
    fn default() -> Self {
        Self {
            heartbeat_interval: Duration::from_secs(5),
            heartbeat_limit: Duration::from_secs(15),
            gateway_limit: Duration::from_secs(90),
        }
    }
}

/// The heartbeats of this process, as they come back.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// `None` on SQLite: there is nobody to hear.
    limit: Option<Duration>,
    started: Instant,
    /// When the newest one that came back was sent, in ms since the start.
    newest: AtomicU64,
    /// Since when none has been missed, by the clock.
    unbroken_since: Mutex<Option<Millis>>,
    /// One is to be sent at once.
    wanted: Notify,
}

impl Heartbeat {
    pub(crate) fn new(limit: Option<Duration>, now: Millis) -> Self {
        Self {
            limit,
            started: Instant::now(),
            newest: AtomicU64::new(0),
            unbroken_since: Mutex::new(Some(now)),
            wanted: Notify::new(),
        }
    }

    /// What the next one carries.
    fn stamp(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn newest(&self) -> Instant {
        self.started + Duration::from_millis(self.newest.load(Ordering::Relaxed))
    }

    fn is_late(&self) -> bool {
        self.limit.is_some_and(|limit| self.age() > limit)
    }

    fn unbroken(&self) -> MutexGuard<'_, Option<Millis>> {
        let since = self.unbroken_since.lock();
        since.unwrap_or_else(PoisonError::into_inner)
    }

    /// How long ago the newest one that came back was sent; zero on SQLite.
    pub(crate) fn age(&self) -> Duration {
        match self.limit {
            Some(_) => self.newest().elapsed(),
            None => Duration::ZERO,
        }
    }

    /// Since when this process hears the others without a break; `None` while it does not.
    pub(crate) fn unbroken_since(&self) -> Option<Millis> {
        let since = *self.unbroken();
        since.filter(|_| !self.is_late())
    }

    /// One came back.
    pub(crate) fn came_back(&self, stamp: u64, now: Millis) {
        let broken = self.is_late();
        self.newest.fetch_max(stamp, Ordering::Relaxed);
        let mut since = self.unbroken();
        if broken || since.is_none() {
            *since = (!self.is_late()).then_some(now);
        }
    }

    /// The connection was lost or is silent: what was said meanwhile was missed.
    pub(crate) fn broke(&self) {
        *self.unbroken() = None;
        self.wanted.notify_one();
    }

    /// When the next one has to be there on a connection of this age.
    pub(crate) fn deadline(&self, connected: Instant) -> Instant {
        self.newest().max(connected) + self.limit.unwrap_or_default()
    }
}

/// Sends heartbeats, for ever.
pub(crate) async fn send(bus: &Bus) {
    let heartbeat = bus.live.heartbeat();
    if heartbeat.limit.is_none() {
        return std::future::pending().await;
    }
    let mut tick = tokio::time::interval(bus.liveness.heartbeat_interval);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = heartbeat.wanted.notified() => {}
        }
        let stamp = heartbeat.stamp();
        bus.notices.send(Notice::Heartbeat { stamp });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_break_counts_from_the_first_heartbeat_after_it() {
        let limit = Duration::from_secs(15);
        let heartbeat = Heartbeat::new(Some(limit), 100);
        assert_eq!(heartbeat.unbroken_since(), Some(100));
        tokio::time::advance(Duration::from_secs(14)).await;
        heartbeat.came_back(13_000, 200);
        assert_eq!(heartbeat.unbroken_since(), Some(100));

        tokio::time::advance(Duration::from_secs(15)).await;
        assert_eq!(heartbeat.unbroken_since(), None, "the newest is 16 s old");
        let connected = Instant::now();
        assert_eq!(heartbeat.deadline(connected), connected + limit);
        heartbeat.came_back(13_500, 300);
        assert_eq!(heartbeat.unbroken_since(), None, "an old one comes late");
        heartbeat.came_back(heartbeat.stamp(), 400);
        assert_eq!(heartbeat.unbroken_since(), Some(400));

        heartbeat.broke();
        assert_eq!(heartbeat.unbroken_since(), None);
        heartbeat.came_back(heartbeat.stamp(), 500);
        assert_eq!(heartbeat.unbroken_since(), Some(500));
    }

    #[tokio::test(start_paused = true)]
    async fn one_process_alone_needs_no_heartbeat() {
        let heartbeat = Heartbeat::new(None, 100);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        assert_eq!(heartbeat.unbroken_since(), Some(100));
    }
}
