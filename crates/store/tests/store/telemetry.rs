//! Samples are stored once, and read as charts, totals and samples.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::{home, reading, sample};
use domain::clock::{DAY, MINUTE, SECOND};
use domain::series::{Method, Resolution};
use domain::shard::ShardSet;
use domain::{Series, SiteDay};
use testkit::{NOON, on_both};

fn day() -> SiteDay {
    "2026-11-15".parse().unwrap()
}

on_both!(a_repeated_message_changes_nothing, |db| {
    let home = home(db, "SC000001").await;
    let first = sample(NOON, 1);
    let again = domain::Sample {
        at: NOON + SECOND,
        ..first
    };
    let second = sample(NOON + MINUTE, 2);
    let append = async |samples: &[domain::Sample]| {
        db.telemetry.append_samples(&home.sn, samples, NOON).await
    };
    assert_eq!(append(&[first, again]).await.unwrap(), 1);
    assert_eq!(append(&[again, second]).await.unwrap(), 1);
    let kept = db
        .telemetry
        .day_samples(home.access.site(), day())
        .await
        .unwrap();
    assert_eq!(kept, [first, second]);
});

on_both!(what_is_not_measured_is_missing_and_never_zero, |db| {
    let home = home(db, "SC000001").await;
    let blind = domain::Sample {
        grid_power: None,
        ..sample(NOON, 1)
    };
    db.telemetry
        .append_samples(&home.sn, &[blind], NOON)
        .await
        .unwrap();
    let series = [Series::House, Series::PvPower, Series::LoadForecast];
    let days = day()..day().next();
    let chart = db
        .chart(&home.access, days, Resolution::Hour, Method::Mean, &series)
        .await
        .unwrap();
    assert_eq!(chart.time.len(), 24);
    let noon = chart.time.iter().position(|at| *at == NOON).unwrap();
    assert_eq!(chart.lines[0].values, [None; 24]);
    assert_eq!(chart.lines[1].values[noon], Some(1500));
    assert_eq!(chart.lines[1].values[noon - 1], None);
    assert_eq!(chart.lines[2].values, [None; 24]);
});

on_both!(
    energy_is_what_the_counters_say_and_a_gap_is_unplaced,
    |db| {
        let home = home(db, "SC000001").await;
        let samples = [
            reading(NOON, 1, 1000),
            reading(NOON + 10 * MINUTE, 2, 1100),
            reading(NOON + 60 * MINUTE, 3, 1500),
        ];
        db.telemetry
            .append_samples(&home.sn, &samples, NOON)
            .await
            .unwrap();
        let days = day()..day().next();
        let totals = db
            .telemetry
            .daily_totals(home.access.site(), days.clone())
            .await
            .unwrap();
        assert_eq!(totals[0].energy, [Some(500), None, None, None, None]);
        assert_eq!(totals[0].unplaced, [400, 0, 0, 0, 0]);
        let chart = db
            .chart(
                &home.access,
                days,
                Resolution::Quarter,
                Method::Min,
                &[Series::Import],
            )
            .await
            .unwrap();
        let known: Vec<_> = chart.lines[0].values.iter().flatten().collect();
        assert_eq!(known, [&100]);
        let today = db
            .telemetry
            .energy_today(&home.sn, home.access.zone(), NOON + 60 * MINUTE)
            .await
            .unwrap();
        assert_eq!(today.energy, totals[0].energy);
    }
);

on_both!(the_newest_sample_of_each_system_is_found, |db| {
    let (one, two) = (home(db, "SC000001").await, home(db, "SC000002").await);
    let (old, new) = (sample(NOON, 9), sample(NOON + MINUTE, 1));
    db.telemetry
        .append_samples(&one.sn, &[new, old], NOON)
        .await
        .unwrap();
    db.telemetry
        .append_samples(&two.sn, &[old], NOON)
        .await
        .unwrap();
    home(db, "SC000003").await;
    let systems = db.serials().await.unwrap();
    let check = async |stage: &str| {
        let latest = db.telemetry.latest_samples(&systems, i64::MAX).await;
        let expected = [(one.sn.clone(), new), (two.sn.clone(), old)];
        assert_eq!(latest.unwrap(), expected, "{stage}");
        let earlier = db.telemetry.latest_samples(&systems, NOON).await;
        let expected = [(one.sn.clone(), old), (two.sn.clone(), old)];
        assert_eq!(earlier.unwrap(), expected, "{stage}");
    };
    check("in the log").await;
    db.telemetry.fold(NOON + DAY).await.unwrap();
    check("in chunks").await;
    let sealed = db.telemetry.seal_due(ShardSet::ALL, NOON + 2 * DAY).await;
    assert_eq!(sealed.unwrap(), 2);
    check("sealed").await;
});
