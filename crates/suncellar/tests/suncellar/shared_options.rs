//! Options that the processes on one PostgreSQL database share.
#![allow(clippy::unwrap_used)]
use crate::server::{BINARY, listening};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use testkit::TestDb;
use testkit::database::SECRET;
use testkit::http::Call;

fn suncellar(database: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.current_dir(folder).args(arguments);
    command.args(["--database", database]);
    command.env("SUNCELLAR_SECRET", SECRET);
    command
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The address of the update service that this portal gives to browsers.
async fn updates_url(mut command: Command) -> serde_json::Value {
    command.args(["--status-listen", "127.0.0.1:0"]);
    let (mut process, addresses) = listening(command, &["the portal listens"]);
    let call = Call::new(addresses[0], "GET".parse().unwrap(), "/config.json");
    let answer = call.send().await.expect(200);
    process.kill().unwrap();
    process.wait().unwrap();
    answer.json()["updates"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_configured_differently_does_not_start_and_names_the_option() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let folder = TempDir::new().unwrap();
    const PORTAL: [&str; 5] = ["serve", "--role", "portal", "--listen", "127.0.0.1:0"];
    let portal = |more: &[&str]| suncellar(db.url(), folder.path(), &[&PORTAL[..], more].concat());
    let admin = |arguments: &[&str]| {
        let arguments = [&["admin"], arguments].concat();
        let done = suncellar(db.url(), folder.path(), &arguments).output();
        done.unwrap()
    };

    // The slash at the end makes no difference.
    let first = portal(&["--updates-url", "https://updates.example/"]);
    assert_eq!(updates_url(first).await, json!("https://updates.example"));
    // A process without the option uses what the others use.
    let second = portal(&[]);
    assert_eq!(updates_url(second).await, json!("https://updates.example"));

    let third = portal(&["--updates-url", "https://other.example"]).output();
    let third = third.unwrap();
    assert!(!third.status.success());
    let said = error_of(&third);
    assert!(
        said.contains("updates-url is https://other.example here"),
        "{said}"
    );
    assert!(said.contains("set-option updates-url"), "{said}");

    let wrong = admin(&["set-option", "keep-samples", "ever"]);
    assert!(!wrong.status.success() && error_of(&wrong).contains("keep-samples"));
    let unknown = admin(&["set-option", "listen", "127.0.0.1:80"]);
    assert!(!unknown.status.success() && error_of(&unknown).contains("public-url"));
    let changed = admin(&["set-option", "updates-url", "https://other.example"]);
    assert!(changed.status.success(), "{}", error_of(&changed));
    let listed = admin(&["list-options"]).stdout;
    assert_eq!(listed, b"updates-url https://other.example\n");
    let third = portal(&["--updates-url", "https://other.example"]);
    assert_eq!(updates_url(third).await, json!("https://other.example"));
}
