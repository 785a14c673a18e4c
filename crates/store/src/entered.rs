//! Who has just entered, kept in memory: the same few people ask every few seconds, and looking them up again costs more
//! than most answers. Whatever this process writes makes it forget everybody, so that ending a session, locking an
//! account or giving a system away takes effect at once. Only what batteries report is left out of that: it changes
//! nobody's rights, and when a thousand of them say something new of themselves, others need not be looked up for it.
use crate::access::Access;
use crate::session::{Row, SessionId};
use domain::Serial;
use domain::clock::{Millis, SECOND};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What another process writes (an operator's command) takes effect after so long.
const KEPT: Millis = SECOND;
const PEOPLE: usize = 10_000;
/// So many systems that described themselves are remembered; whoever was looked up before those is looked up again.
const DESCRIBED: usize = 256;

#[derive(Clone, Debug, Default)]
pub(crate) struct Entered(Arc<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// How often something was written.
    writes: AtomicU64,
    described: Mutex<Described>,
    people: Mutex<HashMap<SessionId, Person>>,
}

/// Systems whose phase, zone or capacity may be another than before.
#[derive(Debug, Default)]
struct Described {
    /// How many there have been.
    count: usize,
    /// The last of them.
    newest: VecDeque<Serial>,
}

impl Described {
    fn push(&mut self, sn: &Serial) {
        self.count += 1;
        self.newest.push_back(sn.clone());
        if self.newest.len() > DESCRIBED {
            self.newest.pop_front();
        }
    }

    /// Whether any of these systems is among those after the first `count`, as far as is known.
    fn concerns(&self, accesses: &[Access], count: usize) -> bool {
        let since = self.count - count;
        since > self.newest.len()
            || self
                .newest
                .iter()
                .rev()
                .take(since)
                .any(|sn| accesses.iter().any(|access| access.sn() == sn))
    }
}

#[derive(Debug)]
struct Person {
    session: Row,
    accesses: Arc<[Access]>,
    read_at: Millis,
    before: Before,
}

/// Taken before the look-up: what is written meanwhile makes its result old.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// How often something had been written.
    writes: u64,
    /// How many systems had described themselves.
    described: usize,
}

impl Entered {
    pub(crate) fn before(&self) -> Before {
        Before {
            writes: self.0.writes.load(Ordering::SeqCst),
            described: self.described().count,
        }
    }

    fn described(&self) -> MutexGuard<'_, Described> {
        let described = self.0.described.lock();
        described.unwrap_or_else(PoisonError::into_inner)
    }

    /// After a commit.
    pub(crate) fn forget(&self) {
        self.0.writes.fetch_add(1, Ordering::SeqCst);
    }

    /// After a commit in which these systems said something new of themselves, and nothing else that anybody's access holds.
    pub(crate) fn describe<'a>(&self, systems: impl IntoIterator<Item = &'a Serial>) {
        let mut described = self.described();
        for sn in systems {
            described.push(sn);
        }
    }

    pub(crate) fn find(&self, id: &SessionId, now: Millis) -> Option<(Row, Arc<[Access]>)> {
        let people = self.0.people.lock().unwrap_or_else(PoisonError::into_inner);
        let person = people.get(id)?;
        let Before { writes, described } = person.before;
        let fresh = writes == self.0.writes.load(Ordering::SeqCst)
            && (0..KEPT).contains(&(now - person.read_at))
            && !self.described().concerns(&person.accesses, described);
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
            before,
        };
        people.insert(id, person);
    }
}
