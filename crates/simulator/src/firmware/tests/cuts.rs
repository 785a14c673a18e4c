//! Power is lost at any moment, and again, and again: it ends in the old version or in the new one.
use super::super::flash::DOES_NOT_START;
use super::super::{Cut, Loaded};
use super::world::{World, assignment, director, image, letter, manifest, release, usual};
use crate::wire::Firmware;
use domain::firmware::{Fault, Part, Stage, Version};
use proptest::prelude::*;
use std::time::Duration;

const BOTH: [Part; 2] = [Part::Gateway, Part::Master];

fn cut(part: Part, percent: u8) -> Cut {
    Cut {
        part,
        percent,
        lasts: Duration::from_secs(60),
    }
}

#[test]
fn a_download_goes_on_at_the_byte_where_power_was_lost() {
    let mut world = World::new(vec![cut(Part::Master, 30)]);
    world.assign(&usual(&[Part::Master]));
    while world.starts == 0 {
        world.live();
    }
    let size = image(Part::Master).len() as u64;
    let offset = (29 * size).div_ceil(59);
    let fetch = world.updater.fetch(world.now).unwrap();
    assert_eq!(fetch.offset, offset);
    assert_eq!(Stage::Downloading.percent(offset, size), 30);
    assert_eq!(Stage::Downloading.percent(offset - 1, size), 29);
    assert!(world.updater.job().is_some());
    // An update service that knows no ranges begins from the start, and so does what is kept.
    world.updater.load(Loaded::From(0), world.now);
    assert_eq!(world.updater.fetch(world.now).unwrap().offset, 0);
    world.end();
    assert_eq!(world.version(Part::Master), "2.7");
}

#[test]
fn an_installation_that_was_cut_starts_over_from_the_verified_image() {
    let mut world = World::new(vec![cut(Part::Master, 80)]);
    world.assign(&usual(&[Part::Master]));
    world.images.clear();
    world.images.insert(
        manifest(Part::Master, &image(Part::Master)).digest(),
        image(Part::Master),
    );
    while world.starts == 0 {
        world.live();
    }
    // Nothing has to be loaded again.
    world.images.clear();
    let before = world.reports.len();
    world.live();
    let report = &world.reports[before];
    assert_eq!((report.stage, report.progress), (Stage::Installing, 65));
    world.end();
    assert_eq!(world.version(Part::Master), "2.7");
}

#[test]
fn at_every_percent_of_both_parts_it_ends_in_the_new_versions() {
    for part in BOTH {
        for percent in 0..=100 {
            let mut world = World::of_kind(true, vec![cut(part, percent)]);
            world.assign(&usual(&BOTH));
            world.end();
            assert_eq!(world.updater.firmware(), Firmware::of("2.7", "1.15", "1.8"));
            // Both restarts of the update, one of which the cut may have been, and the cut.
            assert!(
                (2..=3).contains(&world.starts),
                "{part} {percent} {}",
                world.starts
            );
        }
    }
}

#[derive(Clone, Debug)]
struct Blow {
    /// So many moments after the one before.
    after: usize,
    lasts: u64,
}

fn blows() -> impl Strategy<Value = Vec<Blow>> {
    let blow = (0..90_usize, 0..900_u64).prop_map(|(after, lasts)| Blow { after, lasts });
    prop::collection::vec(blow, 0..12)
}

proptest! {
    #[test]
    fn however_often_power_is_lost_it_ends_in_old_or_new_and_never_goes_back(
        blows in blows(), piece in 1..3_000_usize, needs_off in any::<bool>(), broken in prop::option::of(0..2_usize),
    ) {
        let mut world = World::of_kind(needs_off, Vec::new());
        world.piece = piece.max(60);
        world.helped = true;
        let mut sealed = Vec::new();
        for (place, part) in BOTH.into_iter().enumerate() {
            let image = match broken == Some(place) {
                true => [DOES_NOT_START, &image(part)].concat(),
                false => image(part),
            };
            let manifest = manifest(part, &image);
            world.images.insert(manifest.digest(), image);
            sealed.push(manifest.sign(&release()));
        }
        world.assign(&letter(&assignment(1, 1, sealed).sign(&director())));
        let versions = |world: &World| BOTH.map(|part| world.version(part).parse::<Version>().unwrap());
        let mut before = versions(&world);
        for Blow { after, lasts } in blows {
            for _ in 0..after {
                world.live();
                let now = versions(&world);
                prop_assert!(before.iter().zip(now).all(|(before, now)| *before <= now));
                before = now;
            }
            world.restart(Duration::from_secs(lasts));
        }
        world.end();
        let (old, new) = (Firmware::newest(), Firmware::of("2.7", "1.15", "1.8"));
        let rolled_back = |part| (part, Stage::Failed, Some(Fault::RolledBack));
        let (want, word) = match broken {
            None => (new, (Part::Master, Stage::Confirmed, None)),
            Some(0) => (old, rolled_back(Part::Gateway)),
            Some(_) => (Firmware::of("2.6", "1.15", "1.8"), rolled_back(Part::Master)),
        };
        prop_assert_eq!(world.updater.firmware(), want);
        prop_assert_eq!(world.last_word(), word);
        for part in BOTH {
            let confirmed = world.reports.iter().any(|it| (it.part, it.stage) == (part, Stage::Confirmed));
            prop_assert_eq!(world.seq(part), if confirmed { 3 } else { 0 });
        }
    }
}
