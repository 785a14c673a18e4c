//! Many batteries do the same at once, in an installation of six processes: the other batteries are served as before, PostgreSQL
//! finds no deadlock, and whatever is decided is decided once.
#![allow(clippy::unwrap_used)]
use crate::six_processes::{Installation, SteadyBatteries};
use bus::Liveness;
use domain::Serial;
use domain::alarm::{AlarmKind, MIN_MAIL_INTERVAL};
use domain::clock::{MINUTE, SECOND};
use domain::firmware::Part;
use futures_util::future::join_all;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use testkit::firmware::{IMAGE, manifest};
use testkit::{Cluster, MqttBattery, NOON, TestApp, TestDb, between_processes, eventually};
use tokio::time::Instant;

const VERSION: &str = "4.2";
const REPORT_INTERVAL: Duration = Duration::from_secs(3);
/// Of a peer message, in the long form.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// How many batteries do the same, how many send steadily, and how many samples of each are measured.
#[derive(Clone, Copy)]
struct Extent {
    many: usize,
    steady: usize,
    samples: usize,
}

const SHORT: Extent = Extent {
    many: 200,
    steady: 20,
    samples: 20,
};

const VANISH: Extent = Extent {
    many: 5_000,
    steady: 50,
    samples: 80,
};

const UPDATE: Extent = Extent {
    many: 1_000,
    ..VANISH
};

/// How long the steady batteries waited for an acknowledgement (99th percentile), and how old the oldest heartbeat became.
#[derive(Debug)]
struct Measured {
    before: Duration,
    meanwhile: Duration,
    oldest_heartbeat: Duration,
}

impl Measured {
    fn print(&self) {
        let Self {
            before,
            meanwhile,
            oldest_heartbeat,
        } = self;
        eprintln!(
            "p99 {before:?} before, {meanwhile:?} meanwhile; oldest heartbeat {oldest_heartbeat:?}"
        );
    }
}

fn serials(prefix: &str, count: usize) -> Vec<Serial> {
    let serial = |n| format!("{prefix}{n:05}").parse().unwrap();
    (1..=count).map(serial).collect()
}

/// Steady batteries without an owner, after a while without anything else.
async fn steady(installation: &Installation, extent: Extent) -> (SteadyBatteries, Duration) {
    let systems = serials("STAY", extent.steady);
    installation.gateways[0].register_devices(&systems).await;
    let steady = installation.connect_steady(&systems).await;
    steady.send(4).await;
    steady.take_p99();
    steady.send(extent.samples).await;
    let before = steady.take_p99();
    (steady, before)
}

/// Notes each battery that goes offline, each time.
const NOTE_OFFLINE: &str = "
    CREATE TABLE went_offline (sn TEXT);
    CREATE FUNCTION note_offline() RETURNS TRIGGER LANGUAGE plpgsql AS
        'BEGIN INSERT INTO went_offline VALUES (NEW.sn); RETURN NULL; END';
    CREATE TRIGGER note_offline AFTER UPDATE ON presence FOR EACH ROW
        WHEN (OLD.online AND NOT NEW.online) EXECUTE FUNCTION note_offline();";

/// Half of them send nothing more, the connections of the others break.
async fn vanish(db: &TestDb, extent: Extent) -> Measured {
    let installation = Installation::start(db).await;
    db.execute(NOTE_OFFLINE).await;
    let systems = serials("AWAY", extent.many);
    let owner = installation.portals[0].owner_of("anna", &systems).await;
    let mut silent = installation.connect(&systems).await;
    let broken = silent.split_off(extent.many / 2);
    installation.show_at_portals(&systems).await;
    let (steady, before) = steady(&installation, extent).await;
    for _ in 0..2 {
        installation.advance_clocks(40 * SECOND);
        steady.send(2).await;
    }
    steady.take_p99();

    installation.advance_clocks(40 * SECOND);
    drop(broken);
    let sending = steady.send(extent.samples);
    let ((), oldest_heartbeat) = installation.oldest_heartbeat_during(sending).await;
    let meanwhile = steady.take_p99();
    let shown_offline = |app: &TestApp, sn: &Serial| {
        let shown = app.portal.live.get(sn);
        shown.is_some_and(|shown| !shown.online)
    };
    eventually("both portals show all of them as offline", async || {
        let mut portals = installation.portals.iter();
        portals.all(|app| systems.iter().all(|sn| shown_offline(app, sn)))
    })
    .await;
    let all = i64::try_from(extent.many).unwrap();
    let count = async |what: &str, condition: &str| {
        let rows = format!("SELECT count(*) FROM {what} WHERE {condition}");
        let systems = format!("SELECT count(DISTINCT sn) FROM {what} WHERE {condition}");
        (db.count(&rows).await, db.count(&systems).await)
    };
    let went_offline = count("went_offline", "TRUE").await;
    assert_eq!(went_offline, (all, all), "each once, and nobody else");
    steady.finish(db).await;

    // Both processes with jobs check all of them, as after a lease that ended while its holder slept.
    let [one, two] = &installation.jobs;
    let told_by = AlarmKind::Offline.opens_after() + MIN_MAIL_INTERVAL + 10 * MINUTE;
    while one.clock.now() < NOON + 2 * MINUTE + told_by {
        installation.advance_clocks(MINUTE);
        tokio::join!(one.check_alarms(), two.check_alarms());
    }
    let alarms = count("alarms", "kind = 'offline' AND sn LIKE 'AWAY%'").await;
    assert_eq!(alarms, (all, all), "one alarm each");
    let mails = [one.sent_mails().await, two.sent_mails().await].concat();
    let told = mails.iter().filter(|mail| mail.to == owner.email);
    let told = told.filter_map(|mail| mail.subject.strip_prefix("Alarme Ihrer Speicher: "));
    let told: i64 = told.map(|count| count.parse::<i64>().unwrap()).sum();
    assert_eq!(told, all, "each is told once");
    drop(silent);
    installation.stop(db).await;
    assert_eq!(db.deadlocks().await, 0);
    Measured {
        before,
        meanwhile,
        oldest_heartbeat,
    }
}

