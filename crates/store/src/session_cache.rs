//! In-memory cache of recently checked sessions. The same few clients call every few seconds, and reading a session again costs
//! more than most responses. Any write by this process invalidates the whole cache, so ending a session, locking an account or
//! giving a system away takes effect at once. Reports of batteries are the exception: they change nobody's rights, so they
//! invalidate only the sessions that can see the battery whose facts changed.
use crate::access::Access;
use crate::session::{SessionId, StoredSession};
use db::{ChangeVersion, Changes};
use domain::clock::{Millis, SECOND};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writes of another process (such as an operator's command) take effect after at most this time.
const SESSION_CACHE_TTL: Millis = SECOND;
const MAX_CACHED_SESSIONS: usize = 10_000;
#[derive(Clone, Debug)]
pub(crate) struct SessionCache {
    changes: Changes,
    sessions: Arc<Mutex<HashMap<SessionId, CachedSession>>>,
}

#[derive(Debug)]
struct CachedSession {
    session: StoredSession,
    accesses: Arc<[Access]>,
    read_at: Millis,
    version: ChangeVersion,
}

impl SessionCache {
    pub(crate) fn new(changes: Changes) -> Self {
        Self {
            changes,
            sessions: Arc::default(),
        }
    }

    /// To be taken before a session is read and given to [`SessionCache::insert`].
    pub(crate) fn version(&self) -> ChangeVersion {
        self.changes.version()
    }

    pub(crate) fn find(
        &self,
        id: &SessionId,
        now: Millis,
    ) -> Option<(StoredSession, Arc<[Access]>)> {
        let sessions = self.sessions();
        let cached = sessions.get(id)?;
        let fresh = (0..SESSION_CACHE_TTL).contains(&(now - cached.read_at))
            && !self
                .changes
                .concern(cached.version, || cached.accesses.iter().map(Access::sn));
        fresh.then(|| (cached.session.clone(), Arc::clone(&cached.accesses)))
    }

    pub(crate) fn insert(
        &self,
        id: SessionId,
        version: ChangeVersion,
        now: Millis,
        session: StoredSession,
        accesses: Arc<[Access]>,
    ) {
        let mut sessions = self.sessions();
        if sessions.len() >= MAX_CACHED_SESSIONS {
            sessions.clear();
        }
        let cached = CachedSession {
            session,
            accesses,
            read_at: now,
            version,
        };
        sessions.insert(id, cached);
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, CachedSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
