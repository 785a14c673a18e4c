//! The product with demo accounts and simulated batteries: nothing to configure, nothing sent, everything on this machine.
mod devices;
mod firmware;
mod fleet_controls;
mod grants;
mod history;
mod people;
mod sites;
mod switches;
mod weather;

use crate::cli::DemoOptions;
use crate::config::Config;
use crate::options::ProcessRole;
use crate::roles::{self, ServerParts, address, bind, lock_database, open_store, random};
use crate::tasks::Tasks;
use anyhow::{Context as _, ensure};
use api::{Passwords, Portal};
use bus::{Bus, BusOptions};
use devices::DemoDevices;
use domain::clock::{HOUR, Millis, SECOND};
use domain::code::CodeKind;
use domain::connections::Connections;
use domain::{Clock, Zone};
use history::HistorySimulation;
use jobs::mail::Mailer;
use people::{DemoSeeder, PASSWORD, PLANNING_OWNER};
use service::{Service, ServiceConfig};
use simulator::wire::DeviceClock;
use simulator::{Device, Fleet, FleetContext, UpdateTiming, model};
use sites::{AWAY_FOR, DemoSite, SiteCondition, serial};
use std::collections::HashMap;
use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::system::NewDevice;
use store::{Store, shared_option};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A partner app to try the consent screen with.
const PARTNER: (&str, &str) = ("demo-app", "Sonnenfreund");

/// How often the batteries report while nobody looks.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(30);

pub(crate) async fn run(mut config: Config, demo: DemoOptions) -> anyhow::Result<()> {
    if config.secret.is_none() {
        config.secret = Some(own_secret(&config.data_dir)?);
    }
    let _lock = lock_database(&config)?;
    let store = open_store(&config).await?;
    mark_database(&store).await?;
    let people = bind(&config, ProcessRole::Portal).await?;
    let devices = match bind(&config, ProcessRole::Gateway).await {
        // Something else has the usual port, perhaps another demo: any other will do here.
        Err(_) if !config.devices_listen_chosen => {
            config.devices_listen.set_port(0);
            bind(&config, ProcessRole::Gateway).await?
        }
        bound => bound?,
    };
    let updates = match bind(&config, ProcessRole::Updates).await {
        Err(_) if !config.updates_listen_chosen => {
            config.updates_listen.set_port(0);
            bind(&config, ProcessRole::Updates).await?
        }
        bound => bound?,
    };
    let clock = demo
        .starts_at
        .map_or_else(Clock::system, Clock::running_from);
    let settings = config.settings(address(people.as_ref())?, address(updates.as_ref())?);
    let service_config = ServiceConfig {
        public_url: settings.public_url.clone(),
        devices_a_minute: usize::MAX,
    };
    let seeder = DemoSeeder {
        service: Service::new(store.clone(), None, clock.clone(), random(), service_config),
        store: store.clone(),
        clock: clock.clone(),
        random: random(),
        passwords: Passwords::new(random()),
        public_url: settings.public_url.clone(),
    };
    let mut batteries = seed(&seeder, &config.data_dir, &demo).await?;
    let keys = firmware::publish(&seeder, &config.data_dir).await?;
    for battery in &mut batteries {
        battery.keys = Some(keys);
        firmware::restore_versions(&store, battery).await?;
    }
    print_welcome(&seeder, &demo, &config.data_dir).await?;

    let options = BusOptions {
        updates_url: settings.updates_url.clone(),
        nats: config.nats.clone(),
        ..BusOptions::default()
    };
    let bus = Bus::open(store.clone(), clock.clone(), &random(), options).await;
    let (bus, engine) = bus.map_err(|error| store.db().explain(error))?;
    let gateway = address(devices.as_ref())?;
    let fleet =
        gateway.map(|gateway| Arc::new(switch_on(batteries, gateway, &clock, demo.part_takes)));
    let mut mails = api::DemoState::default();
    if let Some(fleet) = &fleet {
        mails = mails.with_controls(Arc::new(fleet_controls::FleetControls(Arc::clone(fleet))));
    }
    let portal = Portal::new(
        store.clone(),
        bus.clone(),
        clock.clone(),
        random(),
        settings,
    )
    .with_demo(mails.clone());
    let sent_at = clock.clone();
    let take = move |letter: jobs::mail::RenderedMail| {
        mails.deliver(api::SentMail {
            to: letter.to,
            subject: letter.subject,
            text: letter.text,
            at: sent_at.now(),
        });
    };
    let post = Mailer::callback(take, &config.mail_from)?;
    let (mut tasks, stop) = (Tasks::default(), CancellationToken::new());
    // Nothing leaves this machine: every source that the operator has not named is asked here.
    let services = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", services.local_addr()?);
    config.sources = config.sources.or_all(&address);
    let sky = weather::sky(&sites::of_size(demo.systems))?;
    let outside = api::fake_services(clock.clone(), sky);
    let connections = Connections::default();
    let serving = api::serve(services, connections, outside, None, stop.clone());
    tasks.spawn("the demo's services", serving);
    if let Some(fleet) = fleet {
        let after = i64::from(demo.switch_after) * SECOND;
        let turning = switches::run(store, fleet, clock.clone(), after, stop.clone());
        tasks.spawn("the demo's switches", turning);
    }
    roles::run(
        &config,
        ServerParts {
            portal,
            people,
            updates,
            devices,
            bus,
            engine,
            post,
            clock,
        },
        tasks,
        stop,
    )
    .await
}

