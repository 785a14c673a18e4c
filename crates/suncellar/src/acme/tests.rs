//! With Pebble, the test authority of Let's Encrypt.
#![allow(clippy::unwrap_used)]
use super::*;
use domain::clock::DAY;
use domain::connections::Connections;
use std::net::SocketAddr;
use testkit::tls::connect;
use testkit::{Pebble, TestDb, random};
use tokio::net::TcpListener;

const NAME: &str = "portal.example.com";

/// A portal with its listeners for the authority, and the authority.
struct World {
    db: TestDb,
    clock: Clock,
    pebble: Pebble,
    stop: CancellationToken,
    http: Option<TcpListener>,
    tls: Option<TcpListener>,
    tls_address: SocketAddr,
}

impl World {
    async fn new(db: TestDb) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let bind = async || TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (http, tls) = (bind().await, bind().await);
        let [http_address, tls_address] = [&http, &tls].map(|one| one.local_addr().unwrap());
        let pebble = tokio::task::spawn_blocking(move || {
            Pebble::start(http_address.port(), tls_address.port())
        });
        Self {
            db,
            clock: Clock::system(),
            pebble: pebble.await.unwrap(),
            stop: CancellationToken::new(),
            http: Some(http),
            tls: Some(tls),
            tls_address,
        }
    }

    fn process(&self, by_http: bool) -> Acme {
        let config = AcmeConfig {
            domains: NAME.parse().unwrap(),
            contact: Some("mailto:admin@example.com".to_owned()),
            directory: self.pebble.directory(),
            directory_ca: Some(self.pebble.ca_file()),
            by_http,
            asks: true,
        };
        let random = random::seeded(5);
        Acme::new(config, self.db.store(), self.clock.clone(), random).unwrap()
    }

    /// The authority and others come to this process.
    fn serve(&mut self, acme: &Acme) {
        let router = || api::acme_challenges(acme.answers(), "https://portal.example.com");
        let listeners = [
            (self.http.take(), None),
            (self.tls.take(), Some(acme.https())),
        ];
        for (listener, tls) in listeners {
            tokio::spawn(api::serve(
                listener.unwrap(),
                Connections::default(),
                router(),
                tls,
                self.stop.clone(),
            ));
        }
    }

    async fn has_certificate(&self) -> bool {
        let root = self.pebble.root().await;
        let stream = connect(NAME, &root, self.tls_address, &["h2", "http/1.1"]).await;
        stream.is_ok()
    }

    async fn schedule(&self) -> AcmeSchedule {
        self.db.store().acme_schedule().await.unwrap()
    }

    async fn end(self) {
        self.stop.cancel();
        self.db.close().await;
    }
}

fn used(acme: &Acme) -> CertificateDer<'static> {
    acme.certificate().current().cert[0].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_proven_over_http_and_its_certificate_renewed_after_two_thirds_of_its_life() {
    let mut world = World::new(TestDb::sqlite().await).await;
    let acme = world.process(true);
    world.serve(&acme);
    assert!(!world.has_certificate().await);
    acme.tick().await;
    assert!(world.has_certificate().await);
    let first = used(&acme);
    world.clock.advance(59 * DAY);
    acme.tick().await;
    assert_eq!(used(&acme), first);
    // A restart asks for nothing.
    let restarted = world.process(true);
    restarted.tick().await;
    assert_eq!(used(&restarted), first);
    world.clock.advance(5 * DAY);
    acme.tick().await;
    let second = used(&acme);
    assert_ne!(second, first);
    assert!(world.has_certificate().await);
    // By this clock the new one is old, too. That is no reason to ask again at once.
    world.clock.advance(20 * DAY);
    acme.tick().await;
    assert_eq!(used(&acme), second);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_proven_in_the_handshake() {
    let mut world = World::new(TestDb::sqlite().await).await;
    let acme = world.process(false);
    world.serve(&acme);
    acme.tick().await;
    assert!(world.has_certificate().await);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pauses_grow_with_each_refusal() {
    let mut world = World::new(TestDb::sqlite().await).await;
    let acme = world.process(true);
    // Nobody answers.
    world.http = None;
    for failures in 1..=3 {
        let before = world.clock.now();
        acme.tick().await;
        let schedule = world.schedule().await;
        assert_eq!(schedule.failures, failures);
        let pause = schedule.next_attempt_at - before;
        let least = FIRST_PAUSE << (failures - 1);
        assert!((least..least * 4 / 3).contains(&pause), "{pause}");
        acme.tick().await;
        assert_eq!(world.schedule().await, schedule);
        world.clock.advance(schedule.next_attempt_at - before);
    }
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_processes_one_asks_and_all_have_the_certificate() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let mut world = World::new(db).await;
    let [asking, answering] = [world.process(false), world.process(false)];
    world.serve(&answering);
    // The authority comes to the process that does not ask.
    let answers = async {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let stored = world.db.store().acme_challenges().await.unwrap();
            answering.challenges.set(&stored).unwrap();
        }
    };
    tokio::select! {
        () = asking.tick() => {}
        () = answers => {}
    }
    answering.tick().await;
    assert_eq!(used(&answering), used(&asking));
    assert!(world.has_certificate().await);
    assert_eq!(world.schedule().await.failures, 0);
    world.end().await;
}

#[test]
fn only_names_that_an_authority_could_prove_are_accepted() {
    let parse = |text: &str| text.parse::<AcmeDomains>().map(|names| names.to_string());
    let two = parse("Portal.example.com, updates.example.com").unwrap();
    assert_eq!(two, "portal.example.com,updates.example.com");
    for wrong in [
        "",
        "localhost",
        "192.0.2.7",
        "a b.example.com",
        "*.example.com",
        "x.,y",
    ] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_authority_that_was_asked_too_often_is_left_alone_for_longer() {
    let random = random::seeded(1);
    let schedule = |failures| AcmeSchedule {
        renew_at: 0,
        failures,
        next_attempt_at: 0,
    };
    assert!(pause(&schedule(0), true, &random) >= PAUSE_OF_LIMITS);
    assert!(pause(&schedule(50), false, &random) <= LONGEST_PAUSE * 5 / 4);
}
