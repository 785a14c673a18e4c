//! Checks whether this process receives peer messages: it sends itself a heartbeat over the same path, and expects it back.
//!
//! A connection can go silent without an error. A process that misses its own heartbeat knows nothing about the batteries of
//! other processes. It is then not ready, marks no battery as offline, and reconnects.
use crate::Bus;
use crate::peer_message::PeerMessage;
use domain::clock::Millis;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior};

/// When a process counts as alive. Measured in real time, regardless of the clock of a test or a demo.
#[derive(Clone, Copy, Debug)]
pub struct Liveness {
    pub heartbeat_interval: Duration,
    /// Maximum age of the newest heartbeat that came back.
    pub heartbeat_limit: Duration,
    /// A gateway whose heartbeat count in the database has not changed for this long is dead, and its connections with it.
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

/// Tracks which heartbeats of this process came back.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// `None` on SQLite, where there are no other processes.
    limit: Option<Duration>,
    started: Instant,
    returned: Mutex<Returned>,
    /// Requests a heartbeat at once.
    send_now: Notify,
}

/// Heartbeats that came back. Both fields share one lock: a reader that saw the newest heartbeat after a break together with the
/// time from before it would consider every battery silent.
#[derive(Debug)]
struct Returned {
    /// When the newest one was sent.
    newest: Instant,
    /// Since when none has been missed, by the portal's clock.
    unbroken_since: Option<Millis>,
}

impl Returned {
    fn is_late(&self, limit: Option<Duration>) -> bool {
        limit.is_some_and(|limit| self.newest.elapsed() > limit)
    }
}

impl Heartbeat {
    pub(crate) fn new(limit: Option<Duration>, now: Millis) -> Self {
        let started = Instant::now();
        Self {
            limit,
            started,
            returned: Mutex::new(Returned {
                newest: started,
                unbroken_since: Some(now),
            }),
            send_now: Notify::new(),
        }
    }

    /// The timestamp of the next heartbeat.
    fn uptime_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn returned(&self) -> MutexGuard<'_, Returned> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long ago the newest one that came back was sent; zero on SQLite.
    pub(crate) fn age(&self) -> Duration {
        match self.limit {
            Some(_) => self.returned().newest.elapsed(),
            None => Duration::ZERO,
        }
    }

    /// Since when this process has received peer messages without a break; `None` while it does not.
    pub(crate) fn unbroken_since(&self) -> Option<Millis> {
        let returned = self.returned();
        returned
            .unbroken_since
            .filter(|_| !returned.is_late(self.limit))
    }

    /// A heartbeat came back.
    pub(crate) fn received(&self, uptime_ms: u64, now: Millis) {
        let Some(sent) = self.started.checked_add(Duration::from_millis(uptime_ms)) else {
            return; // none of ours
        };
        let mut returned = self.returned();
        let broken = returned.is_late(self.limit) || returned.unbroken_since.is_none();
        returned.newest = returned.newest.max(sent);
        if broken {
            returned.unbroken_since = (!returned.is_late(self.limit)).then_some(now);
        }
    }

    /// The connection was lost or went silent: peer messages were missed.
    pub(crate) fn mark_broken(&self) {
        self.returned().unbroken_since = None;
        self.send_now.notify_one();
    }

    /// When the next heartbeat must have come back, on a connection that was opened at `connected`.
    pub(crate) fn deadline(&self, connected: Instant) -> Instant {
        self.returned().newest.max(connected) + self.limit.unwrap_or_default()
    }
}

/// Sends heartbeats. Never returns.
pub(crate) async fn run(bus: &Bus) {
    let heartbeat = bus.live.heartbeat();
    if heartbeat.limit.is_none() {
        return std::future::pending().await;
    }
    let mut tick = tokio::time::interval(bus.liveness.heartbeat_interval);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = heartbeat.send_now.notified() => {}
        }
        let uptime_ms = heartbeat.uptime_ms();
        // NATS may work while the database does not. Reports then wait, so silence says nothing about a battery.
        if bus.uses_nats
            && let Err(error) = bus.store.db().ping().await
        {
            tracing::warn!(%error, "heartbeat_not_sent: the database does not answer");
            continue;
        }
        bus.peers.send(PeerMessage::Heartbeat {
            uptime_ms,
            announces: true,
            answers: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

    #[tokio::test(start_paused = true)]
    async fn a_break_counts_from_the_first_heartbeat_after_it() {
        let limit = Duration::from_secs(15);
        let heartbeat = Heartbeat::new(Some(limit), 100);
        assert_eq!(heartbeat.unbroken_since(), Some(100));
        tokio::time::advance(Duration::from_secs(14)).await;
        heartbeat.received(13_000, 200);
        assert_eq!(heartbeat.unbroken_since(), Some(100));

        tokio::time::advance(Duration::from_secs(15)).await;
        assert_eq!(heartbeat.unbroken_since(), None, "the newest is 16 s old");
        let connected = Instant::now();
        assert_eq!(heartbeat.deadline(connected), connected + limit);
        heartbeat.received(13_500, 300);
        assert_eq!(heartbeat.unbroken_since(), None, "an old one comes late");
        heartbeat.received(heartbeat.uptime_ms(), 400);
        assert_eq!(heartbeat.unbroken_since(), Some(400));

        heartbeat.mark_broken();
        assert_eq!(heartbeat.unbroken_since(), None);
        heartbeat.received(heartbeat.uptime_ms(), 500);
        assert_eq!(heartbeat.unbroken_since(), Some(500));
    }

    /// Reads while heartbeats come back after a break: no read may return the time from before it.
    #[test]
    fn after_a_break_nobody_sees_the_time_before_it() {
        let heartbeat = Heartbeat::new(Some(Duration::from_millis(1)), 0);
        let newest_break = AtomicI64::new(-1);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for now in 0..300 {
                    while heartbeat.unbroken_since().is_some() {
                        std::hint::spin_loop();
                    }
                    newest_break.store(now, Ordering::SeqCst);
                    heartbeat.received(heartbeat.uptime_ms() + 1, now + 1);
                }
                done.store(true, Ordering::SeqCst);
            });
            while !done.load(Ordering::SeqCst) {
                let broken_at = newest_break.load(Ordering::SeqCst);
                let since = heartbeat.unbroken_since();
                assert!(since.is_none_or(|since| since > broken_at), "{since:?}");
            }
        });
    }

    #[tokio::test(start_paused = true)]
    async fn one_process_alone_needs_no_heartbeat() {
        let heartbeat = Heartbeat::new(None, 100);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        assert_eq!(heartbeat.unbroken_since(), Some(100));
    }
}
