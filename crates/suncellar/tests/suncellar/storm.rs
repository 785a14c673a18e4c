//! Long runs against the real binary (`make soak`): a fleet that reconnects at once, clients that send random bytes, and a battery
//! that sends as fast as it can.
#![allow(clippy::unwrap_used)]
use crate::server::resident_mb;
use domain::clock::{Clock, DAY};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testkit::MqttBattery;
use testkit::battery::{MqttLogin, deflated};

const BINARY: &str = env!("CARGO_BIN_EXE_suncellar");
const SECRET: &str = "7f3a9c1e5b8d2064c7e1f9a3b5d8e6027c4b";

/// A data folder and the server on it; killed at the end of the test.
struct Server {
    folder: TempDir,
    devices: u16,
    process: Option<Child>,
}

impl Server {
    fn new(batteries: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let mut table = String::from("sn,phase,secret\n");
        for n in 0..batteries {
            writeln!(table, "SC{n:06},1,").unwrap();
        }
        std::fs::write(folder.path().join("new.csv"), table).unwrap();
        let devices = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut server = Self {
            folder,
            devices,
            process: None,
        };
        let mut import = server.command();
        import.args(["admin", "import-devices", "new.csv"]);
        let output = import.output().unwrap();
        assert!(output.status.success());
        std::fs::write(server.folder.path().join("secrets.csv"), output.stdout).unwrap();
        server.start();
        server
    }

    fn command(&self) -> Command {
        let mut command = Command::new(BINARY);
        command
            .current_dir(self.folder.path())
            .env("SUNCELLAR_SECRET", SECRET)
            .env("SUNCELLAR_LOG", "error");
        command
    }

