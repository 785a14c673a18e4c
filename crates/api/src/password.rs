//! Argon2id. Hashing takes tens of milliseconds of CPU and 19 MiB, so it runs off the async threads, a few at a time.
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use domain::{Password, Random};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// At most this many at once: a flood of logins must not take all memory and cores.
const AT_ONCE: usize = 4;

#[derive(Clone)]
pub struct Passwords {
    random: Random,
    work: Argon2<'static>,
    turns: Arc<Semaphore>,
    decoy: Arc<OnceLock<String>>,
}

impl Passwords {
    /// With the work that OWASP asks for.
    pub fn new(random: Random) -> Self {
        Self::with_work(random, Argon2::default())
    }

    /// With the least work there is, for tests that are about something else: they make thousands of accounts.
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
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            decoy: Arc::default(),
        }
    }

    pub async fn hash(&self, password: &Password) -> String {
        let (text, salt) = (password.as_str().to_owned(), self.random.bytes::<16>());
        let work = self.work.clone();
        self.run(move || hash(&work, &text, &salt)).await
    }

    /// Checks a password. For an unknown account (`None`) the same work is done, so that time tells nothing.
    pub async fn verify(&self, text: &str, stored: Option<String>) -> bool {
        let (text, salt) = (text.to_owned(), self.random.bytes::<16>());
        let (work, decoy) = (self.work.clone(), Arc::clone(&self.decoy));
        self.run(move || {
            let known = stored.is_some();
            let stored = stored.unwrap_or_else(|| {
                decoy
                    .get_or_init(|| hash(&work, "nobody's password", &salt))
                    .clone()
            });
            let Ok(stored) = PasswordHash::new(&stored) else {
                return false;
            };
            // The work is that of the stored hash.
            work.verify_password(text.as_bytes(), &stored).is_ok() && known
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

fn hash(work: &Argon2<'_>, text: &str, salt: &[u8]) -> String {
    work.hash_password_with_salt(text.as_bytes(), salt)
        .expect("a 16-byte salt and a bounded password are valid input")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> Random {
        Random::new(|bytes| bytes.fill(7))
    }

    #[tokio::test]
    async fn people_are_guarded_by_the_work_that_owasp_asks_for() {
        let password = Password::parse("Sonnenschein-1!").unwrap();
        let hash = Passwords::new(random()).hash(&password).await;
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
    }

    #[tokio::test]
    async fn a_hash_is_checked_with_its_own_work() {
        let password = Password::parse("Sonnenschein-1!").unwrap();
        let hash = Passwords::quick(random()).hash(&password).await;
        let passwords = Passwords::new(random());
        assert!(
            passwords
                .verify("Sonnenschein-1!", Some(hash.clone()))
                .await
        );
        assert!(!passwords.verify("Sonnenschein-2!", Some(hash)).await);
        assert!(!passwords.verify("nobody's password", None).await);
    }
}
