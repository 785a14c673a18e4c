use super::*;
use crate::clock::HOUR;
use proptest::prelude::*;

fn readings(list: &[(i64, i64)]) -> Vec<Reading> {
    let reading = |(minute, wh): &(i64, i64)| Reading {
        at: minute * MINUTE,
        wh: *wh,
        unit: 0,
    };
    list.iter().map(reading).collect()
}

/// All energy between two minutes.
fn between(list: &[(i64, i64)], from: i64, to: i64) -> Option<i64> {
    let flows = flows(&readings(list));
    let span = from * MINUTE..to * MINUTE;
    let placed = placed(&flows, &[span.start, span.end]);
    total(&placed, unplaced(&flows, &span))
}

#[test]
fn energy_is_shared_between_buckets_by_time() {
    let flows = flows(&readings(&[(0, 100), (10, 130)]));
    let edges = [-5, 0, 3, 5, 20].map(|minute| minute * MINUTE);
    assert_eq!(placed(&flows, &edges), [None, Some(9), Some(6), Some(15)]);
}

#[test]
fn a_measured_nothing_is_zero_and_not_missing() {
    assert_eq!(between(&[(0, 7), (10, 7)], 0, 10), Some(0));
    assert_eq!(between(&[(0, 7)], 0, 10), None);
    assert_eq!(between(&[(0, 7), (10, 7)], 10, 20), None);
}

#[test]
fn a_gap_is_unplaced_where_it_ends() {
    let list = [(0, 0), (10, 5), (26, 100), (27, 101)];
    let flows = flows(&readings(&list));
    assert_eq!(unplaced(&flows, &(0..20 * MINUTE)), None);
    assert_eq!(unplaced(&flows, &(20 * MINUTE..HOUR)), Some(95));
    let edges = [0, 20 * MINUTE, HOUR];
    assert_eq!(placed(&flows, &edges), [Some(5), Some(1)]);
}

#[test]
fn a_dip_is_ignored_and_its_energy_is_not_lost() {
    let dip = [(0, 1000), (1, 1010), (2, 3), (3, 1030), (4, 1040)];
    assert_eq!(between(&dip, 0, 10), Some(40));
    let spike = [(0, 1000), (1, 1010), (2, 9_000_000), (3, 1030), (4, 1040)];
    assert_eq!(between(&spike, 0, 10), Some(40));
}

#[test]
fn after_a_reset_counting_goes_on_from_the_new_level() {
    let reset = [(0, 1000), (1, 1010), (2, 0), (3, 20), (30, 50), (31, 60)];
    assert_eq!(between(&reset, 0, 60), Some(10 + 20 + 30 + 10));
}

#[test]
fn a_glitch_that_comes_first_is_not_believed() {
    let list = [(0, 5), (1, 90_000), (2, 90_010), (3, 6), (4, 90_030)];
    assert_eq!(between(&list, 0, 10), Some(30));
}

#[test]
fn no_counter_runs_faster_than_100_kw() {
    assert_eq!(between(&[(0, 0), (60, 100_001)], 0, 100), Some(100_001));
    assert_eq!(between(&[(0, 0), (60, 100_002)], 0, 100), None);
}

#[test]
fn the_live_tally_counts_what_the_store_counts() {
    let list = [(-2, 90), (2, 130), (3, 0), (4, 150), (30, 400), (31, 410)];
    let span = 0..HOUR;
    let mut tally = DayEnergy::new(span.clone());
    for reading in readings(&list) {
        tally.read(0, reading);
    }
    assert_eq!(tally.energy[0], between(&list, 0, 60));
    tally.begin_day(HOUR..2 * HOUR);
    tally.read(
        0,
        Reading {
            at: 61 * MINUTE,
            wh: 500,
            unit: 0,
        },
    );
    assert_eq!(tally.energy[0], Some(90));
}

