//! Sealing, and a system that changes its owner or time zone.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::model::Model;
use crate::telemetry_fixture::{count, day, days, home};
use domain::clock::{DAY, HOUR};
use domain::series::{Method, Resolution};
use domain::shard::ShardSet;
use domain::{Series, Zone};
use store::Error;
use testkit::{NOON, on_both};

on_both!(a_day_is_sealed_two_hours_after_it_ended, |db| {
    let home = home(db, "SC000001").await;
    let zone = home.access.zone();
    let today = day("2026-11-15");
    let end = zone.bounds(today).end;
    let samples = &days(zone, today, 1)[0];
    db.telemetry
        .append_samples(&home.sn, samples, end)
        .await
        .unwrap();
    assert_eq!(
        db.telemetry
            .seal_due(ShardSet::ALL, end + 2 * HOUR - 1)
            .await
            .unwrap(),
        0
    );
    assert_eq!(db.samples("SC000001").await.len(), samples.len());
    assert_eq!(
        db.telemetry
            .seal_due(ShardSet::ALL, end + 2 * HOUR)
            .await
            .unwrap(),
        1
    );
    assert_eq!(count(db, "sample_chunks").await, 0);
    assert_eq!(
        db.telemetry
            .day_samples(home.access.site(), today)
            .await
            .unwrap(),
        *samples
    );
    let again = db
        .telemetry
        .append_samples(&home.sn, samples, end + 3 * HOUR)
        .await;
    assert_eq!(
        again.unwrap(),
        0,
        "repeats of sealed samples are recognised"
    );
    assert_eq!(count(db, "sample_chunks").await, 0);
});

on_both!(of_two_who_seal_at_once_one_writes_each_day, |db| {
    let home = home(db, "SC000001").await;
    let zone = home.access.zone();
    let all = days(zone, day("2026-11-10"), 3).concat();
    db.telemetry
        .append_samples(&home.sn, &all, NOON)
        .await
        .unwrap();
    let (one, two) = (db.store(), db.store());
    let (one, two) = tokio::join!(
        one.telemetry.seal_due(ShardSet::ALL, NOON),
        two.telemetry.seal_due(ShardSet::ALL, NOON)
    );
    assert!(one.unwrap() + two.unwrap() >= 3);
    assert_eq!(count(db, "sealed_days").await, 3);
    assert_eq!(count(db, "sample_chunks").await, 0);
    let totals = db
        .telemetry
        .daily_totals(home.access.site(), day("2026-11-10")..day("2026-11-13"));
    let sum: i64 = totals
        .await
        .unwrap()
        .iter()
        .filter_map(|day| day.energy[0])
        .sum();
    assert_eq!(sum, 2 * (3 * 288 - 1));
});

on_both!(a_history_reads_like_days_that_were_lived, |db| {
    let (written, lived) = (home(db, "SC000001").await, home(db, "SC000002").await);
    let zone = written.access.zone();
    let history = days(zone, day("2026-10-20"), 8);
    let now = zone.start_of(day("2026-11-15"));
    for samples in &history {
        db.telemetry
            .append_samples(&lived.sn, samples, now)
            .await
            .unwrap();
    }
    db.telemetry.seal_due(ShardSet::ALL, now).await.unwrap();
    db.telemetry
        .write_history(&written.sn, zone, history.clone().into_iter(), now)
        .await
        .unwrap();
    let range = day("2026-10-19")..day("2026-10-29");
    for resolution in [Resolution::Quarter, Resolution::Day] {
        let chart = async |home: &crate::telemetry_fixture::Home| {
            db.chart(
                &home.access,
                range.clone(),
                resolution,
                Method::Mean,
                &Series::ALL,
            )
            .await
            .unwrap()
        };
        assert_eq!(chart(&written).await, chart(&lived).await);
    }
    assert_eq!(db.telemetry.seal_due(ShardSet::ALL, now).await.unwrap(), 0);
    let again = db
        .telemetry
        .write_history(&written.sn, zone, history.into_iter(), now)
        .await;
    assert!(matches!(again, Err(Error::Conflict)), "{again:?}");
});

on_both!(
    what_a_former_household_measured_is_hidden_at_once_and_then_erased,
    |db| {
        let mut home = home(db, "SC000001").await;
        let zone = home.access.zone().clone();
        let first = day("2026-11-01");
        let history = days(&zone, first, 6);
        db.telemetry
            .write_history(&home.sn, &zone, history.clone().into_iter(), NOON)
            .await
            .unwrap();
        let moved_out = zone.start_of(first.plus(3)) + 10 * HOUR;
        db.execute(&format!("UPDATE systems SET history_from = {moved_out}"))
            .await;
        home.reload_access(db).await;
        let mut model = Model::new(Zone::DEFAULT);
        model.history_from = moved_out;
        history.concat().into_iter().for_each(|sample| {
            model.append(sample);
        });
        let range = first..first.plus(6);
        let expected = model.chart(range.clone(), Resolution::Hour, Method::Max, &Series::ALL);
        for is_first in [true, false] {
            let chart = db.chart(
                &home.access,
                range.clone(),
                Resolution::Hour,
                Method::Max,
                &Series::ALL,
            );
            assert_eq!(chart.await.unwrap(), expected);
            let totals = db
                .telemetry
                .daily_totals(home.access.site(), range.clone())
                .await
                .unwrap();
            assert!(
                totals
                    .iter()
                    .all(|found| *found == model.day_totals(found.day))
            );
            assert!(
                db.telemetry
                    .day_samples(home.access.site(), first.plus(2))
                    .await
                    .unwrap()
                    .is_empty()
            );
            let erased = db.telemetry.erase_former_households(ShardSet::ALL).await;
            assert_eq!(erased.unwrap(), usize::from(is_first));
            db.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
        }
        db.execute("UPDATE systems SET history_from = 0").await;
        home.reload_access(db).await;
        let left = db
            .telemetry
            .day_samples(home.access.site(), first.plus(3))
            .await
            .unwrap();
        assert_eq!(
            left,
            model.day_samples(first.plus(3)),
            "not hidden but gone"
        );
    }
);

on_both!(
    days_are_cut_again_when_the_site_turns_out_to_be_elsewhere,
    |db| {
        let mut home = home(db, "SC000001").await;
        let zone = home.access.zone().clone();
        let first = day("2026-11-01");
        let history = days(&zone, first, 4);
        db.telemetry
            .write_history(&home.sn, &zone, history.clone().into_iter(), NOON)
            .await
            .unwrap();
        db.execute("UPDATE systems SET time_zone = 'America/New_York'")
            .await;
        home.reload_access(db).await;
        let mut model = Model::new("America/New_York");
        history.concat().into_iter().for_each(|sample| {
            model.append(sample);
        });
        let range = first.plus(-2)..first.plus(7);
        for _ in 0..3 {
            for resolution in [Resolution::Day, Resolution::Hour] {
                let chart = db.chart(
                    &home.access,
                    range.clone(),
                    resolution,
                    Method::Mean,
                    &Series::ALL,
                );
                let expected = model.chart(range.clone(), resolution, Method::Mean, &Series::ALL);
                assert_eq!(chart.await.unwrap(), expected);
            }
            db.telemetry
                .seal_due(ShardSet::ALL, NOON + DAY)
                .await
                .unwrap();
        }
        assert_eq!(count(db, "sample_chunks").await, 0);
    }
);
