//! The binary as operators use it: options, errors, the demo's start, the operator's commands, a graceful stop.
#![allow(clippy::unwrap_used)]
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const SECRET: &str = "7f3a9c1e5b8d2064c7e1f9a3b5d8e6027c4b";

pub(crate) fn suncellar(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_suncellar"));
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap());
    command
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    suncellar(folder)
        .env("SUNCELLAR_SECRET", SECRET)
        .args(arguments)
        .output()
        .unwrap()
}

pub(crate) fn error_of(output: &Output) -> String {
    assert!(
        !output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_names_every_option_of_the_contract() {
    let folder = TempDir::new().unwrap();
    let help = text(&run(folder.path(), &["serve", "--help"]).stdout);
    for option in [
        "--listen",
        "--updates-listen",
        "--devices-listen",
        "--data-dir",
        "--database",
        "--role",
        "--config",
    ] {
        assert!(help.contains(option), "{option} is missing in\n{help}");
    }
    let help = text(&run(folder.path(), &["--help"]).stdout);
    for command in [
        "serve", "demo", "simulate", "migrate", "backup", "restore", "check", "admin", "openapi",
    ] {
        assert!(help.contains(command), "{command} is missing in\n{help}");
    }
}

#[test]
fn wrong_configuration_stops_the_start_with_one_sentence() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, body: &str| {
        std::fs::write(folder.path().join(name), body).unwrap();
        name.to_owned()
    };
    let typo = file("typo.toml", "listne = \"127.0.0.1:1\"\n");
    for (arguments, expected) in [
        (
            vec!["serve", "--database", "mysql://x"],
            "must begin with sqlite: or postgres:",
        ),
        (vec!["serve", "--role", "portal"], "belongs to one process"),
        (vec!["serve", "--tls-cert", "a.pem"], "belong together"),
        (
            vec!["serve", "--devices-tls-key", "a.pem"],
            "belong together",
        ),
        (
            vec!["serve", "--devices-listen", "0.0.0.0:0"],
            "would send their secrets in clear",
        ),
        (
            vec!["serve", "--listen", "0.0.0.0:0"],
            "people on 0.0.0.0:0 would send passwords",
        ),
        (
            vec!["serve", "--updates-listen", "[::]:0"],
            "people and batteries on [::]:0 would send passwords",
        ),
        (
            vec![
                "serve",
                "--portal-plain",
                "--tls-cert",
                "a",
                "--tls-key",
                "b",
            ],
            "not both",
        ),
        (
            vec![
                "serve",
                "--listen",
                "0.0.0.0:0",
                "--portal-plain",
                "--smtp",
                "nonsense",
            ],
            "SMTP address is not valid",
        ),
        (
            vec!["serve", "--public-url", "portal"],
            "must look like https://",
        ),
        (
            vec!["serve", "--trusted-proxy", "proxy"],
            "must be an address or a network",
        ),
        (
            vec!["serve", "--security-contact", "security@example.com"],
            "must look like mailto:",
        ),
        (
            vec!["serve", "--imprint-url", "javascript:alert(1)"],
            "must be the address of a page",
        ),
        (vec!["serve", "--config", &typo], "unknown field `listne`"),
        (vec!["serve", "--config", "missing.toml"], "cannot be read"),
        (
            vec!["serve", "--smtp", "nonsense"],
            "SMTP address is not valid",
        ),
        (vec!["serve", "--listen", "256.0.0.1:1"], "invalid value"),
    ] {
        let error = error_of(&run(folder.path(), &arguments));
        assert!(error.contains(expected), "{arguments:?}: {error}");
        assert!(!error.contains("panicked"), "{error}");
    }
}

#[test]
fn a_missing_default_or_short_secret_is_refused_outside_the_demo() {
    let folder = TempDir::new().unwrap();
    let start = |secret: Option<&str>| {
        let mut command = suncellar(folder.path());
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        if let Some(secret) = secret {
            command.env("SUNCELLAR_SECRET", secret);
        }
        error_of(&command.output().unwrap())
    };
    assert!(start(None).contains("a signing secret is needed"));
    assert!(start(Some("short")).contains("shorter than 32 characters"));
    assert!(start(Some("please-change-me-please-change-me-now")).contains("a default"));
    assert!(start(Some("01234567890123456789012345678901")).contains("a sequence"));
}

#[test]
fn options_are_stronger_than_variables_and_variables_than_the_file() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("c.toml"), "data-dir = \"from-file\"\n").unwrap();
    let migrate = |variable: Option<&str>, option: Option<&str>| {
        let mut command = suncellar(folder.path());
        command
            .env("SUNCELLAR_SECRET", SECRET)
            .args(["migrate", "--config", "c.toml"]);
        command.envs(variable.map(|value| ("SUNCELLAR_DATA_DIR", value)));
        command.args(
            option
                .map(|value| ["--data-dir", value])
                .into_iter()
                .flatten(),
        );
        assert!(command.status().unwrap().success());
    };
    migrate(None, None);
    assert!(folder.path().join("from-file/suncellar.db").exists());
    migrate(Some("from-variable"), None);
    assert!(folder.path().join("from-variable/suncellar.db").exists());
    migrate(Some("unused"), Some("from-option"));
    assert!(folder.path().join("from-option/suncellar.db").exists());
    assert!(!folder.path().join("unused").exists());
}

