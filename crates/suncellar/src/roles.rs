//! Starts the chosen roles in this process and stops them together.
use crate::acme::Acme;
use crate::config::{CertificateSource, Config};
use crate::demo::mark;
use crate::open_files::OpenFiles;
use crate::opening::{lock_database, open_mailer, open_store, random};
use crate::options::ProcessRole;
use crate::stop_signal::StopSignal;
use crate::tasks::{self, Tasks};
use crate::tls::CertificateFiles;
use crate::{monitoring, shared_options};
use anyhow::{Context as _, ensure};
use api::Portal;
use bus::{Bus, BusOptions, Engine, Shutdown};
use domain::Clock;
use domain::connections::Connections;
use gateway::Gateway;
use jobs::Jobs;
use jobs::mail::Mailer;
use sd_notify::NotifyState;
use sources::Sources;
use std::net::SocketAddr;
use std::sync::Arc;
use store::SampleStore;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// For monitoring.
const MAX_STATUS_CONNECTIONS: usize = 64;
/// For the authority, and browsers that are led to HTTPS.
const MAX_ACME_CONNECTIONS: usize = 1_024;

/// The listener of a role; `None` if another process has the role.
pub(crate) async fn bind(
    config: &Config,
    role: ProcessRole,
) -> anyhow::Result<Option<TcpListener>> {
    let (address, who) = match role {
        ProcessRole::Portal => (config.listen, "the portal"),
        ProcessRole::Updates => (config.updates_listen, "the update service"),
        ProcessRole::Gateway => (config.devices_listen, "the device endpoint"),
        ProcessRole::Jobs => return Ok(None),
    };
    if !config.has(role) {
        return Ok(None);
    }
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("{who} cannot listen on {address}"))?;
    Ok(Some(listener))
}

pub(crate) fn address(listener: Option<&TcpListener>) -> std::io::Result<Option<SocketAddr>> {
    listener.map(TcpListener::local_addr).transpose()
}

/// The parts of a running server.
pub(crate) struct ServerParts {
    pub(crate) portal: Portal,
    /// The portal's listener, if this process has that role.
    pub(crate) people: Option<TcpListener>,
    /// The update service's listener, if this process has that role.
    pub(crate) updates: Option<TcpListener>,
    /// The gateway's listener, if this process has that role.
    pub(crate) devices: Option<TcpListener>,
    pub(crate) bus: Bus,
    pub(crate) engine: Engine,
    pub(crate) mailer: Mailer,
    pub(crate) clock: Clock,
}

pub(crate) async fn serve(config: Config) -> anyhow::Result<()> {
    // Finds configuration errors before anything is opened.
    open_mailer(&config)?;
    ensure!(
        !(config.database.starts_with("sqlite:") && mark::is_demo_folder(&config.data_dir)),
        "{} is the demo's folder, and everybody knows the passwords of its accounts: choose another --data-dir",
        config.data_dir.display()
    );
    let _lock = lock_database(&config)?;
    let store = open_store(&config).await?;
    ensure!(
        !mark::is_demo_database(&store).await?,
        "a demo has filled this database, and everybody knows the passwords of its accounts: choose another --database"
    );
    let config = shared_options::agree(config, &store).await?;
    if let Some(url) = &config.sample_store {
        let opened = SampleStore::open(url, std::env::vars());
        store.telemetry.use_sample_store(opened?);
    }
    let mailer = open_mailer(&config)?;
    let people = bind(&config, ProcessRole::Portal).await?;
    let updates = bind(&config, ProcessRole::Updates).await?;
    let devices = bind(&config, ProcessRole::Gateway).await?;
    let clock = Clock::system();
    let settings = config.settings(address(people.as_ref())?, address(updates.as_ref())?);
    if config.has(ProcessRole::Portal) && !settings.shows_metrics {
        tracing::warn!(
            "proxy_not_trusted: people come through a proxy, and no trusted-proxy is given: all of them share the limits of one address, and metrics are only on status-listen"
        );
    }
    let options = BusOptions {
        updates_url: settings.updates_url.clone(),
        nats: config.nats.clone(),
        ..BusOptions::default()
    };
    let bus = Bus::open(store.clone(), clock.clone(), &random(), options).await;
    let (bus, engine) = bus.map_err(|error| store.db().explain(error))?;
    let portal = Portal::new(store, bus.clone(), clock.clone(), random(), settings);
    run(
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
        Tasks::default(),
        CancellationToken::new(),
    )
    .await
}

