//! The first configuration, and the check of a configuration.
use crate::command_line::{error_of, run, suncellar, text};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;
use tempfile::TempDir;
use testkit::TestDb;
use testkit::database::SECRET;

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

#[test]
fn the_first_configuration_is_written_once_with_a_secret_and_checked() {
    let folder = TempDir::new().unwrap();
    let init = |arguments: &[&str]| {
        let mut command = suncellar(folder.path());
        let first = [
            "init",
            "--config",
            "etc/suncellar.toml",
            "--data-dir",
            "data",
        ];
        command.args(first).args(arguments).output().unwrap()
    };
    let wrong = error_of(&init(&["--public-url", "portal"]));
    assert!(wrong.contains("must look like https://"), "{wrong}");
    assert!(
        !folder.path().join("etc/secret").exists(),
        "nothing is half made"
    );

    let made = said(&init(&["--public-url", "https://portal.example.com"]));
    for line in [
        "secret: strong enough",
        "mail: each becomes a file",
        "database: the first start creates",
        "start it: suncellar serve --config etc/suncellar.toml",
    ] {
        assert!(made.contains(line), "{line} in {made}");
    }
    let etc = |name: &str| folder.path().join("etc").join(name);
    for name in ["secret", "suncellar.toml"] {
        let mode = etc(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let secret = std::fs::read_to_string(etc("secret")).unwrap();
    assert_eq!(secret.trim().len(), 64);
    let again = error_of(&init(&[]));
    assert!(again.contains("is there already"), "{again}");
    assert_eq!(std::fs::read_to_string(etc("secret")).unwrap(), secret);

    let with_file = |command: &str| {
        let mut process = suncellar(folder.path());
        let output = process
            .args([command, "--config", "etc/suncellar.toml"])
            .output();
        said(&output.unwrap())
    };
    with_file("migrate");
    let checked = with_file("check");
    for line in [
        "secret of the database: it is this one",
        "suncellar.db is sound",
    ] {
        assert!(checked.contains(line), "{line} in {checked}");
    }
}

#[test]
fn the_check_says_each_problem_in_one_sentence() {
    let folder = TempDir::new().unwrap();
    said(&run(folder.path(), &["migrate"]));
    let made = rcgen::generate_simple_self_signed(["other.example.com".to_owned()]).unwrap();
    std::fs::write(folder.path().join("c.pem"), made.cert.pem()).unwrap();
    std::fs::write(
        folder.path().join("k.pem"),
        made.signing_key.serialize_pem(),
    )
    .unwrap();
    std::fs::write(folder.path().join("secret"), SECRET).unwrap();
    std::fs::set_permissions(
        folder.path().join("secret"),
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    // A free port that nobody listens on.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let smtp = format!("smtp://{port}");
    let arguments = [
        "check",
        "--quick",
        "--public-url",
        "https://portal.example.com",
        "--updates-url",
        "https://localhost:8443",
        "--tls-cert",
        "c.pem",
        "--tls-key",
        "k.pem",
        "--smtp",
        &smtp,
        "--secret-file",
        "secret",
    ];
    let output = suncellar(folder.path()).args(arguments).output().unwrap();
    let problems = error_of(&output);
    assert!(problems.contains("5 problems"), "{problems}");
    let lines = text(&output.stdout);
    for (part, problem) in [
        ("secret", "run chmod 600 secret"),
        ("certificate", "not for portal.example.com"),
        ("update service", "set updates-url"),
        ("mail", "the mail server cannot be used"),
        ("secret of the database", "not the secret of this database"),
    ] {
        let begin = format!("{part}: PROBLEM: ");
        let line = lines.lines().find(|line| line.starts_with(&begin));
        assert!(
            line.is_some_and(|line| line.contains(problem)),
            "{part} in {lines}"
        );
    }
}

#[tokio::test]
async fn the_check_of_postgresql_reads_every_row_and_compares_the_clocks() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let mut check = suncellar(folder.path());
    check.env("SUNCELLAR_SECRET", SECRET);
    let output = check
        .args(["check", "--database", db.url()])
        .output()
        .unwrap();
    let lines = text(&output.stdout);
    for line in [
        "secret of the database: it is this one",
        "clock: that of the database is the same",
        // As the tests' server is set up.
        "durability: PROBLEM: fsync is off",
        "rows: the PostgreSQL database is sound",
    ] {
        assert!(lines.contains(line), "{line} in {lines}");
    }
    assert!(error_of(&output).contains("one problem"), "{output:?}");
    db.close().await;
}