#[test]
fn the_operator_imports_devices_issues_codes_and_locks_accounts() {
    let folder = TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("devices.csv"),
        "sn,phase,secret\nSC100001,1,\nSC100002,2,\n",
    )
    .unwrap();
    let imported = text(&run(folder.path(), &["admin", "import-devices", "devices.csv"]).stdout);
    let secrets: Vec<_> = imported
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap())
        .collect();
    assert_eq!(secrets.len(), 2);
    assert!(
        secrets[0].len() == 64 && secrets[0] != secrets[1],
        "{imported}"
    );

    let again = error_of(&run(
        folder.path(),
        &["admin", "import-devices", "devices.csv"],
    ));
    assert!(again.contains("nothing was imported"), "{again}");
    std::fs::write(folder.path().join("bad.csv"), "sn,phase,secret\nsc1,1,\n").unwrap();
    assert!(
        error_of(&run(folder.path(), &["admin", "import-devices", "bad.csv"])).contains("line 2")
    );

    let code = text(
        &run(
            folder.path(),
            &[
                "admin",
                "issue-code",
                "registration",
                "SC100001",
                "SC100002",
            ],
        )
        .stdout,
    );
    assert_eq!(
        code.trim().split('-').map(str::len).collect::<Vec<_>>(),
        [5, 5, 5, 5]
    );
    let unknown = error_of(&run(
        folder.path(),
        &["admin", "issue-code", "installer", "SC999999"],
    ));
    assert!(
        unknown.contains("no system has the serial number SC999999"),
        "{unknown}"
    );

    let partner = [
        "admin",
        "register-partner",
        "--id",
        "app",
        "--name",
        "App",
        "--redirect",
    ];
    assert!(
        run(
            folder.path(),
            &[&partner[..], &["https://app.example/back"]].concat()
        )
        .status
        .success()
    );
    for address in [
        "http://app.example/back",
        "https://app.example/#x",
        "javascript:alert(1)",
    ] {
        error_of(&run(folder.path(), &[&partner[..], &[address]].concat()));
    }
    for command in ["lock-account", "reset-totp"] {
        let nobody = ["admin", command, "nobody@example.com"];
        let refused = error_of(&run(folder.path(), &nobody));
        assert!(refused.contains("no account"), "{command}: {refused}");
    }
}

#[test]
fn the_operator_brakes_the_fleet_and_releases_it() {
    let folder = TempDir::new().unwrap();
    let admin = |arguments: &[&str]| run(folder.path(), &[&["admin"], arguments].concat());
    assert!(error_of(&admin(&["release-fleet"])).contains("not on"));
    assert!(error_of(&admin(&["brake-fleet", " "])).contains("say why"));
    assert!(admin(&["brake-fleet", "a bad update"]).status.success());
    let again = error_of(&admin(&["brake-fleet", "again"]));
    assert!(again.contains("a bad update"), "{again}");
    assert!(admin(&["release-fleet"]).status.success());
}

