//! The real binary is killed, runs out of disk space and is traced: everything that it acknowledged is on the disk.
#![allow(clippy::unwrap_used)]
use crate::server::load::{assert_stored, load, now, register, serial};
use crate::server::{BINARY, SERVE, Server};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use testkit::battery::secret;
use testkit::database::samples;
use testkit::{MqttBattery, TestDb, eventually};
use tokio::sync::watch;

/// Kills the server under load `kills` times. Then exactly the acknowledged samples are stored, each once.
async fn survives_kills(url: &str, kills: usize) {
    const DEVICES: usize = 8;
    const BETWEEN: usize = 250;
    let folder = TempDir::new().unwrap();
    register(url, DEVICES).await;
    let mut server = Server::serve(url, folder.path());
    let (address, watching) = watch::channel(server.devices);
    let total = Arc::new(AtomicUsize::new(0));
    let goal = Arc::new(AtomicUsize::new((kills + 1) * BETWEEN / DEVICES));
    let batteries: Vec<_> = (0..DEVICES)
        .map(|n| {
            let (goal, total) = (Arc::clone(&goal), Arc::clone(&total));
            tokio::spawn(load(n, goal, watching.clone(), total))
        })
        .collect();
    for kill in 1..=kills {
        eventually("the load goes on", async || {
            total.load(Ordering::Relaxed) >= kill * BETWEEN - DEVICES
        })
        .await;
        server.kill();
        let begun = std::time::Instant::now();
        server = Server::serve(url, folder.path());
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "ready after {:?}",
            begun.elapsed()
        );
        address.send(server.devices).unwrap();
    }
    assert_stored(url, batteries).await;
}

fn sqlite(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("suncellar.db").display())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_three_kills_on_sqlite() {
    let folder = TempDir::new().unwrap();
    survives_kills(&sqlite(&folder), 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_three_kills_on_postgresql() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    survives_kills(db.url(), 3).await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn soak_what_was_acknowledged_survives_two_hundred_kills() {
    let folder = TempDir::new().unwrap();
    survives_kills(&sqlite(&folder), 200).await;
}

/// kill -9 does not lose the page cache; this test shows that the disk was synced before the battery got its answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_synced_before_each_acknowledgement_leaves() {
    if !Command::new("strace")
        .args(["-qq", "-e", "trace=none", "true"])
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!(
            "SKIPPED: this user may not trace processes, so fdatasync before PUBACK is not tested"
        );
        return;
    }
    let folder = TempDir::new().unwrap();
    let (url, trace) = (sqlite(&folder), folder.path().join("trace"));
    register(&url, 1).await;
    let mut command = Command::new("strace");
    command
        .current_dir(folder.path())
        // -D detaches the tracer: the child process is the server itself.
        .args([
            "-D",
            "-f",
            "-qq",
            "-y",
            "-s",
            "4",
            "-e",
            "trace=fdatasync,fsync,recvfrom,read,sendto,write",
        ])
        .arg("-o")
        .arg(&trace)
        .arg(BINARY)
        .args(SERVE)
        .args(["--database", &url]);
    let server = Server::start(command);
    let mut battery = MqttBattery::connect(server.devices, &serial(0)).await;
    battery.started = now() - 1_000;
    for _ in 0..20 {
        battery.measure(now()).await;
    }
    server.kill();
    eventually("the trace is complete", async || {
        acknowledgements(&std::fs::read_to_string(&trace).unwrap_or_default()).len() == 20
    })
    .await;
    let synced = acknowledgements(&std::fs::read_to_string(&trace).unwrap());
    assert!(synced.iter().all(|synced| *synced), "{synced:?}");
}

