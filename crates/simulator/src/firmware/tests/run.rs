//! Successful updates.
use super::harness::{
    UpdateHarness, assignment, assignment_message, director, image, job, manifest, release,
    usual_assignment,
};
use crate::wire::FirmwareVersions;
use domain::firmware::{Part, Stage};
use std::time::Duration;

#[test]
fn one_part_goes_through_every_stage_and_ends_with_the_new_version() {
    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    assert_eq!(harness.updater.job().unwrap().as_str(), job(1));
    let began = harness.now;
    harness.run_to_end();
    let mut stages: Vec<Stage> = harness.reports.iter().map(|report| report.stage).collect();
    stages.dedup();
    let order = [
        Stage::Waiting,
        Stage::Downloading,
        Stage::Verifying,
        Stage::Installing,
        Stage::Rebooting,
        Stage::Confirmed,
    ];
    assert_eq!(stages, order);
    let progress: Vec<u8> = harness
        .reports
        .iter()
        .map(|report| report.progress)
        .collect();
    assert!(progress.is_sorted(), "{progress:?}");
    assert_eq!((progress[0], progress.last()), (0, Some(&100)));
    for report in &harness.reports {
        assert!(report.stage.range().contains(&report.progress));
        assert_eq!(report.version.to_string(), "2.7");
    }
    assert_eq!(
        harness.updater.firmware(),
        FirmwareVersions::of("2.7", "1.14", "1.8")
    );
    assert_eq!((harness.seq(Part::Master), harness.starts), (3, 1));
    assert!(harness.now - began < Duration::from_secs(40));
}

/// Runs until it waits to begin this part.
fn until_waiting(harness: &mut UpdateHarness, part: Part) {
    while !waits(harness, part) {
        assert!(harness.tick());
    }
}

fn waits(harness: &UpdateHarness, part: Part) -> bool {
    let last = harness.reports.last().unwrap();
    (last.part, last.stage) == (part, Stage::Waiting)
}

#[test]
fn one_that_needs_its_main_switch_off_begins_when_it_is_off() {
    let mut harness = UpdateHarness::of_kind(true, Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    harness.switch(true, Duration::from_secs(600));
    assert!(waits(&harness, Part::Master));
    assert!(harness.updater.download_request(harness.now).is_none());
    harness.switched_on = false;
    for _ in 0..5 {
        harness.tick();
    }
    assert_eq!(harness.reports.last().unwrap().stage, Stage::Downloading);
}

#[test]
fn between_two_parts_it_needs_its_main_switch_on_for_five_seconds_and_off_again() {
    let mut harness = UpdateHarness::of_kind(true, Vec::new());
    harness.switched_on = false;
    harness.assign(&usual_assignment(&[Part::Gateway, Part::Master]));
    until_waiting(&mut harness, Part::Master);
    assert_eq!(harness.version(Part::Gateway), "1.15");
    // Neither permanently off nor on for a moment counts as turned on.
    harness.switch(false, Duration::from_secs(60));
    harness.switch(true, Duration::from_secs(4));
    harness.switch(false, Duration::from_secs(60));
    assert!(waits(&harness, Part::Master));
    // On is not enough: it has to be turned off again.
    harness.switch(true, Duration::from_secs(60));
    assert!(waits(&harness, Part::Master));
    harness.switched_on = false;
    harness.tick();
    assert_eq!(harness.reports.last().unwrap().stage, Stage::Downloading);
    while harness.tick() {}
    assert_eq!(
        harness.updater.firmware(),
        FirmwareVersions::of("2.7", "1.15", "1.8")
    );
    assert_eq!(
        harness.last_outcome(),
        (Part::Master, Stage::Confirmed, None)
    );
}

#[test]
fn one_that_updates_while_it_runs_needs_no_switch() {
    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Gateway, Part::Master]));
    while harness.tick() {}
    assert_eq!(
        harness.updater.firmware(),
        FirmwareVersions::of("2.7", "1.15", "1.8")
    );
}

#[test]
fn something_is_said_at_least_every_half_minute_while_it_waits() {
    let mut harness = UpdateHarness::of_kind(true, Vec::new());
    harness.switched_on = false;
    harness.assign(&usual_assignment(&[Part::Gateway, Part::Master]));
    while harness.reports.last().unwrap().part == Part::Gateway {
        harness.tick();
    }
    let (before, began) = (harness.reports.len(), harness.now);
    while harness.now - began < Duration::from_secs(600) {
        harness.tick();
    }
    assert!(harness.reports.len() - before >= 20);
}

#[test]
fn the_same_assignment_again_changes_nothing() {
    let mut harness = UpdateHarness::new(Vec::new());
    let assignment_message = usual_assignment(&[Part::Master]);
    harness.assign(&assignment_message);
    for _ in 0..40 {
        harness.tick();
    }
    let before = harness.reports.last().cloned().unwrap();
    assert_eq!(before.stage, Stage::Downloading);
    harness.assign(&assignment_message);
    harness.tick();
    assert!(harness.reports.last().unwrap().progress >= before.progress);
    harness.run_to_end();
    let starts = harness.starts;
    harness.assign(&assignment_message);
    assert!(harness.updater.job().is_none());
    assert_eq!(
        harness.last_outcome(),
        (Part::Master, Stage::Confirmed, None)
    );
    assert_eq!(harness.starts, starts);
}

#[test]
fn a_newer_assignment_takes_the_place_of_one_that_has_not_been_written_yet() {
    let newer = |number| {
        let part = manifest(Part::Slave, &image(Part::Slave)).sign(&release());
        assignment_message(&assignment(2, number, vec![part]).sign(&director()))
    };
    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    for _ in 0..40 {
        harness.tick();
    }
    harness.assign(&newer(2));
    harness.run_to_end();
    assert_eq!(
        harness.updater.firmware(),
        FirmwareVersions::of("2.6", "1.14", "1.9")
    );

    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    while harness.reports.last().unwrap().stage != Stage::Installing {
        harness.tick();
    }
    harness.assign(&newer(2));
    harness.run_to_end();
    assert_eq!(
        harness.updater.firmware(),
        FirmwareVersions::of("2.7", "1.14", "1.8")
    );
    // The portal sends it again.
    harness.assign(&newer(2));
    harness.run_to_end();
    assert_eq!(
        harness.updater.firmware(),
        FirmwareVersions::of("2.7", "1.14", "1.9")
    );
}
