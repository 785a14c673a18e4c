//! The demo as people see it: batteries with a history that continues without a gap.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use domain::setting::{Field, Value};
use domain::source::QUARTER;
use domain::{Clock, Role, Sample, Serial, Source, Zone};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use store::grant::Grant;
use store::{Access, Secret, Store};
use telemetry::DayTotals;
use tempfile::TempDir;

const DAYS: i32 = 4;

/// A running demo with a short history; killed at the end of the test.
struct Demo(Child);

impl Demo {
    fn start(folder: &Path) -> Self {
        Self::of(folder, "small", DAYS)
    }

    fn of(folder: &Path, systems: &str, days: i32) -> Self {
        Self::ready(&mut command(folder, systems, days))
    }

    fn ready(command: &mut Command) -> Self {
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let ready = lines
            .map_while(Result::ok)
            .any(|line| line.contains("Stop with Ctrl-C"));
        assert!(ready, "the demo did not start");
        Self(process)
    }
}

fn command(folder: &Path, systems: &str, days: i32) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_suncellar"));
    command
        .current_dir(folder)
        .env_clear()
        .args(["demo", "--listen", "127.0.0.1:0", "--data-dir", "demo"])
        .args(["--devices-listen", "127.0.0.1:0", "--systems", systems])
        .args(["--updates-listen", "127.0.0.1:0"])
        .args(["--history", &days.to_string()]);
    command
}

