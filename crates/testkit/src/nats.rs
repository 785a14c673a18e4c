//! A NATS server for one test.
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

/// Ends when dropped.
#[derive(Debug)]
pub struct NatsServer {
    port: u16,
    process: Mutex<Child>,
}

impl NatsServer {
    pub fn start() -> Self {
        // Free at this moment; a server that finds it taken ends, and the test fails.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        Self {
            port,
            process: Mutex::new(run(port)),
        }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Starts it again after [`NatsServer::kill`], at the same address.
    pub fn start_again(&self) {
        *self.process.lock().unwrap() = run(self.port);
    }

    /// Stops it without closing its connections, until [`NatsServer::resume`].
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    pub fn resume(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, name: &str) {
        let pid = self.process.lock().unwrap().id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns when it listens.
fn run(port: u16) -> Child {
    // Debian installs it where only root's PATH leads.
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin";
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
    command
        .env("PATH", path)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut process = command
        .spawn()
        .expect("nats-server is missing: scripts/install-tools installs it");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = process.try_wait().unwrap();
        assert!(ended.is_none(), "nats-server ended: {ended:?}");
        assert!(
            std::time::Instant::now() < deadline,
            "nats-server does not listen"
        );
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    process
}
