//! What starts the server learns when it is ready and when it ends, and can ask whether it is alive.
use crate::command_line::{error_of, run, suncellar};
use crate::server::{SERVE, Server};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::net::UnixDatagram;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use testkit::database::SECRET;

/// As systemd does for a unit with `Type=notify`.
#[test]
fn the_service_manager_is_told_when_the_server_is_ready_and_when_it_stops() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let told = || {
        let mut text = [0; 256];
        let length = socket.recv(&mut text).unwrap();
        String::from_utf8_lossy(&text[..length]).trim().to_owned()
    };
    let mut server = suncellar(folder.path())
        .args(SERVE)
        .env("SUNCELLAR_SECRET", SECRET)
        .env("NOTIFY_SOCKET", &path)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(told(), "READY=1");
    let process = Pid::from_child(&server);
    kill_process(process, Signal::TERM).unwrap();
    assert_eq!(told(), "STOPPING=1");
    assert!(server.wait().unwrap().success());
}

#[test]
fn a_server_is_asked_whether_it_is_alive() {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("a.db").display());
    let server = Server::serve(&url, folder.path());
    let address = server.portal.to_string();
    let ask = || run(folder.path(), &["health", "--listen", &address]);
    assert!(ask().status.success());
    server.kill();
    assert!(error_of(&ask()).contains("nobody listens on"));
    let none = ["health", "--tls-cert", "a.pem", "--tls-key", "a.key"];
    assert!(error_of(&run(folder.path(), &none)).contains("set status-listen"));
}
