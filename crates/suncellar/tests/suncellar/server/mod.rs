//! The real binary, for tests that kill it or run several instances.
pub(crate) mod home;
pub(crate) mod load;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use testkit::database::SECRET;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_suncellar");
pub(crate) const SERVE: [&str; 7] = [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--updates-listen",
    "127.0.0.1:0",
    "--devices-listen",
    "127.0.0.1:0",
];

/// A running binary; killed at the end of the test.
pub(crate) struct Server {
    pub(crate) process: Child,
    /// The portal's address.
    pub(crate) portal: SocketAddr,
    pub(crate) updates: SocketAddr,
    /// The gateway's address.
    pub(crate) devices: SocketAddr,
    log: Log,
}

/// The log of a running binary so far.
pub(crate) type Log = Arc<Mutex<String>>;

impl Server {
    /// Waits until people and batteries can connect.
    pub(crate) fn start(command: Command) -> Self {
        let markers = [
            "the portal listens",
            "the update service listens",
            "batteries can connect",
        ];
        let (process, addresses, log) = listening_and_logging(command, &markers);
        Self {
            process,
            portal: addresses[0],
            updates: addresses[1],
            devices: addresses[2],
            log,
        }
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn serve(url: &str, folder: &Path) -> Self {
        let mut command = Command::new(BINARY);
        command
            .current_dir(folder)
            .args(SERVE)
            .args(["--database", url]);
        Self::start(command)
    }

    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Resident memory of a process in MB; panics if it has ended.
pub(crate) fn resident_mb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.unwrap().trim().trim_end_matches(" kB");
    kb.parse::<u64>().unwrap() / 1_000
}

/// Starts the binary, waits for these log messages in this order, and returns the address logged with each.
pub(crate) fn listening(command: Command, markers: &[&str]) -> (Child, Vec<SocketAddr>) {
    let (process, addresses, _) = listening_and_logging(command, markers);
    (process, addresses)
}

fn listening_and_logging(mut command: Command, markers: &[&str]) -> (Child, Vec<SocketAddr>, Log) {
    let mut process = command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("SUNCELLAR_SECRET", SECRET)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
    let said = Log::default();
    let note = |line: &str| {
        let mut said = said.lock().unwrap();
        said.push_str(line);
        said.push('\n');
    };
    let mut address = |marker: &str| -> SocketAddr {
        loop {
            let line = log
                .next()
                .unwrap_or_else(|| panic!("the server did not start: {}", said.lock().unwrap()))
                .unwrap();
            note(&line);
            if line.contains(marker) {
                let address = line.split("address=").nth(1).unwrap();
                return address.split_whitespace().next().unwrap().parse().unwrap();
            }
        }
    };
    let addresses = markers.iter().map(|marker| address(marker)).collect();
    // Keeps reading, as a full pipe would block the server.
    let rest = Arc::clone(&said);
    std::thread::spawn(move || {
        for line in log.map_while(Result::ok) {
            let mut said = rest.lock().unwrap();
            said.push_str(&line);
            said.push('\n');
        }
    });
    (process, addresses, said)
}
