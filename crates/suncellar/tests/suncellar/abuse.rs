//! Abuse of a portal (`make soak`): whatever strangers and careless clients do, others hardly notice it, and memory stays bounded.
#![allow(clippy::unwrap_used)]
use crate::server::load::{now, serial};
use crate::server::{BINARY, SERVE, Server};
use domain::clock::DAY;
use domain::code::{Code, CodeKind};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use store::system::NewDevice;
use tempfile::TempDir;
use testkit::battery::{MqttLogin, secret};
use testkit::http::{Call, StreamingResponse, TestResponse};
use testkit::{MqttBattery, PASSWORD, TestDb, database, random, sample};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Others wait no longer than this, 19 times of 20.
const MAX_P95: Duration = Duration::from_millis(500);
/// How long others are watched.
const WATCHED: Duration = Duration::from_secs(20);
/// People who use the portal meanwhile. Each may log in ten times a minute.
const OTHERS: usize = 6;

/// A portal with people who each have a battery. The first ones misbehave, the last [`OTHERS`] do not.
struct Town {
    server: Server,
    people: Vec<Resident>,
    db: TestDb,
    _folder: TempDir,
}

#[derive(Clone)]
struct Resident {
    number: usize,
    email: String,
    access: String,
    /// By which the portal knows the browser.
    cookie: String,
}

impl Town {
    /// `prepare` fills the database before the server starts.
    async fn start(abusers: usize, prepare: impl AsyncFnOnce(&store::Store)) -> Self {
        let files = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: files.maximum,
            ..files
        };
        setrlimit(Resource::Nofile, raised).unwrap();
        let db = TestDb::sqlite().await;
        let count = abusers + OTHERS;
        let store = database::open(db.url()).await.unwrap();
        let mut codes = Vec::new();
        for n in 0..count {
            let (sn, secret) = (serial(n).parse().unwrap(), secret(&serial(n)));
            let device = NewDevice {
                sn: &sn,
                phase: 1,
                secret: secret.as_bytes(),
            };
            store.import_devices(&[device], now()).await.unwrap();
            let code = Code::random(&random::seeded(n as u64));
            let issued = store.issue_code(&code, CodeKind::Registration, &[sn], now());
            issued.await.unwrap();
            codes.push(code.as_str().to_owned());
        }
        prepare(&store).await;
        store.db().close().await;
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(BINARY);
        command.current_dir(folder.path()).args(SERVE).args([
            "--database",
            db.url(),
            "--trusted-proxy",
            "127.0.0.0/8",
        ]);
        let mut town = Self {
            server: Server::start(command),
            people: Vec::new(),
            db,
            _folder: folder,
        };
        for (number, code) in codes.iter().enumerate() {
            let resident = town.register(number, code).await;
            town.people.push(resident);
        }
        town
    }

    fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.server.portal, method.parse().unwrap(), path)
    }

    async fn register(&self, number: usize, code: &str) -> Resident {
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
        let resident = Resident {
            number,
            email,
            access: String::new(),
            cookie: String::new(),
        };
        let login = self.log_in(&resident).await.expect(200);
        let cookie = login.headers["set-cookie"].to_str().unwrap();
        Resident {
            access: access(&login),
            cookie: cookie.split(';').next().unwrap().to_owned(),
            ..resident
        }
    }

    async fn log_in(&self, resident: &Resident) -> TestResponse {
        let form = [("email", resident.email.as_str()), ("password", PASSWORD)];
        let login = self.call("POST", "/api/auth/token/").form(&form);
        let login = login.from(&address(resident.number));
        login.header("cookie", &resident.cookie).send().await
    }

    fn abusers(&self) -> &[Resident] {
        &self.people[..self.people.len() - OTHERS]
    }

    fn others(&self) -> &[Resident] {
        &self.people[self.people.len() - OTHERS..]
    }

    /// The sessions of each abuser, with that of the registration.
    async fn sessions(&self, each: usize) -> Vec<String> {
        let mut sessions = Vec::new();
        for resident in self.abusers() {
            sessions.push(resident.access.clone());
            for _ in 1..each {
                sessions.push(access(&self.log_in(resident).await.expect(200)));
            }
        }
        sessions
    }

    fn resident_mb(&self) -> u64 {
        crate::server::resident_mb(self.server.process.id())
    }

    /// Uses the portal as others do for some time, and asserts that they do not wait.
    async fn assert_others_do_not_wait(&self, meanwhile: &str) {
        let (mut pages, mut logins) = (Vec::new(), Vec::new());
        let mut battery = self.battery(self.others()[0].number).await;
        let begun = Instant::now();
        let mut turn = tokio::time::interval(Duration::from_millis(100));
        for round in 0.. {
            turn.tick().await;
            let resident = &self.others()[round % OTHERS];
            let asked = Instant::now();
            let data = self.call("GET", "/api/auth/data/").bearer(&resident.access);
            data.send().await.expect(200);
            pages.push(asked.elapsed());
            let asked = Instant::now();
            self.call("GET", "/readyz").send().await.expect(200);
            pages.push(asked.elapsed());
            let asked = Instant::now();
            let reported = battery.sample(now());
            battery.report("tele", reported.to_string()).await;
            pages.push(asked.elapsed());
            if round % 10 == 0 {
                let asked = Instant::now();
                let resident = &self.others()[round / 10 % OTHERS];
                self.log_in(resident).await.expect(200);
                logins.push(asked.elapsed());
            }
            if begun.elapsed() > WATCHED {
                break;
            }
        }
        let (pages, logins) = (Waits(pages), Waits(logins));
        let memory = self.resident_mb();
        eprintln!("{meanwhile}: {pages}; logins of known browsers: {logins}; {memory} MB");
        assert!(pages.p95() <= MAX_P95, "{meanwhile}: {pages}");
        assert!(logins.p95() <= MAX_P95, "{meanwhile}: logins {logins}");
    }

    async fn battery(&self, number: usize) -> MqttBattery {
        let login = MqttLogin::of(&serial(number));
        let battery = MqttBattery::log_in(self.server.devices, login).await;
        let Ok(mut battery) = battery else {
            panic!("its battery is let in");
        };
        battery.started = now() - 1_000;
        battery
    }

    async fn end(self) {
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
        write!(
            f,
            "{count} requests, p50 {p50} ms, p95 {p95} ms, worst {worst} ms"
        )
    }
}