#[test]
fn an_exchanged_unit_adds_neither_the_gap_nor_a_jump() {
    // The new unit's counter is slightly above the old one's, which no rule about jumps would detect.
    let old = [(0, 1000), (5, 1050), (10, 1100)];
    let new = [(12, 1150), (17, 1170)];
    let after = readings(&new)
        .into_iter()
        .map(|reading| Reading { unit: 1, ..reading });
    let all: Vec<Reading> = readings(&old).into_iter().chain(after).collect();
    let counted: i64 = flows(&all).iter().map(|flow| flow.wh).sum();
    assert_eq!(counted, 100 + 20);
    let mut tally = DayEnergy::new(0..HOUR);
    for reading in all {
        tally.read(0, reading);
    }
    assert_eq!(tally.energy[0], Some(120));
}

/// Counter readings with gaps, dips, spikes and resets, in order of time.
fn stream() -> impl Strategy<Value = Vec<Reading>> {
    let one = (1i64..20 * MINUTE, 0i64..200, 0u8..12, any::<u32>());
    prop::collection::vec(one, 0..120).prop_map(|steps| {
        let (mut at, mut wh) = (0, 1000);
        steps
            .into_iter()
            .map(|(passed, rise, luck, odd)| {
                at += passed;
                wh = if luck == 0 {
                    i64::from(odd % 500)
                } else {
                    wh + rise
                };
                let shown = if luck == 1 { i64::from(odd) } else { wh };
                Reading {
                    at,
                    wh: shown,
                    unit: 0,
                }
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn any_buckets_and_the_unplaced_add_up_to_the_same(
        readings in stream(), mut edges in prop::collection::vec(0i64..40 * HOUR, 2..40)
    ) {
        let flows = flows(&readings);
        edges.extend([0, 41 * HOUR]);
        edges.sort_unstable();
        edges.dedup();
        let buckets = placed(&flows, &edges);
        let whole = placed(&flows, &[0, 41 * HOUR]);
        prop_assert_eq!(total(&buckets, None), total(&whole, None));
        let all: i64 = flows.iter().map(|flow| flow.wh).sum();
        let gaps = unplaced(&flows, &(0..41 * HOUR));
        prop_assert_eq!(total(&buckets, gaps).unwrap_or_default(), all);
    }

    #[test]
    fn each_unit_is_counted_for_itself(old in stream(), new in stream(), pause in 0i64..HOUR) {
        let end = old.last().map_or(0, |last| last.at) + pause;
        let new: Vec<Reading> = new
            .into_iter()
            .map(|reading| Reading { at: reading.at + end, unit: 1, ..reading })
            .collect();
        let apart = [flows(&old), flows(&new)].concat();
        prop_assert_eq!(flows(&[old, new].concat()), apart);
    }

    #[test]
    fn energy_is_never_negative_and_never_a_spike(readings in stream()) {
        for flow in flows(&readings) {
            prop_assert!(flow.wh >= 0 && flow.from <= flow.to);
            prop_assert!((flow.wh - 1) * 36 <= flow.to - flow.from);
        }
    }

    #[test]
    fn a_well_behaved_counter_loses_nothing(
        steps in prop::collection::vec((1i64..20 * MINUTE, 0i64..5), 1..80), shuffle in any::<u64>()
    ) {
        let mut readings = vec![Reading { at: 0, wh: 50, unit: 0 }];
        for (passed, rise) in steps {
            let last = readings[readings.len() - 1];
            let rise = rise.min(passed / 36);
            readings.push(Reading { at: last.at + passed, wh: last.wh + rise, unit: 0 });
        }
        let gained = readings[readings.len() - 1].wh - 50;
        let sorted = flows(&readings);
        prop_assert_eq!(sorted.iter().map(|flow| flow.wh).sum::<i64>(), gained);
        // The order of arrival does not matter after sorting.
        let shift = usize::try_from(shuffle % readings.len() as u64).unwrap();
        readings.rotate_left(shift);
        readings.sort_by_key(|reading| reading.at);
        prop_assert_eq!(flows(&readings), sorted);
    }
}