/// Runs until SIGTERM or Ctrl-C, then gives connections to other processes and lets open work finish. A task that ends by itself stops
/// the others and is returned as the error.
pub(crate) async fn run(
    config: &Config,
    parts: ServerParts,
    mut tasks: Tasks,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let ServerParts {
        portal,
        people,
        updates,
        devices,
        bus,
        engine,
        mailer,
        clock,
    } = parts;
    // Before anything is served: a client that got an answer may send a stop signal.
    let mut signal = StopSignal::listen()?;
    let shutdown = Shutdown::from(stop.clone());
    let metrics = monitoring::install()?;
    let portal = portal.with_metrics(metrics.clone());
    tasks.spawn(
        "the metrics upkeep",
        monitoring::run_upkeep(metrics, stop.clone()),
    );
    let acme = match &config.acme {
        Some(acme) => Some(Acme::new(
            acme.clone(),
            portal.store.clone(),
            clock.clone(),
            portal.random.clone(),
        )?),
        None => None,
    };
    let mut certificate = |name, source: &Option<CertificateSource>| -> anyhow::Result<_> {
        let Some(CertificateSource::Files { chain, key }) = source else {
            let acme = acme.as_ref().filter(|_| source.is_some());
            return Ok(acme.map(|acme| Arc::clone(acme.certificate())));
        };
        let files = CertificateFiles::open(name, (chain, key), &clock)?;
        let certificate = Arc::clone(files.certificate());
        tasks.spawn("the renewal of certificates", files.watch(stop.clone()));
        Ok(Some(certificate))
    };
    let own = certificate("portal", &config.tls)?;
    let of_devices = match config.devices_tls == config.tls {
        true => own.clone(),
        false => certificate("devices", &config.devices_tls)?,
    };
    let tls = match &acme {
        Some(acme) => Some(acme.https()),
        None => own.map(|certificate| certificate.https()),
    };
    let devices_tls = of_devices.map(|certificate| certificate.devices());
    if let Some(acme) = acme {
        if let Some(address) = config.acme_listen {
            let listener = TcpListener::bind(address).await;
            let listener = listener.with_context(|| format!("acme-listen: {address}"))?;
            tracing::info!(address = %listener.local_addr()?, "acme_listener_started: names are proven over HTTP");
            let answers = api::acme_challenges(acme.answers(), &portal.config.public_url);
            let connections = Connections::new(MAX_ACME_CONNECTIONS, MAX_STATUS_CONNECTIONS);
            let serving = api::serve(listener, connections, answers, None, shutdown.clone());
            tasks.spawn("the listener for ACME", serving);
        }
        tasks.spawn("the certificate by ACME", acme.run(stop.clone()));
    }
    if let Some(address) = config.status_listen {
        let listener = TcpListener::bind(address).await;
        let listener = listener.with_context(|| format!("status cannot be served on {address}"))?;
        tracing::info!(address = %listener.local_addr()?, "status_started: status is served");
        let status = api::status(portal.clone());
        tasks.spawn(
            "the status listener",
            api::serve(
                listener,
                Connections::new(MAX_STATUS_CONNECTIONS, MAX_STATUS_CONNECTIONS),
                status,
                None,
                shutdown.clone(),
            ),
        );
    }
    let (store, random) = (portal.store.clone(), portal.random.clone());
    let service = portal.service.clone();
    let jobs_bus = bus.clone();
    let open = OpenFiles::raise().share(config);
    if let Some(people) = people {
        tracing::info!(address = %people.local_addr()?, "portal_started: the portal listens");
        let portal = api::portal(portal.clone());
        let serving = api::serve(people, open.portal, portal, tls.clone(), shutdown.clone());
        tasks.spawn("the portal", serving);
    }
    if let Some(updates) = updates {
        tracing::info!(address = %updates.local_addr()?, "update_service_started: the update service listens");
        let service = api::update_service(portal);
        let serving = api::serve(updates, open.updates, service, tls, shutdown.clone());
        tasks.spawn("the update service", serving);
    }
    if let Some(devices) = devices {
        tracing::info!(address = %devices.local_addr()?, tls = devices_tls.is_some(), "device_endpoint_started: batteries can connect");
        let gateway = Gateway {
            store: store.clone(),
            bus,
            clock: clock.clone(),
            tls: devices_tls,
            connections: open.devices,
            quota: config.quota,
        };
        let serving = gateway::serve(devices, gateway, shutdown.clone());
        tasks.spawn("the device endpoint", serving);
        let alarms = jobs::alarms::watch_connected(
            store.clone(),
            service.clone(),
            jobs_bus.clone(),
            clock.clone(),
            stop.clone(),
        );
        tasks.spawn("the alarms of connected batteries", alarms);
    }
    if config.has(ProcessRole::Jobs) {
        let jobs = Jobs {
            store: store.clone(),
            service,
            bus: jobs_bus,
            clock,
            random,
            mailer,
            sample_retention: config.keep_samples,
            sources: Sources::new(config.sources.clone()),
        };
        tracing::info!("jobs_started");
        tasks.spawn("the jobs", jobs::run(jobs, stop.clone()));
    }
    // The bus stops last, when nobody can submit anything any more.
    let stop_bus = CancellationToken::new();
    let mut bus_task = tokio::spawn(engine.run(stop_bus.clone()));
    notify_service_manager(NotifyState::Ready);
    let failed = tokio::select! {
        () = drained(&mut signal, &shutdown, config) => None,
        error = tasks.ended() => Some(error),
        ended = &mut bus_task => return Err(tasks::ended("the bus", ended.err().as_ref())),
    };
    match &failed {
        None => tracing::info!("process_stopping"),
        Some(error) => tracing::error!(%error, "process_stopping"),
    }
    notify_service_manager(NotifyState::Stopping);
    stop.cancel();
    tasks.finish().await;
    stop_bus.cancel();
    bus_task.await?;
    store.db().close().await;
    failed.map_or(Ok(()), Err)
}

/// Waits for a stop signal, then gives the connections of this process to others. Another signal ends that.
async fn drained(signal: &mut StopSignal, shutdown: &Shutdown, config: &Config) {
    signal.received().await;
    let only_jobs = config.roles.iter().all(|role| *role == ProcessRole::Jobs);
    if only_jobs || config.drain.is_zero() {
        return;
    }
    notify_service_manager(NotifyState::Stopping);
    let (connections, seconds) = (shutdown.connections(), config.drain.as_secs());
    tracing::info!(
        connections,
        seconds,
        "drain_begun: connections go to other processes, for so many seconds at most; another signal stops at once"
    );
    tokio::select! {
        () = shutdown.drain(config.drain) => {}
        () = signal.received() => {}
    }
}

/// Whatever started this process may wait for it, such as systemd with `Type=notify`. Most others do not listen.
fn notify_service_manager(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "service_manager_not_notified");
    }
}
