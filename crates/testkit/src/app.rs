//! A running portal on a free loopback port, with a clock that stands still and mails that can be read.
use crate::http::Call;
use crate::{NOON, TestDb, random};
use api::{Links, Passwords, Portal, Settings};
use axum::http::Method;
use bus::{Bus, Liveness};
use domain::Clock;
use domain::connections::Connections;
use gateway::Gateway;
use jobs::alarms::Watches;
use jobs::mail::{Letter, Post, send_due};
use jobs::planning::Planners;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub struct TestApp {
    pub address: SocketAddr,
    /// Where batteries connect.
    pub devices: SocketAddr,
    /// Where updates are served.
    pub updates: SocketAddr,
    pub clock: Clock,
    pub store: Store,
    pub portal: Portal,
    pub bus: Bus,
    pub(crate) watches: tokio::sync::Mutex<Watches>,
    pub(crate) planners: tokio::sync::Mutex<Planners>,
    letters: Arc<Mutex<Vec<Letter>>>,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    updating: JoinHandle<()>,
    linking: JoinHandle<()>,
    moving: JoinHandle<()>,
    /// The bus stops last: what the endpoint took in is still committed.
    last: CancellationToken,
}

/// Where mails in tests point to; nothing listens there.
pub const PUBLIC_URL: &str = "https://portal.test";

impl TestApp {
    pub async fn start(db: &TestDb) -> Self {
        Self::start_with(db, |_| {}).await
    }

    /// Starts with changed settings.
    pub async fn start_with(db: &TestDb, change: impl FnOnce(&mut Settings)) -> Self {
        Self::launch(db, change, Liveness::default()).await
    }

    /// Starts with other times for the processes' heartbeats.
    pub async fn start_with_liveness(db: &TestDb, liveness: Liveness) -> Self {
        Self::launch(db, |_| {}, liveness).await
    }

    async fn launch(db: &TestDb, change: impl FnOnce(&mut Settings), liveness: Liveness) -> Self {
        let clock = Clock::standing_at(NOON);
        let service = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let updates = service.local_addr().unwrap();
        let mut settings = Settings {
            public_url: PUBLIC_URL.into(),
            updates_url: format!("http://{updates}"),
            trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
            links: links(),
            stream: api::Pace::default(),
            devices_a_minute: 20,
            require_totp_of_electricians: false,
        };
        change(&mut settings);
        let random = random::seeded(7);
        // Two of them on one database are two processes, each with a number of its own.
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let own = random::seeded(STARTED.fetch_add(1, Ordering::Relaxed));
        let opened = Bus::open_with(
            db.store(),
            clock.clone(),
            &own,
            settings.updates_url.clone(),
            liveness,
        )
        .await;
        let (bus, engine) = opened.unwrap();
        let passwords = Passwords::quick(random.clone());
        let portal = Portal::new(db.store(), bus.clone(), clock.clone(), random, settings)
            .with_passwords(passwords);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve(
            listener,
            Connections::default(),
            api::portal(portal.clone()),
            None,
            stop.clone(),
        ));
        let updating = tokio::spawn(api::serve(
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
        };
        let linking = tokio::spawn(gateway::serve(link, gateway, stop.clone()));
        let last = CancellationToken::new();
        let moving = tokio::spawn(engine.run(last.clone()));
        Self {
            address,
            devices,
            updates,
            clock,
            store: db.store(),
            portal,
            bus,
            watches: tokio::sync::Mutex::default(),
            planners: tokio::sync::Mutex::default(),
            letters: Arc::default(),
            stop,
            serving,
            updating,
            linking,
            moving,
            last,
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

    /// Sends what is in the outbox and returns every letter so far, oldest first.
    pub async fn letters(&self) -> Vec<Letter> {
        let letters = Arc::clone(&self.letters);
        let post = Post::hand(
            move |letter| letters.lock().unwrap().push(letter),
            "test@portal.test",
        )
        .unwrap();
        send_due(&self.store, &self.clock, &self.portal.random, &post).await;
        self.letters.lock().unwrap().clone()
    }

    /// The part after `#name=` in the link of the newest letter to `to`.
    pub async fn mailed(&self, to: &str, name: &str) -> String {
        let marker = format!("#{name}=");
        let letters = self.letters().await;
        let newest = letters.iter().rev().filter(|letter| letter.to == to);
        let found = newest
            .filter_map(|letter| letter.text.split_once(&marker))
            .next();
        let Some((_, rest)) = found else {
            panic!("no letter with {marker} to {to}: {letters:?}");
        };
        rest.lines().next().unwrap().to_owned()
    }

    pub async fn stop(self) {
        self.stop.cancel();
        self.serving.await.unwrap();
        self.updating.await.unwrap();
        self.linking.await.unwrap();
        self.last.cancel();
        self.moving.await.unwrap();
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
