//! A NATS server for one test.
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
        let port = crate::free_port();
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
    crate::wait_for_listener(&mut process, port);
    process
}
