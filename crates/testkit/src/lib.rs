//! For tests only: a fresh database per test on both engines, a running portal, people and systems to fill it with,
//! a clock that only tests move, and seeded randomness.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world has failed"
)]

pub mod app;
pub mod authenticator;
pub mod battery;
pub mod cluster;
pub mod commissioning;
pub mod corpus;
pub mod database;
mod dump;
pub mod fake_services;
pub mod firmware;
pub mod fixtures;
pub mod home;
pub mod http;
pub mod nats;
pub mod passkey;
pub mod photo;
pub mod pebble;
pub mod planning;
pub mod proxy;
pub mod random;
pub mod reporter;
pub mod s3;
mod statements;
pub mod tls;

pub use app::{PUBLIC_URL, TestApp};
pub use authenticator::Authenticator;
pub use battery::MqttBattery;
pub use cluster::Cluster;
pub use database::TestDb;
pub use fake_services::{FakeServices, Reply};
pub use fixtures::{PASSWORD, Person};
pub use http::TestResponse;
pub use nats::NatsServer;
pub use passkey::SoftwarePasskey;
pub use pebble::Pebble;
pub use proxy::Proxy;
pub use reporter::{Reporter, sample};
pub use s3::S3Server;
pub use tls::TestCertificate;

/// A Sunday in November 2026, noon in Germany; tests move the clock from here.
pub const NOON: i64 = 1_794_740_400_000;

/// Use cases at this time, for tests without a running portal.
pub fn service_at(store: &store::Store, now: i64) -> service::Service {
    service::Service::new(
        store.clone(),
        None,
        domain::Clock::frozen_at(now),
        random::seeded(11),
        service::ServiceConfig {
            public_url: PUBLIC_URL.to_owned(),
            devices_a_minute: 20,
        },
    )
}

/// Queues a mail that no use case has caused.
pub async fn queue_mail(store: &store::Store, mail: &store::mail::OutgoingMail<'_>, now: i64) {
    let mut tx = store.db().begin().await.unwrap();
    let queued = store::mail::queue(&mut tx, store.keyring(), mail, now).await;
    queued.unwrap();
    tx.commit().await.unwrap();
}

/// A port that is free at this moment. A server that finds it taken ends, and the test fails.
pub fn free_port() -> u16 {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().port()
}

/// Waits until a program that was just started listens there.
pub(crate) fn wait_for_listener(process: &mut std::process::Child, port: u16) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = process.try_wait().unwrap();
        assert!(ended.is_none(), "it ended: {ended:?}");
        assert!(std::time::Instant::now() < deadline, "it does not listen");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Waits for the effect of another task.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    // Long enough for a machine that does much else; what is right does not wait for it.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(90);
    while !holds().await {
        assert!(std::time::Instant::now() < deadline, "still not: {what}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

/// Defines one test that runs on both engines: `on_both!(name, |db| { … })`.
#[macro_export]
macro_rules! on_both {
    ($name:ident, |$db:ident| $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn check($db: &$crate::TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let db = $crate::TestDb::sqlite().await;
                check(&db).await;
                db.close().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let Some(db) = $crate::TestDb::postgres().await else { return };
                check(&db).await;
                db.close().await;
            }
        }
    };
}

/// Defines one test of several processes that runs with both ways in which they inform each other:
/// `between_processes!(name, |db| { … })`.
#[macro_export]
macro_rules! between_processes {
    ($name:ident, |$db:ident| $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn check($db: &$crate::TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn by_the_database() {
                let Some(db) = $crate::TestDb::postgres().await else { return };
                check(&db).await;
                db.close().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn by_nats() {
                let Some(db) = $crate::TestDb::postgres().await else { return };
                let db = db.with_nats();
                check(&db).await;
                db.close().await;
            }
        }
    };
}

/// Like [`on_both!`], with a running portal: `with_app!(name, |app| { … })`.
#[macro_export]
macro_rules! with_app {
    ($name:ident, |$app:ident| $body:block) => {
        $crate::on_both!($name, |db| {
            let started = $crate::TestApp::start(db).await;
            let $app = &started;
            $body
            started.stop().await;
        });
    };
}
