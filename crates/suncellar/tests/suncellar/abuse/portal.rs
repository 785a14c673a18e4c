//! A running portal with people, some of whom misbehave, and how long the others wait meanwhile.
use crate::server::load::{now, serial};
use crate::server::{BINARY, SERVE, Server, resident_mb};
use domain::code::{Code, CodeKind};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::process::Command;
use std::time::{Duration, Instant};
use store::system::NewDevice;
use tempfile::TempDir;
use testkit::battery::{MqttLogin, secret};
use testkit::http::{Call, TestResponse};
use testkit::{MqttBattery, PASSWORD, TestDb, random, service_at};

/// Others wait no longer than this, 19 times of 20.
const MAX_P95: Duration = Duration::from_millis(500);
/// How long others are watched.
const WATCHED: Duration = Duration::from_secs(20);
/// People who use the portal meanwhile. Each may log in ten times a minute.
const OTHERS: usize = 6;

/// A portal with people who each have a battery. The first ones misbehave, the last [`OTHERS`] do not.
pub(super) struct Portal {
    pub(super) server: Server,
    people: Vec<Account>,
    pub(super) db: TestDb,
    _folder: TempDir,
}

pub(super) struct Account {
    pub(super) number: usize,
    email: String,
    access: String,
    /// By which the portal knows the browser.
    cookie: String,
}

impl Portal {
    pub(super) async fn start(abusers: usize) -> Self {
        let files = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: files.maximum,
            ..files
        };
        setrlimit(Resource::Nofile, raised).unwrap();
        let db = TestDb::sqlite().await;
        let count = abusers + OTHERS;
        let operator = service_at(&db, now());
        let mut codes = Vec::new();
        for n in 0..count {
            let (sn, secret) = (serial(n).parse().unwrap(), secret(&serial(n)));
            let device = NewDevice {
                sn: &sn,
                phase: 1,
                secret: secret.as_bytes(),
            };
            operator.import_devices(&[device]).await.unwrap();
            let code = Code::random(&random::seeded(n as u64));
            let systems = std::slice::from_ref(&sn);
            let issued = operator.issue_code(&code, CodeKind::Registration, systems);
            issued.await.unwrap();
            codes.push(code.as_str().to_owned());
        }
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(BINARY);
        command.current_dir(folder.path()).args(SERVE).args([
            "--database",
            db.url(),
            "--trusted-proxy",
            "127.0.0.0/8",
        ]);
        let mut portal = Self {
            server: Server::start(command),
            people: Vec::new(),
            db,
            _folder: folder,
        };
        for (number, code) in codes.iter().enumerate() {
            let account = portal.register(number, code).await;
            portal.people.push(account);
        }
        portal
    }

    pub(super) fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.server.portal, method.parse().unwrap(), path)
    }

    async fn register(&self, number: usize, code: &str) -> Account {
        let email = format!("p{number}@example.com");
        let form = [
            ("email", email.as_str()),
            ("password", PASSWORD),
            ("password2", PASSWORD),
            ("phone", "+49 30 901820"),
            ("country", "DE"),
            ("role", "user"),
            ("terms", "true"),
            ("sn1", code),
        ];
        let register = self.call("POST", "/api/auth/register/").form(&form);
        register.from(&address(number)).send().await.expect(201);
        let account = Account {
            number,
            email,
            access: String::new(),
            cookie: String::new(),
        };
        let login = self.log_in(&account).await.expect(200);
        let cookie = login.headers["set-cookie"].to_str().unwrap();
        Account {
            access: access_token(&login),
            cookie: cookie.split(';').next().unwrap().to_owned(),
            ..account
        }
    }

    async fn log_in(&self, account: &Account) -> TestResponse {
        let form = [("email", account.email.as_str()), ("password", PASSWORD)];
        let login = self.call("POST", "/api/auth/token/").form(&form);
        let login = login.from(&address(account.number));
        login.header("cookie", &account.cookie).send().await
    }

    pub(super) fn abusers(&self) -> &[Account] {
        &self.people[..self.people.len() - OTHERS]
    }

    fn others(&self) -> &[Account] {
        &self.people[self.people.len() - OTHERS..]
    }

    /// The sessions of each abuser, with that of the registration.
    pub(super) async fn sessions(&self, each: usize) -> Vec<String> {
        let mut sessions = Vec::new();
        for account in self.abusers() {
            sessions.push(account.access.clone());
            for _ in 1..each {
                sessions.push(access_token(&self.log_in(account).await.expect(200)));
            }
        }
        sessions
    }

    pub(super) fn memory_mb(&self) -> u64 {
        resident_mb(self.server.process.id())
    }

    /// Uses the portal as others do for some time: pages, a battery's reports, logins of known browsers. Asserts that they do not wait.
    pub(super) async fn assert_others_do_not_wait(&self, meanwhile: &str) {
        let [mut pages, mut reports, mut logins] = [const { Vec::new() }; 3];
        let mut battery = self.battery(self.others()[0].number).await;
        let begun = Instant::now();
        let mut turn = tokio::time::interval(Duration::from_millis(100));
        for round in 0.. {
            turn.tick().await;
            let account = &self.others()[round % OTHERS];
            let asked = Instant::now();
            let data = self.call("GET", "/api/auth/data/").bearer(&account.access);
            data.send().await.expect(200);
            pages.push(asked.elapsed());
            let reported = battery.sample(now());
            let asked = Instant::now();
            battery.report("tele", reported.to_string()).await;
            reports.push(asked.elapsed());
            if round % 4 == 0 {
                let asked = Instant::now();
                let account = &self.others()[round / 4 % OTHERS];
                self.log_in(account).await.expect(200);
                logins.push(asked.elapsed());
            }
            if begun.elapsed() > WATCHED {
                break;
            }
        }
        let waits = [("pages", pages), ("reports", reports), ("logins", logins)];
        let waits = waits.map(|(name, waits)| (name, Waits(waits)));
        eprintln!("{meanwhile}: {} MB", self.memory_mb());
        for (name, waits) in &waits {
            eprintln!("{name}: {waits}");
        }
        for (name, waits) in &waits {
            assert!(waits.p95() <= MAX_P95, "{meanwhile}: {name}: {waits}");
        }
    }

    pub(super) async fn battery(&self, number: usize) -> MqttBattery {
        let login = MqttLogin::of(&serial(number));
        let battery = MqttBattery::log_in(self.server.devices, login).await;
        let Ok(mut battery) = battery else {
            panic!("its battery is let in");
        };
        battery.started = now() - 1_000;
        battery
    }

    pub(super) async fn end(self) {
        drop(self.server);
        self.db.close().await;
    }
}

/// How long each of several requests took.
struct Waits(Vec<Duration>);

impl Waits {
    fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
    }

    fn p95(&self) -> Duration {
        self.percentile(95)
    }
}

impl std::fmt::Display for Waits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [p50, p95, worst] = [50, 95, 100].map(|percent| self.percentile(percent).as_millis());
        let count = self.0.len();
        write!(f, "{count}, p50 {p50} ms, p95 {p95} ms, worst {worst} ms")
    }
}

/// A line of their own for everybody.
fn address(number: usize) -> String {
    format!("198.51.{}.{}", number / 250, number % 250)
}

fn access_token(login: &TestResponse) -> String {
    login.json()["access"].as_str().unwrap().to_owned()
}
