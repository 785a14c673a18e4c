//! Firmware commands of the manufacturer and the operator.
use super::advisory;
use crate::cli::firmware::{Firmware, Publish, Sign};
use crate::config::Config;
use crate::opening::{open_store, random, service};
use crate::shared_options;
use anyhow::{Context as _, bail, ensure};
use domain::clock::{DAY, HOUR, Millis};
use domain::firmware::{Manifest, PublicKey, SecretKey, SignedText, digest_of};
use domain::{Clock, Lang};
use serde::{Deserialize, Serialize};
use service::Service;
use service::release::KeyTrust;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use store::Store;
use store::firmware::{NewRelease, ReleaseNotes, ReleaseState};

/// A signed manifest as a file, for the way from the machine with the key to the one that publishes.
#[derive(Debug, Serialize, Deserialize)]
struct SignedManifestFile {
    manifest: String,
    sig: String,
}

pub(super) async fn run(config: &Config, command: Firmware) -> anyhow::Result<()> {
    let now = Clock::system().now();
    match command {
        Firmware::NewKey { file } => return new_key(&file),
        Firmware::Sign(options) => return sign(&options, now),
        _ => {}
    }
    let store = open_store(config).await?;
    let config = shared_options::agree(config.clone(), &store).await?;
    let service = service(&config, &store);
    match command {
        Firmware::NewKey { .. } | Firmware::Sign(_) => Ok(()),
        Firmware::TrustKey { key, replace } => trust(&service, &key, replace).await,
        Firmware::Keys => keys(&store).await,
        Firmware::Publish(options) => publish(&service, &options).await,
        Firmware::List => list(&store, now).await,
        Firmware::Affected(affected) => advisory::list(&store, &affected.into_firmware()).await,
        Firmware::Advise {
            affected,
            texts,
            send,
        } => advisory::mail(&service, &store, &affected.into_firmware(), &texts, send).await,
        Firmware::Pause { release, reason } => {
            halt(&service, release, ReleaseState::Paused, reason.as_deref()).await
        }
        Firmware::Resume { release } => halt(&service, release, ReleaseState::Running, None).await,
        Firmware::Proceed { release, reason } => {
            proceed(&service, release, reason.as_deref()).await
        }
        Firmware::Withdraw { release, reason } => {
            halt(&service, release, ReleaseState::Withdrawn, Some(&reason)).await
        }
    }
}

fn new_key(file: &Path) -> anyhow::Result<()> {
    let key = SecretKey::new(random().bytes());
    // Never overwrites another key, and only this user can read it.
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file);
    let mut made = made.with_context(|| format!("{} cannot be created", file.display()))?;
    writeln!(made, "{}", key.hex())?;
    println!("{}", key.public());
    Ok(())
}

async fn trust(service: &Service, key: &PublicKey, replace: bool) -> anyhow::Result<()> {
    match service.trust_release_key(key, replace).await? {
        KeyTrust::Trusted => println!("trusted {key}"),
        KeyTrust::Already => println!("{key} is trusted already"),
        KeyTrust::Other(other) => bail!(
            "{other} is trusted: batteries with it refuse whatever another key has signed. To replace it, give --replace"
        ),
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn sign(options: &Sign, now: Millis) -> anyhow::Result<()> {
    let key = String::from_utf8(read(&options.key)?).context("the key is not text")?;
    let key: SecretKey = key.parse().context("the file holds no release key")?;
    let image = read(&options.image)?;
    ensure!(!image.is_empty(), "the image is empty");
    let manifest = Manifest {
        part: options.part,
        hardware: options.hardware.clone(),
        version: options.release_version,
        seq: options.seq,
        size: image.len() as u64,
        sha256: digest_of(&image),
        min_from: options.min_from,
        expires_at: now + i64::from(options.good_for) * DAY,
    };
    let sealed = manifest.sign(&key);
    let signed = SignedManifestFile {
        manifest: sealed.text().to_owned(),
        sig: sealed.signature_hex(),
    };
    println!("{}", serde_json::to_string(&signed)?);
    Ok(())
}

async fn keys(store: &Store) -> anyhow::Result<()> {
    let Some(release) = store.release_key().await? else {
        bail!("no release key is trusted yet: suncellar admin firmware trust-key …");
    };
    let random = random();
    let director = store.director_key(random.bytes(), random.bytes()).await?;
    let keys = serde_json::json!({
        "release": release.to_string(), "director": director.public().to_string(),
    });
    println!("{keys}");
    Ok(())
}

async fn publish(service: &Service, options: &Publish) -> anyhow::Result<()> {
    let signed: SignedManifestFile = serde_json::from_slice(&read(&options.manifest)?)
        .context("the manifest is not what `sign` prints")?;
    let sealed = SignedText::new(signed.manifest, &signed.sig)?;
    let new = NewRelease {
        signed_manifest: &sealed,
        image: &read(&options.image)?,
        notes: &notes(&options.notes)?,
        soak: (options.soak * HOUR as f64) as Millis,
    };
    match service.publish_firmware(new).await? {
        Ok(id) => println!("published as release {id}, to the first wave"),
        Err(fault) => bail!("nothing was published: {fault}"),
    }
    Ok(())
}

fn notes(given: &[String]) -> anyhow::Result<ReleaseNotes> {
    let mut notes = ReleaseNotes::default();
    for note in given {
        let split = note
            .split_once('=')
            .filter(|(_, text)| !text.trim().is_empty());
        let (lang, text) = split.with_context(|| format!("{note:?} is not LANG=TEXT"))?;
        let known = Lang::ALL.iter().any(|known| known.code() == lang);
        ensure!(known, "{lang:?} is not a language of the portal");
        notes.0.insert(lang.to_owned(), text.trim().to_owned());
    }
    Ok(notes)
}

async fn list(store: &Store, now: Millis) -> anyhow::Result<()> {
    for release in store.firmware_releases().await? {
        let tally = store.rollout_tally(&release, now).await?;
        println!(
            "{}  {} {} for {}  {} at {} %  done {} (needs {}), failed {} in {} households, can take it {}{}",
            release.id,
            release.part,
            release.version,
            release.hardware,
            release.state.as_str(),
            release.wave.percent(),
            tally.done,
            tally.needed(),
            tally.failed,
            tally.failed_households,
            tally.open,
            release
                .reason
                .map_or_else(String::new, |why| format!("  ({why})")),
        );
    }
    Ok(())
}

async fn proceed(service: &Service, release: i64, reason: Option<&str>) -> anyhow::Result<()> {
    let wave = service.proceed_rollout(release, reason).await?;
    let wave = wave.with_context(|| {
        format!("release {release} does not roll out, or is offered to everybody already")
    })?;
    println!("release {release} is offered to {} %", wave.percent());
    Ok(())
}

async fn halt(
    service: &Service,
    release: i64,
    state: ReleaseState,
    reason: Option<&str>,
) -> anyhow::Result<()> {
    ensure!(
        service.set_release_state(release, state, reason).await?,
        "release {release} does not exist, is withdrawn, or is {} already",
        state.as_str()
    );
    println!("release {release} is {}", state.as_str());
    Ok(())
}