/// For each PUBACK in the trace: whether the write-ahead log was synced after the publish arrived.
fn acknowledgements(trace: &str) -> Vec<bool> {
    let (mut came_in, mut synced) = (false, false);
    let mut syncing: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for line in trace.lines() {
        let Some((process, call)) = line.split_once(' ') else {
            continue;
        };
        let call = call.trim_start();
        let syncs = call.starts_with("fdatasync(") || call.starts_with("fsync(");
        if syncs && call.contains("-wal>") {
            if call.contains("unfinished") {
                syncing.insert(process);
            } else {
                synced |= came_in && call.ends_with("= 0");
            }
        } else if call.starts_with("<... f") && syncing.remove(process) {
            synced |= came_in && call.ends_with("= 0");
        } else if call.contains("\"2\\")
            && (call.starts_with("recvfrom(") || call.starts_with("<... recvfrom"))
        {
            (came_in, synced) = (true, false);
        } else if call.starts_with("sendto(") && call.contains("\"@\\2") {
            found.push(synced);
            (came_in, synced) = (false, false);
        }
    }
    found
}

/// Runs on a small disk in its own mount namespace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_gives_no_false_acknowledgement_and_it_goes_on_when_there_is_room() {
    let folder = TempDir::new().unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = "mount -t tmpfs -o size=6m tmpfs \"$0\"";
    let mut try_mount = Command::new("unshare");
    try_mount
        .args(["-m", "sh", "-c", mount])
        .arg(&disk)
        .stderr(Stdio::null());
    if !try_mount.status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: this user may not mount a small disk, so a full disk is not tested");
        return;
    }
    let sn = serial(0);
    std::fs::write(
        folder.path().join("devices.csv"),
        format!("sn,phase,secret\n{sn},1,\"{}\"\n", secret(&sn)),
    )
    .unwrap();
    let url = "sqlite:disk/suncellar.db";
    let script = format!(
        "{mount} && '{BINARY}' admin --database {url} import-devices devices.csv >/dev/null && exec '{BINARY}' {} --database {url}",
        SERVE.join(" ")
    );
    let mut command = Command::new("unshare");
    command
        .current_dir(folder.path())
        .args(["-m", "sh", "-c", &script])
        .arg(&disk);
    let server = Server::start(command);
    // The server's disk, seen from outside its namespace.
    let inside = Path::new("/proc")
        .join(server.process.id().to_string())
        .join("root")
        .join(disk.strip_prefix("/").unwrap());
    let mut battery = MqttBattery::connect(server.devices, &sn).await;
    battery.started = now() - 1_000;
    battery.measure(now()).await;

    let ballast = inside.join("ballast");
    fill(&ballast);
    let mut waiting = Vec::new();
    // Space that the database has reserved already may still be used.
    for _ in 0..20_000 {
        let body = battery.sample(now()).to_string();
        waiting.push(battery.publish("tele", body).await);
        if !battery
            .ack_within(Duration::from_secs(2), &mut waiting)
            .await
        {
            break;
        }
    }
    assert_eq!(waiting.len(), 1, "the disk is full");
    let stored = stored_in(&inside, &sn).await;
    assert_eq!(
        stored.len() as u32,
        battery.seq - 1,
        "nothing more is stored than was acknowledged"
    );
    std::fs::remove_file(&ballast).unwrap();
    battery.wait_for_ack(waiting[0]).await;
    battery.measure(now()).await;
    let stored = stored_in(&inside, &sn).await;
    assert_eq!(stored.len() as u32, battery.seq);
}

/// The samples in this folder's database, read from a copy: SQLite does not open files through /proc.
async fn stored_in(folder: &Path, sn: &str) -> Vec<(i64, i64, i64)> {
    let copy = TempDir::new().unwrap();
    for name in ["suncellar.db", "suncellar.db-wal"] {
        std::fs::copy(folder.join(name), copy.path().join(name)).unwrap();
    }
    samples(&sqlite(&copy), sn).await
}

/// Fills the rest of the disk.
fn fill(path: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    let mut size = 64 * 1024;
    while size > 0 {
        if file.write_all(&vec![0; size]).is_err() {
            size /= 2;
        }
    }
}
