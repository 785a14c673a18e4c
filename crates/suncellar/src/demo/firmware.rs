//! The manufacturer of the demo's batteries: it has a release key and has published the newest versions.
use super::people::DemoSeeder;
use crate::opening::random;
use anyhow::Context as _;
use domain::clock::{DAY, Millis};
use domain::firmware::{Manifest, Part, SecretKey, digest_of};
use service::Service;
use simulator::wire::FirmwareVersions;
use simulator::{Device, FirmwareKeys};
use std::collections::BTreeMap;
use std::path::Path;
use store::Store;
use store::firmware::{NewRelease, ReleaseNotes};

const HARDWARE: [&str; 4] = ["SC5", "SC8", "SC10", "SC12"];
/// Size of an image, large enough for a download that takes a while.
const IMAGE_BYTES: usize = 192 * 1024;
/// The sequence number of every release of the demo.
const SEQ: i64 = 2;

const RELEASE_NOTES: [(Part, [(&str, &str); 5]); 3] = [
    (
        Part::Gateway,
        [
            (
                "de",
                "Die Verbindung zum Portal kommt nach einem Ausfall schneller zurück.",
            ),
            (
                "en",
                "The connection to the portal comes back faster after an outage.",
            ),
            (
                "fr",
                "La connexion au portail revient plus vite après une coupure.",
            ),
            ("hr", "Veza s portalom brže se vraća nakon prekida."),
            ("pl", "Połączenie z portalem szybciej wraca po awarii."),
        ],
    ),
    (
        Part::Master,
        [
            (
                "de",
                "Der Speicher folgt dem Verbrauch genauer und kennt zwei Zähler mehr.",
            ),
            (
                "en",
                "The storage follows the consumption more closely and knows two more meters.",
            ),
            (
                "fr",
                "La batterie suit la consommation de plus près et connaît deux compteurs de plus.",
            ),
            (
                "hr",
                "Spremnik točnije prati potrošnju i poznaje još dva brojila.",
            ),
            (
                "pl",
                "Magazyn dokładniej podąża za zużyciem i zna dwa kolejne liczniki.",
            ),
        ],
    ),
    (
        Part::Slave,
        [
            ("de", "Die Zellen werden gleichmäßiger geladen."),
            ("en", "The cells are charged more evenly."),
            ("fr", "Les cellules sont chargées plus uniformément."),
            ("hr", "Ćelije se ravnomjernije pune."),
            ("pl", "Ogniwa są ładowane równomierniej."),
        ],
    ),
];

/// Publishes, at the first start, the versions that some batteries do not have yet; they are offered to everybody at once.
/// Returns the public keys that batteries get at the factory.
pub(super) async fn publish(seeder: &DemoSeeder, data_dir: &Path) -> anyhow::Result<FirmwareKeys> {
    let (store, now) = (&seeder.store, seeder.clock.now());
    let key = release_key(data_dir)?;
    seeder
        .service
        .trust_release_key(&key.public(), true)
        .await?;
    let director = store
        .director_key(random().bytes(), random().bytes())
        .await?;
    if store.firmware_releases().await?.is_empty() {
        for hardware in HARDWARE {
            for (part, notes) in RELEASE_NOTES {
                let id = publish_one(&seeder.service, &key, hardware, part, notes, now).await?;
                store.offer_to_all(id, now).await?;
            }
        }
    }
    Ok(FirmwareKeys {
        release: key.public(),
        director: director.public(),
    })
}

/// Keeps the versions of batteries that were updated before the demo was restarted.
pub(super) async fn restore_versions(store: &Store, battery: &mut Device) -> anyhow::Result<()> {
    let Some(facts) = store.facts(&battery.serial).await? else {
        return Ok(());
    };
    let firmware = &mut battery.firmware;
    for (part, installed) in [
        (&mut firmware.master, facts.versions.master),
        (&mut firmware.gateway, facts.versions.gateway),
        (&mut firmware.slave, facts.versions.slave),
    ] {
        if let Some(version) = installed {
            *part = version;
        }
    }
    Ok(())
}

async fn publish_one(
    service: &Service,
    key: &SecretKey,
    hardware: &str,
    part: Part,
    notes: [(&str, &str); 5],
    now: Millis,
) -> anyhow::Result<i64> {
    let newest = FirmwareVersions::newest();
    let version = match part {
        Part::Gateway => newest.gateway,
        Part::Master => newest.master,
        Part::Slave => newest.slave,
    };
    let image = image(&format!("{hardware} {part} {version}"));
    let manifest = Manifest {
        part,
        hardware: hardware.to_owned(),
        version: version.parse().context("the demo has an invalid version")?,
        seq: SEQ,
        size: image.len() as u64,
        sha256: digest_of(&image),
        min_from: None,
        expires_at: now + 10 * 365 * DAY,
    };
    let own = |(lang, text): (&str, &str)| (lang.to_owned(), text.to_owned());
    let notes = ReleaseNotes(notes.into_iter().map(own).collect::<BTreeMap<_, _>>());
    let new = NewRelease {
        signed_manifest: &manifest.sign(key),
        image: &image,
        notes: &notes,
        soak: 0,
    };
    service
        .publish_firmware(new)
        .await?
        .with_context(|| format!("{part} {version} for {hardware} cannot be published"))
}

/// Pseudo-random bytes, always the same for a name.
fn image(name: &str) -> Vec<u8> {
    let mut block = digest_of(name.as_bytes());
    let mut image = Vec::with_capacity(IMAGE_BYTES);
    while image.len() < IMAGE_BYTES {
        image.extend_from_slice(&block);
        block = digest_of(&block);
    }
    image
}

/// Created at the first start. A real release key is never on the machine that publishes.
fn release_key(data_dir: &Path) -> anyhow::Result<SecretKey> {
    let path = data_dir.join("demo-release-key");
    if let Ok(text) = std::fs::read_to_string(&path) {
        return text.parse().context("the demo's release key is damaged");
    }
    let key = SecretKey::new(random().bytes());
    std::fs::write(&path, key.hex())
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(key)
}
