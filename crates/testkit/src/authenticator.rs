//! A phone with an authenticator app, for tests.
use crate::{PASSWORD, Person, TestApp};
use domain::clock::Millis;
use domain::totp::{TotpSecret, step_at};

/// The secret in the app, and the recovery codes on paper.
#[derive(Clone, Debug)]
pub struct Authenticator {
    secret: TotpSecret,
    pub recovery_codes: Vec<String>,
}

impl Authenticator {
    /// From the secret as shown on the screen.
    pub fn typed(base32: &str) -> Self {
        let letter = |c: u8| match c {
            b'A'..=b'Z' => u128::from(c - b'A'),
            _ => u128::from(c - b'2' + 26),
        };
        let bytes = base32.as_bytes().chunks_exact(8).flat_map(|eight| {
            let bits = eight.iter().fold(0, |bits, c| bits << 5 | letter(*c));
            bits.to_be_bytes()[11..].to_vec()
        });
        Self {
            secret: TotpSecret::from_bytes(&bytes.collect::<Vec<_>>()).unwrap(),
            recovery_codes: Vec::new(),
        }
    }

    /// The code that the app shows.
    pub fn code(&self, now: Millis) -> String {
        self.secret.code(step_at(now))
    }
}

impl TestApp {
    /// Begins to set up the second factor: the phone reads the secret from the screen.
    pub async fn begin_totp(&self, person: &Person) -> Authenticator {
        let shown = self
            .post("/api/auth/account/totp/", &[("password", PASSWORD)])
            .bearer(&person.access)
            .send()
            .await
            .expect(201)
            .json();
        Authenticator::typed(shown["secret"].as_str().unwrap())
    }

    /// Sets up the second factor with the present code.
    pub async fn enable_totp(&self, person: &Person) -> Authenticator {
        let mut phone = self.begin_totp(person).await;
        let code = phone.code(self.clock.now());
        let confirmed = self
            .post("/api/auth/account/totp/confirm/", &[("totp", &code)])
            .bearer(&person.access)
            .send()
            .await
            .expect(200)
            .json();
        let codes = confirmed["recovery_codes"].as_array().unwrap().iter();
        phone.recovery_codes = codes
            .map(|code| code.as_str().unwrap().to_owned())
            .collect();
        phone
    }
}