#[test]
fn the_operator_blocks_devices_and_changes_their_secrets() {
    let folder = TempDir::new().unwrap();
    let admin = |arguments: &[&str]| run(folder.path(), &[&["admin"], arguments].concat());
    let printed = |arguments: &[&str]| {
        let output = admin(arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    std::fs::write(
        folder.path().join("d.csv"),
        "sn,phase,secret\nSC100001,1,\n",
    )
    .unwrap();
    printed(&["import-devices", "d.csv"]);
    assert_eq!(printed(&["list-blocked"]), "");
    assert_eq!(printed(&["block-device", "SC100001"]), "blocked\n");
    assert!(printed(&["list-blocked"]).starts_with("SC100001  blocked since 20"));
    let unblock = ["block-device", "SC100001", "--unblock"];
    assert_eq!(printed(&unblock), "unblocked\n");
    assert_eq!(printed(&["list-blocked"]), "");

    let secrets = [
        printed(&["rotate-device-secret", "SC100001"]),
        printed(&["rotate-device-secret", "SC100001", "--now"]),
    ];
    assert!(secrets.iter().all(|secret| secret.trim().len() == 64));
    assert_ne!(secrets[0], secrets[1]);
    assert_eq!(printed(&["list-throttled"]), "");
    for command in ["block-device", "rotate-device-secret"] {
        let refused = error_of(&admin(&[command, "SC999999"]));
        assert!(refused.contains("no device"), "{command}: {refused}");
    }
}

#[test]
fn a_simulated_fleet_needs_the_secrets_of_its_batteries() {
    let folder = TempDir::new().unwrap();
    let simulate =
        |arguments: &[&str]| error_of(&run(folder.path(), &[&["simulate"], arguments].concat()));
    assert!(simulate(&[]).contains("admin import-devices"));
    assert!(simulate(&["--secrets", "none.csv"]).contains("cannot be read"));
    std::fs::write(
        folder.path().join("s.csv"),
        "sn,phase,secret\nSC100001,1,x\n",
    )
    .unwrap();
    let too_many = simulate(&["--secrets", "s.csv", "--systems", "2"]);
    assert!(too_many.contains("has only 1"), "{too_many}");
}

#[test]
fn the_demo_prints_address_and_accounts_answers_and_stops_on_sigterm() {
    let folder = TempDir::new().unwrap();
    let mut demo = Demo::start(folder.path());
    assert!(demo.printed.contains("owner@example.com"));
    assert!(demo.printed.contains("Sonnenschein-1!"));
    assert!(demo.get("/readyz").starts_with("HTTP/1.1 200"));
    assert!(demo.get("/config.json").contains("\"demo\":true"));
    // A request in progress is still answered during the stop.
    let mut open = TcpStream::connect(demo.address()).unwrap();
    open.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        .unwrap();
    demo.terminate();
    let _ = open.write_all(b"\r\n");
    assert!(demo.process.wait().unwrap().success());
}

#[test]
fn the_demo_keeps_its_accounts_and_its_key_over_a_restart() {
    let folder = TempDir::new().unwrap();
    let mut first = Demo::start(folder.path());
    let login = "email=owner%40example.com&password=Sonnenschein-1%21";
    let token = first.post("/api/auth/token/", login);
    let refresh = token
        .split("\"refresh\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    first.terminate();
    first.process.wait().unwrap();
    let mut second = Demo::start(folder.path());
    let answer = second.post("/api/auth/token/refresh/", &format!("refresh={refresh}"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // `serve` refuses the demo's folder, as its passwords are public; and a demo runs only once per folder.
    let serve = ["serve", "--data-dir", "demo", "--listen", "127.0.0.1:0"];
    let refused = error_of(&run(folder.path(), &serve));
    assert!(refused.contains("is the demo's folder"), "{refused}");
    let again = run(folder.path(), &["demo", "--data-dir", "demo"]);
    let refused = error_of(&again);
    assert!(refused.contains("a server uses"), "{refused}");
    // Nor is its database served from elsewhere.
    second.terminate();
    second.process.wait().unwrap();
    let elsewhere = [
        "serve",
        "--database",
        "sqlite:demo/suncellar.db",
        "--data-dir",
        "elsewhere",
        "--secret-file",
        "demo/demo-key",
        "--listen",
        "127.0.0.1:0",
    ];
    let refused = error_of(&suncellar(folder.path()).args(elsewhere).output().unwrap());
    assert!(refused.contains("a demo has filled"), "{refused}");
}

#[test]
fn the_demo_performs_the_pattern_at_the_switch_of_a_claimed_battery_by_itself() {
    let folder = TempDir::new().unwrap();
    let demo = Demo::start(folder.path());
    let login = "email=owner%40example.com&password=Sonnenschein-1%21";
    let tokens = demo.post("/api/auth/token/", login);
    let access = tokens.split("\"access\":\"").nth(1).unwrap();
    let access = access.split('"').next().unwrap();
    let call = |line: &str, body: &str| {
        let length = body.len();
        demo.send(&format!(
            "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {access}\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    };
    let added = call("POST /api/auth/usr_sn/", "keys=SC24D0002");
    assert!(added.contains("\"status\":\"waiting\""), "{added}");
    let linked = || call("GET /api/auth/usr_sn/", "").contains("SC24D0002");
    let in_time = (0..60).any(|_| {
        std::thread::sleep(Duration::from_millis(500));
        linked()
    });
    assert!(in_time, "not linked after 30 s");
}

#[test]
fn the_demo_shows_its_mails_on_a_page() {
    let folder = TempDir::new().unwrap();
    let demo = Demo::start(folder.path());
    demo.post("/api/auth/password_reset/", "email=owner%40example.com");
    let shown = (0..60).any(|_| {
        std::thread::sleep(Duration::from_millis(500));
        demo.get("/demo/mail/").contains("password_reset#token=")
    });
    assert!(shown, "not there after 30 s");
}

#[test]
fn the_log_holds_no_secret_and_no_line_that_a_request_has_made_up() {
    let folder = TempDir::new().unwrap();
    let mut demo = Demo::start(folder.path());
    let login = demo.post(
        "/api/auth/token/",
        "email=owner%40example.com&password=Sonnenschein-1%21",
    );
    demo.post("/api/auth/password_reset/", "email=owner%40example.com");
    demo.get("/api/partner/client/?client_id=my-private-query&redirect_uri=x");
    demo.get("/api/%0d%0aWARN%20forged-line");
    demo.get("/api/\u{1b}[31mred");
    let secret = std::fs::read_to_string(folder.path().join("demo/demo-key")).unwrap();
    for file in ["demo-key", "demo-release-key", "demo-batteries.csv"] {
        let found = std::fs::metadata(folder.path().join("demo").join(file)).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o600, "{file}");
    }
    demo.terminate();
    demo.process.wait().unwrap();
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(
        log.contains("/api/auth/token/"),
        "the log contains requests at all: {log}"
    );
    let token = |name: &str| {
        login
            .split(&format!("\"{name}\":\""))
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
    };
    for forbidden in [
        token("access"),
        token("refresh"),
        "Sonnenschein",
        "owner@",
        "my-private-query",
        &secret,
    ] {
        assert!(!log.contains(forbidden), "{forbidden} in\n{log}");
    }
    assert!(
        !log.lines().any(|line| line.starts_with("WARN forged-line")),
        "{log}"
    );
    assert!(!log.contains('\u{1b}'), "{log}");
}

/// A running demo on a free port; killed at the end of the test.
struct Demo {
    process: Child,
    printed: String,
}

impl Demo {
    /// With few batteries and no history, which starts faster.
    fn start(folder: &Path) -> Self {
        Self::start_with(folder, &["--systems", "small", "--history", "0"])
    }

    fn start_with(folder: &Path, arguments: &[&str]) -> Self {
        let mut process = suncellar(folder)
            .args(["demo", "--listen", "127.0.0.1:0", "--data-dir", "demo"])
            .args(["--devices-listen", "127.0.0.1:0"])
            .args(["--updates-listen", "127.0.0.1:0"])
            .args(arguments)
            .env("SUNCELLAR_LOG", "debug,api=trace,tower_http=trace")
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut printed = String::new();
        while !printed.contains("Stop with Ctrl-C") {
            printed.push_str(&lines.next().expect("the demo starts").unwrap());
            printed.push('\n');
        }
        Self { process, printed }
    }

    fn address(&self) -> String {
        let url = self.printed.split("http://localhost:").nth(1).unwrap();
        format!("127.0.0.1:{}", url.split_whitespace().next().unwrap())
    }

    fn get(&self, path: &str) -> String {
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        ))
    }

    fn post(&self, path: &str, body: &str) -> String {
        let head =
            "Host: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded";
        self.send(&format!(
            "POST {path} HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn terminate(&self) {
        let id = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
