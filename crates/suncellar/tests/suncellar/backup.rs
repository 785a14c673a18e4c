//! Backup and restore as an operator does them, and locking of a database file.
use crate::server::{BINARY, SERVE, Server, home};
use domain::Clock;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use store::system::NewDevice;
use tempfile::TempDir;
use testkit::battery::secret;
use testkit::database::{self, SECRET, samples};
use testkit::{MqttBattery, service_at};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(BINARY);
    command
        .current_dir(folder)
        .env_clear()
        .env("SUNCELLAR_SECRET", SECRET)
        .env("SUNCELLAR_DATABASE", "sqlite:suncellar.db")
        .args(arguments);
    command.output().unwrap()
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

async fn measure(server: &Server, seq: u32, count: u32) {
    let mut battery = MqttBattery::connect(server.devices, home::SN).await;
    battery.seq = seq;
    battery.started = Clock::system().now() - 1_000;
    for _ in 0..count {
        battery.measure(Clock::system().now()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_comes_back_after_a_kill_whatever_log_was_left() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let url = |name: &str| format!("sqlite:{}", path(name).display());
    home::prepare(&url("suncellar.db")).await;
    let server = Server::serve(&url("suncellar.db"), folder.path());
    measure(&server, 0, 3).await;

    let backed_up = succeeded(&run(folder.path(), &["backup", "backup.db"]));
    assert!(backed_up.contains("1 systems"), "{backed_up}");
    let mode = path("backup.db").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else reads a backup");
    let again = refused(&run(folder.path(), &["backup", "backup.db"]));
    assert!(again.contains("backup.db is there already"), "{again}");
    let second = refused(&run(folder.path(), &SERVE));
    assert!(second.contains("a server uses"), "{second}");
    assert!(
        second.contains(&server.process.id().to_string()),
        "{second}"
    );
    let running = refused(&run(folder.path(), &["restore", "backup.db"]));
    assert!(running.contains("a server uses"), "{running}");

    measure(&server, 3, 3).await;
    server.kill();
    let log = path("suncellar.db-wal").metadata().unwrap();
    assert!(log.len() > 0, "the kill leaves a write-ahead log");
    let restored = succeeded(&run(folder.path(), &["restore", "backup.db"]));
    assert_eq!(samples(&url("suncellar.db"), home::SN).await.len(), 3);
    let aside = restored.split("before is ").nth(1).unwrap().trim();
    let aside = format!("sqlite:{aside}");
    assert_eq!(samples(&aside, home::SN).await.len(), 6, "nothing is lost");
    let sound = succeeded(&run(folder.path(), &["check"]));
    assert!(sound.contains("is sound"), "{sound}");

    let server = Server::serve(&url("suncellar.db"), folder.path());
    measure(&server, 6, 1).await;
    assert_eq!(samples(&url("suncellar.db"), home::SN).await.len(), 4);
}

#[test]
fn backup_and_restore_of_postgresql_name_the_tools_for_it() {
    let folder = TempDir::new().unwrap();
    for (command, tool) in [
        (vec!["backup", "x"], "pg_dump"),
        (vec!["restore", "x"], "pg_restore"),
        (vec!["check"], "pg_amcheck"),
    ] {
        let database = ["--database", "postgres://localhost/none"];
        let said = refused(&run(folder.path(), &[&command[..], &database].concat()));
        assert!(said.contains(tool), "{said}");
        assert!(!folder.path().join("x").exists());
    }
}

const SOUND: &str = "SC26A0001";
/// Separates the others: SQLite balances an overflowing page with its neighbours.
const BETWEEN: &str = "SC26M0001";
/// Written first and the last one in order: its pages belong to it alone, and new ones are not added to them.
const DAMAGED: &str = "SC26Z0001";

/// Systems with a few hours of samples, in many chunks.
async fn some_systems(url: &str) {
    let store = database::open(url).await.unwrap();
    let now = Clock::system().now();
    for sn in [DAMAGED, BETWEEN, SOUND] {
        let (serial, secret) = (sn.parse().unwrap(), secret(sn));
        let device = NewDevice {
            sn: &serial,
            phase: 1,
            secret: secret.as_bytes(),
        };
        service_at(&store, now)
            .import_devices(&[device])
            .await
            .unwrap();
        let samples: Vec<_> = (1..300_u32)
            .map(|n| testkit::sample(now - i64::from(300 - n) * 30_000, n))
            .collect();
        for samples in samples.chunks(2) {
            let appended = store.telemetry.append_samples(&serial, samples, now);
            assert_eq!(appended.await.unwrap(), samples.len());
        }
    }
    store.db().close().await;
}

/// Overwrites every leaf page that holds many rows of this system and none of others.
fn damage(file: &Path, sn: &str) {
    const PAGE: usize = 1024;
    const LEAF: [u8; 2] = [0x0a, 0x0d];
    let mut bytes = std::fs::read(file).unwrap();
    let rows = |page: &[u8], sn: &str| {
        let windows = page.windows(sn.len());
        windows.filter(|window| *window == sn.as_bytes()).count()
    };
    let mut damaged = 0;
    for page in bytes.chunks_mut(PAGE) {
        let others = rows(page, SOUND) + rows(page, BETWEEN);
        if LEAF.contains(&page[0]) && rows(page, sn) > 3 && others == 0 {
            page.fill(0xff);
            damaged += 1;
        }
    }
    assert!(damaged > 10, "{damaged} pages");
    std::fs::write(file, bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_pages_of_one_system_stop_neither_the_server_nor_the_others() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("suncellar.db");
    let url = format!("sqlite:{}", file.display());
    some_systems(&url).await;
    damage(&file, DAMAGED);

    let server = Server::serve(&url, folder.path());
    let connect = async |sn: &str| {
        let mut battery = MqttBattery::connect(server.devices, sn).await;
        battery.boot = 2;
        battery.started = Clock::system().now() - 1_000;
        battery
    };
    let mut sound = connect(SOUND).await;
    sound.measure(Clock::system().now()).await;
    // A new sample is durable in the log, where it waits until the chunks can be read again.
    let mut damaged = connect(DAMAGED).await;
    damaged.measure(Clock::system().now()).await;
    sound.measure(Clock::system().now()).await;
    let log = server.log();
    let line = log.lines().find(|line| line.contains("are damaged"));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    let name = file.canonicalize().unwrap();
    for named in [
        DAMAGED,
        "sample_chunks",
        name.to_str().unwrap(),
        "suncellar check",
    ] {
        assert!(line.contains(named), "{named} in {line}");
    }
    drop(server);

    let found = run(folder.path(), &["check"]);
    let said = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(
        said.contains(&format!("table sample_chunks: rows of {DAMAGED}")),
        "{found:?}"
    );
    assert!(!said.contains(&format!("rows of {SOUND}")), "{said}");
    let advice = refused(&found);
    assert!(advice.contains("suncellar restore FILE"), "{advice}");
    let backup = refused(&run(folder.path(), &["backup", "b.db"]));
    assert!(backup.contains("is damaged"), "{backup}");
    assert!(!folder.path().join("b.db").exists());
}

#[tokio::test]
async fn the_operator_is_warned_of_a_wrong_clock() {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("suncellar.db").display());
    let store = database::open(&url).await.unwrap();
    let now = Clock::system().now();
    store.save_clock_check(3_600_000, now).await.unwrap();
    store.db().close().await;
    let told = run(folder.path(), &["admin", "brake-fleet", "why"]);
    succeeded(&told);
    let warning = String::from_utf8_lossy(&told.stderr);
    assert!(warning.contains("clock is 3600 s ahead of"), "{warning}");
}
