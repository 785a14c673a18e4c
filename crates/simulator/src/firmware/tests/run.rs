//! Updates that go well.
use super::world::{World, assignment, director, image, job, letter, manifest, release, usual};
use crate::wire::Firmware;
use domain::firmware::{Part, Stage};
use std::time::Duration;

#[test]
fn one_part_goes_through_every_stage_and_ends_with_the_new_version() {
    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Master]));
    assert_eq!(world.updater.job().unwrap().as_str(), job(1));
    let began = world.now;
    world.end();
    let mut stages: Vec<Stage> = world.reports.iter().map(|report| report.stage).collect();
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
    let progress: Vec<u8> = world.reports.iter().map(|report| report.progress).collect();
    assert!(progress.is_sorted(), "{progress:?}");
    assert_eq!((progress[0], progress.last()), (0, Some(&100)));
    for report in &world.reports {
        assert!(report.stage.range().contains(&report.progress));
        assert_eq!(report.version.to_string(), "2.7");
    }
    assert_eq!(world.updater.firmware(), Firmware::of("2.7", "1.14", "1.8"));
    assert_eq!((world.seq(Part::Master), world.starts), (3, 1));
    assert!(world.now - began < Duration::from_secs(40));
}

/// Until it waits to begin this part.
fn until_waiting(world: &mut World, part: Part) {
    while !waits(world, part) {
        assert!(world.live());
    }
}

fn waits(world: &World, part: Part) -> bool {
    let last = world.reports.last().unwrap();
    (last.part, last.stage) == (part, Stage::Waiting)
}

#[test]
fn one_that_needs_its_main_switch_off_begins_when_it_is_off() {
    let mut world = World::of_kind(true, Vec::new());
    world.assign(&usual(&[Part::Master]));
    world.switch(true, Duration::from_secs(600));
    assert!(waits(&world, Part::Master));
    assert!(world.updater.fetch(world.now).is_none());
    world.switched_on = false;
    for _ in 0..5 {
        world.live();
    }
    assert_eq!(world.reports.last().unwrap().stage, Stage::Downloading);
}

#[test]
fn between_two_parts_it_needs_its_main_switch_on_for_five_seconds_and_off_again() {
    let mut world = World::of_kind(true, Vec::new());
    world.switched_on = false;
    world.assign(&usual(&[Part::Gateway, Part::Master]));
    until_waiting(&mut world, Part::Master);
    assert_eq!(world.version(Part::Gateway), "1.15");
    // Off all the time is not turned on, and on for a moment is too short.
    world.switch(false, Duration::from_secs(60));
    world.switch(true, Duration::from_secs(4));
    world.switch(false, Duration::from_secs(60));
    assert!(waits(&world, Part::Master));
    // On is not off again.
    world.switch(true, Duration::from_secs(60));
    assert!(waits(&world, Part::Master));
    world.switched_on = false;
    world.live();
    assert_eq!(world.reports.last().unwrap().stage, Stage::Downloading);
    while world.live() {}
    assert_eq!(world.updater.firmware(), Firmware::of("2.7", "1.15", "1.8"));
    assert_eq!(world.last_word(), (Part::Master, Stage::Confirmed, None));
}

#[test]
fn one_that_updates_while_it_runs_needs_no_switch() {
    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Gateway, Part::Master]));
    while world.live() {}
    assert_eq!(world.updater.firmware(), Firmware::of("2.7", "1.15", "1.8"));
}

#[test]
fn something_is_said_at_least_every_half_minute_while_it_waits() {
    let mut world = World::of_kind(true, Vec::new());
    world.switched_on = false;
    world.assign(&usual(&[Part::Gateway, Part::Master]));
    while world.reports.last().unwrap().part == Part::Gateway {
        world.live();
    }
    let (before, began) = (world.reports.len(), world.now);
    while world.now - began < Duration::from_secs(600) {
        world.live();
    }
    assert!(world.reports.len() - before >= 20);
}

#[test]
fn the_same_assignment_again_changes_nothing() {
    let mut world = World::new(Vec::new());
    let letter = usual(&[Part::Master]);
    world.assign(&letter);
    for _ in 0..40 {
        world.live();
    }
    let before = world.reports.last().cloned().unwrap();
    assert_eq!(before.stage, Stage::Downloading);
    world.assign(&letter);
    world.live();
    assert!(world.reports.last().unwrap().progress >= before.progress);
    world.end();
    let starts = world.starts;
    world.assign(&letter);
    assert!(world.updater.job().is_none());
    assert_eq!(world.last_word(), (Part::Master, Stage::Confirmed, None));
    assert_eq!(world.starts, starts);
}

#[test]
fn a_newer_assignment_takes_the_place_of_one_that_has_not_been_written_yet() {
    let newer = |number| {
        let part = manifest(Part::Slave, &image(Part::Slave)).sign(&release());
        letter(&assignment(2, number, vec![part]).sign(&director()))
    };
    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Master]));
    for _ in 0..40 {
        world.live();
    }
    world.assign(&newer(2));
    world.end();
    assert_eq!(world.updater.firmware(), Firmware::of("2.6", "1.14", "1.9"));

    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Master]));
    while world.reports.last().unwrap().stage != Stage::Installing {
        world.live();
    }
    world.assign(&newer(2));
    world.end();
    assert_eq!(world.updater.firmware(), Firmware::of("2.7", "1.14", "1.8"));
    // The portal asks again.
    world.assign(&newer(2));
    world.end();
    assert_eq!(world.updater.firmware(), Firmware::of("2.7", "1.14", "1.9"));
}
