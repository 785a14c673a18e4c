//! Full resolution is kept for whole months; on PostgreSQL each month is a partition.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::{Home, count, day, days, home, sample};
use domain::clock::{HOUR, Millis};
use domain::sample::MessageId;
use domain::shard::ShardSet;
use domain::{Sample, SiteDay, Zone};
use sqlx::{Connection as _, Executor as _, PgConnection};
use store::Store;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use testkit::{NOON, TestDb, on_both};

const SN: &str = "SC000001";

/// Five days of October, and five of November.
fn first() -> SiteDay {
    day("2026-10-27")
}

/// When October is over everywhere.
fn november() -> Millis {
    let utc: Zone = "UTC".parse().unwrap();
    utc.start_of(day("2026-11-01")) + 12 * HOUR
}

async fn home_in(db: &TestDb, sn: &str, zone: &str) -> Home {
    let mut home = home(db, sn).await;
    let moved = format!("UPDATE systems SET time_zone = '{zone}' WHERE sn = '{sn}'");
    db.execute(&moved).await;
    home.reload_access(db).await;
    home
}

/// Ten days of samples, sealed.
async fn with_history(store: &Store, home: &Home) -> Vec<Vec<Sample>> {
    let zone = home.access.zone();
    let history = days(zone, first(), 10);
    let written = history.clone().into_iter();
    let written = store.telemetry.write_history(&home.sn, zone, written, NOON);
    written.await.unwrap();
    history
}

async fn samples_of(store: &Store, home: &Home, day: SiteDay) -> Vec<Sample> {
    let samples = store.telemetry.day_samples(home.access.site(), day).await;
    samples.unwrap()
}

async fn totals(store: &Store, home: &Home) -> Vec<telemetry::DayTotals> {
    let range = first()..first().plus(10);
    let totals = store.telemetry.daily_totals(home.access.site(), range);
    totals.await.unwrap()
}

/// A sample that no battery has sent yet, at the time of another one.
fn late(other: &Sample) -> Sample {
    Sample {
        id: MessageId::new(9, 9),
        ..*other
    }
}

async fn partitions(db: &TestDb) -> Vec<String> {
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    let names = sqlx::query_scalar(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'sealed_days'::regclass ORDER BY 1",
    );
    names.fetch_all(&mut connection).await.unwrap()
}

on_both!(
    a_month_goes_as_a_whole_when_it_is_old_enough_everywhere_and_totals_stay,
    |db| {
        let homes = [
            home_in(db, SN, "Europe/Berlin").await,
            home_in(db, "SC000002", "Pacific/Honolulu").await,
        ];
        let mut histories = Vec::new();
        let mut before = Vec::new();
        for home in &homes {
            histories.push(with_history(db, home).await);
            before.push(totals(db, home).await);
        }
        let delete = async |keep_from: Millis| {
            let deleted = db.telemetry.delete_old_months(keep_from).await.unwrap();
            deleted.is_some()
        };
        delete(november() - 1).await;
        assert_eq!(count(db, "sealed_days").await, 20);
        assert!(delete(november()).await);
        assert!(!delete(november()).await, "nothing is left to delete");
        // A clock that was wrong, or a longer time to keep, brings nothing back.
        assert!(!delete(november() - 1).await);
        assert_eq!(count(db, "sealed_days").await, 10);
        for (home, (history, before)) in homes.iter().zip(histories.iter().zip(&before)) {
            assert_eq!(totals(db, home).await, *before);
            assert!(samples_of(db, home, first().plus(4)).await.is_empty());
            assert_eq!(samples_of(db, home, first().plus(5)).await, history[5]);
            let range = first()..first().plus(10);
            let measured = db.telemetry.measured_days(home.access.site(), range);
            for (place, (day, measured)) in measured.await.unwrap().into_iter().enumerate() {
                assert_eq!(measured.parts.is_some(), place >= 5, "{day}");
                assert_eq!(measured.energy, before[place].energy, "{day}");
            }
        }
    }
);

on_both!(
    a_late_sample_of_a_deleted_month_is_acknowledged_and_not_stored,
    |db| {
        let home = home(db, SN).await;
        let history = with_history(db, &home).await;
        let before = totals(db, &home).await;
        let deleted = db.telemetry.delete_old_months(november()).await;
        assert_eq!(deleted.unwrap(), Some(day("2026-11-01")));
        let report = Report {
            sn: home.sn.clone(),
            received_at: NOON,
            body: ReportBody::BackFill {
                samples: vec![late(&history[4][5]), late(&history[5][5])],
                undated: Vec::new(),
            },
        };
        for _ in 0..2 {
            let outcomes = db
                .append(std::slice::from_ref(&report), GatewayId::default())
                .await;
            assert_eq!(outcomes.unwrap()[0].new, [false, false]);
        }
        let message = MessageId::new(9, 10);
        let kept = Sample {
            id: message,
            ..history[6][5]
        };
        let stored = db.telemetry.append_samples(&home.sn, &[kept], NOON).await;
        assert_eq!(stored.unwrap(), 1);
        let sealed = db.telemetry.seal_due(ShardSet::ALL, NOON).await;
        assert!(sealed.unwrap() > 0);
        assert_eq!(count(db, "sealed_days").await, 5);
        assert_eq!(totals(db, &home).await[..5], before[..5]);
        if db.db().is_shared() {
            let october = "sealed_days_202610".to_owned();
            assert!(!partitions(db).await.contains(&october));
        }
    }
);

