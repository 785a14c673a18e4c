//! Argon2id. A hash takes tens of milliseconds of CPU and 19 MiB, so hashing runs off the async threads with limited concurrency.
//! Two bounded queues wait for it, so a flood of logins from unknown browsers does not block known browsers.
use crate::error::Error;
use crate::work_queue::{self, Busy, WorkQueue};
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use domain::{Message, Password, Random};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

/// Limits concurrency: a flood of logins must not take all memory, nor all cores where there are several.
const MAX_STRANGER_HASHES: usize = 3;
const MAX_KNOWN_HASHES: usize = 1;
/// If this many wait in a queue, further requests are refused. It is about a second's work for one core.
const MAX_WAITING: usize = 64;
const RETRY_AFTER_SECONDS: u64 = 5;

/// The queue that a request waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Anyone on the internet.
    Stranger,
    /// A browser that the owner has logged in with before, or a logged-in person.
    Known,
}

impl From<Busy> for Error {
    fn from(_: Busy) -> Self {
        Self::Busy {
            seconds: RETRY_AFTER_SECONDS,
            message: Message::LoginsBusy,
        }
    }
}

fn stranger_hashes() -> usize {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    (cores - 1).clamp(1, MAX_STRANGER_HASHES)
}

#[derive(Clone)]
pub struct Passwords {
    random: Random,
    work: Argon2<'static>,
    strangers: WorkQueue,
    known: WorkQueue,
    decoy: Arc<OnceLock<String>>,
}

impl Passwords {
    /// With the cost parameters that OWASP recommends.
    pub fn new(random: Random) -> Self {
        Self::with_work(random, Argon2::default())
    }

    /// With minimal cost, for tests about something else that create thousands of accounts.
    pub fn quick(random: Random) -> Self {
        let least = Params::new(Params::MIN_M_COST, Params::MIN_T_COST, 1, None);
        let least = least.expect("the least is allowed");
        Self::with_work(
            random,
            Argon2::new(Algorithm::Argon2id, Version::V0x13, least),
        )
    }

    fn with_work(random: Random, work: Argon2<'static>) -> Self {
        Self {
            random,
            work,
            strangers: WorkQueue::new(stranger_hashes(), MAX_WAITING),
            known: WorkQueue::new(MAX_KNOWN_HASHES, MAX_WAITING),
            decoy: Arc::default(),
        }
    }

    /// Refuses a stranger whose password could not be checked now: in a flood of logins it spares the work before that.
    pub fn require_room(&self, lane: Lane) -> Result<(), Busy> {
        let is_full = match lane {
            Lane::Stranger => self.strangers.is_full(),
            Lane::Known => false,
        };
        if is_full { Err(Busy) } else { Ok(()) }
    }

    pub async fn hash(&self, password: &Password, lane: Lane) -> Result<String, Busy> {
        let (text, salt) = (password.as_str().to_owned(), self.random.bytes::<16>());
        let work = self.work.clone();
        self.run(lane, move || hash(&work, &text, &salt)).await
    }