/// The demo at another day and hour, as chosen on the command line.
fn starting_at(folder: &Path, hour: &str) -> Command {
    let mut command = command(folder, "small", 1);
    command.args(["--starts-at", hour]);
    command
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn open(folder: &Path) -> Store {
    let secret = std::fs::read_to_string(folder.join("demo/demo-key")).unwrap();
    let url = format!("sqlite:{}", folder.join("demo/suncellar.db").display());
    let secret = Secret::parse(&secret).unwrap();
    let random = testkit::random::seeded(1);
    Store::open(&url, &secret, &random, testkit::NOON)
        .await
        .unwrap()
}

async fn access(store: &Store, email: &str, sn: &str) -> Access {
    let account = store
        .account_by_email(&email.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    let sn: Serial = sn.parse().unwrap();
    store.access(account.id(), &sn).await.unwrap().unwrap()
}

async fn totals(store: &Store, email: &str, sn: &str) -> Vec<DayTotals> {
    let access = access(store, email, sn).await;
    let zone: Zone = Zone::DEFAULT.parse().unwrap();
    let today = zone.day_of(Clock::system().now());
    store
        .telemetry
        .daily_totals(access.site(), today.plus(-DAYS)..today.next())
        .await
        .unwrap()
}

async fn newest(store: &Store, sn: &str) -> Sample {
    let sn = sn.parse().unwrap();
    let latest = store.telemetry.latest_sample(&sn, i64::MAX).await;
    latest.unwrap().unwrap()
}

/// Waits until a battery has reported over the link in a later boot.
async fn reported_since(store: &Store, sn: &str, boot: u32) -> Sample {
    let began = Instant::now();
    loop {
        let sample = newest(store, sn).await;
        if sample.id.boot > boot {
            return sample;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{sn} is silent");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_past_is_there_at_the_first_start_and_goes_on_without_a_seam() {
    let folder = TempDir::new().unwrap();
    let demo = Demo::start(folder.path());
    let store = open(folder.path()).await;
    let days = totals(&store, "owner@example.com", "SC24A0001").await;
    assert_eq!(days.len(), usize::try_from(DAYS).unwrap() + 1);
    for day in &days[..days.len() - 1] {
        let [import, feed_in, pv, charge, discharge] = day.energy.map(Option::unwrap);
        let house = import - feed_in + pv - charge + discharge;
        assert!(
            (1_500..40_000).contains(&house),
            "{house} Wh on {}",
            day.day
        );
        assert_eq!(day.unplaced, [0; 5], "{}", day.day);
    }
    let first = reported_since(&store, "SC24A0001", 1).await;
    drop(demo);

    let _again = Demo::start(folder.path());
    let second = reported_since(&store, "SC24A0001", first.id.boot).await;
    for (before, after) in first.counters.iter().zip(second.counters) {
        assert!(
            *before <= after && after.unwrap() < before.unwrap() + 1_000,
            "{before:?} {after:?}"
        );
    }
    let today = totals(&store, "owner@example.com", "SC24A0001").await;
    assert_eq!(today.last().unwrap().unplaced, [0; 5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_street_can_live_at_another_time_but_never_goes_back() {
    let folder = TempDir::new().unwrap();
    let demo = Demo::ready(&mut starting_at(folder.path(), "2026-01-31T18:00"));
    let store = open(folder.path()).await;
    let newest = reported_since(&store, "SC24A0001", 1).await;
    let evening = 1_769_878_800_000;
    assert!((evening..evening + 5 * MINUTE).contains(&newest.at));
    drop(demo);

    for (hour, reason) in [
        ("2026-01-31T12:00", "choose another --data-dir"),
        ("2026-01-31T18:30", "not a full hour like"),
        ("2026-01-31T24:00", "not a full hour like"),
        ("2026-02-30T12:00", "not a full hour like"),
        ("yesterday", "not a full hour like"),
    ] {
        let refused = starting_at(folder.path(), hour).output().unwrap();
        assert!(!refused.status.success(), "{hour}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(reason), "{hour}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_has_a_name_a_group_and_prices_so_that_money_shows_at_once() {
    let folder = TempDir::new().unwrap();
    let _demo = Demo::start(folder.path());
    let store = open(folder.path()).await;
    let email = "owner@example.com".parse().unwrap();
    let account = store.account_by_email(&email).await.unwrap().unwrap().id();
    let systems = store.systems_of(account).await.unwrap();
    assert_eq!(systems[0].last_name.as_deref(), Some("Sonntag"));
    assert_eq!(systems[0].group_name.as_deref(), Some("Lindenweg 7"));
    let accesses = store.accesses(account).await.unwrap();
    let today = accesses[0].zone().day_of(Clock::system().now());
    let days = today.plus(-DAYS)..today;
    let bills = store.bills(&accesses, days).await.unwrap();
    assert_eq!(bills.len(), usize::try_from(DAYS).unwrap());
    for (day, bill) in bills {
        let saved = bill.without_battery.unwrap() - bill.actual();
        assert!((-50..1_000).contains(&saved), "{saved} ct on {day}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_weather_is_asked_for_on_this_machine_and_was_said_before() {
    let folder = TempDir::new().unwrap();
    let began = Clock::system().now();
    let _demo = Demo::start(folder.path());
    let store = open(folder.path()).await;
    let access = access(&store, "owner@example.com", "SC24A0001").await;
    let waiting = Instant::now();
    let newest = loop {
        let weather = store.weather(&access).await.unwrap().unwrap();
        if weather.issued_at >= began {
            break weather;
        }
        assert!(waiting.elapsed() < Duration::from_secs(60), "nobody asks");
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    assert_eq!(newest.source, Source::OpenMeteo);
    // Tomorrow has some sun, at most about the peak of the roof.
    let tomorrow = began.div_euclid(DAY) * DAY + DAY;
    let said = async |day: i64| {
        let said = store
            .weather_as_forecast(&access, day..day + DAY)
            .await
            .unwrap();
        said.into_iter().map(Option::unwrap).fold(0.0, f64::max)
    };
    let peak = store.site(&access).await.unwrap().unwrap().planes.peak();
    let peak = peak.unwrap() as f64;
    for day in [tomorrow, tomorrow - 3 * DAY] {
        let most = said(day).await;
        assert!(
            (0.01 * peak..=1.3 * peak).contains(&most),
            "{most} of {peak} W"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_neighbour_buys_at_the_exchange_and_lets_the_portal_plan() {
    let folder = TempDir::new().unwrap();
    let _demo = Demo::of(folder.path(), "full", 1);
    let store = open(folder.path()).await;
    let access = access(&store, "anna.berger@example.com", "SC24F0001").await;
    let now = Clock::system().now();
    let settings = store.settings(&access, now).await.unwrap().desired;
    let chosen = settings.get(Field::DynamicTariff);
    assert_eq!(chosen, Some(Value::Choice("plan")));
    let quarter = now.div_euclid(QUARTER) * QUARTER;
    let waiting = Instant::now();
    loop {
        let prices = store.prices(&access, quarter..quarter + QUARTER, now).await;
        if let Some(known) = prices.unwrap().quarters[0] {
            assert_eq!(known.source, Some(Source::EnergyCharts));
            break;
        }
        assert!(waiting.elapsed() < Duration::from_secs(60), "nobody asks");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_battery_has_been_away_for_days() {
    let folder = TempDir::new().unwrap();
    let _demo = Demo::start(folder.path());
    let store = open(folder.path()).await;
    let silent = Clock::system().now() - newest(&store, "SC24C0001").await.at;
    assert!((3 * DAY - MINUTE..3 * DAY + 30 * MINUTE).contains(&silent));
    let sn: Serial = "SC24C0001".parse().unwrap();
    assert!(!store.presence(&sn).await.unwrap().unwrap().online);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grid_operator_limits_one_home_and_its_battery_says_so_at_each_start() {
    const SN: &str = "SC24F0008";
    let folder = TempDir::new().unwrap();
    let demo = Demo::of(folder.path(), "full", 1);
    let store = open(folder.path()).await;
    let access = access(&store, "felix.kraus@example.com", SN).await;
    let limited_after = async |boot: u32| {
        let boot = reported_since(&store, SN, boot).await.id.boot;
        testkit::eventually("the limit is reported", async || {
            let now = Clock::system().now();
            let settings = store.settings(&access, now).await.unwrap();
            settings
                .grid_limit
                .is_some_and(|known| known.limit == 4_200)
        })
        .await;
        boot
    };
    let first = limited_after(1).await;
    drop(demo);

    let _again = Demo::of(folder.path(), "full", 1);
    limited_after(first).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_electrician_has_systems_of_each_scope_and_owners_have_something_to_decide() {
    let folder = TempDir::new().unwrap();
    let _demo = Demo::of(folder.path(), "full", 1);
    let store = open(folder.path()).await;
    let now = Clock::system().now();
    let held = async |email: &str| -> Vec<(String, &'static str, &'static str)> {
        let account = store.account_by_email(&email.parse().unwrap()).await;
        let account = account.unwrap().unwrap().id();
        let held = store.held_grants(account, Role::Electrician, now).await;
        let entry = |grant: Grant| {
            (
                grant.sn.to_string(),
                grant.state.as_str(),
                grant.scope.as_str(),
            )
        };
        held.unwrap().into_iter().map(entry).collect()
    };
    let busy = held("electrician@example.com").await;
    for (sn, state, scope) in [
        ("SC24A0001", "active", "service"),
        ("SC24B0003", "active", "configure"),
        ("SC24C0001", "active", "monitor"),
        ("SC24F0001", "asked", "service"),
        ("SC24F0002", "invited", "monitor"),
    ] {
        assert!(
            busy.contains(&(sn.to_owned(), state, scope)),
            "{sn}: {busy:?}"
        );
    }
    let new = held("installer@example.com").await;
    assert!(
        new.iter()
            .all(|(_, state, _)| matches!(*state, "asked" | "invited"))
    );
    let access = access(&store, "owner@example.com", "SC24A0001").await;
    let given = store.given_grants(&[access], now).await.unwrap();
    let states: Vec<&str> = given.iter().map(|grant| grant.state.as_str()).collect();
    assert_eq!(states, ["asked", "active"]);
}

#[test]
fn an_installer_code_is_printed_with_the_command_that_issues_more() {
    let folder = TempDir::new().unwrap();
    let mut process = command(folder.path(), "small", 1)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let lines = lines.map_while(Result::ok);
    let text: Vec<String> = lines
        .take_while(|line| !line.contains("Stop with Ctrl-C"))
        .collect();
    let _demo = Demo(process);
    let title = text
        .iter()
        .position(|line| line.starts_with("An installer code"));
    let code = &text[title.unwrap() + 1];
    assert!(
        code.ends_with("SC24E0001 SC24E0002 SC24E0003") && code.contains('-'),
        "{code}"
    );
    let more = text.iter().find_map(|line| line.strip_prefix("More: "));
    let mut words = more.unwrap().split(' ');
    assert_eq!(words.next(), Some("suncellar"));
    let mut issue = Command::new(env!("CARGO_BIN_EXE_suncellar"));
    let issue = issue.current_dir(folder.path()).env_clear().args(words);
    let issued = issue.output().unwrap();
    assert!(issued.status.success(), "{issued:?}");
    assert!(!issued.stdout.is_empty());
}
