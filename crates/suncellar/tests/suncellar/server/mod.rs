//! The real binary, for tests that kill it or run several of it.
pub(crate) mod home;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
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

/// A running binary; ended with the test.
pub(crate) struct Server {
    pub(crate) process: Child,
    /// Where people reach it.
    pub(crate) portal: SocketAddr,
    /// Where batteries connect.
    pub(crate) devices: SocketAddr,
}

impl Server {
    /// Waits until people and batteries can connect.
    pub(crate) fn start(command: Command) -> Self {
        let (process, addresses) =
            listening(command, &["the portal listens", "batteries can connect"]);
        Self {
            process,
            portal: addresses[0],
            devices: addresses[1],
        }
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

/// Starts the binary and waits until it has said all of this, in this order; answers the address that stood by each.
pub(crate) fn listening(mut command: Command, markers: &[&str]) -> (Child, Vec<SocketAddr>) {
    let mut process = command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("SUNCELLAR_SECRET", SECRET)
        .env("NO_COLOR", "1")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut said = String::new();
    let mut address = |marker: &str| -> SocketAddr {
        loop {
            let line = log
                .next()
                .unwrap_or_else(|| panic!("it did not start: {said}"))
                .unwrap();
            if line.contains(marker) {
                let address = line.split("address=").nth(1).unwrap();
                return address.split_whitespace().next().unwrap().parse().unwrap();
            }
            said.push_str(&line);
        }
    };
    let addresses = markers.iter().map(|marker| address(marker)).collect();
    // A full pipe would hold it up.
    std::thread::spawn(move || log.for_each(drop));
    (process, addresses)
}
