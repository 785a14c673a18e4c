//! The sample log: several processes, repeats, interrupted folds and damage.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::{home, sample};
use domain::clock::{HOUR, MINUTE};
use domain::sample::MessageId;
use domain::{Sample, Serial};
use store::Store;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use telemetry::FOLD_INTERVAL;
use testkit::{NOON, TestDb, on_both};

const SN: &str = "SC000001";

/// Reports live samples in one commit. Returns for each whether it was new.
async fn report(store: &Store, sn: &Serial, samples: &[Sample]) -> Vec<bool> {
    let of = |sample: &Sample| Report {
        sn: sn.clone(),
        received_at: sample.at,
        body: ReportBody::Sample(*sample),
    };
    let reports: Vec<Report> = samples.iter().map(of).collect();
    let outcomes = store.append(&reports, GatewayId::default()).await.unwrap();
    outcomes.iter().flat_map(|one| one.new.clone()).collect()
}

fn minutes(range: std::ops::Range<u32>) -> Vec<Sample> {
    range
        .map(|n| sample(NOON + i64::from(n) * MINUTE, n + 1))
        .collect()
}

async fn rows(db: &TestDb, table: &str) -> usize {
    let dump = db.dump().await;
    dump.iter().find(|(name, _)| name == table).unwrap().1.len()
}

async fn stored(store: &Store, sn: &Serial) -> Vec<Sample> {
    store.telemetry.unsealed_samples(sn).await.unwrap()
}

on_both!(a_commit_of_many_samples_is_one_row, |db| {
    let home = home(db, SN).await;
    let samples = minutes(0..30);
    assert_eq!(report(db, &home.sn, &samples).await, [true; 30]);
    assert_eq!(rows(db, "sample_log").await, 1);
    assert_eq!(stored(db, &home.sn).await, samples);
    db.telemetry.fold(NOON + HOUR).await.unwrap();
    assert_eq!(
        (
            rows(db, "sample_log").await,
            rows(db, "sample_chunks").await
        ),
        (0, 1)
    );
    assert_eq!(stored(db, &home.sn).await, samples);
});

on_both!(a_repeat_is_known_before_and_after_it_is_folded, |db| {
    let home = home(db, SN).await;
    let samples = minutes(0..3);
    let twice = [samples[0], samples[1], samples[0]];
    assert_eq!(report(db, &home.sn, &twice).await, [true, true, false]);
    assert_eq!(report(db, &home.sn, &samples).await, [false, false, true]);
    db.telemetry.fold(NOON).await.unwrap();
    assert_eq!(report(db, &home.sn, &samples).await, [false; 3]);
    let started = db.open_again().await;
    assert_eq!(report(&started, &home.sn, &samples).await, [false; 3]);
    assert_eq!(stored(&started, &home.sn).await, samples);
});

on_both!(a_process_sees_at_once_what_another_one_received, |db| {
    let home = home(db, SN).await;
    let (one, two) = (db.store(), db.open_again().await);
    let samples = minutes(0..4);
    for (count, sample) in (1..).zip(&samples) {
        report(&one, &home.sn, &[*sample]).await;
        assert_eq!(stored(&two, &home.sn).await, samples[..count]);
        if count == 2 {
            one.telemetry.fold(NOON + HOUR).await.unwrap();
        }
    }
});

/// Reports a sample of each of these systems, in one commit.
async fn report_each(store: &Store, systems: &[&Serial], sample: Sample) {
    let of = |sn: &&Serial| Report {
        sn: (*sn).clone(),
        received_at: sample.at,
        body: ReportBody::Sample(sample),
    };
    let reports: Vec<Report> = systems.iter().map(of).collect();
    store.append(&reports, GatewayId::default()).await.unwrap();
}

