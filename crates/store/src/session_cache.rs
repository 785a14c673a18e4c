//! In-memory cache of recently checked sessions. The same few clients call every few seconds, and reading a session again costs
//! more than most responses. Any write by this process invalidates the whole cache, so ending a session, locking an account or
//! giving a system away takes effect at once. Reports of batteries are the exception: they change no rights, so they invalidate
//! only the sessions that can see the battery whose facts changed.
use crate::access::Access;
use crate::session::{SessionId, StoredSession};
use db::{ChangeVersion, Changes};
use domain::clock::{Millis, SECOND};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Old entries are dropped when so many have been added: each may hold a list of thousands of systems.
const INSERTS_BETWEEN_CLEANUPS: usize = 64;
/// Writes of another process (such as an operator's command) take effect after at most this time.
const SESSION_CACHE_TTL: Millis = SECOND;
const MAX_CACHED_SESSIONS: usize = 10_000;

#[derive(Clone, Debug)]
pub(crate) struct SessionCache {
    changes: Changes,
    cached: Arc<Mutex<CachedSessions>>,
}

#[derive(Debug, Default)]
struct CachedSessions {
    by_id: HashMap<SessionId, CachedSession>,
    inserts: usize,
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
            cached: Arc::default(),
        }
    }

    /// Take it before a session is read, and pass it to [`SessionCache::insert`].
    pub(crate) fn version(&self) -> ChangeVersion {
        self.changes.version()
    }

    pub(crate) fn find(
        &self,
        id: &SessionId,
        now: Millis,
    ) -> Option<(StoredSession, Arc<[Access]>)> {
        let sessions = self.cached();
        let cached = sessions.by_id.get(id)?;
        let fresh = cached.is_recent(now)
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
        let mut sessions = self.cached();
        sessions.inserts += 1;
        if sessions.inserts.is_multiple_of(INSERTS_BETWEEN_CLEANUPS) {
            sessions.by_id.retain(|_, cached| cached.is_recent(now));
        }
        if sessions.by_id.len() >= MAX_CACHED_SESSIONS {
            sessions.by_id.clear();
        }
        let cached = CachedSession {
            session,
            accesses,
            read_at: now,
            version,
        };
        sessions.by_id.insert(id, cached);
    }

    fn cached(&self) -> MutexGuard<'_, CachedSessions> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedSession {
    fn is_recent(&self, now: Millis) -> bool {
        (0..SESSION_CACHE_TTL).contains(&(now - self.read_at))
    }
}
