//! A running portal on a free loopback port, with a clock that only tests move and mails that tests can read.
use crate::http::Call;
use crate::{NOON, TestDb, random};
use api::{Links, Passwords, Portal, PortalConfig};
use axum::http::Method;
use bus::{Bus, BusOptions, Liveness};
use domain::Clock;
use domain::connections::Connections;
use gateway::{Gateway, Quota};
use jobs::alarms::AlarmWatcher;
use jobs::mail::{Mailer, RenderedMail, send_due};
use jobs::planning::Planners;
use service::Service;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use store::job_lease::ShardLeases;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub struct TestApp {
    pub address: SocketAddr,
    /// The gateway's address.
    pub devices: SocketAddr,
    /// The update service's address.
    pub updates: SocketAddr,
    pub clock: Clock,
    pub store: Store,
    pub service: Service,
    pub portal: Portal,
    pub bus: Bus,
    pub(crate) watches: tokio::sync::Mutex<AlarmWatcher>,
    /// Jobs run for all systems.
    pub(crate) held: ShardLeases,
    pub(crate) planners: tokio::sync::Mutex<Planners>,
    mails: Arc<Mutex<Vec<RenderedMail>>>,
    stop: CancellationToken,
    portal_task: JoinHandle<()>,
    update_task: JoinHandle<()>,
    gateway_task: JoinHandle<()>,
    bus_task: JoinHandle<()>,
    /// The bus stops last: reports that the gateway has accepted are still committed.
    stop_bus: CancellationToken,
}

/// The origin of links in mails; nothing listens there.
pub const PUBLIC_URL: &str = "https://portal.test";

impl TestApp {
    pub async fn start(db: &TestDb) -> Self {
        Self::start_with(db, |_| {}).await
    }

    /// Starts with changed settings.
    pub async fn start_with(db: &TestDb, change: impl FnOnce(&mut PortalConfig)) -> Self {
        Self::launch(db, change, Liveness::default(), None).await
    }

    /// Starts with other heartbeat times.
    pub async fn start_with_liveness(db: &TestDb, liveness: Liveness) -> Self {
        Self::launch(db, |_| {}, liveness, None).await
    }

    /// Starts with other heartbeat times, for people who change many systems at once.
    pub async fn start_for_many(db: &TestDb, liveness: Liveness) -> Self {
        let unlimited = |settings: &mut PortalConfig| settings.devices_a_minute = usize::MAX;
        Self::launch(db, unlimited, liveness, None).await
    }

    /// Starts with a quota per battery. Its buckets fill when the test moves the clock. Without this there is none, because in
    /// most tests the clock stands still.
    pub async fn start_with_quota(db: &TestDb, quota: Quota) -> Self {
        Self::launch(db, |_| {}, Liveness::default(), Some(quota)).await
    }

    async fn launch(
        db: &TestDb,
        change: impl FnOnce(&mut PortalConfig),
        liveness: Liveness,
        quota: Option<Quota>,
    ) -> Self {
        let clock = Clock::frozen_at(NOON);
        let service = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let updates = service.local_addr().unwrap();
        let mut settings = PortalConfig {
            public_url: PUBLIC_URL.into(),
            updates_url: format!("http://{updates}"),
            trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
            shows_metrics: true,
            links: links(),
            security_contact: Some("mailto:security@portal.test".into()),
            stream: api::StreamOptions::default(),
            devices_a_minute: 20,
            require_totp_of_electricians: false,
        };
        change(&mut settings);
        // Two apps on one database are two processes, also one after the other: each draws numbers of its own.
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let (random, own) = (random::seeded(7 + 100 * number), random::seeded(number));
        let options = BusOptions {
            updates_url: settings.updates_url.clone(),
            nats: db.nats(),
            liveness,
        };
        let opened = Bus::open(db.store(), clock.clone(), &own, options).await;
        let (bus, engine) = opened.unwrap();
        let passwords = Passwords::quick(random.clone());
        let portal = Portal::new(db.store(), bus.clone(), clock.clone(), random, settings)
            .with_passwords(passwords);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let portal_task = tokio::spawn(api::serve(
            listener,
            Connections::default(),
            api::portal(portal.clone()),
            None,
            stop.clone(),
        ));
        let update_task = tokio::spawn(api::serve(
            service,
            Connections::default(),
            api::update_service(portal.clone()),
            None,
            stop.clone(),
        ));
        let link = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let devices = link.local_addr().unwrap();
        let gateway = Gateway {
            store: db.store(),
            bus: bus.clone(),
            clock: clock.clone(),
            tls: None,
            connections: Connections::default(),
            quota,
        };
        let gateway_task = tokio::spawn(gateway::serve(link, gateway, stop.clone()));
        let stop_bus = CancellationToken::new();
        let bus_task = tokio::spawn(engine.run(stop_bus.clone()));
        Self {
            address,
            devices,
            updates,
            clock,
            store: db.store(),
            service: portal.service.clone(),
            portal,
            bus,
            watches: tokio::sync::Mutex::default(),
            held: ShardLeases::all(),
            planners: tokio::sync::Mutex::default(),
            mails: Arc::default(),
            stop,
            portal_task,
            update_task,
            gateway_task,
            bus_task,
            stop_bus,
        }
    }

    pub fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method.parse::<Method>().unwrap(), path)
    }

    pub fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Call {
        self.call("POST", path).form(fields)
    }

    /// Sends the outbox and returns all mails so far, oldest first.
    pub async fn sent_mails(&self) -> Vec<RenderedMail> {
        let mails = Arc::clone(&self.mails);
        let mailer = Mailer::callback(
            move |mail| mails.lock().unwrap().push(mail),
            "test@portal.test",
        )
        .unwrap();
        send_due(&self.store, &self.clock, &self.service, &mailer).await;
        self.mails.lock().unwrap().clone()
    }

    /// The part after `#name=` in the link of the newest mail to `to`.
    pub async fn mailed_token(&self, to: &str, name: &str) -> String {
        let marker = format!("#{name}=");
        let mails = self.sent_mails().await;
        let newest = mails.iter().rev().filter(|mail| mail.to == to);
        let found = newest
            .filter_map(|mail| mail.text.split_once(&marker))
            .next();
        let Some((_, rest)) = found else {
            panic!("no mail with {marker} to {to}: {mails:?}");
        };
        rest.lines().next().unwrap().to_owned()
    }

    /// Waits until the live view shows what committed reports have changed; samples it shows at once.
    pub async fn view_is_up_to_date(&self) {
        crate::eventually("the view is up to date", async || {
            self.bus.live.is_up_to_date()
        })
        .await;
    }

    pub async fn stop(self) {
        self.stop.cancel();
        self.portal_task.await.unwrap();
        self.update_task.await.unwrap();
        self.gateway_task.await.unwrap();
        self.stop_bus.cancel();
        self.bus_task.await.unwrap();
    }
}

fn links() -> Links {
    let page = |name: &str| format!("https://example.com/{name}");
    Links {
        homepage: page(""),
        contact: page("contact"),
        imprint: page("imprint"),
        privacy: page("privacy"),
        terms: page("terms"),
    }
}
