//! Several processes on PostgreSQL with a synchronous standby, under load: each is killed in turn, the database and NATS, too.
//! What was acknowledged is stored, each sample once.
#![allow(clippy::unwrap_used)]
use crate::server::load::{assert_stored, load, register};
use crate::server::{BINARY, listening};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testkit::{Cluster, NatsServer, Proxy, TestDb, eventually};
use tokio::sync::watch;

const BATTERIES: usize = 8;
/// Samples that are acknowledged after each kill.
const BETWEEN: usize = 400;
/// The longest that batteries wait for an acknowledgement, whatever was killed.
const MAX_PAUSE: Duration = Duration::from_secs(15);

/// A process of one role; killed when dropped.
struct RoleProcess {
    process: Child,
    address: SocketAddr,
}

impl Drop for RoleProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Installation<'a> {
    url: &'a str,
    nats: Option<String>,
    folder: &'a Path,
}

impl Installation<'_> {
    fn start(&self, role: &str) -> RoleProcess {
        let mut command = Command::new(BINARY);
        command.current_dir(self.folder);
        command.args(["serve", "--role", role, "--database", self.url]);
        command.args(["--listen", "127.0.0.1:0"]);
        command.args(["--devices-listen", "127.0.0.1:0"]);
        command.args(["--status-listen", "127.0.0.1:0"]);
        command.args(["--public-url", "https://portal.example"]);
        command.args(["--updates-url", "https://updates.example"]);
        if let Some(nats) = &self.nats {
            command.args(["--nats", nats]);
        }
        let marker = match role {
            "gateway" => "batteries can connect",
            "portal" => "the portal listens",
            _ => "status is served",
        };
        let (process, addresses) = listening(command, &[marker]);
        let address = addresses[0];
        RoleProcess { process, address }
    }
}

/// Waits until [`BETWEEN`] more samples are acknowledged; returns how long the longest pause between two was since then.
async fn acknowledged(total: &AtomicUsize, since: Instant) -> Duration {
    let (begun, mut pause) = (total.load(Ordering::Relaxed), Duration::ZERO);
    let mut last = (begun, since);
    eventually("the load goes on", async || {
        let count = total.load(Ordering::Relaxed);
        if count > last.0 {
            pause = pause.max(last.1.elapsed());
            last = (count, Instant::now());
        }
        count >= begun + BETWEEN
    })
    .await;
    pause
}

async fn survives_kills(with_nats: bool, rounds: usize) {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let proxy = Proxy::start(cluster.primary).await;
    let url = format!("postgres://suncellar@{}/suncellar", proxy.address);
    let folder = TempDir::new().unwrap();
    let nats = with_nats.then(NatsServer::start);
    register(&url, BATTERIES).await;
    let installation = Installation {
        url: &url,
        nats: nats.as_ref().map(NatsServer::url),
        folder: folder.path(),
    };
    let start = |role| installation.start(role);
    let mut gateways = [start("gateway"), start("gateway")];
    let (mut portal, mut jobs) = (start("portal"), start("jobs"));
    let (address, watching) = watch::channel(gateways[0].address);
    let total = Arc::new(AtomicUsize::new(0));
    let goal = Arc::new(AtomicUsize::new(usize::MAX));
    let batteries: Vec<_> = (0..BATTERIES)
        .map(|n| {
            let (goal, total) = (Arc::clone(&goal), Arc::clone(&total));
            tokio::spawn(load(n, goal, watching.clone(), total))
        })
        .collect();
    let go_on_since = async |killed: &str, since: Instant| {
        let pause = acknowledged(&total, since).await;
        eprintln!("{killed}: no acknowledgement for {} ms", pause.as_millis());
        assert!(
            pause <= MAX_PAUSE,
            "{killed}: no acknowledgement for {pause:?}"
        );
    };
    let go_on = |killed| go_on_since(killed, Instant::now());
    go_on("nothing").await;
    for _ in 0..rounds {
        for one in 0..2 {
            // Batteries go to the other gateway.
            gateways[one].process.kill().unwrap();
            address.send(gateways[1 - one].address).unwrap();
            go_on("a gateway").await;
            gateways[one] = start("gateway");
        }
        portal.process.kill().unwrap();
        go_on("the portal").await;
        portal = start("portal");
        jobs.process.kill().unwrap();
        go_on("the jobs").await;
        jobs = start("jobs");
        if let Some(nats) = &nats {
            nats.kill();
            go_on("NATS").await;
            nats.start_again();
        }
    }
    assert_eq!(Cluster::deadlocks(cluster.primary).await, 0);
    let killed_at = Instant::now();
    cluster.fail_over();
    proxy.lead_to(cluster.standby);
    go_on_since("the database", killed_at).await;
    goal.store(0, Ordering::Relaxed);
    assert_eq!(Cluster::deadlocks(cluster.standby).await, 0);
    for RoleProcess { process, .. } in gateways.iter_mut().chain([&mut portal, &mut jobs]) {
        assert!(process.try_wait().unwrap().is_none(), "it still runs");
    }
    assert_stored(&url, batteries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_the_end_of_each_process_and_of_the_database() {
    survives_kills(false, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_the_end_of_nats_too() {
    survives_kills(true, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn soak_what_was_acknowledged_survives_many_ends_of_each() {
    survives_kills(true, 10).await;
}

/// The shards that each process has a lease of, by the database's clock.
async fn shards(db: &TestDb) -> Vec<i64> {
    let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
    let query = format!(
        "SELECT count(*) FROM job_leases WHERE expires_at > {now} GROUP BY holder ORDER BY 1"
    );
    db.counts(&query).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "waits for leases to end: make soak"]
async fn soak_the_shards_of_a_killed_process_are_taken_over_within_forty_seconds() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let installation = Installation {
        url: db.url(),
        nats: None,
        folder: folder.path(),
    };
    let (mut first, second) = (installation.start("jobs"), installation.start("jobs"));
    eventually("each has its half", async || shards(&db).await == [16, 16]).await;
    first.process.kill().unwrap();
    let killed_at = Instant::now();
    while shards(&db).await != [32] {
        assert!(killed_at.elapsed() <= Duration::from_secs(40));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    eprintln!("the other had all shards after {:?}", killed_at.elapsed());
    drop(second);
    db.close().await;
}
