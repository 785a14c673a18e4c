//! The link over TLS, with a certificate that the client checks.
#![allow(clippy::unwrap_used)]
use bus::{Bus, BusOptions};
use domain::Clock;
use domain::connections::Connections;
use gateway::Gateway;
use std::process::{Command, Stdio};
use store::system::NewDevice;
use testkit::battery::secret;
use testkit::{NOON, TestCertificate, TestDb, random, service_at};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const SN: &str = "SC000001";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mosquitto_reports_over_tls_and_plain_words_are_not_understood() {
    let certificate = TestCertificate::new();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, &certificate.chain).unwrap();

    let db = TestDb::sqlite().await;
    let (serial, secret) = (SN.parse().unwrap(), secret(SN));
    let device = NewDevice {
        sn: &serial,
        phase: 1,
        secret: secret.as_bytes(),
    };
    service_at(&db, NOON)
        .import_devices(&[device])
        .await
        .unwrap();
    let clock = Clock::frozen_at(NOON);
    let options = BusOptions::default();
    let opened = Bus::open(db.store(), clock.clone(), &random::seeded(1), options).await;
    let (bus, engine) = opened.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let stop = CancellationToken::new();
    let gateway = Gateway {
        store: db.store(),
        bus,
        clock,
        tls: Some(certificate.acceptor(&[])),
        connections: Connections::default(),
        quota: None,
    };
    let serving = tokio::spawn(gateway::serve(listener, gateway, stop.clone()));
    let moving = tokio::spawn(engine.run(stop.clone()));

    let body = format!(r#"{{"b":1,"s":1,"t":{NOON},"u":60000,"q":2,"pg":5,"bs":1}}"#);
    let publish = |extra: Vec<String>| {
        let mut client = Command::new("mosquitto_pub");
        client
            .args([
                "-h",
                "localhost",
                "-p",
                &port,
                "-i",
                SN,
                "-u",
                SN,
                "-P",
                &secret,
            ])
            .args(["-q", "1", "-t", "v1/d/SC000001/up/tele", "-m", &body])
            .args(extra)
            .stderr(Stdio::null());
        tokio::task::spawn_blocking(move || client.status().unwrap().success())
    };
    let trusting = vec!["--cafile".to_owned(), authority.display().to_string()];
    assert!(publish(trusting).await.unwrap());
    assert!(!publish(Vec::new()).await.unwrap());
    assert_eq!(db.samples(SN).await, [(NOON, 1, 1)]);
    stop.cancel();
    serving.await.unwrap();
    moving.await.unwrap();
    db.close().await;
}
