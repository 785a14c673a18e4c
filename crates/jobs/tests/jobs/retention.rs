//! Data is erased after its retention. The tests control the clock: two years pass between two lines.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE};
use domain::shard::ShardSet;
use domain::{EventCode, Serial, SiteDay};
use jobs::{SampleRetention, cleanup, retention};
use std::collections::BTreeMap;
use testkit::{Person, TestApp, TestDb, on_both};

/// The number of rows per table, without the bookkeeping of sealing and the gateway's heartbeat.
async fn rows(db: &TestDb) -> BTreeMap<String, usize> {
    let tables = db.dump().await.into_iter();
    let told = tables.filter(|(name, _)| {
        let counts = ["sealing", "link_pulse", "gateways", "sample_log_writers"];
        !counts.contains(&name.as_str())
    });
    told.map(|(name, rows)| (name, rows.len())).collect()
}

async fn pass(app: &TestApp, time: i64) {
    app.clock.advance(time);
    let now = app.clock.now();
    app.store.telemetry.fold(now).await.unwrap();
    cleanup::run(&app.store, now).await;
    app.store
        .telemetry
        .seal_due(ShardSet::ALL, now)
        .await
        .unwrap();
    retention::run(&app.store, ShardSet::ALL, SampleRetention::default(), now).await;
}

/// An owner with a session, a command, a mail link, an unconfirmed second factor and an answered challenge; and a registration by somebody else that was
/// never confirmed.
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
    app.add_passkey(&anna, "Telefon").await;
    app.device("SC000009").await;
    let form = app.owner_form("ben@example.com", "SC000009");
    let call = app.post("/api/auth/register/", &form).from("10.9.9.9");
    call.send().await.expect(202);
    app.sent_mails().await;
    anna
}

on_both!(nothing_is_erased_while_the_servers_clock_is_wrong, |db| {
    let app = TestApp::start(db).await;
    live(&app).await;
    app.store.telemetry.fold(app.clock.now()).await.unwrap();
    let before = rows(db).await["sample_chunks"];
    app.clock.advance(800 * DAY);
    let now = app.clock.now();
    // Its batteries report it.
    db.save_clock_check(800 * DAY, now).await.unwrap();
    retention::run(db, ShardSet::ALL, SampleRetention::default(), now).await;
    assert_eq!(rows(db).await["sample_chunks"], before);
    assert_eq!(db.clock_error(now).await.unwrap(), Some(800 * DAY));
    // Messages take seconds; and an old clock check says nothing.
    db.save_clock_check(59_000, now).await.unwrap();
    assert_eq!(db.clock_error(now).await.unwrap(), None);
    db.save_clock_check(-61_000, now).await.unwrap();
    assert_eq!(db.clock_error(now).await.unwrap(), Some(-61_000));
    assert_eq!(db.clock_error(now + HOUR).await.unwrap(), None);
    retention::run(db, ShardSet::ALL, SampleRetention::default(), now + HOUR).await;
    let sealed = db.telemetry.seal_due(ShardSet::ALL, now + HOUR).await;
    assert_eq!(sealed.unwrap(), 0);
    let left = rows(db).await;
    assert_eq!((left["sample_chunks"], left["sealed_days"]), (0, 0));
    app.stop().await;
});

on_both!(everything_that_has_run_out_is_cleared_by_the_clock, |db| {
    let app = TestApp::start(db).await;
    let anna = live(&app).await;
    let sn: Serial = "SC000001".parse().unwrap();
    app.store.telemetry.fold(app.clock.now()).await.unwrap();
    let before = rows(db).await;
    for table in [
        "sessions",
        "commands",
        "mail_links",
        "totp",
        "passkey_challenges",
        "registrations",
        "sample_chunks",
    ] {
        assert!(before[table] > 0, "{table} has something to run out");
    }
    pass(&app, MINUTE).await;
    assert_eq!(rows(db).await, before, "nothing goes before its time");

    // Links, unconfirmed second factors and unconfirmed registrations are erased within a day.
    pass(&app, DAY + HOUR).await;
    let day = rows(db).await;
    for table in ["mail_links", "totp", "passkey_challenges", "registrations"] {
        assert_eq!(day[table], 0, "{table}");
    }
    assert_eq!((day["sessions"], day["commands"]), (1, 1));

    pass(&app, 90 * DAY).await;
    assert_eq!(rows(db).await["commands"], 0, "after 90 days");
    pass(&app, 10 * DAY).await;
    assert_eq!(rows(db).await["sessions"], 0, "after 100 days");

    // Full resolution is kept for two years and until its month is as old, day totals forever, and the journal keeps what happened.
    pass(&app, 631 * DAY).await;
    assert_eq!(rows(db).await["sealed_days"], 1);
    pass(&app, 15 * DAY).await;
    let left = rows(db).await;
    assert_eq!((left["sample_chunks"], left["sealed_days"]), (0, 0));
    let account = app.account_id(&anna.email).await;
    let access = app.store.accesses(account).await.unwrap();
    let access = access.iter().find(|access| *access.sn() == sn).unwrap();
    let first: SiteDay = access.zone().day_of(testkit::NOON);
    let days = app
        .store
        .telemetry
        .daily_totals(access.site(), first..first.next())
        .await;
    assert!(days.unwrap()[0].energy[2].is_some(), "the sum of that day");
    assert!(left["journal"] >= before["journal"], "no line is lost");
    app.stop().await;
});

