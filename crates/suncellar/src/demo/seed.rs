//! Fills the database at the first start: batteries, their past and their people.
use super::devices::DemoDevices;
use super::history::HistorySimulation;
use super::people::DemoSeeder;
use super::sites::{self, AWAY_FOR, DemoSite, SiteCondition, serial};
use super::weather;
use crate::cli::DemoOptions;
use anyhow::{Context as _, ensure};
use domain::Zone;
use domain::clock::{HOUR, Millis};
use simulator::wire::DeviceClock;
use simulator::{Device, model};
use std::collections::HashMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use store::system::NewDevice;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// A partner app to try the consent screen with.
const PARTNER: (&str, &str) = ("demo-app", "Sonnenfreund");

/// Creates batteries, their past and their people at the first start; later ones find them. Returns the batteries that are there.
pub(super) async fn seed(
    seeder: &DemoSeeder,
    data_dir: &Path,
    demo: &DemoOptions,
) -> anyhow::Result<Vec<Device>> {
    let DemoSeeder {
        store,
        clock,
        random,
        ..
    } = seeder;
    let redirect = format!("{}/demo/partner/", seeder.public_url);
    seeder
        .service
        .register_partner(PARTNER.0, PARTNER.1, &[redirect])
        .await?;
    let sites = sites::of_size(demo.systems);
    std::fs::create_dir_all(data_dir)?;
    let mut devices = DemoDevices::open(data_dir)?;
    for site in &sites {
        for (sn, phase) in site.units {
            let sn = serial(sn)?;
            if devices.contains(&sn) {
                continue;
            }
            devices.create(&sn, random);
            // First into the battery's memory: a secret that only the portal knows would be lost.
            devices.save()?;
            let device = NewDevice {
                sn: &sn,
                phase: *phase,
                secret: devices.get(&sn)?.secret.as_bytes(),
            };
            seeder.service.import_devices(&[device]).await.with_context(|| {
                format!("{sn} is registered, but its battery is not in this folder: choose another --data-dir")
            })?;
        }
    }
    let batteries = simulate_history(seeder, &sites, &mut devices, demo.history).await?;
    devices.save()?;
    seeder.register_people(&sites).await?;
    weather::seed_past_forecasts(store, clock, &sites).await?;
    Ok(batteries)
}

/// Plays what the batteries lived through since the portal heard from them last.
async fn simulate_history(
    seeder: &DemoSeeder,
    sites: &[DemoSite],
    devices: &mut DemoDevices,
    history: u32,
) -> anyhow::Result<Vec<Device>> {
    let DemoSeeder { store, clock, .. } = seeder;
    let zone: Zone = Zone::DEFAULT.parse().context("the zone of the demo")?;
    let latest: HashMap<_, _> = store
        .telemetry
        .latest_samples(&store.serials().await?, Millis::MAX)
        .await?
        .into_iter()
        .collect();
    let ahead = latest.values().any(|sample| sample.at > clock.now() + HOUR);
    ensure!(
        !ahead,
        "the batteries of this folder have lived longer than that: choose another --data-dir"
    );
    let mut simulations = JoinSet::new();
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let places = Arc::new(Semaphore::new(at_once));
    for site in sites {
        for (sn, phase) in site.units {
            let sn = serial(sn)?;
            let installation = site.installation(&sn, *phase, &zone)?;
            let first_moment = first_moment(site, &zone, history, clock.now());
            let (past, present) = (devices.count_start(&sn)?, devices.count_start(&sn)?);
            let secret = devices.get(&sn)?.secret.clone();
            let last = latest.get(&sn);
            let mut simulation =
                HistorySimulation::new(sn, *site, installation, past, last, first_moment);
            let (store, clock, places) = (store.clone(), clock.clone(), places.clone());
            simulations.spawn(async move {
                let _place = places.acquire().await?;
                simulation.catch_up(&store, clock.now()).await?;
                anyhow::Ok((simulation, secret, present))
            });
        }
    }
    let mut progress = ProgressLine::new(simulations.len());
    let mut batteries = Vec::new();
    while let Some(simulated) = simulations.join_next().await {
        let (simulation, secret, boot) = simulated??;
        progress.step();
        if simulation.site.condition != SiteCondition::Away {
            batteries.push(device(simulation, secret, boot));
        }
    }
    progress.end();
    Ok(batteries)
}

/// When a battery's life begins: a new one, which nobody owns, now.
fn first_moment(site: &DemoSite, zone: &Zone, history: u32, now: Millis) -> Millis {
    let days = i32::try_from(history).unwrap_or(i32::MAX);
    let begins = |end: Millis, days: i32| zone.start_of(zone.day_of(end).plus(-days));
    match site.condition {
        _ if site.owner.is_none() => now,
        SiteCondition::Away => begins(now - AWAY_FOR, days.max(1)),
        _ if history == 0 => now,
        _ => begins(now, days),
    }
}

fn device(simulation: HistorySimulation, secret: String, boot: u32) -> Device {
    let installation = simulation.installation;
    Device {
        serial: simulation.sn,
        secret: secret.into_bytes(),
        hardware: model::hardware(&installation.rating),
        firmware: simulation.site.firmware(),
        update_needs_off: model::update_needs_off(&installation.rating),
        keys: None,
        cuts: Vec::new(),
        phase: installation.phase,
        zone: simulation.zone.name().to_owned(),
        rating: installation.rating,
        unit: simulation.unit,
        seed: installation.seed,
        device_clock: DeviceClock::CORRECT,
        boot,
    }
}

/// A line that grows while a year is written, for whoever waits.
struct ProgressLine {
    done: usize,
    total: usize,
    shown: bool,
}

impl ProgressLine {
    fn new(total: usize) -> Self {
        Self {
            done: 0,
            total,
            shown: std::io::stdout().is_terminal(),
        }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.shown {
            print!("\rThe batteries' past: {} of {}", self.done, self.total);
            let _ = std::io::stdout().flush();
        }
    }

    fn end(&self) {
        if self.shown {
            println!();
        }
    }
}
