//! What a battery refuses, and what it reports then.
use super::super::flash::BROKEN_IMAGE_PREFIX;
use super::super::{DownloadEvent, FactoryConfig, FirmwareKeys, UpdateTiming, Updater};
use super::harness::{
    NOW, SAMPLE_INTERVAL, UpdateHarness, assignment, assignment_message, director, image, manifest,
    release, usual_assignment,
};
use crate::wire::FirmwareVersions;
use domain::firmware::{Fault, Manifest, Part, SecretKey, Signer, Stage};
use proptest::prelude::*;
use serde_json::Value;

/// The battery refuses it without downloading a byte, and keeps its state.
fn assert_refused(
    harness: &mut UpdateHarness,
    assignment_message: &Value,
    part: Part,
    fault: Fault,
) {
    harness.reports.clear();
    let before = harness.updater.firmware();
    harness.assign(assignment_message);
    assert_eq!(harness.last_outcome(), (part, Stage::Failed, Some(fault)));
    assert!(harness.updater.job().is_none());
    assert_eq!(harness.updater.firmware(), before);
}

/// An assignment with one modified manifest.
fn changed(change: impl FnOnce(&mut Manifest)) -> Value {
    let mut manifest = manifest(Part::Master, &image(Part::Master));
    change(&mut manifest);
    assignment_message(&assignment(1, 1, vec![manifest.sign(&release())]).sign(&director()))
}

#[test]
fn each_fault_has_its_name() {
    let mut harness = UpdateHarness::new(Vec::new());
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
    for (assignment_message, fault) in cases {
        assert_refused(&mut harness, &assignment_message, Part::Master, fault);
    }
    let part = || manifest(Part::Master, &image(Part::Master)).sign(&release());
    let mut foreign = assignment(1, 1, vec![part()]);
    foreign.sn = "SC000002".parse().unwrap();
    let foreign = assignment_message(&foreign.sign(&director()));
    assert_refused(&mut harness, &foreign, Part::Master, Fault::WrongBattery);
    let mut late = assignment(1, 1, vec![part()]);
    late.expires_at = NOW;
    let late = assignment_message(&late.sign(&director()));
    assert_refused(&mut harness, &late, Part::Master, Fault::Expired);
    let twice = assignment_message(&assignment(1, 1, vec![part(), part()]).sign(&director()));
    assert_refused(&mut harness, &twice, Part::Master, Fault::Malformed);
}

#[test]
fn the_part_that_is_wrong_is_named() {
    let mut harness = UpdateHarness::new(Vec::new());
    let gateway = manifest(Part::Gateway, &image(Part::Gateway)).sign(&release());
    let mut master = manifest(Part::Master, &image(Part::Master));
    let forged = vec![gateway.clone(), master.sign(&director())];
    let forged = assignment_message(&assignment(1, 1, forged).sign(&director()));
    assert_refused(&mut harness, &forged, Part::Master, Fault::Signature);
    master.hardware = "SC5".into();
    let foreign = vec![gateway, master.sign(&release())];
    let foreign = assignment_message(&assignment(1, 1, foreign).sign(&director()));
    assert_refused(&mut harness, &foreign, Part::Master, Fault::WrongHardware);
}

#[test]
fn both_signers_are_asked_and_without_keys_nobody_is_believed() {
    let part = manifest(Part::Master, &image(Part::Master)).sign(&release());
    let by_anybody = assignment(1, 1, vec![part]).sign(&SecretKey::new([9; 32]));
    let mut harness = UpdateHarness::new(Vec::new());
    let forged = assignment_message(&by_anybody);
    assert_refused(&mut harness, &forged, Part::Master, Fault::Signature);
    let (timing, now) = (UpdateTiming::for_interval(SAMPLE_INTERVAL), harness.now);
    let factory = FactoryConfig {
        firmware: &FirmwareVersions::newest(),
        needs_off: false,
        keys: None,
    };
    harness.updater = Updater::new(factory, timing, Vec::new(), now);
    let right = usual_assignment(&[Part::Gateway, Part::Master]);
    assert_refused(&mut harness, &right, Part::Gateway, Fault::Signature);
}

#[test]
fn what_says_nothing_is_not_answered() {
    let mut harness = UpdateHarness::new(Vec::new());
    let empty = assignment_message(&director().sign(Signer::Director, "{}".into()));
    for nonsense in [Value::Null, empty] {
        harness.assign(&nonsense);
    }
    assert!(harness.reports.is_empty());
}

