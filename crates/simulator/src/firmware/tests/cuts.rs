//! Power cuts at any moment, also repeated: each update ends in the old or the new version.
use super::super::flash::BROKEN_IMAGE_PREFIX;
use super::super::{DownloadEvent, PowerCut};
use super::harness::{
    UpdateHarness, assignment, assignment_message, director, image, manifest, release,
    usual_assignment,
};
use crate::wire::FirmwareVersions;
use domain::firmware::{Fault, Part, Stage, Version};
use proptest::prelude::*;
use std::time::Duration;

const BOTH: [Part; 2] = [Part::Gateway, Part::Master];

fn cut(part: Part, percent: u8) -> PowerCut {
    PowerCut {
        part,
        percent,
        lasts: Duration::from_secs(60),
    }
}

#[test]
fn a_download_goes_on_at_the_byte_where_power_was_lost() {
    let mut harness = UpdateHarness::new(vec![cut(Part::Master, 30)]);
    harness.assign(&usual_assignment(&[Part::Master]));
    while harness.starts == 0 {
        harness.tick();
    }
    let size = image(Part::Master).len() as u64;
    let offset = (29 * size).div_ceil(59);
    let fetch = harness.updater.download_request(harness.now).unwrap();
    assert_eq!(fetch.offset, offset);
    assert_eq!(Stage::Downloading.percent(offset, size), 30);
    assert_eq!(Stage::Downloading.percent(offset - 1, size), 29);
    assert!(harness.updater.job().is_some());
    // An update service without range support starts at the first byte, and so does the image in flash.
    harness
        .updater
        .record_download(DownloadEvent::StartsAt(0), harness.now);
    assert_eq!(
        harness
            .updater
            .download_request(harness.now)
            .unwrap()
            .offset,
        0
    );
    harness.run_to_end();
    assert_eq!(harness.version(Part::Master), "2.7");
}

#[test]
fn an_installation_that_was_cut_starts_over_from_the_verified_image() {
    let mut harness = UpdateHarness::new(vec![cut(Part::Master, 80)]);
    harness.assign(&usual_assignment(&[Part::Master]));
    harness.images.clear();
    harness.images.insert(
        manifest(Part::Master, &image(Part::Master)).digest(),
        image(Part::Master),
    );
    while harness.starts == 0 {
        harness.tick();
    }
    // Nothing has to be downloaded again.
    harness.images.clear();
    let before = harness.reports.len();
    harness.tick();
    let report = &harness.reports[before];
    assert_eq!((report.stage, report.progress), (Stage::Installing, 65));
    harness.run_to_end();
    assert_eq!(harness.version(Part::Master), "2.7");
}

#[test]
fn at_every_percent_of_both_parts_it_ends_in_the_new_versions() {
    for part in BOTH {
        for percent in 0..=100 {
            let mut harness = UpdateHarness::of_kind(true, vec![cut(part, percent)]);
            harness.assign(&usual_assignment(&BOTH));
            harness.run_to_end();
            assert_eq!(
                harness.updater.firmware(),
                FirmwareVersions::of("2.7", "1.15", "1.8")
            );
            // Two restarts of the update, one of which the cut may have replaced, and the cut itself.
            assert!(
                (2..=3).contains(&harness.starts),
                "{part} {percent} {}",
                harness.starts
            );
        }
    }
}

#[derive(Clone, Debug)]
struct PowerLoss {
    /// Ticks since the previous cut.
    after: usize,
    lasts: u64,
}

fn power_losses() -> impl Strategy<Value = Vec<PowerLoss>> {
    let power_loss =
        (0..90_usize, 0..900_u64).prop_map(|(after, lasts)| PowerLoss { after, lasts });
    prop::collection::vec(power_loss, 0..12)
}

proptest! {
    #[test]
    fn however_often_power_is_lost_it_ends_in_old_or_new_and_never_goes_back(
        power_losses in power_losses(), piece in 1..3_000_usize, needs_off in any::<bool>(), broken in prop::option::of(0..2_usize),
    ) {
        let mut harness = UpdateHarness::of_kind(needs_off, Vec::new());
        harness.piece = piece.max(60);
        harness.turns_switch = true;
        let mut sealed = Vec::new();
        for (place, part) in BOTH.into_iter().enumerate() {
            let image = match broken == Some(place) {
                true => [BROKEN_IMAGE_PREFIX, &image(part)].concat(),
                false => image(part),
            };
            let manifest = manifest(part, &image);
            harness.images.insert(manifest.digest(), image);
            sealed.push(manifest.sign(&release()));
        }
        harness.assign(&assignment_message(&assignment(1, 1, sealed).sign(&director())));
        let versions = |harness: &UpdateHarness| BOTH.map(|part| harness.version(part).parse::<Version>().unwrap());
        let mut before = versions(&harness);
        for PowerLoss { after, lasts } in power_losses {
            for _ in 0..after {
                harness.tick();
                let now = versions(&harness);
                prop_assert!(before.iter().zip(now).all(|(before, now)| *before <= now));
                before = now;
            }
            harness.restart(Duration::from_secs(lasts));
        }
        harness.run_to_end();
        let (old, new) = (FirmwareVersions::newest(), FirmwareVersions::of("2.7", "1.15", "1.8"));
        let rolled_back = |part| (part, Stage::Failed, Some(Fault::RolledBack));
        let (want, word) = match broken {
            None => (new, (Part::Master, Stage::Confirmed, None)),
            Some(0) => (old, rolled_back(Part::Gateway)),
            Some(_) => (FirmwareVersions::of("2.6", "1.15", "1.8"), rolled_back(Part::Master)),
        };
        prop_assert_eq!(harness.updater.firmware(), want);
        prop_assert_eq!(harness.last_outcome(), word);
        for part in BOTH {
            let confirmed = harness.reports.iter().any(|it| (it.part, it.stage) == (part, Stage::Confirmed));
            prop_assert_eq!(harness.seq(part), if confirmed { 3 } else { 0 });
        }
    }
}
