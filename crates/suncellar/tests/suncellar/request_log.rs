//! What the log says of a request.
#![allow(clippy::unwrap_used)]
use crate::server::{BINARY, SERVE, Server};
use std::process::Command;
use tempfile::TempDir;
use testkit::eventually;
use testkit::http::Call;

#[tokio::test]
async fn the_lines_of_the_log_name_the_request_that_caused_them() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("a.db").display());
    let mut command = Command::new("env");
    command.current_dir(folder.path());
    command.arg("SUNCELLAR_LOG=info,db=debug,sqlx::query=debug");
    command.arg(BINARY).args(SERVE);
    command.args(["--database", &url, "--trusted-proxy", "127.0.0.1"]);
    let server = Server::start(command);
    let login = Call::new(server.portal, "POST".parse().unwrap(), "/api/auth/token/");
    let login = login.form(&[("email", "nobody@example.com"), ("password", "x")]);
    let login = login.header("x-request-id", "proxy-7.1");
    let login = login.header("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"));
    login.send().await.expect(401);
    eventually("a statement's line names request and trace", async || {
        server.log().lines().any(|line| {
            line.contains("sqlx::query")
                && line.contains("id=\"proxy-7.1\"")
                && line.contains(&format!("trace=\"{TRACE}\""))
        })
    })
    .await;
}
