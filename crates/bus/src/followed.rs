//! Which systems the other processes have in their live views: only of these do they need to hear.
use dashmap::DashMap;
use domain::Serial;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long an announcement is valid. One of two may get lost.
const FOLLOWED_FOR: Duration = Duration::from_secs(150);

#[derive(Debug)]
pub(crate) struct FollowedSystems {
    until: DashMap<Serial, Instant>,
    /// Until then every system counts as followed, because announcements may have been missed.
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

    pub(crate) fn remove_expired(&self) {
        let now = Instant::now();
        self.until.retain(|_, until| now < *until);
    }

    fn all_until(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.all_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
