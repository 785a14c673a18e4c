//! What every handler may reach.
use crate::demo::Demo;
use crate::images::Images;
use crate::limits::Limits;
use crate::routes::stream::{Pace, Streams};
use crate::{Passwords, Tokens};
use bus::{Bus, Live};
use domain::{Clock, Random, Role};
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use std::ops::Deref;
use std::sync::Arc;
use store::Store;
use store::mail::Desk;
use utoipa::ToSchema;

/// What handlers share: one pointer, because a request clones it at every step of its way.
#[derive(Clone)]
pub struct Portal(Arc<Parts>);

/// The portal's parts.
#[derive(Clone)]
pub struct Parts {
    pub store: Store,
    /// Every system as it is right now.
    pub live: Live,
    /// The way to the batteries.
    pub bus: Bus,
    pub clock: Clock,
    pub random: Random,
    pub settings: Settings,
    pub passwords: Passwords,
    pub(crate) tokens: Tokens,
    pub(crate) limits: Arc<Limits>,
    pub(crate) streams: Streams,
    pub(crate) exports: Streams,
    pub(crate) images: Images,
    pub(crate) metrics: Option<PrometheusHandle>,
    /// Present only in `suncellar demo`.
    pub(crate) demo: Option<Demo>,
}

/// The part of the configuration that answers depend on.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where people reach the portal; links in mails begin with it, whatever the Host header says.
    pub public_url: String,
    /// Where the browser reaches the update service.
    pub updates_url: String,
    /// Proxies whose X-Forwarded-For is believed.
    pub trusted_proxies: Vec<IpNet>,
    pub links: Links,
    pub stream: Pace,
    /// How many devices one account may change or command in a minute.
    pub devices_a_minute: usize,
    /// Electricians set up a second factor before they do anything else.
    pub require_totp_of_electricians: bool,
}

impl Settings {
    pub fn behind_tls(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// External pages that the app points to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Links {
    pub homepage: String,
    pub contact: String,
    pub imprint: String,
    pub privacy: String,
    pub terms: String,
}

impl Deref for Portal {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Portal {
    pub fn new(store: Store, bus: Bus, clock: Clock, random: Random, settings: Settings) -> Self {
        Self(Arc::new(Parts {
            tokens: Tokens::new(store.keyring().clone()),
            limits: Arc::new(Limits::new(&clock)),
            passwords: Passwords::new(random.clone()),
            streams: Streams::live(),
            exports: crate::routes::export::running(),
            images: Images::default(),
            settings,
            store,
            live: bus.live.clone(),
            bus,
            clock,
            random,
            metrics: None,
            demo: None,
        }))
    }

    /// Hashes with these.
    #[must_use]
    pub fn with_passwords(mut self, passwords: Passwords) -> Self {
        Arc::make_mut(&mut self.0).passwords = passwords;
        self
    }

    /// Serves these measurements.
    #[must_use]
    pub fn with_metrics(mut self, metrics: PrometheusHandle) -> Self {
        Arc::make_mut(&mut self.0).metrics = Some(metrics);
        self
    }

    /// Shows the mails that it sends.
    #[must_use]
    pub fn with_demo(mut self, demo: Demo) -> Self {
        Arc::make_mut(&mut self.0).demo = Some(demo);
        self
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Whether somebody has to set up a second factor before anything else.
    pub(crate) fn must_enrol(&self, role: Role, has_totp: bool) -> bool {
        self.requires_totp_of(role) && !has_totp
    }

    pub(crate) fn requires_totp_of(&self, role: Role) -> bool {
        self.settings.require_totp_of_electricians && role == Role::Electrician
    }

    /// For mails whose recipients only the database knows.
    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk {
            public_url: &self.settings.public_url,
            random: &self.random,
        }
    }

    /// An address of the portal, for a mail.
    pub(crate) fn link(&self, path: &str) -> String {
        format!("{}{path}", self.settings.public_url)
    }
}
