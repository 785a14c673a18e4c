//! Rate limits, per address and per account. Strangers who guess at an account use another allowance than the browsers known to
//! its owner, so no one is locked out by other people's attempts.
use crate::error::{Error, Result};
use crate::sliding_window::SlidingWindow;
use domain::client_network::ClientNetwork;
use domain::clock::{HOUR, MINUTE};
use domain::{AccountId, Clock, Message};
use std::net::IpAddr;

pub(crate) struct Limits {
    login_address: SlidingWindow,
    login_stranger: SlidingWindow,
    login_known: SlidingWindow,
    keys: SlidingWindow,
    grant_requests: SlidingWindow,
    register_address: SlidingWindow,
    mail_recipient: SlidingWindow,
    mail_address: SlidingWindow,
    token_address: SlidingWindow,
    password: SlidingWindow,
    totp: SlidingWindow,
    invitations: SlidingWindow,
}

/// Low, because guessing keys is the only way in that needs no mailbox.
const MAX_KEYS_PER_HOUR: usize = 10;

/// No e-mail address is longer. The input may be as long as a whole request, so longer keys are cut.
const MAX_KEY_BYTES: usize = 320;

/// Limits apply to the network, because an IPv6 customer has more addresses than could be limited one by one.
fn network(address: IpAddr) -> String {
    ClientNetwork::of(address).to_string()
}

impl Limits {
    pub(crate) fn new(clock: &Clock) -> Self {
        let per_minute = |limit| SlidingWindow::new(clock, limit, MINUTE);
        let per_hour = |limit| SlidingWindow::new(clock, limit, HOUR);
        Self {
            login_address: per_minute(30),
            login_stranger: per_minute(10),
            login_known: per_minute(10),
            keys: per_hour(MAX_KEYS_PER_HOUR),
            grant_requests: per_hour(30),
            register_address: per_hour(20),
            mail_recipient: per_hour(3),
            mail_address: per_hour(20),
            token_address: per_minute(60),
            password: per_minute(10),
            totp: per_hour(10),
            invitations: per_hour(20),
        }
    }

    /// A login attempt. `known` identifies the browser if the owner has logged in with it before.
    pub(crate) fn login(&self, address: IpAddr, email: &str, known: Option<&str>) -> Result<()> {
        match known {
            Some(browser) => check(&self.login_known, format!("{email} {browser}")),
            None => {
                check(&self.login_address, network(address))?;
                check(&self.login_stranger, email.to_owned())
            }
        }
    }

    /// `tries` keys tried from an address, and by an account if there is one.
    pub(crate) fn keys(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        tries: usize,
    ) -> Result<()> {
        let taken = self.keys.try_acquire(&key_names(address, account), tries);
        taken.map_err(too_many)
    }

    /// Gives back the tries of codes that were right: whoever has them does not guess. Otherwise an electrician who enters a
    /// day's codes would use up the tries of the customer at the same address.
    pub(crate) fn keys_were_right(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        tries: usize,
    ) {
        self.keys.give_back(&key_names(address, account), tries);
    }

    /// An electrician's request for access. It reveals nothing, so it needs no share in the tries of keys.
    pub(crate) fn grant_request(&self, account: AccountId) -> Result<()> {
        check(&self.grant_requests, account.to_string())
    }

    pub(crate) fn register(&self, address: IpAddr) -> Result<()> {
        check(&self.register_address, network(address))
    }

    pub(crate) fn mail_from(&self, address: IpAddr) -> Result<()> {
        check(&self.mail_address, network(address))
    }

    /// Whether this mailbox may get one more mail. The caller never learns the result, because they may not own the mailbox.
    pub(crate) fn may_mail(&self, recipient: &str) -> bool {
        check(&self.mail_recipient, recipient.to_owned()).is_ok()
    }

    pub(crate) fn token(&self, address: IpAddr) -> Result<()> {
        check(&self.token_address, network(address))
    }

    /// A repeated password entry by someone who is logged in.
    pub(crate) fn password(&self, account: AccountId) -> Result<()> {
        check(&self.password, account.to_string())
    }

    /// A second factor after the right password. Three of a million codes are valid at a time, so ten tries an hour give someone
    /// who knows the password a chance of about one in a thousand per day. `from` is the owner's known browser or a logged-in
    /// person; strangers do not use up that allowance.
    pub(crate) fn totp(&self, account: AccountId, from: Option<&str>) -> Result<()> {
        check(
            &self.totp,
            format!("{account} {}", from.unwrap_or_default()),
        )
    }

    /// A mail that someone who is logged in sends to an address of their choice.
    pub(crate) fn invitation(&self, account: AccountId) -> Result<()> {
        check(&self.invitations, account.to_string())
    }
}

fn key_names(address: IpAddr, account: Option<AccountId>) -> Vec<String> {
    let account = account.map(|account| format!("account {account}"));
    [network(address)].into_iter().chain(account).collect()
}

fn check(window: &SlidingWindow, mut key: String) -> Result<()> {
    key.truncate(key.floor_char_boundary(MAX_KEY_BYTES));
    window.try_acquire(&[key], 1).map_err(too_many)
}

const fn too_many(seconds: u64) -> Error {
    Error::RateLimited {
        seconds,
        message: Message::TooManyAttempts,
    }
}