/// A line of their own for everybody.
fn address(number: usize) -> String {
    format!("198.51.{}.{}", number / 250, number % 250)
}

fn access(login: &TestResponse) -> String {
    login.json()["access"].as_str().unwrap().to_owned()
}

/// Whoever is sent away learns when to come back, in plain words of their language.
fn assert_plain_refusal(answer: &TestResponse) {
    let wait = answer.headers["retry-after"].to_str().unwrap();
    assert!(wait.parse::<u32>().unwrap() > 0);
    let text = answer.json()["detail"].as_str().unwrap().to_owned();
    assert!(text.contains("Please") && text.ends_with('.'), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_exports_that_nobody_reads_hold_up_nobody() {
    const READERS: usize = 10;
    let town = Town::start(READERS, async |store| {
        for n in 0..READERS {
            store_days(store, n, 3).await;
        }
    })
    .await;
    town.assert_others_do_not_wait("before").await;
    let before = town.resident_mb();
    let mut open: Vec<StreamingResponse> = Vec::new();
    for access in town.sessions(6).await {
        let path = "/api/auth/export/?sn=-1&from=2026-01-01&to=2026-12-31";
        let export = || {
            town.call("GET", path)
                .bearer(&access)
                .header("accept-language", "en")
        };
        for _ in 0..2 {
            let file = export().open().await;
            assert_eq!(file.status, 200);
            open.push(file);
        }
        assert_plain_refusal(&export().send().await.expect(429));
    }
    let name = format!("{} exports that nobody reads", open.len());
    town.assert_others_do_not_wait(&name).await;
    let with = town.resident_mb();
    assert!(with < before + 500, "{before} MB became {with} MB");
    drop(open);
    town.end().await;
}

/// Days of samples every ten seconds.
async fn store_days(store: &store::Store, number: usize, days: i64) {
    const PER_DAY: i64 = 8_640;
    for day in 1..=days {
        let first = now() - day * DAY;
        let samples = (0..PER_DAY).map(|n| sample(first + n * 10_000, (day * PER_DAY + n) as u32));
        let report = Report {
            sn: serial(number).parse().unwrap(),
            received_at: now(),
            body: ReportBody::BackFill {
                samples: samples.collect(),
                undated: Vec::new(),
            },
        };
        let stored = store.append(&[report], GatewayId::default()).await;
        stored.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes two minutes: make soak"]
async fn soak_two_thousand_streams_half_of_them_unread_slow_down_nobody() {
    const EACH: usize = 6;
    // Or as many as the portal takes where a process may open few files.
    let files = getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
    let streams = (files / 8 * 4 / 5).min(2_000) as usize;
    let town = Town::start(streams.div_ceil(EACH * EACH), async |_| {}).await;
    let mut batteries = JoinSet::new();
    for resident in town.abusers() {
        batteries.spawn(report_for_ever(town.battery(resident.number).await));
    }
    let before = town.resident_mb();
    let (mut readers, mut unread) = (JoinSet::new(), Vec::new());
    'opened: for access in town.sessions(EACH).await {
        for n in 0..EACH {
            if readers.len() + unread.len() == streams {
                break 'opened;
            }
            let mut stream = town
                .call("GET", "/api/auth/stream/")
                .bearer(&access)
                .open()
                .await;
            assert_eq!(stream.status, 200);
            if n % 2 == 0 {
                unread.push(stream);
            } else {
                readers.spawn(async move {
                    let mut events = 0_usize;
                    while stream.event().await.is_some() {
                        events += 1;
                    }
                    events
                });
            }
        }
    }
    let name = format!("{} streams", readers.len() + unread.len());
    town.assert_others_do_not_wait(&name).await;
    let with = town.resident_mb();
    assert!(with < before + 500, "{before} MB became {with} MB");
    drop(unread);
    readers.abort_all();
    batteries.abort_all();
    town.end().await;
}

/// As often as a battery does that somebody watches.
async fn report_for_ever(mut battery: MqttBattery) {
    let mut turn = tokio::time::interval(Duration::from_secs(2));
    loop {
        turn.tick().await;
        let reported = battery.sample(now());
        battery.report("tele", reported.to_string()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_three_hundred_logins_at_once_keep_nobody_waiting() {
    const LOGINS: usize = 300;
    let town = Town::start(1, async |_| {}).await;
    let before = town.resident_mb();
    let portal = town.server.portal;
    let mut guesses = JoinSet::new();
    for n in 0..LOGINS {
        guesses.spawn(guess_for_ever(portal, n));
    }
    let watched = town.assert_others_do_not_wait("300 logins at once");
    tokio::select! {
        () = watched => {}
        ended = guesses.join_next() => ended.unwrap().unwrap(),
    }
    let with = town.resident_mb();
    assert!(with < before + 200, "{before} MB became {with} MB");
    guesses.abort_all();
    town.end().await;
}

/// One stranger after the other from their own address, each at an account of its own.
async fn guess_for_ever(portal: SocketAddr, first: usize) {
    for n in 0.. {
        let email = format!("somebody{first}-{n}@example.com");
        let form = [("email", email.as_str()), ("password", "Falsch-123!")];
        let login = Call::new(portal, "POST".parse().unwrap(), "/api/auth/token/").form(&form);
        let from = format!("203.{}.{}.{}", n % 250, first / 250, first % 250);
        let login = login.from(&from).header("accept-language", "en");
        let answer = login.send().await;
        match answer.status.as_u16() {
            401 => {}
            429 | 503 => {
                assert_plain_refusal(&answer);
                // As a person would; a program that does not is kept busy by its own connections.
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            other => panic!("{other}: {}", answer.text),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_silent_connections_to_every_listener_keep_nobody_out() {
    let town = Town::start(1, async |_| {}).await;
    let before = town.resident_mb();
    let files = getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
    let mut flood = JoinSet::new();
    let mut counts = Vec::new();
    let server = &town.server;
    // Four fifths of what a listener takes from all networks together; one network alone may have 256, or 64 at the gateway.
    for (listener, share, most) in [
        (server.portal, files / 8, 2_000),
        (server.updates, files / 16, 1_000),
        (server.devices, files / 4 * 3, 4_000),
    ] {
        let count = (share * 4 / 5).min(most);
        counts.push(count);
        for _ in 0..count {
            flood.spawn(connect_for_ever(listener));
        }
    }
    let name = format!("{counts:?} silent connections");
    town.assert_others_do_not_wait(&name).await;
    let with = town.resident_mb();
    assert!(with < before + 200, "{before} MB became {with} MB");
    flood.abort_all();
    town.end().await;
}

/// Connects again when it is sent away.
async fn connect_for_ever(listener: SocketAddr) {
    loop {
        if let Ok(mut stream) = TcpStream::connect(listener).await {
            let _ = stream.read(&mut [0; 64]).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: make soak"]
async fn soak_large_bodies_of_guests_take_no_memory() {
    const GUESTS: usize = 500;
    let town = Town::start(1, async |_| {}).await;
    let before = town.resident_mb();
    let mut guests = JoinSet::new();
    for _ in 0..GUESTS {
        guests.spawn(send_bodies_for_ever(town.server.portal));
    }
    let name = format!("bodies of 1 MiB by {GUESTS} guests");
    town.assert_others_do_not_wait(&name).await;
    let with = town.resident_mb();
    assert!(with < before + 200, "{before} MB became {with} MB");
    guests.abort_all();
    town.end().await;
}

/// Sends all of a form but its last byte, and waits to be sent away.
async fn send_bodies_for_ever(portal: SocketAddr) {
    const LENGTH: usize = 1 << 20;
    let head = format!(
        "POST /api/auth/token/ HTTP/1.1\r\nhost: test\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {LENGTH}\r\n\r\nemail="
    );
    let rest = vec![b'a'; LENGTH - "email=".len() - 1];
    loop {
        let sent = async {
            let mut stream = TcpStream::connect(portal).await?;
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&rest).await?;
            stream.read(&mut [0; 1_024]).await
        };
        let _ = sent.await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