on_both!(
    the_journal_is_kept_for_five_years_and_access_while_somebody_has_it,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let eva = app.electrician("eva").await;
        let grant = app.grant(&anna, &eva, "SC000001", "service").await;
        let names = async |person: &Person| {
            let account = app.account_id(&person.email).await;
            let entries = app.store.journal_of(account).await.unwrap();
            let names = entries.into_iter().map(|entry| entry.event);
            names.collect::<Vec<String>>()
        };
        let before = (names(&anna).await, names(&ben).await);
        assert!(before.1.iter().any(|name| name == "system_linked"));
        pass(&app, 5 * 365 * DAY + DAY).await;
        assert_eq!((names(&anna).await, names(&ben).await), before);

        pass(&app, 1).await;
        let left = names(&anna).await;
        assert!(left.iter().any(|name| name == "system_linked"), "{left:?}");
        assert!(
            left.iter().any(|name| name.starts_with("grant_")),
            "{left:?}"
        );
        assert!(!left.iter().any(|name| name == "registered"), "{left:?}");
        assert!(names(&ben).await.is_empty());

        let anna = app.log_in(&anna.email, false).await;
        let ended = app.call("DELETE", &format!("/api/auth/grant/{grant}/"));
        ended.bearer(&anna.access).send().await.expect(204);
        pass(&app, 1).await;
        assert_eq!(names(&anna).await, ["grant_ended"]);
        app.stop().await;
    }
);

/// Fills a table with so many rows of one battery, the newest last.
async fn fill(db: &TestDb, count: i64, insert: &str) {
    let numbers = format!(
        "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {count}) {insert}"
    );
    db.execute(&numbers).await;
}

on_both!(what_batteries_reported_is_erased_after_its_time, |db| {
    let app = TestApp::start(db).await;
    app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    let at = Some(app.clock.now());
    for (code, on) in [(EventCode::MeterLost, true), (EventCode::MeterLost, false)] {
        battery.event(at, code, on, None).await;
    }
    battery.event(at, EventCode::BmsFault, true, None).await;
    battery.event(None, EventCode::BmsFault, true, None).await;
    battery.undated_sample("{}").await;
    battery.reject().await;
    let counts = async || {
        let rows = rows(db).await;
        (rows["events"], rows["hidden_samples"], rows["rejects"])
    };
    pass(&app, 30 * DAY).await;
    assert_eq!(counts().await, (4, 1, 1));
    pass(&app, 1).await;
    assert_eq!(counts().await, (4, 1, 0), "rejects: 30 days");
    pass(&app, 60 * DAY).await;
    assert_eq!(counts().await, (4, 0, 0), "undated samples: 90 days");
    pass(&app, 640 * DAY).await;
    // The newest of each code stays: the fault may still be there.
    assert_eq!(counts().await, (2, 0, 0), "events: as long as samples");
    let left = app.newest_events(&battery.sn).await;
    let left: Vec<_> = left.iter().map(|event| (event.code, event.on)).collect();
    assert_eq!(
        left,
        [(EventCode::BmsFault, true), (EventCode::MeterLost, false)]
    );
    app.stop().await;
});

on_both!(one_battery_cannot_fill_the_disk, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    app.device("SC000002").await;
    let other = app.battery("SC000002");
    other.undated_sample("{}").await;
    let at = Some(app.clock.now());
    other.event(at, EventCode::MeterLost, true, None).await;
    let now = app.clock.now();
    // All in the same millisecond: then the message's number counts.
    let undated = format!(
        "INSERT INTO hidden_samples (sn, boot, seq, received_at, payload) SELECT 'SC000001', 1, i, {now}, '' FROM n"
    );
    fill(db, 6_700, &undated).await;
    let events = format!(
        "INSERT INTO events (sn, boot, seq, at, received_at, code, begins) SELECT 'SC000001', 1, i, {now}, {now}, 'meter_lost', TRUE FROM n"
    );
    fill(db, 11_300, &events).await;
    let calibration = format!(
        "INSERT INTO events (sn, boot, seq, at, received_at, code, begins) VALUES ('SC000001', 0, 1, {now}, {now}, 'calibration_due', TRUE)"
    );
    db.execute(&calibration).await;
    let entries = format!(
        "INSERT INTO journal (at, actor, sn, event, detail) SELECT {now}, 'battery', 'SC000001', 'battery', 'null' FROM n"
    );
    fill(db, 11_300, &entries).await;

    retention::run(db, ShardSet::ALL, SampleRetention::default(), now).await;
    let rows = rows(db).await;
    // One of each is the other battery's. The oldest event of this one is the only one of its code.
    assert_eq!(rows["hidden_samples"], 5_000 + 1);
    assert_eq!(rows["events"], 10_000 + 1 + 1);
    // Two devices were imported.
    assert_eq!(rows["journal"], 10_000 + 1 + 2);
    db.execute("DELETE FROM hidden_samples WHERE seq > 1700")
        .await;
    assert_eq!(
        self::rows(db).await["hidden_samples"],
        1,
        "the newest are kept"
    );
    app.stop().await;
});