    /// Checks a password. For an unknown account (`None`) it does the same work, so timing reveals nothing.
    pub async fn verify(
        &self,
        text: &str,
        stored: Option<String>,
        lane: Lane,
    ) -> Result<bool, Busy> {
        let (text, salt) = (text.to_owned(), self.random.bytes::<16>());
        let (work, decoy) = (self.work.clone(), Arc::clone(&self.decoy));
        self.run(lane, move || {
            let known = stored.is_some();
            let stored = stored.unwrap_or_else(|| {
                decoy
                    .get_or_init(|| hash(&work, "nobody's password", &salt))
                    .clone()
            });
            let Ok(stored) = PasswordHash::new(&stored) else {
                return false;
            };
            // The cost parameters are those of the stored hash.
            work.verify_password(text.as_bytes(), &stored).is_ok() && known
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let free = match lane {
            Lane::Stranger => None,
            // Uses a strangers' permit if one is free.
            Lane::Known => self.strangers.try_acquire(),
        };
        let permit = match (free, lane) {
            (Some(permit), _) => permit,
            (None, Lane::Stranger) => self.strangers.acquire().await?,
            (None, Lane::Known) => self.known.acquire().await?,
        };
        let done = work_queue::run(permit, work).await;
        Ok(done.expect("hashing does not panic"))
    }
}

fn hash(work: &Argon2<'_>, text: &str, salt: &[u8]) -> String {
    work.hash_password_with_salt(text.as_bytes(), salt)
        .expect("a 16-byte salt and a bounded password are valid input")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;

    fn random() -> Random {
        Random::new(|bytes| bytes.fill(7))
    }

    #[tokio::test]
    async fn people_are_guarded_by_the_work_that_owasp_asks_for() {
        let password = Password::parse("Sonnenschein-1!").unwrap();
        let hash = Passwords::new(random()).hash(&password, Lane::Known).await;
        let hash = hash.unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
    }

    #[tokio::test]
    async fn a_hash_is_checked_with_its_own_work() {
        let password = Password::parse("Sonnenschein-1!").unwrap();
        let hash = Passwords::quick(random())
            .hash(&password, Lane::Known)
            .await;
        let hash = hash.unwrap();
        let passwords = Passwords::new(random());
        for (text, stored, right) in [
            ("Sonnenschein-1!", Some(hash.clone()), true),
            ("Sonnenschein-2!", Some(hash), false),
            ("nobody's password", None, false),
        ] {
            let verified = passwords.verify(text, stored, Lane::Stranger).await;
            assert_eq!(verified, Ok(right), "{text}");
        }
    }

    #[tokio::test]
    async fn strangers_leave_a_core_to_everybody_else() {
        const FLOOD: usize = 9;
        let passwords = Passwords::quick(random());
        let cores = available_parallelism().map_or(1, std::num::NonZero::get);
        let (go, blocked) = std::sync::mpsc::channel::<()>();
        let blocked = Arc::new(Mutex::new(blocked));
        // Hashes that are being computed, and the most of them at any time.
        let counts = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let flood = (0..FLOOD).map(|_| {
            let (passwords, blocked) = (passwords.clone(), Arc::clone(&blocked));
            let counts = Arc::clone(&counts);
            tokio::spawn(async move {
                let work = move || {
                    let running = counts.0.fetch_add(1, SeqCst) + 1;
                    counts.1.fetch_max(running, SeqCst);
                    // Until the test says so, or has ended.
                    let _ = blocked.lock().unwrap().recv();
                    counts.0.fetch_sub(1, SeqCst);
                };
                passwords.run(Lane::Stranger, work).await
            })
        });
        let flood: Vec<_> = flood.collect();
        let at_once = (cores - 1).clamp(1, MAX_STRANGER_HASHES);
        while counts.0.load(SeqCst) < at_once
            || passwords.strangers.free_places() > MAX_WAITING - (FLOOD - at_once)
        {
            tokio::task::yield_now().await;
        }
        drop(go);
        for hashed in flood {
            hashed.await.unwrap().unwrap();
        }
        assert_eq!(counts.1.load(SeqCst), at_once);
    }

    #[tokio::test]
    async fn a_flood_of_strangers_is_sent_away_and_keeps_no_known_browser_waiting() {
        let passwords = Passwords::quick(random());
        // All permits are taken for as long as the test needs.
        let permits: Vec<_> = std::iter::from_fn(|| passwords.strangers.try_acquire()).collect();
        let flood = (0..MAX_WAITING).map(|_| {
            let passwords = passwords.clone();
            tokio::spawn(async move { passwords.verify("x", None, Lane::Stranger).await })
        });
        let flood: Vec<_> = flood.collect();
        while passwords.strangers.free_places() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(passwords.require_room(Lane::Stranger), Err(Busy));
        assert_eq!(passwords.verify("x", None, Lane::Stranger).await, Err(Busy));
        assert_eq!(passwords.require_room(Lane::Known), Ok(()));
        assert_eq!(passwords.verify("x", None, Lane::Known).await, Ok(false));
        drop(permits);
        for waited in flood {
            assert_eq!(waited.await.unwrap(), Ok(false));
        }
    }
}
