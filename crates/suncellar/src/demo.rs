//! The product with demo accounts and simulated batteries: nothing to configure, nothing sent, everything on this machine.
mod devices;
mod firmware;
mod fleet_controls;
mod grants;
mod history;
pub(crate) mod mark;
mod people;
mod seed;
mod sites;
mod switches;
mod weather;
mod welcome;

use crate::cli::DemoOptions;
use crate::config::Config;
use crate::opening::{lock_database, open_store, random};
use crate::options::ProcessRole;
use crate::roles::{self, ServerParts, address, bind};
use crate::tasks::Tasks;
use anyhow::Context as _;
use api::{Passwords, Portal};
use bus::{Bus, BusOptions};
use domain::Clock;
use domain::clock::SECOND;
use domain::connections::Connections;
use jobs::mail::{Mailer, RenderedMail};
use mark::mark_database;
use people::DemoSeeder;
use seed::seed;
use service::{Service, ServiceConfig};
use simulator::{Device, Fleet, FleetContext, UpdateTiming};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use welcome::print_welcome;

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
    let deliver = move |mail: RenderedMail| {
        mails.deliver(api::SentMail {
            to: mail.to,
            subject: mail.subject,
            text: mail.text,
            at: sent_at.now(),
        });
    };
    let mailer = Mailer::callback(deliver, &config.mail_from)?;
    let (mut tasks, stop) = (Tasks::default(), CancellationToken::new());
    // Nothing leaves this machine: every source that the operator has not named is asked here.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    config.sources = config.sources.or_all(&address);
    let sky = weather::sky(&sites::of_size(demo.systems))?;
    let services = api::fake_services(clock.clone(), sky);
    let connections = Connections::default();
    let serving = api::serve(listener, connections, services, None, stop.clone());
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
            mailer,
            clock,
        },
        tasks,
        stop,
    )
    .await
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

/// The batteries connect to the demo's own endpoint, as they would to any.
fn switch_on(batteries: Vec<Device>, gateway: SocketAddr, clock: &Clock, part_takes: u32) -> Fleet {
    let mut context = FleetContext::new(gateway, SAMPLE_INTERVAL, clock.clone());
    context.history_jitter = Duration::from_secs(5);
    context.accepts_interventions = true;
    context.update_timing =
        UpdateTiming::with_part_duration(Duration::from_secs(part_takes.into()));
    Fleet::start(context, batteries)
}
