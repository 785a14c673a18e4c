//! The state shared by all handlers.
use crate::demo::DemoState;
use crate::error::Result;
use crate::image_cache::ImageCache;
use crate::limits::Limits;
use crate::photo::Photos;
use crate::session_slots::SessionSlots;
use crate::unread_answers::UnreadAnswers;
use crate::work_queue::WorkQueue;
use crate::{Passwords, Tokens};
use bus::{Bus, LiveView};
use domain::{Clock, Random, Role, Serial};
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use service::{Service, ServiceConfig};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use store::{Access, Store};
use utoipa::ToSchema;

/// When so many wait, the next is sent away: a document takes tens of milliseconds.
const MAX_WAITING_FOR_PRINT: usize = 16;

/// One pointer, because a request clones it at every layer.
#[derive(Clone)]
pub struct Portal(Arc<PortalParts>);

/// The portal's parts.
#[derive(Clone)]
pub struct PortalParts {
    /// For reading.
    pub store: Store,
    /// For everything that changes something.
    pub service: Service,
    /// The current state of systems that an open page shows.
    pub live: LiveView,
    /// The connection to the batteries.
    pub bus: Bus,
    pub clock: Clock,
    pub random: Random,
    pub config: PortalConfig,
    pub passwords: Passwords,
    pub(crate) photos: Photos,
    pub(crate) tokens: Tokens,
    pub(crate) limits: Arc<Limits>,
    pub(crate) stream_slots: SessionSlots,
    pub(crate) export_slots: SessionSlots,
    pub(crate) unread_answers: UnreadAnswers,
    /// Documents are set one at a time: it takes a core.
    pub(crate) printing: WorkQueue,
    pub(crate) image_cache: ImageCache,
    pub(crate) metrics: Option<PrometheusHandle>,
    /// Present only in `suncellar demo`.
    pub(crate) demo: Option<DemoState>,
}

/// The part of the configuration that affects answers.
#[derive(Clone, Debug)]
pub struct PortalConfig {
    /// The public address of the portal. Links in mails start with it, whatever the Host header says.
    pub public_url: String,
    /// The public address of the update service.
    pub updates_url: String,
    /// Proxies whose X-Forwarded-For is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether the portal's own address also answers with figures, to this machine. Not behind a proxy that is not known: everybody
    /// comes from this machine then.
    pub shows_metrics: bool,
    pub links: Links,
    /// Where to report a vulnerability: a `mailto:` or `https:` address.
    pub security_contact: Option<String>,
    pub stream: StreamOptions,
    /// How many devices one account may change or command per minute.
    pub devices_a_minute: usize,
    /// Electricians must set up a second factor before anything else.
    pub require_totp_of_electricians: bool,
}

impl PortalParts {
    /// Makes sure that the live view has these systems.
    pub(crate) async fn hold<'a>(
        &self,
        systems: impl IntoIterator<Item = &'a Access>,
    ) -> Result<()> {
        let systems: Vec<Serial> = systems.into_iter().map(|one| one.sn().clone()).collect();
        Ok(self.live.hold(&systems).await?)
    }
}

impl PortalConfig {
    pub fn behind_tls(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// Timing and sizes of a stream; changed only in tests.
#[derive(Clone, Copy, Debug)]
pub struct StreamOptions {
    /// Changes within this time share an event.
    pub batch_window: Duration,
    /// An idle stream sends a keep-alive comment this often.
    pub keep_alive: Duration,
    /// How often the session is checked for validity.
    pub session_check_interval: Duration,
    /// The initial state is sent for this many systems at a time. One event with thousands would block the browser and this
    /// process.
    pub max_systems_per_event: usize,
    /// If more systems are on screen, they are shown as a list and use the usual reports. Thousands of reports every 2 s would be
    /// expensive, and nobody could follow them.
    pub max_watched: usize,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            batch_window: Duration::from_secs(1),
            keep_alive: Duration::from_secs(15),
            session_check_interval: Duration::from_secs(4),
            max_systems_per_event: 250,
            max_watched: 50,
        }
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
    type Target = PortalParts;

    fn deref(&self) -> &PortalParts {
        &self.0
    }
}

impl Portal {
    pub fn new(store: Store, bus: Bus, clock: Clock, random: Random, config: PortalConfig) -> Self {
        let service = Service::new(
            store.clone(),
            Some(bus.clone()),
            clock.clone(),
            random.clone(),
            ServiceConfig {
                public_url: config.public_url.clone(),
                devices_a_minute: config.devices_a_minute,
            },
        );
        Self(Arc::new(PortalParts {
            service,
            tokens: Tokens::new(store.keyring().clone()),
            limits: Arc::new(Limits::new(&store, &clock)),
            passwords: Passwords::new(random.clone()),
            photos: Photos::new(),
            stream_slots: SessionSlots::for_streams(),
            export_slots: SessionSlots::for_exports(),
            unread_answers: UnreadAnswers::default(),
            printing: WorkQueue::new(1, MAX_WAITING_FOR_PRINT),
            image_cache: ImageCache::default(),
            config,
            store,
            live: bus.live.clone(),
            bus,
            clock,
            random,
            metrics: None,
            demo: None,
        }))
    }

    /// Replaces the password hasher.
    #[must_use]
    pub fn with_passwords(mut self, passwords: Passwords) -> Self {
        Arc::make_mut(&mut self.0).passwords = passwords;
        self
    }

    /// Serves these metrics.
    #[must_use]
    pub fn with_metrics(mut self, metrics: PrometheusHandle) -> Self {
        Arc::make_mut(&mut self.0).metrics = Some(metrics);
        self
    }

    /// Shows the mails that are sent.
    #[must_use]
    pub fn with_demo(mut self, demo: DemoState) -> Self {
        Arc::make_mut(&mut self.0).demo = Some(demo);
        self
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Whether an account must set up a second factor before anything else.
    pub(crate) fn must_enrol(&self, role: Role, has_second_factor: bool) -> bool {
        self.requires_totp_of(role) && !has_second_factor
    }

    pub(crate) fn requires_totp_of(&self, role: Role) -> bool {
        self.config.require_totp_of_electricians && role == Role::Electrician
    }
}
