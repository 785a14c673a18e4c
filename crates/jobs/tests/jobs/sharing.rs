//! Two processes on one PostgreSQL divide the jobs: nothing is computed twice, and the part of one that dies is taken over.
#![allow(clippy::unwrap_used)]
use domain::clock::DAY;
use domain::source::QUARTER;
use domain::{Lang, Random};
use jobs::planning::{Planners, PlanningContext};
use jobs::{LeaseTimes, Leases};
use std::time::Duration;
use store::mail::{Mail, MailBody, OutgoingMail};
use testkit::planning::household;
use testkit::{NOON, TestApp, TestDb, eventually};

/// Of 32 systems these have households. The first process holds the shards of two, the second those of the others.
const HOMES: [&str; 4] = ["SC000002", "SC000003", "SC000020", "SC000021"];

struct Process {
    app: TestApp,
    leases: Leases,
    planners: Planners,
}

impl Process {
    async fn start(db: &TestDb, worker: u8, duration: Duration) -> Self {
        let app = TestApp::start(&db.for_another_process().await).await;
        let random = Random::new(move |bytes| bytes.fill(worker));
        let times = LeaseTimes {
            duration,
            ..LeaseTimes::default()
        };
        Self {
            leases: Leases::new(app.store.clone(), &random, times),
            planners: Planners::default(),
            app,
        }
    }

    /// Seals what is due of its shards; returns how many days.
    async fn seal(&self) -> usize {
        let telemetry = &self.app.store.telemetry;
        let (shards, now) = (self.leases.held().shards(), self.app.clock.now());
        telemetry.seal_due(shards, now).await.unwrap()
    }

    async fn plan(&mut self) {
        let context = PlanningContext {
            store: &self.app.store,
            service: &self.app.service,
            bus: &self.app.bus,
            held: &self.leases.held(),
            now: self.app.clock.now(),
        };
        self.planners.tick(context).await.unwrap();
    }
}

/// Registers the systems, and two days of samples for [`HOMES`].
async fn set_up_homes(app: &TestApp) {
    for n in 1..=32 {
        let sn = format!("SC{n:06}");
        if HOMES.contains(&sn.as_str()) {
            app.owner(&format!("owner{n}"), &sn).await;
            app.battery(&sn).hello(|_| {}).await;
            app.feed(&sn, &household(NOON - 2 * DAY..NOON)).await;
        } else {
            app.device(&sn).await;
        }
    }
}

/// How many forecasts of each home there are.
async fn forecasts(app: &TestApp) -> Vec<usize> {
    let mut counts = Vec::new();
    for sn in HOMES {
        let access = app.household_access(sn).await;
        let issued = app.store.forecasts(&access, 0..NOON + DAY).await.unwrap();
        counts.push(issued.len());
    }
    counts
}

async fn report(app: &TestApp) {
    let last = household(NOON - 2 * DAY..NOON).last().unwrap().counters;
    for sn in HOMES {
        let at = app.clock.now();
        let battery = app.battery(sn);
        let said = battery.sample(|sample| {
            sample.id.seq = u32::try_from((at - NOON) / 1_000 + 10).unwrap();
            sample.soc = Some(300);
            sample.counters = last;
        });
        said.await;
    }
}

const LONG: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_day_is_sealed_by_one_process() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let (one, two) = (
        Process::start(&db, 1, LONG).await,
        Process::start(&db, 2, LONG).await,
    );
    set_up_homes(&one.app).await;
    for process in [&one, &two, &one, &two] {
        process.leases.renew().await;
    }
    // Of the two days that are over, for each of two homes.
    assert_eq!(tokio::join!(one.seal(), two.seal()), (4, 4));
    assert_eq!(tokio::join!(one.seal(), two.seal()), (0, 0));
    one.app.stop().await;
    two.app.stop().await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_mail_is_sent_by_one_process() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let (one, two) = (
        Process::start(&db, 1, LONG).await,
        Process::start(&db, 2, LONG).await,
    );
    let people: Vec<String> = (0..40).map(|n| format!("p{n:02}@example.com")).collect();
    for person in &people {
        let outgoing = OutgoingMail {
            account: None,
            recipient: &person.parse().unwrap(),
            body: MailBody::Mail(Mail::new("welcome", Lang::De, String::new())),
            nonce: [1; 12],
        };
        testkit::queue_mail(&db, &outgoing, NOON).await;
    }
    let mut sent = Vec::new();
    eventually("the outbox is empty", async || {
        let (first, second) = tokio::join!(one.app.sent_mails(), two.app.sent_mails());
        sent = [first, second].concat();
        db.mail_queue().await.unwrap().0 == 0
    })
    .await;
    let mut recipients: Vec<String> = sent.into_iter().map(|mail| mail.to).collect();
    recipients.sort_unstable();
    assert_eq!(recipients, people);
    one.app.stop().await;
    two.app.stop().await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_system_is_planned_by_one_process_and_after_its_end_by_the_other() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let short = Duration::from_secs(6);
    let mut one = Process::start(&db, 1, short).await;
    let mut two = Process::start(&db, 2, short).await;
    set_up_homes(&one.app).await;
    report(&one.app).await;
    for process in [&one, &two, &one, &two] {
        process.leases.renew().await;
    }
    one.plan().await;
    assert_eq!(forecasts(&one.app).await, [1, 1, 0, 0]);
    for process in [&mut two, &mut one] {
        process.leases.renew().await;
        process.plan().await;
    }
    assert_eq!(forecasts(&one.app).await, [1, 1, 1, 1]);

    // The first one dies: it renews nothing. What it would still write under its old lease is refused.
    let stale = one.leases.held();
    eventually("the other process has taken over", async || {
        two.leases.renew().await;
        two.leases.held().shards().len() == 32
    })
    .await;
    for process in [&one, &two] {
        process.app.clock.advance(QUARTER);
    }
    report(&one.app).await;
    let context = PlanningContext {
        store: &one.app.store,
        service: &one.app.service,
        bus: &one.app.bus,
        held: &stale,
        now: one.app.clock.now(),
    };
    one.planners.tick(context).await.unwrap();
    assert_eq!(forecasts(&one.app).await, [1, 1, 1, 1], "nothing written");
    two.leases.renew().await;
    two.plan().await;
    assert_eq!(forecasts(&two.app).await, [2, 2, 2, 2]);
    one.app.stop().await;
    two.app.stop().await;
    db.close().await;
}
