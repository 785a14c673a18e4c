//! The product with demo accounts and simulated batteries: nothing to configure, nothing sent, everything on this machine.
mod cellar;
mod firmware;
mod grants;
mod memory;
mod past;
mod people;
mod street;
mod switches;
mod weather;

use crate::cli::Demo;
use crate::config::Config;
use crate::options::Role;
use crate::roles::{self, Parts, address, bind, lock_database, open_store, random};
use crate::tasks::Tasks;
use anyhow::{Context as _, ensure};
use api::{Passwords, Portal};
use bus::Bus;
use domain::clock::{HOUR, Millis, SECOND};
use domain::connections::Connections;
use domain::{Clock, Zone};
use jobs::mail::Post;
use memory::Memory;
use past::Resident;
use people::{Furnisher, PASSWORD, PLANNING};
use simulator::wire::Watch;
use simulator::{Device, Fleet, Pace, World, model};
use std::collections::HashMap;
use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::system::NewDevice;
use street::{AWAY_FOR, Site, Story, serial};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A partner app to try the consent screen with.
const PARTNER: (&str, &str) = ("demo-app", "Sonnenfreund");

/// How often the batteries report while nobody looks.
const INTERVAL: Duration = Duration::from_secs(30);

pub(crate) async fn run(mut config: Config, demo: Demo) -> anyhow::Result<()> {
    if config.secret.is_none() {
        config.secret = Some(own_secret(&config.data_dir)?);
    }
    let _lock = lock_database(&config)?;
    let store = open_store(&config).await?;
    let people = bind(&config, Role::Portal).await?;
    let devices = match bind(&config, Role::Gateway).await {
        // Something else has the usual port, perhaps another demo: any other will do here.
        Err(_) if !config.devices_listen_chosen => {
            config.devices_listen.set_port(0);
            bind(&config, Role::Gateway).await?
        }
        bound => bound?,
    };
    let updates = match bind(&config, Role::Updates).await {
        Err(_) if !config.updates_listen_chosen => {
            config.updates_listen.set_port(0);
            bind(&config, Role::Updates).await?
        }
        bound => bound?,
    };
    let clock = demo
        .starts_at
        .map_or_else(Clock::system, Clock::running_from);
    let settings = config.settings(address(people.as_ref())?, address(updates.as_ref())?);
    let furnisher = Furnisher {
        store: store.clone(),
        clock: clock.clone(),
        random: random(),
        passwords: Passwords::new(random()),
        public_url: settings.public_url.clone(),
    };
    let mut batteries = furnish(&furnisher, &config.data_dir, &demo).await?;
    let keys = firmware::publish(&store, &config.data_dir, clock.now()).await?;
    for battery in &mut batteries {
        battery.keys = Some(keys);
        firmware::as_it_was(&store, battery).await?;
    }
    print_welcome(&furnisher, &demo).await?;

    let updates_url = settings.updates_url.clone();
    let bus = Bus::open(store.clone(), clock.clone(), &random(), updates_url).await;
    let (bus, engine) = bus.map_err(|error| store.explain(error))?;
    let gateway = address(devices.as_ref())?;
    let fleet =
        gateway.map(|gateway| Arc::new(switch_on(batteries, gateway, &clock, demo.part_takes)));
    let mut mails = api::Demo::default();
    if let Some(fleet) = &fleet {
        mails = mails.with_cellar(Arc::new(cellar::Street(Arc::clone(fleet))));
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
    let take = move |letter: jobs::mail::Letter| {
        mails.deliver(api::SentMail {
            to: letter.to,
            subject: letter.subject,
            text: letter.text,
            at: sent_at.now(),
        });
    };
    let post = Post::hand(take, &config.mail_from)?;
    let (mut tasks, stop) = (Tasks::default(), CancellationToken::new());
    // Nothing leaves this machine: every source that the operator has not named is asked here.
    let services = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", services.local_addr()?);
    config.sources = config.sources.or_all(&address);
    let sky = weather::sky(&street::sites(demo.systems))?;
    let outside = api::outside(clock.clone(), sky);
    let connections = Connections::default();
    let serving = api::serve(services, connections, outside, None, stop.clone());
    tasks.spawn("the demo's services", serving);
    if let Some(fleet) = fleet {
        let after = i64::from(demo.switch_after) * SECOND;
        let turning = switches::turn(store, fleet, clock.clone(), after, stop.clone());
        tasks.spawn("the demo's switches", turning);
    }
    roles::run(
        &config,
        Parts {
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

/// Whether a demo has been here.
pub(crate) fn is_demo_folder(data_dir: &Path) -> bool {
    Memory::path(data_dir).exists()
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
async fn furnish(
    furnisher: &Furnisher,
    data_dir: &Path,
    demo: &Demo,
) -> anyhow::Result<Vec<Device>> {
    let Furnisher {
        store,
        clock,
        random,
        ..
    } = furnisher;
    let redirect = format!("{}/demo/partner/", furnisher.public_url);
    store
        .register_partner(PARTNER.0, PARTNER.1, &[redirect], clock.now())
        .await?;
    let sites = street::sites(demo.systems);
    std::fs::create_dir_all(data_dir)?;
    let mut memory = Memory::open(data_dir)?;
    for site in &sites {
        for (sn, phase) in site.units {
            let sn = serial(sn)?;
            if memory.knows(&sn) {
                continue;
            }
            memory.bear(&sn, random);
            // First into the battery's memory: a secret that only the portal knows would be lost.
            memory.save()?;
            let device = NewDevice {
                sn: &sn,
                phase: *phase,
                secret: memory.of(&sn)?.secret.as_bytes(),
            };
            store.import_devices(&[device], clock.now()).await.with_context(|| {
                format!("{sn} is registered, but its battery is not in this folder: choose another --data-dir")
            })?;
        }
    }
    let batteries = live_until_now(furnisher, &sites, &mut memory, demo.history).await?;
    memory.save()?;
    furnisher.register_people(&sites).await?;
    weather::remember(store, clock, &sites).await?;
    Ok(batteries)
}

/// Plays what the batteries lived through since the portal heard from them last.
async fn live_until_now(
    furnisher: &Furnisher,
    sites: &[Site],
    memory: &mut Memory,
    history: u32,
) -> anyhow::Result<Vec<Device>> {
    let Furnisher { store, clock, .. } = furnisher;
    let zone: Zone = Zone::DEFAULT.parse().context("the zone of the demo")?;
    let latest: HashMap<_, _> = store
        .latest_samples(Millis::MAX)
        .await?
        .into_iter()
        .collect();
    let ahead = latest.values().any(|sample| sample.at > clock.now() + HOUR);
    ensure!(
        !ahead,
        "the batteries of this folder have lived longer than that: choose another --data-dir"
    );
    let mut lives = JoinSet::new();
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let places = Arc::new(Semaphore::new(at_once));
    for site in sites {
        for (sn, phase) in site.units {
            let sn = serial(sn)?;
            let installation = site.installation(&sn, *phase, &zone)?;
            let born = born(site, &zone, history, clock.now());
            let (past, present) = (memory.start(&sn)?, memory.start(&sn)?);
            let secret = memory.of(&sn)?.secret.clone();
            let last = latest.get(&sn);
            let mut resident = Resident::new(sn, *site, installation, past, last, born);
            let (store, clock, places) = (store.clone(), clock.clone(), places.clone());
            lives.spawn(async move {
                let _place = places.acquire().await?;
                resident.catch_up(&store, clock.now()).await?;
                anyhow::Ok((resident, secret, present))
            });
        }
    }
    let mut progress = Progress::new(lives.len());
    let mut batteries = Vec::new();
    while let Some(lived) = lives.join_next().await {
        let (resident, secret, boot) = lived??;
        progress.step();
        if resident.site.story != Story::Away {
            batteries.push(device(resident, secret, boot));
        }
    }
    progress.end();
    Ok(batteries)
}

/// When a battery's life begins: a new one, which nobody owns, now.
fn born(site: &Site, zone: &Zone, history: u32, now: Millis) -> Millis {
    let days = i32::try_from(history).unwrap_or(i32::MAX);
    let begins = |end: Millis, days: i32| zone.start_of(zone.day_of(end).plus(-days));
    match site.story {
        _ if site.owner.is_none() => now,
        Story::Away => begins(now - AWAY_FOR, days.max(1)),
        _ if history == 0 => now,
        _ => begins(now, days),
    }
}

fn device(resident: Resident, secret: String, boot: u32) -> Device {
    let installation = resident.installation;
    Device {
        serial: resident.sn,
        secret: secret.into_bytes(),
        hardware: model::hardware(&installation.rating),
        firmware: resident.site.firmware(),
        update_needs_off: model::update_needs_off(&installation.rating),
        keys: None,
        cuts: Vec::new(),
        phase: installation.phase,
        zone: resident.zone.name().to_owned(),
        rating: installation.rating,
        unit: resident.unit,
        seed: installation.seed,
        watch: Watch::RIGHT,
        boot,
    }
}

/// The batteries connect to the demo's own endpoint, as they would to any.
fn switch_on(batteries: Vec<Device>, gateway: SocketAddr, clock: &Clock, part_takes: u32) -> Fleet {
    let mut world = World::new(gateway, INTERVAL, clock.clone());
    world.history_jitter = Duration::from_secs(5);
    world.takes_orders = true;
    world.pace = Pace::part_in(Duration::from_secs(part_takes.into()));
    Fleet::start(world, batteries)
}

/// A line that grows while a year is written, for whoever waits.
struct Progress {
    done: usize,
    total: usize,
    shown: bool,
}

impl Progress {
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

async fn print_welcome(furnisher: &Furnisher, demo: &Demo) -> anyhow::Result<()> {
    let url = &furnisher.public_url;
    println!("\nSuncellar demo   {url}");
    println!("mails            {url}/demo/mail/");
    println!("cellar           {url}/demo/cellar/   (main switches and plugs)\n");
    println!("Accounts, all with the password {PASSWORD}");
    for (email, role, units) in street::accounts() {
        let serials: Vec<_> = units.iter().map(|(sn, _)| *sn).collect();
        println!("  {email:<26}{:<13}{}", role.as_str(), serials.join(" "));
    }
    let sites = street::sites(demo.systems);
    let neighbours = sites.iter().filter_map(|site| site.owner).count() - 3;
    if neighbours > 0 {
        println!("  and {neighbours} neighbours, such as {PLANNING}, who has a charge plan");
    }
    println!("\nSystems that nobody owns yet, to register with");
    for site in sites.iter().filter(|site| site.owner.is_none()) {
        let serials: Vec<_> = site.units.iter().map(|(sn, _)| *sn).collect();
        let code = match site.code_lost {
            true => "(the code is lost)".to_owned(),
            false => furnisher.issue_code(site.units).await?.as_str().to_owned(),
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
    println!("\nStop with Ctrl-C.\n");
    Ok(())
}
