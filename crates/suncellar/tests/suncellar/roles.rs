//! Each role in a process of its own on PostgreSQL: the maker publishes by the command line, the owner starts at the update
//! service, the battery hears of it at the gateway.
#![allow(clippy::unwrap_used)]
use crate::server::home::{self, SN, sn};
use crate::server::{BINARY, listening};
use domain::clock::Clock;
use serde_json::{Value, json};
use simulator::model::Start;
use simulator::wire::Firmware;
use simulator::{Device, FirmwareKeys, Fleet, Seed, World};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;
use tempfile::TempDir;
use testkit::battery::secret;
use testkit::database::SECRET;
use testkit::http::Call;
use testkit::{TestDb, eventually};

const PORTAL: &str = "https://portal.example";

/// Processes that end with the test.
#[derive(Default)]
struct Running(Vec<Child>);

impl Running {
    /// The last address that it names is its role's, the one before it where its status is served.
    fn start(&mut self, cluster: &Cluster, options: &[&str], marker: &str) -> [SocketAddr; 2] {
        let mut command = Command::new(BINARY);
        command.current_dir(cluster.folder).arg("serve");
        command.args(["--database", cluster.url, "--public-url", PORTAL]);
        let (process, addresses) = listening(
            {
                command.args(options);
                command.args(["--status-listen", "127.0.0.1:0"]);
                command
            },
            &["status is served", marker],
        );
        self.0.push(process);
        [addresses[0], addresses[1]]
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for process in &mut self.0 {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// What the processes share.
struct Cluster<'a> {
    url: &'a str,
    folder: &'a Path,
}

impl Cluster<'_> {
    /// What the operator's command prints.
    fn admin(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(BINARY);
        command.current_dir(self.folder).args(["admin", "firmware"]);
        command.args(arguments).args(["--database", self.url]);
        let output = command.env("SUNCELLAR_SECRET", SECRET).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn publish(&self, hardware: &str) -> FirmwareKeys {
        let public = self.admin(&["new-key", "release.key"]);
        self.admin(&["trust-key", &public]);
        std::fs::write(self.folder.join("image"), vec![7; 30_000]).unwrap();
        let signed = self.admin(&[
            "sign",
            "--key",
            "release.key",
            "--image",
            "image",
            "--part",
            "master",
            "--hardware",
            hardware,
            "--release-version",
            "2.7",
            "--seq",
            "3",
        ]);
        std::fs::write(self.folder.join("manifest.json"), signed).unwrap();
        self.admin(&[
            "publish",
            "--manifest",
            "manifest.json",
            "--image",
            "image",
            "--note",
            "de=Neu.",
            "--soak",
            "0",
        ]);
        let keys: Value = serde_json::from_str(&self.admin(&["keys"])).unwrap();
        let key = |name: &str| keys[name].as_str().unwrap().parse().unwrap();
        FirmwareKeys {
            release: key("release"),
            director: key("director"),
        }
    }
}

fn battery(keys: FirmwareKeys) -> Device {
    Device {
        firmware: Firmware::of("2.6", "1.14", "1.8"),
        keys: Some(keys),
        ..blank()
    }
}

fn blank() -> Device {
    let start = Start {
        at: Clock::system().now(),
        boot: 1,
        charge: 500,
        readings: [0; 5],
    };
    let device = Device::drawn(sn(), secret(SN).into_bytes(), 1, Seed::of(&sn(), 1), &start);
    Device {
        update_needs_off: false,
        ..device
    }
}

async fn status(updates: SocketAddr, access: &str) -> Value {
    let path = format!("/api/v1/has_update?sn={SN}");
    let call = Call::new(updates, "GET".parse().unwrap(), &path);
    call.bearer(access).send().await.expect(200).json()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_crosses_processes_of_one_role_each() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let code = home::prepare(db.url()).await;
    let cluster = Cluster {
        url: db.url(),
        folder: folder.path(),
    };
    let mut running = Running::default();
    let [updates_status, updates] = running.start(
        &cluster,
        &["--role", "updates", "--updates-listen", "127.0.0.1:0"],
        "the update service listens",
    );
    let reached = format!("http://{updates}");
    let [portal_status, portal] = running.start(
        &cluster,
        &[
            "--role",
            "portal",
            "--listen",
            "127.0.0.1:0",
            "--updates-url",
            &reached,
        ],
        "the portal listens",
    );
    let [devices_status, devices] = running.start(
        &cluster,
        &[
            "--role",
            "gateway",
            "--role",
            "jobs",
            "--devices-listen",
            "127.0.0.1:0",
            "--updates-url",
            &reached,
        ],
        "batteries can connect",
    );
    let access = home::register(portal, &code).await;

    // The portal tells browsers the way, and the service names the portal's origin, whoever asks.
    let call = |to: SocketAddr, path: &str| Call::new(to, "GET".parse().unwrap(), path);
    let config = call(portal, "/config.json").send().await.expect(200);
    assert_eq!(config.json()["updates"], json!(reached));
    for origin in [PORTAL, "https://evil.example"] {
        let asked = call(updates, &format!("/api/v1/has_update?sn={SN}"));
        let answer = asked.bearer(&access).header("origin", origin).send().await;
        assert_eq!(answer.headers["access-control-allow-origin"], PORTAL);
    }

    let keys = cluster.publish(&blank().hardware);
    let mut world = World::new(devices, Duration::from_millis(50), Clock::system());
    world.takes_orders = true;
    let fleet = Fleet::start(world, vec![battery(keys)]);
    // The waves in which it is not are empty, and not waited for.
    eventually("it is offered", async || {
        status(updates, &access).await["new_update"] == json!(true)
    })
    .await;
    let start = Call::new(updates, "POST".parse().unwrap(), "/api/v1/update/").bearer(&access);
    let started = start.multipart(&[("sn", SN), ("update", "1")]).send().await;
    started.expect(200);
    eventually("the battery reports the new version", async || {
        status(updates, &access).await["state"] == json!("done")
    })
    .await;
    // Each of them can be watched, whatever its roles.
    for (status, figure) in [
        (
            updates_status,
            "http_requests_total{route=\"/api/v1/update/\",status=\"200\"} 1",
        ),
        (portal_status, "notify_heartbeat_age_seconds"),
        (devices_status, "link_sessions"),
        (devices_status, "job_runs_total{job=\"rollouts\"}"),
        (devices_status, "mails_waiting"),
        (devices_status, "database_connections{state=\"open\"}"),
    ] {
        call(status, "/healthz").send().await.expect(200);
        call(status, "/readyz").send().await.expect(200);
        let figures = call(status, "/metrics").send().await.expect(200);
        assert!(figures.text.contains(figure), "{figure}: {}", figures.text);
    }
    let list = cluster.admin(&["list"]);
    assert!(list.contains("master 2.7"), "{list}");
    cluster.admin(&["withdraw", "1", "--reason", "a test"]);
    assert!(cluster.admin(&["list"]).contains("withdrawn"), "{list}");
    drop(fleet);
    db.close().await;
}
