//! What a battery does not take, and what it says then.
use super::super::flash::DOES_NOT_START;
use super::super::{Factory, FirmwareKeys, Loaded, Pace, Updater};
use super::world::{
    NOW, PACE, World, assignment, director, image, letter, manifest, release, usual,
};
use crate::wire::Firmware;
use domain::firmware::{Fault, Manifest, Part, SecretKey, Signer, Stage};
use proptest::prelude::*;
use serde_json::Value;

/// The battery refuses it before it has loaded a byte, and is what it was.
fn assert_refused(world: &mut World, letter: &Value, part: Part, fault: Fault) {
    world.reports.clear();
    let before = world.updater.firmware();
    world.assign(letter);
    assert_eq!(world.last_word(), (part, Stage::Failed, Some(fault)));
    assert!(world.updater.job().is_none());
    assert_eq!(world.updater.firmware(), before);
}

/// An assignment of one manifest that is not as usual.
fn changed(change: impl FnOnce(&mut Manifest)) -> Value {
    let mut manifest = manifest(Part::Master, &image(Part::Master));
    change(&mut manifest);
    letter(&assignment(1, 1, vec![manifest.sign(&release())]).sign(&director()))
}

#[test]
fn each_fault_has_its_name() {
    let mut world = World::new(Vec::new());
    let cases: [(Value, Fault); 6] = [
        (
            changed(|it| it.hardware = "SC5".into()),
            Fault::WrongHardware,
        ),
        (changed(|it| it.expires_at = NOW), Fault::Expired),
        (changed(|it| it.seq = 0), Fault::OldSequence),
        (
            changed(|it| it.version = "2.6".parse().unwrap()),
            Fault::OldSequence,
        ),
        (
            changed(|it| it.min_from = "2.7".parse().ok()),
            Fault::TooOld,
        ),
        (
            changed(|it| it.version = "1.0".parse().unwrap()),
            Fault::OldSequence,
        ),
    ];
    for (letter, fault) in cases {
        assert_refused(&mut world, &letter, Part::Master, fault);
    }
    let part = || manifest(Part::Master, &image(Part::Master)).sign(&release());
    let mut foreign = assignment(1, 1, vec![part()]);
    foreign.sn = "SC000002".parse().unwrap();
    let foreign = letter(&foreign.sign(&director()));
    assert_refused(&mut world, &foreign, Part::Master, Fault::WrongBattery);
    let mut late = assignment(1, 1, vec![part()]);
    late.expires_at = NOW;
    let late = letter(&late.sign(&director()));
    assert_refused(&mut world, &late, Part::Master, Fault::Expired);
    let twice = letter(&assignment(1, 1, vec![part(), part()]).sign(&director()));
    assert_refused(&mut world, &twice, Part::Master, Fault::Malformed);
}

#[test]
fn the_part_that_is_wrong_is_named() {
    let mut world = World::new(Vec::new());
    let gateway = manifest(Part::Gateway, &image(Part::Gateway)).sign(&release());
    let mut master = manifest(Part::Master, &image(Part::Master));
    let forged = vec![gateway.clone(), master.sign(&director())];
    let forged = letter(&assignment(1, 1, forged).sign(&director()));
    assert_refused(&mut world, &forged, Part::Master, Fault::Signature);
    master.hardware = "SC5".into();
    let foreign = vec![gateway, master.sign(&release())];
    let foreign = letter(&assignment(1, 1, foreign).sign(&director()));
    assert_refused(&mut world, &foreign, Part::Master, Fault::WrongHardware);
}

#[test]
fn both_signers_are_asked_and_without_keys_nobody_is_believed() {
    let part = manifest(Part::Master, &image(Part::Master)).sign(&release());
    let by_anybody = assignment(1, 1, vec![part]).sign(&SecretKey::new([9; 32]));
    let mut world = World::new(Vec::new());
    let forged = letter(&by_anybody);
    assert_refused(&mut world, &forged, Part::Master, Fault::Signature);
    let (pace, now) = (Pace::of(PACE), world.now);
    let factory = Factory {
        firmware: &Firmware::newest(),
        needs_off: false,
        keys: None,
    };
    world.updater = Updater::new(factory, pace, Vec::new(), now);
    let right = usual(&[Part::Gateway, Part::Master]);
    assert_refused(&mut world, &right, Part::Gateway, Fault::Signature);
}

#[test]
fn what_says_nothing_is_not_answered() {
    let mut world = World::new(Vec::new());
    let empty = letter(&director().sign(Signer::Director, "{}".into()));
    for nonsense in [Value::Null, empty] {
        world.assign(&nonsense);
    }
    assert!(world.reports.is_empty());
}

