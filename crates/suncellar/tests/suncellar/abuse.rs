//! Abuse of a portal (`make soak`): whatever strangers and careless clients do, others hardly notice it, and memory stays bounded.
#![allow(clippy::unwrap_used)]
mod portal;

use crate::server::load::{now, serial};
use domain::Zone;
use domain::clock::{DAY, HOUR};
use portal::Portal;
use rustix::process::{Resource, getrlimit};
use std::net::SocketAddr;
use std::time::Duration;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use testkit::http::{Call, StreamingResponse, TestResponse};
use testkit::{MqttBattery, sample};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Whoever is sent away learns when to come back, in plain words of their language.
fn assert_plain_refusal(answer: &TestResponse) {
    let wait = answer.headers["retry-after"].to_str().unwrap();
    assert!(wait.parse::<u32>().unwrap() > 0);
    let text = answer.json()["detail"].as_str().unwrap().to_owned();
    assert!(text.contains("Please") && text.ends_with('.'), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_exports_that_nobody_reads_hold_up_nobody() {
    const READERS: usize = 10;
    // More than the buffers of a socket hold, so that an export that nobody reads does not end.
    const DAYS: i64 = 12;
    let portal = Portal::start(READERS).await;
    // What was measured before they registered is theirs, too.
    let all = "UPDATE systems SET history_from = 0";
    portal.db.execute(all).await;
    for n in 0..READERS {
        store_days(&portal.db, n, DAYS).await;
    }
    let before = portal.memory_mb();
    let today = Zone::default().day_of(now());
    let first = today.plus(-(DAYS as i32) - 2);
    let path = format!("/api/auth/export/?sn=-1&from={first}&to={today}");
    let mut open: Vec<StreamingResponse> = Vec::new();
    for access in portal.sessions(6).await {
        let export = || {
            portal
                .call("GET", &path)
                .bearer(&access)
                .header("accept-language", "en")
        };
        for _ in 0..2 {
            let file = export().open().await;
            assert_eq!(file.status, 200);
            open.push(file);
        }
        assert_plain_refusal(&export().send().await.expect(429));
    }
    let name = format!("{} exports that nobody reads", open.len());
    portal.assert_others_do_not_wait(&name).await;
    let with = portal.memory_mb();
    assert!(with < before + 500, "{before} MB became {with} MB");
    drop(open);
    portal.end().await;
}

/// Days of samples every ten seconds, none of them of the last hours: those are the running server's.
async fn store_days(store: &store::Store, number: usize, days: i64) {
    const PER_DAY: i64 = 8_640;
    for day in 1..=days {
        let first = now() - day * DAY - 2 * HOUR;
        let samples = (0..PER_DAY).map(|n| sample(first + n * 10_000, (day * PER_DAY + n) as u32));
        let report = Report {
            sn: serial(number).parse().unwrap(),
            received_at: now(),
            body: ReportBody::BackFill {
                samples: samples.collect(),
                undated: Vec::new(),
            },
        };
        let stored = store.append(&[report], GatewayId::default()).await;
        stored.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes two minutes: make soak"]
async fn soak_two_thousand_streams_half_of_them_unread_slow_down_nobody() {
    const EACH: usize = 6;
    // Or as many as the portal takes where a process may open few files.
    let files = getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
    let streams = (files / 8 * 4 / 5).min(2_000) as usize;
    let portal = Portal::start(streams.div_ceil(EACH * EACH)).await;
    let mut batteries = JoinSet::new();
    for account in portal.abusers() {
        batteries.spawn(report_for_ever(portal.battery(account.number).await));
    }
    let before = portal.memory_mb();
    let (mut readers, mut unread) = (JoinSet::new(), Vec::new());
    'opened: for access in portal.sessions(EACH).await {
        for n in 0..EACH {
            if readers.len() + unread.len() == streams {
                break 'opened;
            }
            let mut stream = portal
                .call("GET", "/api/auth/stream/")
                .bearer(&access)
                .open()
                .await;
            assert_eq!(stream.status, 200);
            if n % 2 == 0 {
                unread.push(stream);
            } else {
                readers.spawn(async move {
                    let mut events = 0_usize;
                    while stream.event().await.is_some() {
                        events += 1;
                    }
                    events
                });
            }
        }
    }
    let name = format!("{} streams", readers.len() + unread.len());
    portal.assert_others_do_not_wait(&name).await;
    let with = portal.memory_mb();
    assert!(with < before + 500, "{before} MB became {with} MB");
    drop(unread);
    readers.abort_all();
    batteries.abort_all();
    portal.end().await;
}

/// As often as a battery does that somebody watches.
async fn report_for_ever(mut battery: MqttBattery) {
    let mut turn = tokio::time::interval(Duration::from_secs(2));
    loop {
        turn.tick().await;
        let reported = battery.sample(now());
        battery.report("tele", reported.to_string()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_three_hundred_logins_at_once_keep_nobody_waiting() {
    const LOGINS: usize = 300;
    let portal = Portal::start(1).await;
    let before = portal.memory_mb();
    let address = portal.server.portal;
    let mut guesses = JoinSet::new();
    for n in 0..LOGINS {
        guesses.spawn(guess_for_ever(address, n));
    }
    let watched = portal.assert_others_do_not_wait("300 logins at once");
    tokio::select! {
        () = watched => {}
        ended = guesses.join_next() => ended.unwrap().unwrap(),
    }
    let with = portal.memory_mb();
    assert!(with < before + 200, "{before} MB became {with} MB");
    guesses.abort_all();
    portal.end().await;
}

/// One stranger after the other from their own address, each at an account of its own.
async fn guess_for_ever(address: SocketAddr, first: usize) {
    for n in 0.. {
        let email = format!("somebody{first}-{n}@example.com");
        let form = [("email", email.as_str()), ("password", "Falsch-123!")];
        let login = Call::new(address, "POST".parse().unwrap(), "/api/auth/token/").form(&form);
        let from = format!("203.{}.{}.{}", n % 250, first / 250, first % 250);
        let login = login.from(&from).header("accept-language", "en");
        let answer = login.send().await;
        match answer.status.as_u16() {
            401 => {}
            429 | 503 => {
                assert_plain_refusal(&answer);
                // As a person would; a program that does not is kept busy by its own connections.
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            other => panic!("{other}: {}", answer.text),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_silent_connections_to_every_listener_keep_nobody_out() {
    let portal = Portal::start(1).await;
    let before = portal.memory_mb();
    let files = getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
    let mut flood = JoinSet::new();
    let mut counts = Vec::new();
    let server = &portal.server;
    // Four fifths of what a listener takes from all networks together; one network alone may have 256, or 64 at the gateway.
    for (listener, share, most) in [
        (server.portal, files / 8, 2_000),
        (server.updates, files / 16, 1_000),
        (server.devices, files / 4 * 3, 4_000),
    ] {
        let count = (share * 4 / 5).min(most);
        counts.push(count);
        for _ in 0..count {
            flood.spawn(connect_for_ever(listener));
        }
    }
    let name = format!("{counts:?} silent connections");
    portal.assert_others_do_not_wait(&name).await;
    let with = portal.memory_mb();
    assert!(with < before + 200, "{before} MB became {with} MB");
    flood.abort_all();
    portal.end().await;
}

/// Connects again when it is sent away.
async fn connect_for_ever(listener: SocketAddr) {
    loop {
        if let Ok(mut stream) = TcpStream::connect(listener).await {
            let _ = stream.read(&mut [0; 64]).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_large_bodies_of_guests_take_no_memory() {
    const GUESTS: usize = 500;
    let portal = Portal::start(1).await;
    let before = portal.memory_mb();
    let mut guests = JoinSet::new();
    for _ in 0..GUESTS {
        guests.spawn(send_bodies_for_ever(portal.server.portal));
    }
    let name = format!("bodies of 1 MiB by {GUESTS} guests");
    portal.assert_others_do_not_wait(&name).await;
    let with = portal.memory_mb();
    assert!(with < before + 200, "{before} MB became {with} MB");
    guests.abort_all();
    portal.end().await;
}

/// Sends all of a form but its last byte, and waits to be sent away.
async fn send_bodies_for_ever(address: SocketAddr) {
    const LENGTH: usize = 1 << 20;
    let head = format!(
        "POST /api/auth/token/ HTTP/1.1\r\nhost: test\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {LENGTH}\r\n\r\nemail="
    );
    let rest = vec![b'a'; LENGTH - "email=".len() - 1];
    loop {
        let sent = async {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&rest).await?;
            stream.read(&mut [0; 1_024]).await
        };
        let _ = sent.await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
