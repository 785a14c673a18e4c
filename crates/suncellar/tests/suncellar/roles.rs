//! Each role in a process of its own on PostgreSQL: the operator publishes by the command line, the owner starts the update
//! at the update service, the battery gets it from the gateway.
#![allow(clippy::unwrap_used)]
use crate::server::home::{self, SN, sn};
use crate::server::{BINARY, listening};
use domain::clock::Clock;
use serde_json::{Value, json};
use simulator::model::InitialState;
use simulator::wire::FirmwareVersions;
use simulator::{Device, FirmwareKeys, Fleet, FleetContext, Seed};
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

/// Processes that are killed at the end of the test.
#[derive(Default)]
struct Processes(Vec<Child>);

impl Processes {
    /// Returns the addresses of its status listener and of its role.
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

impl Drop for Processes {
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
    /// The output of an operator's command.
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
        firmware: FirmwareVersions::of("2.6", "1.14", "1.8"),
        keys: Some(keys),
        ..blank()
    }
}

fn blank() -> Device {
    let start = InitialState {
        at: Clock::system().now(),
        boot: 1,
        charge: 500,
        readings: [0; 5],
    };
    let device = Device::random(sn(), secret(SN).into_bytes(), 1, Seed::of(&sn(), 1), &start);
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
    let mut running = Processes::default();
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

    // The portal gives browsers the update service's address; the service allows only the portal's origin.
    let call = |to: SocketAddr, path: &str| Call::new(to, "GET".parse().unwrap(), path);
    let config = call(portal, "/config.json").send().await.expect(200);
    assert_eq!(config.json()["updates"], json!(reached));
    for origin in [PORTAL, "https://evil.example"] {
        let asked = call(updates, &format!("/api/v1/has_update?sn={SN}"));
        let answer = asked.bearer(&access).header("origin", origin).send().await;
        assert_eq!(answer.headers["access-control-allow-origin"], PORTAL);
    }

    let keys = cluster.publish(&blank().hardware);
    let mut context = FleetContext::new(devices, Duration::from_millis(50), Clock::system());
    context.accepts_interventions = true;
    let fleet = Fleet::start(context, vec![battery(keys)]);
    // Waves without this system are empty and end at once.
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
    // Each process serves its metrics, whatever its roles.
    for (status, figure) in [
        (
            updates_status,
            "http_requests_total{route=\"/api/v1/update/\",status=\"200\"} 1",
        ),
        (portal_status, "notify_heartbeat_age_seconds"),
        (devices_status, "link_sessions"),
        (
            updates_status,
            "http_request_duration_seconds_count{route=\"/api/v1/update/\",method=\"POST\",status=\"2xx\"} 1",
        ),
        (portal_status, "database_connection_wait_seconds_count"),
        (portal_status, "database_connections_max 10"),
        (
            portal_status,
            "peer_messages_received_total{kind=\"heartbeat\",transport=\"database\"}",
        ),
        (
            devices_status,
            "peer_messages_sent_total{kind=\"heartbeat\",transport=\"database\"}",
        ),
        (devices_status, "link_acknowledgement_seconds_count"),
        (devices_status, "job_runs_total{task=\"rollouts\"}"),
        (
            devices_status,
            "job_duration_seconds_count{task=\"rollouts\"}",
        ),
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

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_database_is_migrated_by_the_operator_and_an_older_program_may_go_on() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(BINARY);
        command.current_dir(folder.path()).args(arguments);
        command.args(["--database", db.url()]);
        command.env("SUNCELLAR_SECRET", SECRET).output().unwrap()
    };
    let execute = async |statements: &[&str]| {
        let statements: Vec<String> = statements.iter().map(ToString::to_string).collect();
        testkit::database::execute(db.url(), &statements).await;
    };
    // A step of the next release, which programs of this one work with.
    execute(&[
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
               VALUES (9999, 'next', TRUE, '', 0)",
    ])
    .await;
    assert!(run(&["admin", "list-options"]).status.success());
    // And one that they do not work with.
    execute(&["INSERT INTO schema_compatibility VALUES (9999)"]).await;
    let refused = run(&["admin", "list-options"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("newer"),
        "{said}"
    );

    // A database of the previous release.
    execute(&["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"]).await;
    let previous = db::Db::open(db.url()).await.unwrap();
    previous.migrate_to(37).await.unwrap();
    previous.close().await;
    let refused = run(&["serve", "--role", "jobs"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("run `suncellar migrate`"),
        "{said}"
    );
    assert!(run(&["migrate"]).status.success());
    assert!(run(&["admin", "list-options"]).status.success());
}
