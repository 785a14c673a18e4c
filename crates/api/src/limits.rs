//! How often somebody may try. Limits are per address and per account, and strangers who guess at an account use up
//! another allowance than the browser its owner is known by: nobody is locked out by somebody else's attempts.
use crate::error::{Error, Result};
use crate::window::Window;
use domain::client_network::ClientNetwork;
use domain::{Clock, Message};
use governor::clock::Clock as GovernorClock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

type Keyed = RateLimiter<String, DashMapStateStore<String>, OurClock, NoOpMiddleware<Nanos>>;

pub(crate) struct Limits {
    clock: OurClock,
    login_address: Keyed,
    login_stranger: Keyed,
    login_known: Keyed,
    keys: Window,
    register_address: Keyed,
    mail_recipient: Keyed,
    mail_address: Keyed,
    token_address: Keyed,
    password: Keyed,
    totp: Keyed,
    invitations: Keyed,
    uses: AtomicU32,
}

/// Guessing at keys is the one way in that needs no mailbox.
const KEYS_AN_HOUR: usize = 10;

/// No address of a person is longer; what is typed in its place may be as long as a request.
const MAX_KEY: usize = 320;

/// Whoever has an IPv6 line has more addresses than there are limits.
fn network(address: IpAddr) -> String {
    ClientNetwork::of(address).to_string()
}

const fn count(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).expect("limits are above zero")
}

impl Limits {
    pub(crate) fn new(clock: &Clock) -> Self {
        let clock = OurClock(clock.clone());
        let keyed = |quota| RateLimiter::dashmap_with_clock(quota, clock.clone());
        Self {
            login_address: keyed(Quota::per_minute(count(30))),
            login_stranger: keyed(Quota::per_minute(count(10))),
            login_known: keyed(Quota::per_minute(count(10))),
            register_address: keyed(Quota::per_hour(count(20))),
            mail_recipient: keyed(Quota::per_hour(count(3))),
            mail_address: keyed(Quota::per_hour(count(20))),
            token_address: keyed(Quota::per_minute(count(60))),
            password: keyed(Quota::per_minute(count(10))),
            totp: keyed(Quota::per_hour(count(10))),
            invitations: keyed(Quota::per_hour(count(20))),
            keys: Window::new(&clock.0, KEYS_AN_HOUR),
            uses: AtomicU32::new(0),
            clock,
        }
    }

    /// A login attempt. `known` names the browser if its owner has entered with it before.
    pub(crate) fn login(&self, address: IpAddr, email: &str, known: Option<&str>) -> Result<()> {
        match known {
            Some(browser) => self.check(&self.login_known, format!("{email} {browser}")),
            None => {
                self.check(&self.login_address, network(address))?;
                self.check(&self.login_stranger, email.to_owned())
            }
        }
    }

    /// `tries` keys tried from an address, and by an account if there is one.
    pub(crate) fn keys(
        &self,
        address: IpAddr,
        account: Option<domain::AccountId>,
        tries: usize,
    ) -> Result<()> {
        self.forget_the_idle();
        let account = account.map(|account| format!("account {account}"));
        let names: Vec<String> = [network(address)].into_iter().chain(account).collect();
        let taken = self.keys.take(&names, tries);
        taken.map_err(too_many)
    }

    pub(crate) fn register(&self, address: IpAddr) -> Result<()> {
        self.check(&self.register_address, network(address))
    }

    pub(crate) fn mail_from(&self, address: IpAddr) -> Result<()> {
        self.check(&self.mail_address, network(address))
    }

    /// Whether this mailbox may get one more mail. Never told to the caller, who may not be its owner.
    pub(crate) fn may_mail(&self, recipient: &str) -> bool {
        self.check(&self.mail_recipient, recipient.to_owned())
            .is_ok()
    }

    pub(crate) fn token(&self, address: IpAddr) -> Result<()> {
        self.check(&self.token_address, network(address))
    }

    /// A password typed again by somebody who is logged in.
    pub(crate) fn password(&self, account: domain::AccountId) -> Result<()> {
        self.check(&self.password, account.to_string())
    }

    /// A second factor given after the right password. Three of a million codes are right at a time: ten tries an hour are
    /// a chance of one in a thousand a day, for whoever knows the password. `from` is the browser that the owner is known
    /// by, or whoever is logged in, whose allowance strangers do not use up.
    pub(crate) fn totp(&self, account: domain::AccountId, from: Option<&str>) -> Result<()> {
        self.check(
            &self.totp,
            format!("{account} {}", from.unwrap_or_default()),
        )
    }

    /// A mail that somebody who is logged in sends to an address of their choice.
    pub(crate) fn invitation(&self, account: domain::AccountId) -> Result<()> {
        self.check(&self.invitations, account.to_string())
    }

    fn check(&self, limiter: &Keyed, mut key: String) -> Result<()> {
        self.forget_the_idle();
        key.truncate(key.floor_char_boundary(MAX_KEY));
        limiter.check_key(&key).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            too_many(wait.as_secs() + 1)
        })
    }

    /// Every so often: keys that are back at their full allowance need no memory.
    fn forget_the_idle(&self) {
        if self.uses.fetch_add(1, Ordering::Relaxed) % 4096 == 4095 {
            for limiter in [
                &self.login_address,
                &self.login_stranger,
                &self.login_known,
                &self.register_address,
                &self.mail_recipient,
                &self.mail_address,
                &self.token_address,
                &self.password,
                &self.totp,
                &self.invitations,
            ] {
                limiter.retain_recent();
            }
            self.keys.forget_the_idle();
        }
    }
}

const fn too_many(seconds: u64) -> Error {
    Error::Slow {
        seconds,
        message: Message::TooManyAttempts,
    }
}

/// The product's clock in the terms of the limiter.
#[derive(Clone, Debug)]
struct OurClock(Clock);

impl GovernorClock for OurClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Duration::from_millis(u64::try_from(self.0.now()).unwrap_or(0)).into()
    }
}
