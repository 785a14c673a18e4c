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

    let backed_up = succeeded(&run(folder.path(), &["backup", "backups", "--keep", "3"]));
    assert!(backed_up.contains("1 systems"), "{backed_up}");
    let file = backed_up.split(' ').nth(3).unwrap().trim_end_matches(':');
    let mode = |name: &str| path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("backups"), mode(file)), (0o700, 0o600));
    let no_folder = refused(&run(folder.path(), &["backup", "suncellar.db"]));
    assert!(
        no_folder.contains("is a file: name the folder"),
        "{no_folder}"
    );
    let second = refused(&run(folder.path(), &SERVE));
    assert!(second.contains("a server uses"), "{second}");
    assert!(
        second.contains(&server.process.id().to_string()),
        "{second}"
    );
    let running = refused(&run(folder.path(), &["restore", file]));
    assert!(running.contains("a server uses"), "{running}");

    measure(&server, 3, 3).await;
    server.kill();
    let log = path("suncellar.db-wal").metadata().unwrap();
    assert!(log.len() > 0, "the kill leaves a write-ahead log");
    let restored = succeeded(&run(folder.path(), &["restore", file]));
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

/// Decrypted by the tool that the format is from.
#[tokio::test]
async fn an_encrypted_backup_is_read_by_whoever_has_the_key() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let url = format!("sqlite:{}", path("suncellar.db").display());
    home::prepare(&url).await;
    let tool = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.current_dir(folder.path()).args(arguments).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{output:?}");
        output
    };
    tool("age-keygen", &["-o", "key"]);
    let recipient = tool("age-keygen", &["-y", "key"]).stdout;
    std::fs::write(path("recipients"), recipient).unwrap();
    let encrypt = ["backup", "backups", "--recipients", "recipients"];
    let backed_up = succeeded(&run(folder.path(), &encrypt));
    let file = backed_up.split(' ').nth(3).unwrap().trim_end_matches(':');
    assert!(file.ends_with(".backup.age"), "{file}");
    let advice = refused(&run(folder.path(), &["restore", file]));
    assert!(advice.contains("age --decrypt"), "{advice}");

    tool("age", &["--decrypt", "-i", "key", "-o", "plain", file]);
    let plain = std::fs::File::open(path("plain")).unwrap();
    let mut restore = Command::new(BINARY);
    let restore = restore.current_dir(folder.path()).env_clear();
    let restore = restore.args(["restore", "-", "--database", "sqlite:new.db"]);
    let restored = succeeded(&restore.stdin(plain).output().unwrap());
    assert!(restored.contains("1 systems"), "{restored}");
    std::fs::write(path("recipients"), "ssh-ed25519 AAAA").unwrap();
    let wrong = refused(&run(folder.path(), &encrypt));
    assert!(wrong.contains("begin with age1"), "{wrong}");
}

#[tokio::test]
async fn the_operator_moves_to_another_database_and_sees_the_progress() {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("suncellar.db").display());
    home::prepare(&url).await;
    let there = succeeded(&run(folder.path(), &["move", "sqlite:new.db"]));
    for line in [
        "systems: 1 of 1 rows copied",
        "systems: 1 rows are the same",
        "set `database`",
    ] {
        assert!(there.contains(line), "{there}");
    }
    let again = refused(&run(folder.path(), &["move", "sqlite:new.db"]));
    assert!(again.contains("is there already"), "{again}");
    let nowhere = refused(&run(folder.path(), &["move", "mysql://x"]));
    assert!(nowhere.contains("must begin with sqlite"), "{nowhere}");
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
    let line = log
        .lines()
        .find(|line| line.contains("system_rows_damaged"));
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
    assert!(said.contains("suncellar restore FILE"), "{said}");
    assert!(refused(&found).contains("one problem"), "{found:?}");
    let backup = refused(&run(folder.path(), &["backup", "b"]));
    assert!(backup.contains("is damaged"), "{backup}");
    let left = std::fs::read_dir(folder.path().join("b")).unwrap();
    assert_eq!(left.count(), 0, "no backup of what is damaged");
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
