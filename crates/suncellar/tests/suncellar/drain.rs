//! A gateway is replaced while batteries send: it gives them to the other one, a few at a time, and nothing is lost.
#![allow(clippy::unwrap_used)]
use crate::server::load::{assert_stored, load, register};
use crate::server::{BINARY, listening};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use testkit::{TestDb, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;

const BATTERIES: usize = 20;
/// A second until load balancers have noticed, and three in which the batteries go.
const DRAIN: &str = "4";

/// A process; killed when dropped.
struct Gateway {
    process: Child,
    status: SocketAddr,
    devices: SocketAddr,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Gateway {
    fn start(url: &str, folder: &Path) -> Self {
        let mut command = Command::new(BINARY);
        command.current_dir(folder);
        command.args(["serve", "--role", "gateway", "--database", url]);
        command.args(["--devices-listen", "127.0.0.1:0"]);
        command.args(["--status-listen", "127.0.0.1:0"]);
        command.args(["--public-url", "https://portal.example"]);
        command.args(["--updates-url", "https://updates.example"]);
        command.args(["--drain", DRAIN]);
        let markers = ["status is served", "batteries can connect"];
        let (process, addresses) = listening(command, &markers);
        Self {
            process,
            status: addresses[0],
            devices: addresses[1],
        }
    }

    /// The answer of its status listener; empty once it has ended.
    async fn ask(&self, path: &str) -> String {
        let mut answer = String::new();
        if let Ok(mut stream) = TcpStream::connect(self.status).await {
            let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(request.as_bytes()).await;
            let _ = stream.read_to_string(&mut answer).await;
        }
        answer
    }

    async fn is_ready(&self) -> bool {
        self.ask("/readyz").await.starts_with("HTTP/1.1 200")
    }

    /// The batteries that are connected to it.
    async fn sessions(&self) -> Option<usize> {
        let metrics = self.ask("/metrics").await;
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("link_sessions "));
        line.map(|count| count.trim().parse().unwrap())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_that_is_replaced_under_load_gives_its_batteries_away_and_loses_nothing() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let folder = TempDir::new().unwrap();
    register(db.url(), BATTERIES).await;
    let start = || Gateway::start(db.url(), folder.path());
    let (mut old, other) = (start(), start());
    let (address, watching) = watch::channel(old.devices);
    let (total, goal) = (
        Arc::<AtomicUsize>::default(),
        Arc::new(AtomicUsize::new(usize::MAX)),
    );
    let batteries: Vec<_> = (0..BATTERIES)
        .map(|n| tokio::spawn(load(n, goal.clone(), watching.clone(), total.clone())))
        .collect();
    eventually("all batteries are connected", async || {
        old.sessions().await == Some(BATTERIES) && old.is_ready().await
    })
    .await;

    kill_process(Pid::from_child(&old.process), Signal::TERM).unwrap();
    eventually("it is not ready", async || !old.is_ready().await).await;
    // What a load balancer does then.
    address.send(other.devices).unwrap();
    let before = total.load(Ordering::Relaxed);
    let mut seen = BTreeSet::new();
    let mut status = None;
    eventually("it has ended", async || {
        seen.extend(old.sessions().await);
        status = old.process.try_wait().unwrap();
        status.is_some()
    })
    .await;
    assert!(status.unwrap().success());
    assert!(seen.len() > 4, "a few at a time: {seen:?} were connected");
    assert!(total.load(Ordering::Relaxed) > before, "the load went on");

    let new = start();
    eventually("all batteries are at the other one", async || {
        other.sessions().await == Some(BATTERIES) && new.is_ready().await
    })
    .await;
    goal.store(0, Ordering::Relaxed);
    assert_stored(db.url(), batteries).await;
    drop((old, other, new));
    db.close().await;
}