/// Reports so many steps of its update, as often as real ones do.
async fn report_progress(
    mut battery: MqttBattery,
    job: String,
    first: Instant,
    reports: u8,
) -> MqttBattery {
    let mut tick = tokio::time::interval_at(first, REPORT_INTERVAL);
    for progress in 1..=reports {
        tick.tick().await;
        battery.seq += 1;
        let report = json!({
            "b": battery.boot, "s": battery.seq, "job": job, "part": "master", "ver": VERSION, "st": "downloading",
            "pg": progress,
        });
        battery.report("fw", report.to_string()).await;
    }
    battery
}

/// All of them report how far their updates are.
async fn update(db: &TestDb, extent: Extent, reports: u8) -> Measured {
    let installation = Installation::start(db).await;
    let [portal, other_portal] = &installation.portals;
    let systems = serials("UPDT", extent.many);
    portal.owner_of("anna", &systems).await;
    let batteries = installation.connect(&systems).await;
    installation.show_at_portals(&systems).await;
    let (steady, before) = steady(&installation, extent).await;

    portal
        .roll_out(&manifest(Part::Master, VERSION, 5), IMAGE)
        .await;
    let offered = |sn: &Serial| !portal.portal.live.offered(sn).is_empty();
    eventually("it is offered to all", async || systems.iter().all(offered)).await;
    for sn in &systems {
        let access = portal.household_access(sn.as_str()).await;
        portal.service.start_update(&access).await.unwrap();
    }
    let jobs = portal.store.newest_updates_of(&systems, NOON).await;
    let jobs: HashMap<Serial, String> = jobs
        .unwrap()
        .into_iter()
        .map(|job| (job.sn, job.id.as_str().to_owned()))
        .collect();
    assert_eq!(jobs.len(), systems.len());
    steady.take_p99();
    let (begin, count) = (Instant::now(), u32::try_from(extent.many).unwrap());
    let reporting = (0..).zip(batteries).map(|(n, battery)| {
        let job = jobs[&battery.sn.parse().unwrap()].clone();
        let first = begin + REPORT_INTERVAL * n / count;
        tokio::spawn(report_progress(battery, job, first, reports))
    });
    let oldest_heartbeat = installation.oldest_heartbeat_during(join_all(reporting));
    let (batteries, oldest_heartbeat) = oldest_heartbeat.await;
    let meanwhile = steady.take_p99();
    eventually("both portals show how far they are", async || {
        [portal, other_portal].iter().all(|app| {
            systems.iter().all(|sn| {
                let shown = app.portal.live.get(sn);
                let update = shown.and_then(|shown| shown.update.clone());
                update.is_some_and(|update| update.parts[0].progress == reports)
            })
        })
    })
    .await;
    steady.finish(db).await;
    drop(batteries);
    installation.stop(db).await;
    assert_eq!(db.deadlocks().await, 0);
    Measured {
        before,
        meanwhile,
        oldest_heartbeat,
    }
}

between_processes!(batteries_that_vanish_at_once_are_each_offline_once, |db| {
    vanish(db, SHORT).await.print();
});

between_processes!(many_updates_at_once_reach_every_portal, |db| {
    let measured = update(db, SHORT, 4).await;
    measured.print();
    let limit = Liveness::default().heartbeat_limit;
    assert!(measured.oldest_heartbeat < limit, "all stay ready");
});

/// On disks, with a synchronous standby.
async fn measured(with_nats: bool, measure: impl AsyncFnOnce(&TestDb) -> Measured) {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let mut db = TestDb::in_cluster(&cluster).await;
    if with_nats {
        db = db.with_nats();
    }
    let measured = measure(&db).await;
    measured.print();
    db.close().await;
    assert!(measured.meanwhile <= 2 * measured.before, "{measured:?}");
    assert!(measured.oldest_heartbeat <= MAX_DELAY, "{measured:?}");
}

macro_rules! soak {
    ($name:ident, $with_nats:literal, $measure:expr) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "takes minutes and measures: make soak"]
        async fn $name() {
            measured($with_nats, $measure).await;
        }
    };
}

soak!(
    soak_five_thousand_batteries_vanish_at_once,
    false,
    async |db| vanish(db, VANISH).await
);
soak!(
    soak_five_thousand_batteries_vanish_at_once_by_nats,
    true,
    async |db| vanish(db, VANISH).await
);
soak!(
    soak_a_thousand_batteries_update_at_once,
    false,
    async |db| update(db, UPDATE, 20).await
);
soak!(
    soak_a_thousand_batteries_update_at_once_by_nats,
    true,
    async |db| update(db, UPDATE, 20).await
);
