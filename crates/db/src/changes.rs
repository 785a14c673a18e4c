//! What this process has written. Caches compare it with what they saw when they were filled.
use domain::Serial;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many changed systems are remembered. What was cached before the oldest of them is read again.
const MAX_CHANGED_SYSTEMS: usize = 256;

/// Counts the writes of this process. Reports of batteries change nobody's rights: they only name the systems whose phase, time
/// zone or capacity changed.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    writes: AtomicU64,
    systems: Mutex<ChangedSystems>,
}

#[derive(Debug, Default)]
struct ChangedSystems {
    /// How many changes there have been.
    count: usize,
    /// The most recent ones.
    newest: VecDeque<Serial>,
}

/// A moment in the sequence of writes. Take it before reading: a write during the read makes the result stale.
#[derive(Clone, Copy, Debug)]
pub struct ChangeVersion {
    writes: u64,
    systems: usize,
}

impl Changes {
    pub fn version(&self) -> ChangeVersion {
        ChangeVersion {
            writes: self.0.writes.load(Ordering::SeqCst),
            systems: self.systems().count,
        }
    }

    /// Call after a commit.
    pub fn count_write(&self) {
        self.0.writes.fetch_add(1, Ordering::SeqCst);
    }

    /// Call after a commit that changed these systems and nothing else that an access contains.
    pub fn count_systems<'a>(&self, systems: impl IntoIterator<Item = &'a Serial>) {
        let mut changed = self.systems();
        for sn in systems {
            changed.count += 1;
            changed.newest.push_back(sn.clone());
            if changed.newest.len() > MAX_CHANGED_SYSTEMS {
                changed.newest.pop_front();
            }
        }
    }

    /// Whether something that these systems' readers depend on was written after `version`; also true when too many systems
    /// changed to tell.
    pub fn concern<'a, I: Iterator<Item = &'a Serial>>(
        &self,
        version: ChangeVersion,
        systems: impl Fn() -> I,
    ) -> bool {
        if version.writes != self.0.writes.load(Ordering::SeqCst) {
            return true;
        }
        let changed = self.systems();
        let since = changed.count - version.systems;
        let mut newest = changed.newest.iter().rev().take(since);
        since > changed.newest.len() || newest.any(|sn| systems().any(|system| system == sn))
    }

    fn systems(&self) -> MutexGuard<'_, ChangedSystems> {
        self.0
            .systems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