#[test]
fn nothing_old_is_taken_after_something_new() {
    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    harness.run_to_end();
    let again = |number, version: &str, seq| {
        let mut manifest = manifest(Part::Master, &image(Part::Master));
        (manifest.version, manifest.seq) = (version.parse().unwrap(), seq);
        assignment_message(
            &assignment(2, number, vec![manifest.sign(&release())]).sign(&director()),
        )
    };
    let old = Fault::OldSequence;
    // A lower or equal sequence number with any version; a used assignment number; an older assignment.
    assert_refused(&mut harness, &again(2, "2.8", 2), Part::Master, old);
    assert_refused(&mut harness, &again(2, "2.8", 3), Part::Master, old);
    assert_refused(&mut harness, &again(1, "2.8", 4), Part::Master, old);
    assert_refused(&mut harness, &again(0, "2.8", 4), Part::Master, old);
    assert_refused(&mut harness, &again(2, "2.7", 4), Part::Master, old);
    harness.assign(&again(2, "2.8", 4));
    harness.run_to_end();
    assert_eq!(
        (harness.version(Part::Master), harness.seq(Part::Master)),
        ("2.8".into(), 4)
    );
}

#[test]
fn an_image_that_cannot_be_loaded_is_given_up_after_a_few_tries() {
    let mut harness = UpdateHarness::new(Vec::new());
    harness.images.clear();
    harness.assign(&usual_assignment(&[Part::Gateway, Part::Master]));
    harness.run_to_end();
    let failed = (Part::Gateway, Stage::Failed, Some(Fault::NotLoaded));
    assert_eq!(harness.last_outcome(), failed);
    assert_eq!(harness.updater.firmware(), FirmwareVersions::newest());
}

#[test]
fn an_update_service_that_is_gone_is_asked_more_and_more_seldom_and_not_for_ever() {
    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    let (mut tries, began) = (0, harness.now);
    while harness.updater.job().is_some() {
        harness.updater.tick(harness.now, true);
        if harness.updater.download_request(harness.now).is_some() {
            harness
                .updater
                .record_download(DownloadEvent::Disconnected, harness.now);
            tries += 1;
        } else if let Some(next) = harness.updater.next_tick() {
            harness.now = harness.now.max(next);
        }
    }
    assert_eq!(tries, 30);
    assert!((harness.now - began).as_secs() > 600);
}

#[test]
fn an_image_of_another_length_is_not_even_loaded() {
    let mut harness = UpdateHarness::new(Vec::new());
    harness.assign(&usual_assignment(&[Part::Master]));
    while harness.updater.download_request(harness.now).is_none() {
        harness.tick();
    }
    harness
        .updater
        .record_download(DownloadEvent::WrongLength, harness.now);
    harness.reports.extend(harness.updater.take_reports());
    let failed = (Part::Master, Stage::Failed, Some(Fault::WrongImage));
    assert_eq!(harness.last_outcome(), failed);
}

#[test]
fn an_image_that_does_not_start_leaves_the_old_version_running() {
    let broken = [BROKEN_IMAGE_PREFIX, &[7; 500]].concat();
    let part = manifest(Part::Gateway, &broken);
    let mut harness = UpdateHarness::new(Vec::new());
    harness.images.insert(part.digest(), broken);
    let next = manifest(Part::Master, &image(Part::Master)).sign(&release());
    let both = assignment(1, 1, vec![part.sign(&release()), next]);
    harness.assign(&assignment_message(&both.sign(&director())));
    harness.run_to_end();
    let back = (Part::Gateway, Stage::Failed, Some(Fault::RolledBack));
    assert_eq!(harness.last_outcome(), back);
    assert_eq!(harness.updater.firmware(), FirmwareVersions::newest());
    // Nothing was confirmed: a repaired image with the same sequence number is allowed.
    assert_eq!(harness.seq(Part::Gateway), 0);
    let repaired = manifest(Part::Gateway, &image(Part::Gateway)).sign(&release());
    let repaired = assignment(2, 2, vec![repaired]).sign(&director());
    harness.assign(&assignment_message(&repaired));
    harness.run_to_end();
    assert_eq!(harness.version(Part::Gateway), "1.15");
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
        let mut harness = UpdateHarness::new(Vec::new());
        let digest = manifest(Part::Master, &image(Part::Master)).digest();
        let stored = harness.images.get_mut(&digest).unwrap();
        let place = place.index(stored.len());
        stored[place] ^= 1 << bit;
        harness.assign(&usual_assignment(&[Part::Master]));
        harness.run_to_end();
        prop_assert_eq!(harness.last_outcome(), (Part::Master, Stage::Failed, Some(Fault::WrongImage)));
        prop_assert_eq!(harness.updater.firmware(), FirmwareVersions::newest());
        prop_assert_eq!(harness.starts, 0);
    }

    #[test]
    fn one_flipped_bit_of_what_was_signed_is_noticed(place in any::<prop::sample::Index>(), bit in 0..7_u8) {
        let mut assignment_message = usual_assignment(&[Part::Master]);
        let mut bytes = assignment_message["assignment"].as_str().unwrap().as_bytes().to_vec();
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        assignment_message["assignment"] = String::from_utf8(bytes).unwrap().into();
        let mut harness = UpdateHarness::new(Vec::new());
        harness.assign(&assignment_message);
        prop_assert!(harness.updater.job().is_none());
        if let Some(report) = harness.reports.last() {
            prop_assert_eq!(report.fault, Some(Fault::Signature));
        }
    }
}
