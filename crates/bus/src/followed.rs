//! Which systems the other processes have in their live views: only of these do they need to hear.
use dashmap::DashMap;
use domain::Serial;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long an announcement is valid. One of two may get lost.
const FOLLOWED_FOR: Duration = Duration::from_secs(150);
/// By then every process has answered the question which systems it follows, and those of an earlier release, which do not answer,
/// have sent a heartbeat.
const ANSWERED_WITHIN: Duration = Duration::from_secs(12);

#[derive(Debug)]
pub(crate) struct FollowedSystems {
    until: DashMap<Serial, Instant>,
    missed: Mutex<MissedAnnouncements>,
}

/// While announcements may be missing, every system counts as followed.
#[derive(Debug)]
struct MissedAnnouncements {
    until: Instant,
    is_asked: bool,
    /// When our own question came back: then the others have it, too.
    heard_at: Option<Instant>,
}

impl MissedAnnouncements {
    fn new() -> Self {
        Self {
            until: Instant::now() + FOLLOWED_FOR,
            is_asked: false,
            heard_at: None,
        }
    }

    fn has_ended(&self, now: Instant) -> bool {
        let is_answered = self.heard_at.is_some_and(|at| now >= at + ANSWERED_WITHIN);
        is_answered || now >= self.until
    }
}

impl Default for FollowedSystems {
    fn default() -> Self {
        Self {
            until: DashMap::new(),
            missed: Mutex::new(MissedAnnouncements::new()),
        }
    }
}

impl FollowedSystems {
    pub(crate) fn contains(&self, sn: &Serial) -> bool {
        let now = Instant::now();
        !self.missed().has_ended(now) || self.until.get(sn).is_some_and(|until| now < *until)
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
        *self.missed() = MissedAnnouncements::new();
    }

    /// Whether the others have to be asked which systems they follow. Returns `true` once.
    pub(crate) fn take_question(&self) -> bool {
        !std::mem::replace(&mut self.missed().is_asked, true)
    }

    pub(crate) fn question_came_back(&self) {
        self.missed().heard_at = Some(Instant::now());
    }

    /// A process is of a release that announces its systems without being asked only.
    pub(crate) fn expect_no_answers(&self) {
        self.missed().heard_at = None;
    }

    pub(crate) fn remove_expired(&self) {
        let now = Instant::now();
        self.until.retain(|_, until| now < *until);
    }

    fn missed(&self) -> MutexGuard<'_, MissedAnnouncements> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
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
    #[tokio::test(start_paused = true)]
    async fn once_all_have_answered_only_followed_systems_count() {
        let followed = FollowedSystems::default();
        let sn: Serial = "SC000001".parse().unwrap();
        assert!(followed.take_question() && !followed.take_question());
        tokio::time::advance(ANSWERED_WITHIN).await;
        assert!(followed.contains(&sn), "nobody has heard the question yet");
        followed.question_came_back();
        assert!(followed.contains(&sn));
        tokio::time::advance(ANSWERED_WITHIN).await;
        assert!(!followed.contains(&sn));

        followed.assume_all();
        assert!(followed.take_question());
        followed.question_came_back();
        followed.expect_no_answers();
        tokio::time::advance(ANSWERED_WITHIN).await;
        assert!(followed.contains(&sn), "one does not answer");
        tokio::time::advance(FOLLOWED_FOR - ANSWERED_WITHIN).await;
        assert!(!followed.contains(&sn));
    }
}
