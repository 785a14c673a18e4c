//! Which systems the other processes have in their live views: only of these do they need to hear.
//!
//! Each process announces its systems when they enter its view, and all of them every minute. What it does not hear of is
//! repaired soon: a system that has just entered the view is read once more, and presences are read every minute.
use crate::Bus;
use crate::peer_message::PeerMessage;
use dashmap::DashMap;
use domain::Serial;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior};

const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(60);
/// How long an announcement counts: one may get lost.
const FOLLOWED_FOR: Duration = Duration::from_secs(150);
const TICK_INTERVAL: Duration = Duration::from_secs(1);
/// By then every process has heard that we follow a system.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(2);
/// So that an announcement is never too long for a peer message.
const MAX_ANNOUNCED: usize = 200;

#[derive(Debug)]
pub(crate) struct FollowedSystems {
    until: DashMap<Serial, Instant>,
    /// Until then every system counts as followed: announcements may have been missed.
    all_until: Mutex<Instant>,
}

impl Default for FollowedSystems {
    fn default() -> Self {
        Self {
            until: DashMap::new(),
            all_until: Mutex::new(Instant::now() + FOLLOWED_FOR),
        }
    }
}

impl FollowedSystems {
    pub(crate) fn contains(&self, sn: &Serial) -> bool {
        let now = Instant::now();
        let all_until = *self.all_until();
        now < all_until || self.until.get(sn).is_some_and(|until| now < *until)
    }

    /// Another process has these systems in its view.
    pub(crate) fn add(&self, systems: impl Iterator<Item = Serial>) {
        let until = Instant::now() + FOLLOWED_FOR;
        for sn in systems {
            self.until.insert(sn, until);
        }
    }

    /// Announcements may have been missed.
    pub(crate) fn assume_all(&self) {
        *self.all_until() = Instant::now() + FOLLOWED_FOR;
    }

    fn remove_expired(&self) {
        let now = Instant::now();
        self.until.retain(|_, until| now < *until);
    }

    fn all_until(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.all_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus {
    /// Tells the other processes to send what happens at these systems.
    pub(crate) fn announce(&self, systems: &[Serial]) {
        for some in systems.chunks(MAX_ANNOUNCED) {
            let systems = some.iter().map(Serial::to_string).collect();
            self.peers.send(PeerMessage::Follow { systems });
        }
    }
}

/// Announces the systems of this process. Never returns; on SQLite there is nobody to announce them to.
pub(crate) async fn run(bus: &Bus) {
    if !bus.peers.has_peers() {
        return std::future::pending().await;
    }
    let mut tick = tokio::time::interval(TICK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut announced = Instant::now();
    let mut to_read_again: Vec<(Instant, Vec<Serial>)> = Vec::new();
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = bus.live.has_new_systems() => {}
        }
        let new = bus.live.take_new_systems();
        if !new.is_empty() {
            bus.announce(&new);
            to_read_again.push((Instant::now() + READ_AGAIN_AFTER, new));
        }
        let now = Instant::now();
        for (_, systems) in to_read_again.extract_if(.., |(at, _)| *at <= now) {
            bus.live.request_reload(systems);
        }
        if now >= announced + ANNOUNCE_INTERVAL {
            announced = now;
            bus.announce(&bus.live.serials());
            bus.peers.followed().remove_expired();
            if let Err(error) = bus.live.read_presences().await {
                tracing::warn!(%error, "presences_read_failed: retrying in a minute");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_announced_systems_are_followed_once_all_processes_have_announced_theirs() {
        let followed = FollowedSystems::default();
        let (one, two): (Serial, Serial) =
            ("SC000001".parse().unwrap(), "SC000002".parse().unwrap());
        assert!(followed.contains(&one), "nobody has announced anything yet");
        tokio::time::advance(FOLLOWED_FOR).await;
        followed.add([one.clone()].into_iter());
        assert!(followed.contains(&one) && !followed.contains(&two));
        tokio::time::advance(FOLLOWED_FOR).await;
        assert!(!followed.contains(&one), "its follower has gone");
        followed.assume_all();
        assert!(followed.contains(&two), "announcements were missed");
    }
}