    fn start(&mut self) {
        let listen = format!("--devices-listen=127.0.0.1:{}", self.devices);
        let mut command = self.command();
        let anywhere = "127.0.0.1:0";
        command.args([
            "serve",
            "--listen",
            anywhere,
            "--updates-listen",
            anywhere,
            &listen,
        ]);
        self.process = Some(command.spawn().unwrap());
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.devices)).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "the server does not listen"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Resident memory in MB; panics if the process has ended.
    fn resident(&self) -> u64 {
        resident_mb(self.process.as_ref().unwrap().id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

#[test]
#[ignore = "takes minutes: make soak"]
fn soak_ten_thousand_batteries_are_back_within_a_minute() {
    const BATTERIES: usize = 10_000;
    let mut server = Server::new(BATTERIES);
    let mut simulator = server
        .command()
        .args(["simulate", "--secrets=secrets.csv", "--interval=10"])
        .arg(format!("--gateway=127.0.0.1:{}", server.devices))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(simulator.stderr.take().unwrap()).lines();
    let mut connected = || {
        let line = lines.next().unwrap().unwrap();
        let number = line
            .strip_prefix("connected ")
            .and_then(|rest| rest.split(' ').next());
        number.and_then(|number| number.parse::<usize>().ok())
    };
    let all_within = |limit: Duration, connected: &mut dyn FnMut() -> Option<usize>| {
        let begun = Instant::now();
        while connected() != Some(BATTERIES) {
            assert!(begun.elapsed() < limit, "not all are back after {limit:?}");
        }
    };
    all_within(Duration::from_secs(120), &mut connected);
    server.kill();
    // All batteries have noticed and keep trying to reconnect.
    while connected() != Some(0) {}
    server.start();
    all_within(Duration::from_secs(60), &mut connected);
    assert!(server.resident() < 1_500, "{} MB", server.resident());
    simulator.kill().unwrap();
    simulator.wait().unwrap();
}

#[test]
#[ignore = "takes ten minutes: make soak"]
fn soak_ten_minutes_of_random_bytes_do_no_harm_and_take_no_memory() {
    let mut server = Server::new(1);
    let table = std::fs::read_to_string(server.folder.path().join("secrets.csv")).unwrap();
    let secret = table
        .lines()
        .nth(1)
        .unwrap()
        .rsplit(',')
        .next()
        .unwrap()
        .to_owned();
    let login = login("SC000000", &secret);
    let mut chance = Clock::system().now().unsigned_abs() | 1;
    eprintln!("seed {chance}");
    let mut draw = move || {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        chance
    };
    let begun = Instant::now();
    let mut settled = None;
    while begun.elapsed() < Duration::from_secs(600) {
        let mut stream = TcpStream::connect(("127.0.0.1", server.devices)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let mut bytes: Vec<u8> = Vec::new();
        match draw() % 3 {
            // Random bytes without a login, after a valid login, and after a login with one wrong bit.
            0 => {}
            1 => bytes.extend(&login),
            _ => {
                bytes.extend(&login);
                let index = draw() as usize % bytes.len();
                bytes[index] ^= 1 << (draw() % 8);
            }
        }
        let noise = draw() % 600;
        bytes.extend((0..noise).map(|_| draw() as u8));
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
        if settled.is_none() && begun.elapsed() > Duration::from_secs(60) {
            settled = Some(server.resident());
        }
    }
    assert!(
        server
            .process
            .as_mut()
            .unwrap()
            .try_wait()
            .unwrap()
            .is_none()
    );
    let (then, now) = (settled.unwrap(), server.resident());
    assert!(now <= then + 30, "{then} MB became {now} MB");
}

#[test]
#[ignore = "takes two minutes: make soak"]
fn soak_one_battery_that_floods_does_not_slow_down_the_others() {
    const OTHERS: usize = 500;
    let server = Server::new(OTHERS + 1);
    let table = std::fs::read_to_string(server.folder.path().join("secrets.csv")).unwrap();
    // The simulator runs the first ones of the table, so the last one is free.
    let hostile = table.lines().last().unwrap().to_owned();
    let p99 = || -> f64 {
        let mut simulate = server.command();
        simulate
            .args(["simulate", "--secrets=secrets.csv", "--interval=1"])
            .args([format!("--systems={OTHERS}"), "--for=30".to_owned()])
            .arg(format!("--gateway=127.0.0.1:{}", server.devices));
        let printed = simulate.output().unwrap().stdout;
        let summary = String::from_utf8(printed).unwrap();
        let summary: serde_json::Value =
            serde_json::from_str(summary.lines().last().unwrap()).unwrap();
        assert_eq!(summary["complete"], true, "{summary}");
        summary["ack_p99_ms"].as_f64().unwrap()
    };
    p99(); // Warms up.
    let without = p99();
    let address = ([127, 0, 0, 1], server.devices).into();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let flooding = runtime.spawn(flood(address, hostile));
    let with = p99();
    assert!(!flooding.is_finished(), "its connection stays");
    let sent = FLOODED.load(Ordering::Relaxed);
    eprintln!(
        "p99 {without} ms without, {with} ms with; the battery that floods got {sent} batches acknowledged"
    );
    assert!(with <= 2.0 * without, "{without} ms became {with} ms");
    runtime.shutdown_background();
}

/// Batches of the flooding battery that were acknowledged.
static FLOODED: AtomicUsize = AtomicUsize::new(0);

/// Keeps 32 full batches of back-fill in flight. Returns when the connection is closed.
async fn flood(address: SocketAddr, device: String) {
    let mut columns = device.split(',');
    let (sn, secret) = (columns.next().unwrap(), columns.next_back().unwrap());
    let login = MqttLogin {
        password: Some(secret.to_owned().into()),
        ..MqttLogin::of(sn)
    };
    let Ok(mut battery) = MqttBattery::log_in(address, login).await else {
        panic!("{sn} was refused");
    };
    let now = Clock::system().now();
    battery.started = now - 30 * DAY;
    for sent in 0.. {
        let samples: Vec<_> = (0..60)
            .map(|_| battery.sample(now - 20 * DAY + i64::from(battery.seq) * 1_000))
            .collect();
        battery.publish("hist", deflated(&samples)).await;
        if sent >= 32 {
            if battery.next().await.is_none() {
                return;
            }
            FLOODED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A CONNECT packet.
fn login(sn: &str, secret: &str) -> Vec<u8> {
    let mut body = vec![0, 4, b'M', b'Q', b'T', b'T', 4, 0b1100_0010, 0, 60];
    for text in [sn, sn, secret] {
        body.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
        body.extend(text.as_bytes());
    }
    assert!(body.len() < 128, "its length fits into one byte");
    let mut packet = vec![0x10, body.len() as u8];
    packet.extend(body);
    packet
}
