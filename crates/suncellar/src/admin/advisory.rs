//! Security advisories: which units have certain firmware, and mails to their owners.
use anyhow::Context as _;
use domain::Lang;
use domain::clock::MINUTE;
use domain::firmware::AffectedFirmware;
use serde::Serialize;
use service::Service;
use service::advisory::{self, AdvisoryText, AdvisoryTexts, MAIL_INTERVAL};
use std::collections::BTreeMap;
use std::path::Path;
use store::Store;
use store::firmware::AffectedUnit;

/// One line of the list.
#[derive(Debug, Serialize)]
struct UnitLine<'u> {
    sn: &'u str,
    version: &'u str,
    hardware: &'u str,
    owned: bool,
    country: &'u str,
}

pub(super) async fn list(store: &Store, affected: &AffectedFirmware) -> anyhow::Result<()> {
    let units = store.affected_units(affected).await?;
    let mut writer = csv::Writer::from_writer(std::io::stdout());
    for unit in &units {
        writer.serialize(UnitLine {
            sn: unit.sn.as_str(),
            version: &unit.version,
            hardware: unit.hardware.as_deref().unwrap_or_default(),
            owned: unit.owner.is_some(),
            country: country(unit),
        })?;
    }
    writer.flush()?;
    eprintln!("{} units", units.len());
    eprintln!(
        "by version: {}",
        counted(units.iter().map(|unit| unit.version.as_str()))
    );
    let owned = units.iter().filter(|unit| unit.owner.is_some());
    eprintln!("by country of the owner: {}", counted(owned.map(country)));
    Ok(())
}

fn country(unit: &AffectedUnit) -> &str {
    let owner = unit.owner.as_ref();
    owner.map_or("", |owner| owner.country.as_str())
}

/// How often each value is there: `2.5 1, 2.6 3`.
fn counted<'v>(values: impl Iterator<Item = &'v str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let counts = counts
        .iter()
        .map(|(value, count)| format!("{value} {count}"));
    counts.collect::<Vec<_>>().join(", ")
}

pub(super) async fn mail(
    service: &Service,
    store: &Store,
    affected: &AffectedFirmware,
    folder: &Path,
    send: bool,
) -> anyhow::Result<()> {
    let texts = AdvisoryTexts::read(|lang| read(folder, lang))?;
    let units = store.affected_units(affected).await?;
    let owners = advisory::owners(&units);
    let unowned = units.iter().filter(|unit| unit.owner.is_none()).count();
    println!(
        "{} units of {} owners: {}; {unowned} units have no owner",
        units.len(),
        owners.len(),
        counted(owners.iter().map(|owner| owner.lang().code()))
    );
    if !send {
        println!("nothing was sent: give --send to mail them");
        return Ok(());
    }
    let queued = service.mail_advisory(affected, &texts).await?;
    let minutes = queued as i64 * MAIL_INTERVAL / MINUTE + 1;
    println!("queued {queued} mails; the last one is due within {minutes} minutes");
    Ok(())
}

fn read(folder: &Path, lang: Lang) -> anyhow::Result<AdvisoryText> {
    let file = folder.join(format!("{}.txt", lang.code()));
    let text = std::fs::read_to_string(&file);
    let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
    let parsed = AdvisoryText::parse(&text).map_err(anyhow::Error::msg);
    parsed.with_context(|| file.display().to_string())
}
