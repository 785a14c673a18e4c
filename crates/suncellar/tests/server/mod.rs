//! The real binary, for tests that kill it.
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use testkit::database::SECRET;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_suncellar");
pub(crate) const SERVE: [&str; 5] = [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--devices-listen",
    "127.0.0.1:0",
];

/// A running binary; ended with the test.
pub(crate) struct Server {
    pub(crate) process: Child,
    /// Where people reach it.
    #[allow(
        dead_code,
        reason = "not every test that uses this file has people in it"
    )]
    pub(crate) portal: SocketAddr,
    /// Where batteries connect.
    pub(crate) devices: SocketAddr,
}

impl Server {
    /// Waits until people and batteries can connect.
    pub(crate) fn start(mut command: Command) -> Self {
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
        let portal = address("the portal listens");
        let devices = address("batteries can connect");
        // A full pipe would hold it up.
        std::thread::spawn(move || log.for_each(drop));
        Self {
            process,
            portal,
            devices,
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