on_both!(
    a_process_keeps_samples_of_others_only_while_somebody_asks_about_them,
    |db| {
        if !db.db().is_shared() {
            return;
        }
        let (asked, other) = (home(db, SN).await.sn, home(db, "SC000002").await.sn);
        let (gateway, portal) = (db.store(), db.open_again().await);
        let kept = |store: &Store| store.telemetry.samples_in_memory();
        let samples = minutes(0..30);
        for (n, sample) in samples.iter().enumerate() {
            report_each(&gateway, &[&asked, &other], *sample).await;
            if n % 10 == 0 {
                assert_eq!(stored(&portal, &asked).await, samples[..=n]);
            }
        }
        assert_eq!(stored(&portal, &asked).await, samples);
        assert_eq!((kept(&gateway), kept(&portal)), (60, 30));

        // Nothing is missing when somebody asks about the other one, too.
        assert_eq!(stored(&portal, &other).await, samples);
        assert_eq!(kept(&portal), 60);
        for turn in 0..3 {
            assert_eq!(kept(&portal), 60);
            let now = NOON + turn * FOLD_INTERVAL;
            portal.telemetry.fold_due(now).await.unwrap();
            assert_eq!(stored(&portal, &asked).await, samples);
        }
        assert_eq!(kept(&portal), 30, "nobody has asked for two turns");

        // Nor when they were folded meanwhile, or some of them.
        gateway.telemetry.fold(NOON + HOUR).await.unwrap();
        let later = minutes(30..35);
        for sample in &later {
            report_each(&gateway, &[&asked, &other], *sample).await;
        }
        let all = [samples, later].concat();
        assert_eq!(stored(&portal, &asked).await, all);
        assert_eq!(kept(&portal), 5);
        assert_eq!(stored(&portal, &other).await, all);
        assert_eq!(kept(&portal), 10);
        drop(gateway);

        // Its log is folded by another process, which has been asked about one of them.
        portal
            .telemetry
            .fold_abandoned(NOON + 2 * HOUR)
            .await
            .unwrap();
        assert_eq!(rows(db, "sample_log").await, 0);
        for sn in [&asked, &other] {
            assert_eq!(stored(&portal, sn).await, all);
        }
        assert_eq!(kept(&portal), 0);
    }
);

on_both!(what_two_processes_received_counts_once, |db| {
    if !db.db().is_shared() {
        return;
    }
    let home = home(db, SN).await;
    let (one, two) = (db.store(), db.open_again().await);
    let samples = minutes(0..6);
    report(&one, &home.sn, &samples[..4]).await;
    // It did not get the acknowledgement, and sends it again elsewhere, with a time that differs a little.
    let again = samples[2..].iter().map(|sample| Sample {
        at: sample.at + 100,
        ..*sample
    });
    report(&two, &home.sn, &again.collect::<Vec<_>>()).await;
    assert_eq!(stored(&one, &home.sn).await.len(), 6);
    two.telemetry.fold(NOON + HOUR).await.unwrap();
    assert_eq!(stored(&one, &home.sn).await.len(), 6);
    one.telemetry.fold(NOON + HOUR).await.unwrap();
    assert_eq!(stored(&one, &home.sn).await.len(), 6);
    assert_eq!(stored(&two, &home.sn).await, stored(&one, &home.sn).await);
});

on_both!(two_who_fold_the_same_log_store_it_once, |db| {
    let home = home(db, SN).await;
    let samples = minutes(0..20);
    for some in samples.chunks(5) {
        report(db, &home.sn, some).await;
    }
    let other = db.open_again().await;
    let now = NOON + HOUR;
    let (one, two) = tokio::join!(db.telemetry.fold(now), other.telemetry.fold_abandoned(now));
    one.unwrap();
    two.unwrap();
    assert_eq!(stored(db, &home.sn).await, samples);
    assert_eq!(stored(&other, &home.sn).await, samples);
    report(db, &home.sn, &minutes(20..21)).await;
    assert_eq!(stored(&other, &home.sn).await, minutes(0..21));
});

on_both!(a_broken_battery_cannot_fill_a_day_without_end, |db| {
    let home = home(db, SN).await;
    let flood = |first: u32| -> Vec<Sample> {
        let of = |n: u32| sample(NOON + i64::from(n % 36_000) * 100, n + 1);
        (first..first + 70_000).map(of).collect()
    };
    for first in [0, 70_000] {
        let samples = flood(first);
        let appended = db.telemetry.append_samples(&home.sn, &samples, NOON);
        assert_eq!(appended.await.unwrap(), 70_000, "they are acknowledged");
    }
    assert_eq!(stored(db, &home.sn).await.len(), 120_000);
    let samples = flood(70_000);
    let again = db.telemetry.append_samples(&home.sn, &samples, NOON);
    assert_eq!(again.await.unwrap(), 0);
});

