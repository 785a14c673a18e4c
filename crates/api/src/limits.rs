//! Rate limits, per address and per account. Attempts from unknown browsers use another allowance than those from browsers known
//! to the owner, so nobody is locked out by other people's attempts. Several processes share the allowances in the database.
use crate::error::{Error, Result};
use crate::sliding_window::SlidingWindow;
use axum::http::StatusCode;
use domain::client_network::{ClientNetwork, LINES_PER_BLOCK};
use domain::clock::{HOUR, MINUTE, Millis, SECOND};
use domain::{AccountId, Clock, CompanyId, Message};
use std::net::IpAddr;
use store::Store;

pub(crate) struct Limits {
    /// Where attempts are counted for all processes; [`None`] if this is the only one.
    store: Option<Store>,
    clock: Clock,
    login_address: AddressLimit,
    login_stranger: SlidingWindow,
    login_known: SlidingWindow,
    keys: AddressLimit,
    grant_requests: SlidingWindow,
    register_address: AddressLimit,
    mail_recipient: SlidingWindow,
    mail_address: AddressLimit,
    token_address: AddressLimit,
    password: SlidingWindow,
    totp: SlidingWindow,
    invitations: SlidingWindow,
    invited: SlidingWindow,
    photos: SlidingWindow,
}

/// Low, because guessing keys is the only way to get access without a mailbox.
const MAX_KEYS_PER_HOUR: usize = 10;
/// For systems that the electrician has not had access to before.
pub(crate) const MAX_GRANT_REQUESTS_PER_HOUR: usize = 30;

/// Twelve of ten customers. Each is decoded, which takes a core for up to a second.
const MAX_PHOTOS_PER_HOUR: usize = 120;

/// No e-mail address is longer. The input may be as long as a whole request, so longer keys are cut.
const MAX_KEY_BYTES: usize = 320;

/// A limit by address: of a line, and of a subscriber with many lines.
struct AddressLimit {
    line: SlidingWindow,
    block: SlidingWindow,
}

impl AddressLimit {
    fn new(kind: &'static str, of_blocks: &'static str, attempts: usize, span: Millis) -> Self {
        Self {
            line: SlidingWindow::new(kind, attempts, span),
            block: SlidingWindow::new(of_blocks, attempts * LINES_PER_BLOCK, span),
        }
    }
}

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
            login_address: AddressLimit::new("login_address", "login_block", 30, MINUTE),
            login_stranger: per_minute("login_stranger", 10),
            login_known: per_minute("login_known", 10),
            keys: AddressLimit::new("keys", "keys_block", MAX_KEYS_PER_HOUR, HOUR),
            grant_requests: per_hour("grant_requests", MAX_GRANT_REQUESTS_PER_HOUR),
            register_address: AddressLimit::new("register_address", "register_block", 20, HOUR),
            mail_recipient: per_hour("mail_recipient", 3),
            mail_address: AddressLimit::new("mail_address", "mail_block", 20, HOUR),
            token_address: AddressLimit::new("token_address", "token_block", 60, MINUTE),
            password: per_minute("password", 10),
            totp: per_hour("totp", 10),
            invitations: per_hour("invitations", 20),
            invited: per_hour("invited", 10),
            photos: per_hour("photos", MAX_PHOTOS_PER_HOUR),
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
                self.check_address(&self.login_address, address).await?;
                self.check(&self.login_stranger, email.to_owned()).await
            }
        }
    }

    /// `tries` keys tried from an address and, if there is one, by an account.
    pub(crate) async fn keys(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        tries: usize,
    ) -> Result<()> {
        self.take(&self.keys.line, &key_names(address, account), tries)
            .await?;
        self.take_of_block(&self.keys, address, tries).await
    }

    /// Returns the attempts of codes that were right, because their holder does not guess. Otherwise an electrician who enters a
    /// day's codes would use up the attempts of the customer at the same address.
    pub(crate) async fn keys_were_right(
        &self,
        address: IpAddr,
        account: Option<AccountId>,
        tries: usize,
    ) {
        let block = ClientNetwork::block_of(address).map(|block| block.to_string());
        for (window, names) in [
            (&self.keys.line, key_names(address, account)),
            (&self.keys.block, block.into_iter().collect()),
        ] {
            window.give_back(&names, tries);
            if let Some(store) = &self.store
                && let Err(error) = store.give_back_attempts(window.kind, &names, tries).await
            {
                tracing::warn!(%error, "attempts_not_given_back: right codes count as tries");
            }
        }
    }

    /// A company's requests for access. They reveal nothing, so they do not count as attempts with keys.
    pub(crate) async fn grant_requests(&self, company: CompanyId, systems: usize) -> Result<()> {
        self.take(&self.grant_requests, &[company.to_string()], systems)
            .await
    }

    pub(crate) async fn register(&self, address: IpAddr) -> Result<()> {
        self.check_address(&self.register_address, address).await
    }

    pub(crate) async fn mail_from(&self, address: IpAddr) -> Result<()> {
        let checked = self.check_address(&self.mail_address, address).await;
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
        self.check_address(&self.token_address, address).await
    }

    /// A repeated password entry by someone who is logged in.
    pub(crate) async fn password(&self, account: AccountId) -> Result<()> {
        self.check(&self.password, account.to_string()).await
    }

    /// A second factor after the right password. Three of a million codes are valid at a time, so ten attempts per hour give a
    /// person who knows the password a chance of about one in a thousand per day. `from` is the owner's known browser or a
    /// logged-in person; attempts from elsewhere do not use up that allowance.
    pub(crate) async fn totp(&self, account: AccountId, from: Option<&str>) -> Result<()> {
        let name = format!("{account} {}", from.unwrap_or_default());
        self.check(&self.totp, name).await
    }

    /// A mail with a code that someone who is logged in sends to an address of their choice. Many accounts do not make it more for
    /// the one who reads that mailbox.
    pub(crate) async fn invitation(&self, account: AccountId, recipient: &str) -> Result<()> {
        self.listed_invitation(account).await?;
        self.check(&self.invited, recipient.to_owned()).await
    }

    /// An invitation that its recipient finds in a list, too: how many of them are mailed is limited where they are.
    pub(crate) async fn listed_invitation(&self, account: AccountId) -> Result<()> {
        self.check(&self.invitations, account.to_string()).await
    }

    /// A photo to be decoded.
    pub(crate) async fn photo(&self, account: AccountId) -> Result<()> {
        self.check(&self.photos, account.to_string()).await
    }

    async fn check_address(&self, limit: &AddressLimit, address: IpAddr) -> Result<()> {
        self.check(&limit.line, network(address)).await?;
        self.take_of_block(limit, address, 1).await
    }

    /// After the line's: what a line was refused takes nothing from its neighbours.
    async fn take_of_block(
        &self,
        limit: &AddressLimit,
        address: IpAddr,
        tries: usize,
    ) -> Result<()> {
        match ClientNetwork::block_of(address) {
            Some(block) => self.take(&limit.block, &[block.to_string()], tries).await,
            None => Ok(()),
        }
    }

    async fn check(&self, window: &SlidingWindow, mut name: String) -> Result<()> {
        name.truncate(name.floor_char_boundary(MAX_KEY_BYTES));
        self.take(window, &[name], 1).await
    }

    /// Checks memory first: what this process already refuses needs no statement.
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
