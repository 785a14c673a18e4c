//! Rate limits, per address and per account. Strangers who guess at an account use another allowance than the browsers known to
//! its owner, so no one is locked out by other people's attempts. Several processes share the allowances in the database.
use crate::error::{Error, Result};
use crate::sliding_window::SlidingWindow;
use axum::http::StatusCode;
use domain::client_network::ClientNetwork;
use domain::clock::{HOUR, MINUTE, Millis, SECOND};
use domain::{AccountId, Clock, CompanyId, Message};
use std::net::IpAddr;
use store::Store;

pub(crate) struct Limits {
    /// Where attempts are counted for all processes; [`None`] if this is the only one.
    store: Option<Store>,
    clock: Clock,
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
/// For systems that the electrician has not had yet.
pub(crate) const MAX_GRANT_REQUESTS_PER_HOUR: usize = 30;

/// No e-mail address is longer. The input may be as long as a whole request, so longer keys are cut.
const MAX_KEY_BYTES: usize = 320;

/// Limits apply to the network, because an IPv6 customer has more addresses than could be limited one by one.
fn network(address: IpAddr) -> String {
    ClientNetwork::of(address).to_string()
}

impl Limits {
    pub(crate) fn new(store: &Store, clock: &Clock) -> Self {
        let per_minute = |kind, attempts| SlidingWindow::new(kind, attempts, MINUTE);
        let per_hour = |kind, attempts| SlidingWindow::new(kind, attempts, HOUR);
        Self {
            store: store.db().is_shared().then(|| store.clone()),
            clock: clock.clone(),
            login_address: per_minute("login_address", 30),
            login_stranger: per_minute("login_stranger", 10),
            login_known: per_minute("login_known", 10),
            keys: per_hour("keys", MAX_KEYS_PER_HOUR),
            grant_requests: per_hour("grant_requests", MAX_GRANT_REQUESTS_PER_HOUR),
            register_address: per_hour("register_address", 20),
            mail_recipient: per_hour("mail_recipient", 3),
            mail_address: per_hour("mail_address", 20),
            token_address: per_minute("token_address", 60),
            password: per_minute("password", 10),
            totp: per_hour("totp", 10),
            invitations: per_hour("invitations", 20),
        }
    }

    /// A login attempt. `known` identifies the browser if the owner has logged in with it before.
    pub(crate) async fn login(
        &self,
        address: IpAddr,
        email: &str,
        known: Option<&str>,
    ) -> Result<()> {
        match known {
            Some(browser) => {
                let name = format!("{email} {browser}");
                self.check(&self.login_known, name).await
            }
            None => {
                self.check(&self.login_address, network(address)).await?;
                self.check(&self.login_stranger, email.to_owned()).await
            }
        }
    }

    /// `tries` keys tried from an address, and by an account if there is one.
    pub(crate) async fn keys(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        tries: usize,
    ) -> Result<()> {
        self.take(&self.keys, &key_names(address, account), tries)
            .await
    }

    /// Gives back the tries of codes that were right: whoever has them does not guess. Otherwise an electrician who enters a
    /// day's codes would use up the tries of the customer at the same address.
    pub(crate) async fn keys_were_right(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        tries: usize,
    ) {
        let names = key_names(address, account);
        self.keys.give_back(&names, tries);
        if let Some(store) = &self.store
            && let Err(error) = store
                .give_back_attempts(self.keys.kind, &names, tries)
                .await
        {
            tracing::warn!(%error, "the tries of right codes were not given back");
        }
    }

    /// A company's requests for access. They reveal nothing, so they need no share in the tries of keys.
    pub(crate) async fn grant_requests(&self, company: CompanyId, systems: usize) -> Result<()> {
        self.take(&self.grant_requests, &[company.to_string()], systems)
            .await
    }

    pub(crate) async fn register(&self, address: IpAddr) -> Result<()> {
        self.check(&self.register_address, network(address)).await
    }

    pub(crate) async fn mail_from(&self, address: IpAddr) -> Result<()> {
        let checked = self.check(&self.mail_address, network(address)).await;
        checked.map_err(mail_failed)
    }

    /// Whether this mailbox may get one more mail. The caller never learns the result, because they may not own the mailbox.
    pub(crate) async fn may_mail(&self, recipient: &str) -> Result<bool> {
        match self.check(&self.mail_recipient, recipient.to_owned()).await {
            Ok(()) => Ok(true),
            Err(Error::RateLimited { .. }) => Ok(false),
            Err(error) => Err(mail_failed(error)),
        }
    }

    pub(crate) async fn token(&self, address: IpAddr) -> Result<()> {
        self.check(&self.token_address, network(address)).await
    }

    /// A repeated password entry by someone who is logged in.
    pub(crate) async fn password(&self, account: AccountId) -> Result<()> {
        self.check(&self.password, account.to_string()).await
    }

    /// A second factor after the right password. Three of a million codes are valid at a time, so ten tries an hour give someone
    /// who knows the password a chance of about one in a thousand per day. `from` is the owner's known browser or a logged-in
    /// person; strangers do not use up that allowance.
    pub(crate) async fn totp(&self, account: AccountId, from: Option<&str>) -> Result<()> {
        let name = format!("{account} {}", from.unwrap_or_default());
        self.check(&self.totp, name).await
    }

    /// A mail that someone who is logged in sends to an address of their choice.
    pub(crate) async fn invitation(&self, account: AccountId) -> Result<()> {
        self.check(&self.invitations, account.to_string()).await
    }

    async fn check(&self, window: &SlidingWindow, mut name: String) -> Result<()> {
        name.truncate(name.floor_char_boundary(MAX_KEY_BYTES));
        self.take(window, &[name], 1).await
    }

    /// First in memory: what this process already refuses costs no statement.
    async fn take(&self, window: &SlidingWindow, names: &[String], tries: usize) -> Result<()> {
        let now = self.clock.now();
        window.take(names, tries, now).map_err(too_many)?;
        let Some(store) = &self.store else {
            return Ok(());
        };
        let taken = store.take_attempts(window.kind, window.limit, names, tries, now);
        taken.await?.map_err(|wait| {
            window.give_back(names, tries);
            too_many(wait)
        })
    }
}

/// Without the database the mail could not be queued either.
fn mail_failed(error: Error) -> Error {
    match error {
        Error::RateLimited { .. } => error,
        _ => Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::MailFailed),
    }
}

fn key_names(address: IpAddr, account: Option<AccountId>) -> Vec<String> {
    let account = account.map(|account| format!("account {account}"));
    [network(address)].into_iter().chain(account).collect()
}

fn too_many(wait: Millis) -> Error {
    Error::RateLimited {
        seconds: u64::try_from(wait / SECOND).unwrap_or(0) + 1,
        message: Message::TooManyAttempts,
    }
}
