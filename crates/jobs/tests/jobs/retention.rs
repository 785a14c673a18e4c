//! What is kept ends by itself. The clock is the tests' own: two years pass between two lines.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE};
use domain::{Serial, SiteDay};
use jobs::{KeepSamples, cleanup, retention};
use std::collections::BTreeMap;
use testkit::{Person, TestApp, TestDb, on_both};

/// How many rows each table has, without the bookkeeping of sealing and the link's heartbeat.
async fn rows(db: &TestDb) -> BTreeMap<String, usize> {
    let tables = db.dump().await.into_iter();
    let told =
        tables.filter(|(name, _)| !matches!(name.as_str(), "sealing" | "link_pulse" | "gateways"));
    told.map(|(name, rows)| (name, rows.len())).collect()
}

async fn pass(app: &TestApp, time: i64) {
    app.clock.advance(time);
    let now = app.clock.now();
    cleanup::run(&app.store, now).await;
    app.store.seal_due(now).await.unwrap();
    retention::run(&app.store, KeepSamples::default(), now).await;
}

/// Somebody with a session, a command, a link by mail and a second factor that was never proven; and a stranger's registration
/// that was never confirmed.
async fn live(app: &TestApp) -> Person {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    for _ in 0..3 {
        battery.sample(|_| {}).await;
        app.clock.advance(MINUTE);
    }
    let command = [
        ("sn", "SC000001"),
        ("command", "auto"),
        ("key", "a-key-of-anna"),
    ];
    let call = app.post("/api/auth/command/", &command);
    call.bearer(&anna.access).send().await.expect(201);
    let reset = [("email", anna.email.as_str())];
    let call = app.post("/api/auth/password_reset/", &reset);
    call.send().await.expect(202);
    app.begin_totp(&anna).await;
    app.device("SC000009").await;
    let form = app.owner_form("ben@example.com", "SC000009");
    let call = app.post("/api/auth/register/", &form).from("10.9.9.9");
    call.send().await.expect(202);
    app.letters().await;
    anna
}

on_both!(nothing_is_erased_while_the_servers_clock_is_wrong, |db| {
    let app = TestApp::start(db).await;
    live(&app).await;
    let before = rows(db).await["samples"];
    app.clock.advance(800 * DAY);
    let now = app.clock.now();
    // Its batteries say so.
    db.keep_clock_check(800 * DAY, now).await.unwrap();
    retention::run(db, KeepSamples::default(), now).await;
    assert_eq!(rows(db).await["samples"], before);
    assert_eq!(db.clock_error(now).await.unwrap(), Some(800 * DAY));
    // Travelling takes seconds; and what was found out long ago says nothing.
    db.keep_clock_check(59_000, now).await.unwrap();
    assert_eq!(db.clock_error(now).await.unwrap(), None);
    db.keep_clock_check(-61_000, now).await.unwrap();
    assert_eq!(db.clock_error(now).await.unwrap(), Some(-61_000));
    assert_eq!(db.clock_error(now + HOUR).await.unwrap(), None);
    retention::run(db, KeepSamples::default(), now + HOUR).await;
    assert_eq!(rows(db).await["samples"], 0);
    app.stop().await;
});

on_both!(everything_that_has_run_out_is_cleared_by_the_clock, |db| {
    let app = TestApp::start(db).await;
    let anna = live(&app).await;
    let sn: Serial = "SC000001".parse().unwrap();
    let before = rows(db).await;
    for table in [
        "sessions",
        "commands",
        "mail_links",
        "totp",
        "registrations",
        "samples",
    ] {
        assert!(before[table] > 0, "{table} has something to run out");
    }
    pass(&app, MINUTE).await;
    assert_eq!(rows(db).await, before, "nothing goes before its time");

    // Links and what was not proven go within the day, registrations that nobody confirmed with it.
    pass(&app, DAY + HOUR).await;
    let day = rows(db).await;
    for table in ["mail_links", "totp", "registrations"] {
        assert_eq!(day[table], 0, "{table}");
    }
    assert_eq!((day["sessions"], day["commands"]), (1, 1));

    pass(&app, 90 * DAY).await;
    assert_eq!(rows(db).await["commands"], 0, "after 90 days");
    pass(&app, 10 * DAY).await;
    assert_eq!(rows(db).await["sessions"], 0, "after 100 days");

    // Full resolution is kept for two years, the sums of days for good, and what happened stands in the journal.
    assert_eq!(rows(db).await["sealed_days"], 1);
    pass(&app, 631 * DAY).await;
    let left = rows(db).await;
    assert_eq!((left["samples"], left["sealed_days"]), (0, 0));
    let account = app.account_id(&anna.email).await;
    let access = app.store.accesses(account).await.unwrap();
    let access = access.iter().find(|access| *access.sn() == sn).unwrap();
    let first: SiteDay = access.zone().day_of(testkit::NOON);
    let days = app.store.daily_totals(access, first..first.next()).await;
    assert!(days.unwrap()[0].energy[2].is_some(), "the sum of that day");
    assert!(left["journal"] >= before["journal"], "no line is lost");
    app.stop().await;
});
