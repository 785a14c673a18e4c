//! Certificates of a running server.
use crate::server::{BINARY, SERVE, Server};
use std::net::SocketAddr;
use std::process::Command;
use tempfile::TempDir;
use testkit::http::{Call, Http2Client};
use testkit::tls::connect;
use testkit::{Pebble, TestCertificate, eventually, free_port};

fn get(address: SocketAddr, path: &str) -> Call {
    Call::new(address, "GET".parse().unwrap(), path)
}

/// Whether the metrics say of the certificate in the files that it cannot be used.
async fn is_rejected(status: SocketAddr, rejected: u8) -> bool {
    let metrics = get(status, "/metrics").send().await.expect(200).text;
    metrics.contains(&format!(
        "tls_certificate_rejected{{certificate=\"portal\"}} {rejected}"
    ))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_listener_uses_a_new_certificate_without_a_restart() {
    let [first, second] = std::array::from_fn(|_| TestCertificate::new());
    let folder = TempDir::new().unwrap();
    first.write_to(folder.path());
    let mut command = Command::new(BINARY);
    command.current_dir(folder.path()).args(SERVE).args([
        "--status-listen",
        "127.0.0.1:0",
        "--tls-cert",
        "tls.crt",
        "--tls-key",
        "tls.key",
    ]);
    let server = Server::start(command);
    let log = server.log();
    let status = log.split("status is served address=").nth(1).unwrap();
    let status: SocketAddr = status.lines().next().unwrap().trim().parse().unwrap();
    let listeners = [server.portal, server.updates, server.devices];
    for listener in listeners {
        first.connect(listener, &[]).await.unwrap();
        second.connect(listener, &[]).await.unwrap_err();
    }
    let open = first.connect(server.portal, &["h2"]).await.unwrap();
    let open = Http2Client::on(open).await;

    // The key of another certificate.
    second.write_key_to(folder.path());
    let refused = || server.log().matches("certificate_not_renewed").count();
    eventually("the pair is refused", async || refused() > 0).await;
    eventually("the metrics say so", async || is_rejected(status, 1).await).await;
    first.connect(server.portal, &[]).await.unwrap();

    second.write_to(folder.path());
    for listener in listeners {
        eventually("the new certificate is used", async || {
            open.send(get(server.portal, "/healthz")).await.expect(200);
            second.connect(listener, &[]).await.is_ok()
        })
        .await;
        first.connect(listener, &[]).await.unwrap_err();
    }
    // One line for each change, whatever number of listeners have it.
    assert_eq!(refused(), 1);
    assert_eq!(server.log().matches("certificate_renewed").count(), 1);
    eventually("the metrics say so", async || is_rejected(status, 0).await).await;
    let metrics = get(status, "/metrics").send().await.expect(200).text;
    let days = metrics.split("tls_certificate_days_left{certificate=\"portal\"} ");
    let days = days.last().unwrap().lines().next().unwrap();
    assert!(days.parse::<f64>().unwrap() > 365.0, "{days}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_portal_gets_its_certificate_by_itself() {
    let (folder, port) = (TempDir::new().unwrap(), free_port());
    // It does not ask over HTTP.
    let pebble = tokio::task::spawn_blocking(move || Pebble::start(1, port));
    let pebble = pebble.await.unwrap();
    let mut command = Command::new(BINARY);
    let own = format!("127.0.0.1:{port}");
    command.current_dir(folder.path()).args([
        "serve",
        "--listen",
        &own,
        "--updates-listen",
        "127.0.0.1:0",
        "--devices-listen",
        "127.0.0.1:0",
        "--acme-domain",
        "portal.example.com",
        "--acme-directory",
        &pebble.directory(),
        "--acme-ca",
        pebble.ca_file().to_str().unwrap(),
    ]);
    let server = Server::start(command);
    let root = pebble.root().await;
    for listener in [server.portal, server.updates, server.devices] {
        eventually("it has the certificate", async || {
            connect("portal.example.com", &root, listener, &[])
                .await
                .is_ok()
        })
        .await;
    }
    assert_eq!(server.log().matches("acme_order_begun").count(), 1);
}
