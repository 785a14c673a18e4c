//! Who has just entered, kept in memory: the same few people ask every few seconds, and looking them up again costs more
//! than most answers. Whatever this process writes makes it forget everybody, so that ending a session, locking an
//! account or giving a system away takes effect at once.
use crate::access::Access;
use crate::session::{Row, SessionId};
use domain::clock::{Millis, SECOND};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What another process writes (an operator's command) takes effect after so long.
const KEPT: Millis = SECOND;
const PEOPLE: usize = 10_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Entered(Arc<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// How often something was written.
    writes: AtomicU64,
    people: Mutex<HashMap<SessionId, Person>>,
}

#[derive(Debug)]
struct Person {
    session: Row,
    accesses: Arc<[Access]>,
    read_at: Millis,
    /// How often something had been written before they were looked up.
    writes: u64,
}

/// Taken before the look-up: what is written meanwhile makes its result old.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before(u64);

impl Entered {
    pub(crate) fn before(&self) -> Before {
        Before(self.0.writes.load(Ordering::SeqCst))
    }

    /// After a commit.
    pub(crate) fn forget(&self) {
        self.0.writes.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn find(&self, id: &SessionId, now: Millis) -> Option<(Row, Arc<[Access]>)> {
        let people = self.0.people.lock().unwrap_or_else(PoisonError::into_inner);
        let person = people.get(id)?;
        let fresh = person.writes == self.before().0 && (0..KEPT).contains(&(now - person.read_at));
        fresh.then(|| (person.session.clone(), Arc::clone(&person.accesses)))
    }

    pub(crate) fn keep(
        &self,
        id: SessionId,
        before: Before,
        now: Millis,
        session: Row,
        accesses: Arc<[Access]>,
    ) {
        let mut people = self.0.people.lock().unwrap_or_else(PoisonError::into_inner);
        if people.len() >= PEOPLE {
            people.clear();
        }
        let person = Person {
            session,
            accesses,
            read_at: now,
            writes: before.0,
        };
        people.insert(id, person);
    }
}
