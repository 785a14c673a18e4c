//! What every handler may reach.
use crate::demo::Demo;
use crate::limits::Limits;
use crate::routes::stream::{Pace, Streams};
use crate::{Passwords, Tokens};
use bus::Live;
use domain::{Clock, Random};
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use std::sync::Arc;
use store::Store;
use utoipa::ToSchema;

/// The portal's parts; cloned for each request, so everything inside is cheap to clone.
#[derive(Clone)]
pub struct Portal {
    pub store: Store,
    /// Every system as it is right now.
    pub live: Live,
    pub clock: Clock,
    pub random: Random,
    pub settings: Arc<Settings>,
    pub passwords: Passwords,
    pub(crate) tokens: Tokens,
    pub(crate) limits: Arc<Limits>,
    pub(crate) streams: Streams,
    pub metrics: Option<PrometheusHandle>,
    /// Present only in `suncellar demo`.
    pub demo: Option<Demo>,
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

impl Portal {
    pub fn new(store: Store, live: Live, clock: Clock, random: Random, settings: Settings) -> Self {
        Self {
            tokens: Tokens::new(store.keyring().clone()),
            limits: Arc::new(Limits::new(&clock)),
            passwords: Passwords::new(random.clone()),
            streams: Streams::default(),
            settings: Arc::new(settings),
            store,
            live,
            clock,
            random,
            metrics: None,
            demo: None,
        }
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// An address of the portal, for a mail.
    pub(crate) fn link(&self, path: &str) -> String {
        format!("{}{path}", self.settings.public_url)
    }
}