/// The option that a demo leaves in its database.
const MARK: &str = "demo";

/// Everybody knows the passwords of what follows, wherever the database is taken.
async fn mark_database(store: &Store) -> anyhow::Result<()> {
    let mut tx = store.db().begin().await?;
    shared_option::set_if_missing(&mut tx, MARK, "true").await?;
    tx.commit().await?;
    Ok(())
}

/// Whether a demo has filled this database.
pub(crate) async fn is_demo_database(store: &Store) -> store::Result<bool> {
    Ok(store.shared_options().await?.contains_key(MARK))
}

/// Whether a demo has been here.
pub(crate) fn is_demo_folder(data_dir: &Path) -> bool {
    DemoDevices::path(data_dir).exists()
}

/// A secret drawn at the first start, so that logins survive a restart of the demo.
fn own_secret(data_dir: &Path) -> anyhow::Result<String> {
    std::fs::create_dir_all(data_dir)
        .with_context(|| format!("the data folder {} cannot be made", data_dir.display()))?;
    let path = data_dir.join("demo-key");
    if let Ok(secret) = std::fs::read_to_string(&path) {
        return Ok(secret);
    }
    let secret: String = random()
        .bytes::<32>()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    std::fs::write(&path, &secret)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(secret)
}

/// Brings batteries, their past and their people in at the first start; later ones find them. Returns the batteries that are there.
async fn seed(
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

/// The batteries connect to the demo's own endpoint, as they would to any.
fn switch_on(batteries: Vec<Device>, gateway: SocketAddr, clock: &Clock, part_takes: u32) -> Fleet {
    let mut context = FleetContext::new(gateway, SAMPLE_INTERVAL, clock.clone());
    context.history_jitter = Duration::from_secs(5);
    context.accepts_interventions = true;
    context.update_timing =
        UpdateTiming::with_part_duration(Duration::from_secs(part_takes.into()));
    Fleet::start(context, batteries)
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

/// The code that an electrician finds in the box, and where more come from.
async fn print_installer_code(
    seeder: &DemoSeeder,
    sites: &[DemoSite],
    data_dir: &Path,
) -> anyhow::Result<()> {
    // A site of several units. Not the one whose code is lost: an unused code keeps the main switch from claiming it.
    let free = sites
        .iter()
        .filter(|site| site.owner.is_none() && !site.code_lost);
    let Some(site) = free.max_by_key(|site| site.units.len()) else {
        return Ok(());
    };
    let code = seeder.issue_code(CodeKind::Installer, site.units).await?;
    let serials: Vec<_> = site.units.iter().map(|(sn, _)| *sn).collect();
    println!("\nAn installer code, to commission with as an electrician");
    println!("  {:<23}  {}", code.as_str(), serials.join(" "));
    println!(
        "More: suncellar --data-dir {data} --secret-file {data}/demo-key admin issue-code installer SC24D0001",
        data = data_dir.display()
    );
    Ok(())
}

async fn print_welcome(
    seeder: &DemoSeeder,
    demo: &DemoOptions,
    data_dir: &Path,
) -> anyhow::Result<()> {
    let url = &seeder.public_url;
    println!("\nSuncellar demo   {url}");
    println!("mails            {url}/demo/mail/");
    println!("cellar           {url}/demo/cellar/   (main switches and plugs)\n");
    println!("Accounts, all with the password {PASSWORD}");
    for (email, role, units) in sites::accounts() {
        let serials: Vec<_> = units.iter().map(|(sn, _)| *sn).collect();
        println!("  {email:<26}{:<13}{}", role.as_str(), serials.join(" "));
    }
    let sites = sites::of_size(demo.systems);
    let neighbours = sites.iter().filter_map(|site| site.owner).count() - 3;
    if neighbours > 0 {
        println!("  and {neighbours} neighbours, such as {PLANNING_OWNER}, who has a charge plan");
    }
    println!("\nSystems that nobody owns yet, to register with");
    for site in sites.iter().filter(|site| site.owner.is_none()) {
        let serials: Vec<_> = site.units.iter().map(|(sn, _)| *sn).collect();
        let code = match site.code_lost {
            true => "(the code is lost)".to_owned(),
            false => {
                let code = seeder.issue_code(CodeKind::Registration, site.units);
                code.await?.as_str().to_owned()
            }
        };
        println!("  {code:<23}  {}", serials.join(" "));
    }
    println!("Where the code is lost the bare serial number works, by the main switch.");
    if demo.switch_after > 0 {
        println!(
            "Its battery performs the pattern by itself after {} s; or do it in the cellar.",
            demo.switch_after
        );
    }
    print_installer_code(seeder, &sites, data_dir).await?;
    println!("\nStop with Ctrl-C.\n");
    Ok(())
}
