//! What the log and a collector of traces learn of a request.
#![allow(clippy::unwrap_used)]
use crate::server::{BINARY, SERVE, Server};
use std::process::Command;
use tempfile::TempDir;
use testkit::http::Call;
use testkit::{FakeServices, eventually};

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

#[tokio::test]
async fn a_request_and_its_statements_are_a_part_of_the_trace_of_the_proxy() {
    let collector = FakeServices::start().await;
    collector.reply_ok("/v1/traces", "");
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("a.db").display());
    let mut command = Command::new("env");
    command.current_dir(folder.path());
    command
        .arg("OTEL_BSP_SCHEDULE_DELAY=50")
        .arg(BINARY)
        .args(SERVE);
    command.args(["--database", &url, "--trusted-proxy", "127.0.0.1"]);
    command.args(["--otlp-endpoint", &collector.url]);
    let server = Server::start(command);
    let login = Call::new(server.portal, "POST".parse().unwrap(), "/api/auth/token/");
    let login = login.form(&[("email", "nobody@example.com"), ("password", "x")]);
    // The bytes of trace and span are text, to be found in the collector's binary messages.
    let parent = "00-6162636465666768696a6b6c6d6e6f70-4142434445464748-01";
    login.header("traceparent", parent).send().await.expect(401);
    let mut exported = String::new();
    eventually("the trace has the request and a statement", async || {
        let requests = collector.take_requests();
        exported.extend(requests.into_iter().map(|request| request.body));
        let count = |part: &str| exported.matches(part).count();
        count("abcdefghijklmnop") > 1 && count("ABCDEFGH") == 1 && count("statement") > 0
    })
    .await;
    assert!(!exported.contains("nobody@"), "nothing private");
}
