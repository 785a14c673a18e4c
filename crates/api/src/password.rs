//! Argon2id. Hashing takes tens of milliseconds of CPU and 19 MiB, so it runs off the async threads, a few at a time.
use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use domain::{Password, Random};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// At most this many at once: a flood of logins must not take all memory and cores.
const AT_ONCE: usize = 4;

#[derive(Clone)]
pub struct Passwords {
    random: Random,
    turns: Arc<Semaphore>,
    decoy: Arc<OnceLock<String>>,
}

impl Passwords {
    pub fn new(random: Random) -> Self {
        Self {
            random,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            decoy: Arc::default(),
        }
    }

    pub async fn hash(&self, password: &Password) -> String {
        let (text, salt) = (password.as_str().to_owned(), self.random.bytes::<16>());
        self.run(move || hash(&text, &salt)).await
    }

    /// Checks a password. For an unknown account (`None`) the same work is done, so that time tells nothing.
    pub async fn verify(&self, text: &str, stored: Option<String>) -> bool {
        let (text, salt, decoy) = (
            text.to_owned(),
            self.random.bytes::<16>(),
            Arc::clone(&self.decoy),
        );
        self.run(move || {
            let known = stored.is_some();
            let stored = stored.unwrap_or_else(|| {
                decoy
                    .get_or_init(|| hash("nobody's password", &salt))
                    .clone()
            });
            let Ok(stored) = PasswordHash::new(&stored) else {
                return false;
            };
            Argon2::default()
                .verify_password(text.as_bytes(), &stored)
                .is_ok()
                && known
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let _turn = self
            .turns
            .acquire()
            .await
            .expect("the semaphore is never closed");
        tokio::task::spawn_blocking(work)
            .await
            .expect("hashing does not panic")
    }
}

fn hash(text: &str, salt: &[u8]) -> String {
    Argon2::default()
        .hash_password_with_salt(text.as_bytes(), salt)
        .expect("a 16-byte salt and a bounded password are valid input")
        .to_string()
}
