use super::*;
use domain::clock::{DAY, HOUR};

const NOW: Millis = 1_794_740_400_000;
const FULL_BATCH: Cost = Cost {
    live: 0,
    history: 60,
    other: 0,
};

fn buckets() -> Buckets {
    Buckets::full(Quota::default(), NOW)
}

/// Sends messages as fast as it may for `time`, and returns how many.
fn flood(buckets: &mut Buckets, cost: Cost, from: Millis, time: Millis) -> i64 {
    let (mut now, mut sent) = (from, 0);
    while now < from + time {
        match buckets.pause(now) {
            None => {
                buckets.charge(cost, now);
                sent += 1;
            }
            Some(pause) => now += Millis::try_from(pause.duration.as_millis()).unwrap_or(1),
        }
    }
    sent
}

#[test]
fn a_battery_gets_its_rate_in_the_long_run_and_its_burst_at_once() {
    for (cost, tokens_each, burst, rate) in [
        (Cost::LIVE_SAMPLE, 1, 300, 5),
        (FULL_BATCH, 60, 1_200, 120),
        (Cost::OTHER, 1, 300, 5),
    ] {
        let mut buckets = buckets();
        let at_once = flood(&mut buckets, cost, NOW, 1) * tokens_each;
        assert_eq!(at_once, burst, "{cost:?}");
        let hour = flood(&mut buckets, cost, NOW, HOUR) * tokens_each;
        let expected = rate * 3_600;
        let allowed = expected - 2 * tokens_each..=expected + 2 * tokens_each;
        assert!(allowed.contains(&hour), "{cost:?}: {hour} in an hour");
    }
}

#[test]
fn normal_operation_is_never_throttled() {
    let mut buckets = buckets();
    // Watched for a day: a sample every 2 s, an event or an answer every 3 s.
    for second in 0..DAY / SECOND {
        let now = NOW + second * SECOND;
        if second % 2 == 0 {
            buckets.charge(Cost::LIVE_SAMPLE, now);
        }
        if second % 3 == 0 {
            buckets.charge(Cost::OTHER, now);
        }
        assert_eq!(buckets.pause(now), None, "after {second} s");
    }
    // A reconnect after an outage: hello, settings, what was in flight, and two hours of back-fill.
    let now = NOW + DAY;
    for cost in [Cost::OTHER; 4].into_iter().chain([Cost::LIVE_SAMPLE; 32]) {
        buckets.charge(cost, now);
    }
    for _ in 0..4 {
        buckets.charge(FULL_BATCH, now);
    }
    assert_eq!(buckets.pause(now), None);
}

#[test]
fn a_week_of_back_fill_takes_three_minutes() {
    let week = 7 * 2_880 / 60;
    let mut buckets = buckets();
    assert!(flood(&mut buckets, FULL_BATCH, NOW, 3 * MINUTE) >= week);
}

#[test]
fn one_message_never_stops_a_battery_for_longer_than_its_keep_alive() {
    let mut buckets = buckets();
    flood(&mut buckets, Cost::OTHER, NOW, 1);
    let worst = FULL_BATCH.with_rejects(60);
    buckets.charge(worst, NOW);
    let pause = buckets.pause(NOW).map(|pause| pause.duration);
    assert!(pause < Some(Duration::from_secs(15)), "{pause:?}");
}

#[test]
fn small_batches_and_rejects_are_not_free() {
    assert_eq!(Cost::history(1).history, MIN_HISTORY_TOKENS);
    assert_eq!(Cost::history(60).history, 60);
    assert_eq!(Cost::LIVE_SAMPLE.with_rejects(1).other, 1);
    assert_eq!(Cost::OTHER.with_rejects(1), Cost::OTHER);
}

#[test]
fn a_clock_that_is_set_neither_fills_the_buckets_beyond_the_burst_nor_stops_them() {
    let mut buckets = buckets();
    flood(&mut buckets, FULL_BATCH, NOW, 1);
    let back = NOW - DAY;
    assert!(buckets.pause(back).is_some(), "set back: nothing is filled");
    assert_eq!(buckets.pause(back + SECOND), None, "and goes on from there");
    assert_eq!(flood(&mut buckets, FULL_BATCH, NOW + DAY, 1), 20);
}

#[test]
fn an_incident_is_logged_once_and_recorded_once_a_minute() {
    let mut buckets = buckets();
    let change = |since, begins, record| IncidentChange {
        since,
        begins,
        record,
    };
    assert_eq!(buckets.incident(NOW), change(NOW, true, true));
    let mut recorded = 0;
    for second in 1..=3_600 {
        let told = buckets.incident(NOW + second * SECOND);
        assert!(!told.begins && told.since == NOW);
        recorded += i32::from(told.record);
    }
    assert_eq!(recorded, 60);
    let later = NOW + HOUR + INCIDENT_ENDS_AFTER;
    assert_eq!(buckets.incident(later), change(later, true, true));
}
