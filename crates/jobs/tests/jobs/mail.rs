//! Mails are sent by real SMTP with STARTTLS and AUTH, or written as files; failed mails are retried.
#![allow(clippy::unwrap_used)]
use crate::smtp_server::SmtpServer;
use domain::clock::{DAY, MINUTE};
use domain::{Clock, Lang};
use jobs::mail::{Mailer, send_due};
use jobs::{Jobs, SampleRetention};
use sources::{Addresses, Sources};
use std::time::Duration;
use store::mail::{Mail, MailBody, OutgoingMail};
use testkit::{NOON, TestApp, TestDb, eventually};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const FROM: &str = "Suncellar <portal@example.com>";

async fn queue(db: &TestDb, link: &str) {
    let outgoing = OutgoingMail {
        account: None,
        recipient: &"anna@example.com".parse().unwrap(),
        body: MailBody::Mail(Mail::new("reset", Lang::Pl, link.to_owned())),
        nonce: [1; 12],
    };
    testkit::queue_mail(db, &outgoing, NOON).await;
}

#[tokio::test]
async fn a_mail_leaves_by_smtp_with_starttls_and_auth() {
    let db = TestDb::sqlite().await;
    let server = SmtpServer::start("portal", "geheim-7").await;
    queue(&db, "https://portal.test/password_reset#token=abc").await;
    let url = format!(
        "smtp://portal:geheim-7@localhost:{}?tls=required",
        server.port
    );
    let mailer = Mailer::smtp(&url, FROM, Some(server.authority.as_bytes())).unwrap();
    send_due(
        &db,
        &Clock::frozen_at(NOON),
        &testkit::service_at(&db, NOON),
        &mailer,
    )
    .await;
    let received = server.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].recipient, "anna@example.com");
    assert!(
        received[0].text.contains("Resetowanie"),
        "{}",
        received[0].text
    );
    assert!(
        received[0].text.contains("token=3Dabc"),
        "quoted-printable link: {}",
        received[0].text
    );
    assert!(received[0].encrypted && received[0].authenticated);
    assert!(
        db.lease_mail(NOON + 60 * MINUTE).await.unwrap().is_none(),
        "sent mails leave the outbox"
    );
}

#[tokio::test]
async fn a_server_with_a_foreign_certificate_gets_no_mail_and_no_password() {
    let db = TestDb::sqlite().await;
    let server = SmtpServer::start("portal", "geheim-7").await;
    let stranger = SmtpServer::start("portal", "geheim-7").await;
    queue(&db, "https://portal.test/").await;
    let url = format!(
        "smtp://portal:geheim-7@localhost:{}?tls=required",
        stranger.port
    );
    let mailer = Mailer::smtp(&url, FROM, Some(server.authority.as_bytes())).unwrap();
    send_due(
        &db,
        &Clock::frozen_at(NOON),
        &testkit::service_at(&db, NOON),
        &mailer,
    )
    .await;
    assert!(stranger.received().is_empty());
    assert!(!stranger.saw_login());
}

#[tokio::test]
async fn a_mail_that_fails_is_due_again_after_a_minute_and_then_sent() {
    let db = TestDb::sqlite().await;
    let server = SmtpServer::start("portal", "right").await;
    queue(&db, "https://portal.test/").await;
    let clock = Clock::frozen_at(NOON);
    let mailer = |password: &str| {
        let url = format!(
            "smtp://portal:{password}@localhost:{}?tls=required",
            server.port
        );
        Mailer::smtp(&url, FROM, Some(server.authority.as_bytes())).unwrap()
    };
    send_due(
        &db,
        &clock,
        &testkit::service_at(&db, NOON),
        &mailer("wrong"),
    )
    .await;
    assert!(server.received().is_empty());
    send_due(
        &db,
        &clock,
        &testkit::service_at(&db, NOON),
        &mailer("right"),
    )
    .await;
    assert!(server.received().is_empty(), "not before its time");
    clock.advance(MINUTE);
    send_due(
        &db,
        &clock,
        &testkit::service_at(&db, NOON),
        &mailer("right"),
    )
    .await;
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn without_smtp_mails_become_files() {
    let db = TestDb::sqlite().await;
    let folder = std::env::temp_dir().join(format!("suncellar-mail-{}", std::process::id()));
    let mailer = Mailer::folder(folder.clone(), FROM).unwrap();
    // The second one gets the number of the first, as the outbox is empty again.
    for path in ["first", "second"] {
        queue(&db, &format!("https://portal.test/{path}")).await;
        let service = testkit::service_at(&db, NOON);
        send_due(&db, &Clock::frozen_at(NOON), &service, &mailer).await;
    }
    let files = std::fs::read_dir(&folder).unwrap().flatten();
    let texts = files.map(|file| std::fs::read_to_string(file.path()).unwrap());
    let texts: Vec<String> = texts.collect();
    assert_eq!(texts.len(), 2);
    let all = texts.concat();
    assert!(all.contains("To: anna@example.com"), "{all}");
    assert!(all.contains("/first") && all.contains("/second"), "{all}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_server_that_hangs_holds_up_neither_other_jobs_nor_the_stop() {
    let db = TestDb::sqlite().await;
    let app = TestApp::start(&db).await;
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "monitor").await;
    for _ in 0..3 {
        queue(&db, "https://portal.test/").await;
    }
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", hanging.local_addr().unwrap());
    let stop = CancellationToken::new();
    let jobs = Jobs {
        store: db.store(),
        service: app.service.clone(),
        bus: app.bus.clone(),
        clock: app.clock.clone(),
        random: testkit::random::seeded(1),
        mailer: Mailer::smtp(&url, FROM, None).unwrap(),
        sample_retention: SampleRetention::default(),
        sources: Sources::new(Addresses::default()),
    };
    let running = tokio::spawn(jobs::run(jobs, stop.clone()));
    let (_connection, _) = hanging.accept().await.unwrap();

    app.clock.advance(91 * DAY);
    eventually("the grant has ended", async || {
        let tables = db.dump().await.into_iter();
        let mut grants = tables.filter(|(table, _)| table == "grants");
        grants.any(|(_, rows)| rows.iter().any(|row| row.contains("\"ended\"")))
    })
    .await;
    stop.cancel();
    let stopped = tokio::time::timeout(Duration::from_secs(20), running).await;
    stopped
        .expect("stops long before the SMTP timeout")
        .unwrap();
    app.stop().await;
    db.close().await;
}