on_both!(a_battery_whose_numbers_jump_fills_no_table, |db| {
    let home = home(db, SN).await;
    let jumping = |n: u32| {
        let mut sample = sample(NOON + i64::from(n) * 100, 2 * n + 1);
        if n >= 11_000 {
            // Each from another boot.
            sample.id = MessageId::new(n, 1);
        }
        sample
    };
    let samples: Vec<Sample> = (0..11_100).map(jumping).collect();
    let mut new = 0;
    for some in samples.chunks(4_000) {
        let outcome = report(db, &home.sn, some).await;
        new += outcome.into_iter().filter(|new| *new).count();
    }
    assert_eq!(new, 10_000, "the rest of the day is dropped");
    db.telemetry.fold(NOON + 30 * MINUTE).await.unwrap();
    assert!(rows(db, "message_ranges").await <= 500);
    // What continues a range still counts.
    let next = sample(NOON + HOUR, 2 * 9_999 + 2);
    assert_eq!(report(db, &home.sn, &[next]).await, [true]);
});

on_both!(the_lowest_of_very_many_boots_are_forgotten, |db| {
    let home = home(db, SN).await;
    db.execute(
        "INSERT INTO message_ranges (sn, boot, first_seq, last_seq)
         WITH RECURSIVE boots(boot) AS (SELECT 1 UNION ALL SELECT boot + 1 FROM boots WHERE boot < 10500)
         SELECT 'SC000001', boot, 1, 5 FROM boots",
    )
    .await;
    let of_boot = |boot: u32, seq: u32| Sample {
        id: MessageId::new(boot, seq),
        ..sample(NOON, seq)
    };
    let sent = [of_boot(10_500, 5), of_boot(10_501, 1)];
    assert_eq!(report(db, &home.sn, &sent).await, [false, true]);
    db.telemetry.fold(NOON).await.unwrap();
    assert_eq!(rows(db, "message_ranges").await, 10_001);
    let repeats = [of_boot(10_501, 1), of_boot(1_000, 3)];
    assert_eq!(report(db, &home.sn, &repeats).await, [false, false]);
});

/// Makes every deletion from the log fail, as if the process were killed before it.
async fn break_deletion(db: &TestDb) {
    if db.db().is_shared() {
        db.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'",
        )
        .await;
        db.execute("CREATE TRIGGER refuse BEFORE DELETE ON sample_log EXECUTE FUNCTION refuse()")
            .await;
    } else {
        db.execute("CREATE TRIGGER refuse BEFORE DELETE ON sample_log BEGIN SELECT RAISE(ABORT, 'refused'); END")
            .await;
    }
}

async fn mend_deletion(db: &TestDb) {
    let on = if db.db().is_shared() {
        "ON sample_log"
    } else {
        ""
    };
    db.execute(&format!("DROP TRIGGER refuse {on}")).await;
}

on_both!(a_fold_that_was_interrupted_counts_nothing_twice, |db| {
    let home = home(db, SN).await;
    let samples = minutes(0..10);
    report(db, &home.sn, &samples[..5]).await;
    break_deletion(db).await;
    assert!(db.telemetry.fold(NOON).await.is_err());
    assert_eq!(
        (
            rows(db, "sample_log").await,
            rows(db, "sample_chunks").await
        ),
        (1, 1)
    );
    assert_eq!(stored(db, &home.sn).await, samples[..5]);
    report(db, &home.sn, &samples[5..8]).await;
    let started = db.open_again().await;
    assert_eq!(stored(&started, &home.sn).await, samples[..8]);
    report(&started, &home.sn, &samples[8..]).await;
    mend_deletion(db).await;
    started.telemetry.fold(NOON + HOUR).await.unwrap();
    started.telemetry.fold_abandoned(NOON + HOUR).await.unwrap();
    assert_eq!(rows(db, "sample_log").await, 0);
    assert_eq!(stored(&started, &home.sn).await, samples);
});

on_both!(a_damaged_row_of_the_log_costs_only_its_own_samples, |db| {
    let home = home(db, SN).await;
    let samples = minutes(0..3);
    for sample in &samples {
        report(db, &home.sn, &[*sample]).await;
    }
    let (engine, bytes) = match db.db().is_shared() {
        true => ("", r"'\x0100000000ff'"),
        false => ("/* SQLite */ ", "x'0100000000ff'"),
    };
    db.execute(&format!(
        "{engine}UPDATE sample_log SET body = {bytes} WHERE id = (SELECT min(id) + 1 FROM sample_log)"
    ))
    .await;
    let started = db.open_again().await;
    assert_eq!(stored(&started, &home.sn).await, [samples[0], samples[2]]);
    started.telemetry.fold_abandoned(NOON + HOUR).await.unwrap();
    assert_eq!(stored(&started, &home.sn).await, [samples[0], samples[2]]);
});