on_both!(
    what_was_not_sealed_before_its_month_was_deleted_is_deleted_instead,
    |db| {
        let home = home(db, SN).await;
        let history = with_history(db, &home).await;
        let before = totals(db, &home).await;
        // One makes a sealed day dirty, one is of a day without any.
        let lone = sample(home.access.zone().start_of(day("2026-10-20")), 9_999);
        let unsealed = [late(&history[4][5]), lone];
        let stored = db.telemetry.append_samples(&home.sn, &unsealed, NOON).await;
        assert_eq!(stored.unwrap(), 2);
        db.telemetry.delete_old_months(november()).await.unwrap();
        assert_eq!(totals(db, &home).await, before);
        let sealed = db.telemetry.seal_due(ShardSet::ALL, NOON).await;
        assert_eq!(sealed.unwrap(), 0);
        assert_eq!(count(db, "sample_chunks").await, 0);
        assert_eq!(count(db, "sealed_days").await, 5);
        assert_eq!(totals(db, &home).await, before);
    }
);

on_both!(
    totals_of_deleted_months_stay_when_the_site_turns_out_to_be_elsewhere,
    |db| {
        let mut home = home(db, SN).await;
        let history = with_history(db, &home).await;
        let before = totals(db, &home).await;
        db.telemetry.delete_old_months(november()).await.unwrap();
        db.execute("UPDATE systems SET time_zone = 'America/New_York'")
            .await;
        home.reload_access(db).await;
        for _ in 0..3 {
            db.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
        }
        assert_eq!(count(db, "sample_chunks").await, 0);
        // The last day of October had the first hours of November in Berlin.
        assert_eq!(totals(db, &home).await[..4], before[..4]);
        let span = home.access.zone().bounds(first().plus(7));
        let all = history.concat().into_iter();
        let expected: Vec<Sample> = all.filter(|sample| span.contains(&sample.at)).collect();
        assert_eq!(samples_of(db, &home, first().plus(7)).await, expected);
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn months_are_made_in_advance_and_by_one_of_two_who_need_them_at_once() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    db.telemetry.make_months(NOON).await.unwrap();
    let made = partitions(&db).await;
    for month in ["202611", "202612", "202701", "202702"] {
        let name = format!("sealed_days_{month}");
        assert!(made.contains(&name), "{month}: {made:?}");
    }
    let homes = [home(&db, SN).await, home(&db, "SC000002").await];
    let (one, two) = (db.open_again().await, db.open_again().await);
    let written = tokio::join!(with_history(&one, &homes[0]), with_history(&two, &homes[1]));
    assert_eq!(count(&db, "sealed_days").await, 20);
    assert_eq!(
        samples_of(&one, &homes[1], first().plus(2)).await,
        written.1[2]
    );
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_month_in_use_is_dropped_later_and_the_others_are_read_meanwhile() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let home = home(&db, SN).await;
    let history = with_history(&db, &home).await;
    let october = "sealed_days_202610".to_owned();
    // A dump, or a slow report.
    let mut reader = PgConnection::connect(db.url()).await.unwrap();
    let read = "BEGIN; SELECT count(*) FROM sealed_days WHERE day > 20261101";
    reader.execute(read).await.unwrap();
    let reads = async {
        for _ in 0..20 {
            assert_eq!(samples_of(&db, &home, first().plus(5)).await, history[5]);
        }
    };
    let (deleted, ()) = tokio::join!(db.telemetry.delete_old_months(november()), reads);
    assert_eq!(deleted.unwrap(), Some(day("2026-11-01")));
    assert!(partitions(&db).await.contains(&october));
    let again = late(&history[4][5]);
    let stored = db.telemetry.append_samples(&home.sn, &[again], NOON).await;
    assert_eq!(stored.unwrap(), 0, "no longer kept");

    reader.execute("COMMIT").await.unwrap();
    let reads = async {
        for _ in 0..20 {
            assert_eq!(samples_of(&db, &home, first().plus(5)).await, history[5]);
        }
    };
    let (deleted, ()) = tokio::join!(db.telemetry.delete_old_months(november()), reads);
    assert_eq!(deleted.unwrap(), Some(day("2026-11-01")));
    assert!(!partitions(&db).await.contains(&october));
    assert_eq!(count(&db, "sealed_days").await, 5);
    db.close().await;
}

/// Puts a database back to the schema of the release before the partitions, with its rows.
async fn downgrade(db: &TestDb) {
    const COLUMNS: [(&str, &str); 5] = [
        ("systems", "sn, phase, time_zone, history_from, measured"),
        ("sealing", "sn, version, site, kept_from, erased_to"),
        ("sealed_months", "sn, month, site, sealed, dirty, totals"),
        ("sealed_days", "sn, day, starts_at, ends_at, quarters, body"),
        (
            "sample_chunks",
            "sn, starts_at, boot, seq, ends_at, samples, body",
        ),
    ];
    db.execute("CREATE SCHEMA kept").await;
    for (table, columns) in COLUMNS {
        let keep = format!("CREATE TABLE kept.{table} AS SELECT {columns} FROM {table}");
        db.execute(&keep).await;
    }
    db.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        .await;
    let before = db::Db::open(db.url()).await.unwrap();
    before.migrate_to(41).await.unwrap();
    before.close().await;
    for (table, columns) in COLUMNS {
        let put_back =
            format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM kept.{table}");
        db.execute(&put_back).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn days_and_chunks_of_the_release_before_are_all_there_after_the_migration() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let home = home(&db, SN).await;
    let history = with_history(&db, &home).await;
    let unsealed = days(home.access.zone(), first().plus(10), 2).concat();
    let unsealed: Vec<Sample> = unsealed.iter().map(late_by_number).collect();
    let stored = db
        .telemetry
        .append_samples(&home.sn, &unsealed, NOON)
        .await
        .unwrap();
    assert_eq!(stored, unsealed.len());
    let before = totals(&db, &home).await;
    // Former households: erased before, and not yet.
    for (sn, erased_to) in [("SC000002", 50), ("SC000003", 0)] {
        crate::telemetry_fixture::home(&db, sn).await;
        db.execute(&format!(
            "UPDATE systems SET history_from = 50 WHERE sn = '{sn}';
             INSERT INTO sealing (sn, erased_to) VALUES ('{sn}', {erased_to})"
        ))
        .await;
    }
    downgrade(&db).await;
    let store = db.open_again().await;

    assert_eq!(totals(&store, &home).await, before);
    for (place, expected) in history.iter().enumerate() {
        let day = first().plus(i32::try_from(place).unwrap());
        assert_eq!(samples_of(&store, &home, day).await, *expected);
    }
    let left = store.telemetry.unsealed_samples(&home.sn).await.unwrap();
    assert_eq!(left, unsealed);
    let erased = store.telemetry.erase_former_households(ShardSet::ALL).await;
    assert_eq!(erased.unwrap(), 1);
    let old = partitions(&db).await;
    let old = old.iter().filter(|name| name.contains("_until_"));
    assert_eq!(old.count(), 1);

    // A process of the release before goes on: it knows nothing of partitions.
    for months in 0..3 {
        db.execute(&format!(
            "INSERT INTO sealed_days (sn, day, starts_at, ends_at, quarters, body)
             SELECT '{SN}', to_char(now() AT TIME ZONE 'UTC' + INTERVAL '{months} months', 'YYYYMM28')::bigint, 0, 0, '', ''"
        ))
        .await;
    }
    db.execute("DELETE FROM sealed_days WHERE ends_at = 0")
        .await;

    // The old rows are deleted in place, and what is sealed now is beside them.
    store.telemetry.delete_old_months(november()).await.unwrap();
    assert_eq!(count(&db, "sealed_days").await, 5);
    assert_eq!(totals(&store, &home).await, before);
    store.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
    assert_eq!(count(&db, "sealed_days").await, 7);
    assert_eq!(count(&db, "sample_chunks").await, 0);

    // At last the old table goes as a whole.
    let later = home.access.zone().start_of(day("2040-01-01"));
    store.telemetry.delete_old_months(later).await.unwrap();
    assert_eq!(partitions(&db).await, Vec::<String>::new());
    assert_eq!(totals(&store, &home).await, before);
    store.db().close().await;
    db.close().await;
}

/// Numbers that the history has not used.
fn late_by_number(sample: &Sample) -> Sample {
    Sample {
        id: MessageId::new(2, sample.id.seq),
        ..*sample
    }
}

on_both!(
    a_day_of_a_deleted_month_is_not_written_by_a_history_either,
    |db| {
        let home = home(db, SN).await;
        db.telemetry.delete_old_months(november()).await.unwrap();
        with_history(db, &home).await;
        assert_eq!(count(db, "sealed_days").await, 5);
        assert_eq!(totals(db, &home).await.len(), 10);
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_keep_what_is_compressed_as_it_is() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let home = home(&db, SN).await;
    with_history(&db, &home).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    let compressed: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relispartition AND c.relkind = 'r' AND a.attname IN ('quarters', 'body') AND a.attstorage <> 'e'",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(compressed, 0);
    db.close().await;
}