#[test]
fn nothing_old_is_taken_after_something_new() {
    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Master]));
    world.end();
    let again = |number, version: &str, seq| {
        let mut manifest = manifest(Part::Master, &image(Part::Master));
        (manifest.version, manifest.seq) = (version.parse().unwrap(), seq);
        letter(&assignment(2, number, vec![manifest.sign(&release())]).sign(&director()))
    };
    let old = Fault::OldSequence;
    // A lower or the same seq, whatever the version says; a used number; an older assignment.
    assert_refused(&mut world, &again(2, "2.8", 2), Part::Master, old);
    assert_refused(&mut world, &again(2, "2.8", 3), Part::Master, old);
    assert_refused(&mut world, &again(1, "2.8", 4), Part::Master, old);
    assert_refused(&mut world, &again(0, "2.8", 4), Part::Master, old);
    assert_refused(&mut world, &again(2, "2.7", 4), Part::Master, old);
    world.assign(&again(2, "2.8", 4));
    world.end();
    assert_eq!(
        (world.version(Part::Master), world.seq(Part::Master)),
        ("2.8".into(), 4)
    );
}

#[test]
fn an_image_that_cannot_be_loaded_is_given_up_after_a_few_tries() {
    let mut world = World::new(Vec::new());
    world.images.clear();
    world.assign(&usual(&[Part::Gateway, Part::Master]));
    world.end();
    let failed = (Part::Gateway, Stage::Failed, Some(Fault::NotLoaded));
    assert_eq!(world.last_word(), failed);
    assert_eq!(world.updater.firmware(), Firmware::newest());
}

#[test]
fn an_update_service_that_is_gone_is_asked_more_and_more_seldom_and_not_for_ever() {
    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Master]));
    let (mut tries, began) = (0, world.now);
    while world.updater.job().is_some() {
        world.updater.look(world.now, true);
        if world.updater.fetch(world.now).is_some() {
            world.updater.load(Loaded::Lost, world.now);
            tries += 1;
        } else if let Some(next) = world.updater.next_look() {
            world.now = world.now.max(next);
        }
    }
    assert_eq!(tries, 30);
    assert!((world.now - began).as_secs() > 600);
}

#[test]
fn an_image_of_another_length_is_not_even_loaded() {
    let mut world = World::new(Vec::new());
    world.assign(&usual(&[Part::Master]));
    while world.updater.fetch(world.now).is_none() {
        world.live();
    }
    world.updater.load(Loaded::WrongLength, world.now);
    world.reports.extend(world.updater.take_reports());
    let failed = (Part::Master, Stage::Failed, Some(Fault::WrongImage));
    assert_eq!(world.last_word(), failed);
}

#[test]
fn an_image_that_does_not_start_leaves_the_old_version_running() {
    let broken = [DOES_NOT_START, &[7; 500]].concat();
    let part = manifest(Part::Gateway, &broken);
    let mut world = World::new(Vec::new());
    world.images.insert(part.digest(), broken);
    let next = manifest(Part::Master, &image(Part::Master)).sign(&release());
    let both = assignment(1, 1, vec![part.sign(&release()), next]);
    world.assign(&letter(&both.sign(&director())));
    world.end();
    let back = (Part::Gateway, Stage::Failed, Some(Fault::RolledBack));
    assert_eq!(world.last_word(), back);
    assert_eq!(world.updater.firmware(), Firmware::newest());
    // Nothing was confirmed: a repaired image under the same number may come.
    assert_eq!(world.seq(Part::Gateway), 0);
    let repaired = manifest(Part::Gateway, &image(Part::Gateway)).sign(&release());
    let repaired = assignment(2, 2, vec![repaired]).sign(&director());
    world.assign(&letter(&repaired));
    world.end();
    assert_eq!(world.version(Part::Gateway), "1.15");
}

#[test]
fn keys_are_read_from_their_file() {
    let (release, director) = (release().public(), director().public());
    let text = format!(r#"{{"release": "{release}", "director": "{director}"}}"#);
    let keys = FirmwareKeys::from_json(&text);
    assert_eq!(keys, Ok(FirmwareKeys { release, director }));
    assert!(FirmwareKeys::from_json("{}").is_err());
    assert!(FirmwareKeys::from_json("keys").is_err());
}

proptest! {
    #[test]
    fn one_flipped_bit_of_the_image_is_noticed(place in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut world = World::new(Vec::new());
        let digest = manifest(Part::Master, &image(Part::Master)).digest();
        let stored = world.images.get_mut(&digest).unwrap();
        let place = place.index(stored.len());
        stored[place] ^= 1 << bit;
        world.assign(&usual(&[Part::Master]));
        world.end();
        prop_assert_eq!(world.last_word(), (Part::Master, Stage::Failed, Some(Fault::WrongImage)));
        prop_assert_eq!(world.updater.firmware(), Firmware::newest());
        prop_assert_eq!(world.starts, 0);
    }

    #[test]
    fn one_flipped_bit_of_what_was_signed_is_noticed(place in any::<prop::sample::Index>(), bit in 0..7_u8) {
        let mut letter = usual(&[Part::Master]);
        let mut bytes = letter["assignment"].as_str().unwrap().as_bytes().to_vec();
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        letter["assignment"] = String::from_utf8(bytes).unwrap().into();
        let mut world = World::new(Vec::new());
        world.assign(&letter);
        prop_assert!(world.updater.job().is_none());
        if let Some(report) = world.reports.last() {
            prop_assert_eq!(report.fault, Some(Fault::Signature));
        }
    }
}
