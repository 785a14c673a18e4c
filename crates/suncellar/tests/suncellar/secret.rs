//! The operator's secret on the command line, and what the process hides from other users of the machine.
#![allow(clippy::unwrap_used)]
use crate::command_line::{error_of, run, suncellar, text};
use crate::server::{BINARY, SERVE, listening};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use store::{Secret, Store};
use tempfile::TempDir;

const OTHER: &str = "kq3v9x7w2z8p4m6n1b5c0d-hjtry-another";

fn run_with(folder: &Path, secret: &str, arguments: &[&str]) -> Output {
    suncellar(folder)
        .env("SUNCELLAR_SECRET", secret)
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_wrong_secret_is_refused_by_the_server_and_by_every_command() {
    let folder = TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("devices.csv"),
        "sn,phase,secret\nSC100001,1,\n",
    )
    .unwrap();
    let import = ["admin", "import-devices", "devices.csv"];
    assert!(run(folder.path(), &import).status.success());
    for arguments in [
        vec!["serve", "--listen", "127.0.0.1:0"],
        vec!["migrate"],
        vec!["admin", "issue-code", "registration", "SC100001"],
        import.to_vec(),
        vec!["admin", "rotate-keys"],
        vec!["admin", "firmware", "keys"],
    ] {
        let error = error_of(&run_with(folder.path(), OTHER, &arguments));
        let expected = "this is not the secret of this database; nothing was written";
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[tokio::test]
async fn the_operator_changes_a_weak_secret_and_rotates_the_keys() {
    const WEAK: &str = "01234567890123456789012345678901";
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let url = format!(
        "sqlite:{}",
        folder.path().join("data/suncellar.db").display()
    );
    // A secret that an older release accepted.
    let random = testkit::random::seeded(1);
    let opened = Store::open(&url, &Secret::unchecked(WEAK), &random, testkit::NOON).await;
    opened.unwrap().db().close().await;

    let list = ["admin", "list-keys"];
    let refused = error_of(&run_with(folder.path(), WEAK, &list));
    assert!(refused.contains("admin change-secret"), "{refused}");
    std::fs::write(folder.path().join("weak"), format!("{WEAK}1")).unwrap();
    std::fs::write(folder.path().join("new"), format!("{OTHER}\n")).unwrap();
    let change = |file| ["admin", "change-secret", "--new-secret-file", file];
    error_of(&run_with(folder.path(), WEAK, &change("weak")));
    let changed = run_with(folder.path(), WEAK, &change("new"));
    assert!(text(&changed.stdout).contains("restart"), "{changed:?}");
    let old = error_of(&run_with(folder.path(), WEAK, &change("new")));
    assert!(old.contains("not the secret of this database"), "{old}");

    let rotate = ["admin", "rotate-keys", "--grace-days", "0"];
    let rotated = text(&run_with(folder.path(), OTHER, &rotate).stdout);
    assert!(rotated.contains("version 2 is used from"), "{rotated}");
    let again = error_of(&run_with(folder.path(), OTHER, &rotate));
    assert!(again.contains("not finished"), "{again}");
    let listed = text(&run_with(folder.path(), OTHER, &list).stdout);
    assert_eq!(listed.lines().count(), 2, "{listed}");
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_are_for_their_owner_alone_and_older_ones_are_corrected() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let migrate = || {
        let done = run(folder.path(), &["migrate"]);
        assert!(done.status.success(), "{done:?}");
    };
    migrate();
    let private = [("data", 0o700), ("data/suncellar.db", 0o600)];
    for (name, wanted) in private {
        assert_eq!(mode(&path(name)), wanted, "{name} as it was made");
    }
    std::fs::create_dir(path("data/mail")).unwrap();
    std::fs::write(path("data/mail/000001-reset.eml"), "a link").unwrap();
    let mails = [("data/mail", 0o700), ("data/mail/000001-reset.eml", 0o600)];
    for (name, wanted) in private.into_iter().chain(mails) {
        let open = std::fs::Permissions::from_mode(wanted | 0o044);
        std::fs::set_permissions(path(name), open).unwrap();
    }
    migrate();
    for (name, wanted) in private.into_iter().chain(mails) {
        assert_eq!(mode(&path(name)), wanted, "{name} as it was corrected");
    }
    // A folder with other people's folders in it keeps its permissions.
    std::fs::create_dir(path("data/somebody-elses")).unwrap();
    std::fs::set_permissions(path("data"), std::fs::Permissions::from_mode(0o755)).unwrap();
    migrate();
    assert_eq!(mode(&path("data")), 0o755);
}

#[test]
fn a_secret_file_that_others_can_read_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, OTHER).unwrap();
    let warns = |mode: u32| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut command = suncellar(folder.path());
        let done = command.args(["migrate", "--secret-file", "key"]).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{done:?}");
        let log = [text(&done.stdout), text(&done.stderr)].concat();
        log.contains("secret_file_open")
    };
    assert!(warns(0o640));
    assert!(!warns(0o600));
}

#[test]
fn the_limit_of_open_files_is_raised_at_the_start() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new("sh");
    command
        .current_dir(folder.path())
        .args(["-c", "ulimit -Sn 256 && exec \"$0\" \"$@\"", BINARY])
        .args(SERVE);
    let (mut process, _) = listening(command, &["the portal listens"]);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.id())).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let figures: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(figures[3], figures[4], "{figures:?}");
    assert_ne!(figures[3], "256");
}
