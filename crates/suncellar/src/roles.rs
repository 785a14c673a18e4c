//! Starts the chosen roles in this process and stops them together.
use crate::config::Config;
use crate::demo;
use crate::open_files::OpenFiles;
use crate::options::Role;
use crate::tasks::{self, Tasks};
use crate::{private, tls};
use anyhow::{Context as _, bail, ensure};
use api::Portal;
use bus::{Bus, Engine};
use domain::connections::Connections;
use domain::{Clock, Random};
use gateway::Gateway;
use jobs::Jobs;
use jobs::mail::Post;
use metrics_exporter_prometheus::PrometheusHandle;
use ring::rand::{SecureRandom as _, SystemRandom};
use sources::Sources;
use std::net::SocketAddr;
use std::time::Duration;
use store::{DatabaseFile, DatabaseLock, Secret, Store};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How often figures that nobody has asked for are made small.
const METRICS_UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Whoever watches over this process.
const MAX_STATUS_CONNECTIONS: usize = 64;

/// The system's secure source of chance.
pub(crate) fn random() -> Random {
    let source = SystemRandom::new();
    Random::new(move |bytes| {
        source
            .fill(bytes)
            .expect("the system has a source of randomness")
    })
}

pub(crate) async fn open_store(config: &Config) -> anyhow::Result<Store> {
    let Some(secret) = &config.secret else {
        bail!(
            "a signing secret is needed: set SUNCELLAR_SECRET or secret-file to at least 32 random characters"
        );
    };
    let secret = Secret::parse(secret)?;
    open_with(config, &secret).await
}

/// For a secret that need not meet today's rules: the one that is being changed.
pub(crate) async fn open_with(config: &Config, secret: &Secret) -> anyhow::Result<Store> {
    if let Some(file) = &config.secret_file {
        private::check_secret_file(file);
    }
    make_data_dir(config)?;
    private::correct(config);
    Store::open(&config.database, secret, &random(), Clock::system().now())
        .await
        .context("the database cannot be opened")
}

/// Where the embedded database is.
pub(crate) fn make_data_dir(config: &Config) -> anyhow::Result<()> {
    if config.database.starts_with("sqlite:") {
        std::fs::create_dir_all(&config.data_dir).with_context(|| {
            format!(
                "the data folder {} cannot be made",
                config.data_dir.display()
            )
        })?;
    }
    Ok(())
}

/// An SQLite database has one server, and this is it for as long as the lock is kept. PostgreSQL may have several.
pub(crate) fn lock_database(config: &Config) -> anyhow::Result<Option<DatabaseLock>> {
    make_data_dir(config)?;
    let file = DatabaseFile::of(&config.database)?;
    Ok(file.map(|file| file.lock()).transpose()?)
}

/// Where a role is reached; `None` when another process has it.
pub(crate) async fn bind(config: &Config, role: Role) -> anyhow::Result<Option<TcpListener>> {
    let (address, who) = match role {
        Role::Portal => (config.listen, "the portal"),
        Role::Updates => (config.updates_listen, "the update service"),
        Role::Gateway => (config.devices_listen, "the device endpoint"),
        Role::Jobs => return Ok(None),
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

pub(crate) fn post(config: &Config) -> anyhow::Result<Post> {
    match &config.smtp {
        Some(url) => {
            let authority = config
                .smtp_ca
                .as_ref()
                .map(std::fs::read)
                .transpose()
                .context("smtp-ca cannot be read")?;
            Post::smtp(url, &config.mail_from, authority.as_deref())
        }
        None => Post::folder(config.data_dir.join("mail"), &config.mail_from),
    }
}

/// The parts of a running product.
pub(crate) struct Parts {
    pub(crate) portal: Portal,
    /// Where people reach it, if this process does that.
    pub(crate) people: Option<TcpListener>,
    /// Where updates are served, if this process does that.
    pub(crate) updates: Option<TcpListener>,
    /// Where batteries connect, if they do so to this process.
    pub(crate) devices: Option<TcpListener>,
    pub(crate) bus: Bus,
    pub(crate) engine: Engine,
    pub(crate) post: Post,
    pub(crate) clock: Clock,
}

pub(crate) async fn serve(config: Config) -> anyhow::Result<()> {
    // What can be wrong in the configuration shows before anything is opened.
    let post = post(&config)?;
    ensure!(
        !(config.database.starts_with("sqlite:") && demo::is_demo_folder(&config.data_dir)),
        "{} is the demo's folder, and everybody knows the passwords of its accounts: choose another --data-dir",
        config.data_dir.display()
    );
    let _lock = lock_database(&config)?;
    let store = open_store(&config).await?;
    let people = bind(&config, Role::Portal).await?;
    let updates = bind(&config, Role::Updates).await?;
    let devices = bind(&config, Role::Gateway).await?;
    let clock = Clock::system();
    let settings = config.settings(address(people.as_ref())?, address(updates.as_ref())?);
    let updates_url = settings.updates_url.clone();
    let bus = Bus::open(store.clone(), clock.clone(), &random(), updates_url).await;
    let (bus, engine) = bus.map_err(|error| store.explain(error))?;
    let portal = Portal::new(store, bus.clone(), clock.clone(), random(), settings);
    run(
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
        Tasks::default(),
        CancellationToken::new(),
    )
    .await
}

/// Runs until SIGTERM or Ctrl-C, then lets everything finish what it has begun. A task that ends by itself stops the others,
/// too, and is the error.
pub(crate) async fn run(
    config: &Config,
    parts: Parts,
    mut tasks: Tasks,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let Parts {
        portal,
        people,
        updates,
        devices,
        bus,
        engine,
        post,
        clock,
    } = parts;
    // Before anybody is served: whoever has been answered may ask it to stop.
    let mut signal = StopSignal::listen()?;
    let tls = config
        .tls
        .as_ref()
        .map(|(cert, key)| tls::https(cert, key))
        .transpose()?;
    let devices_tls = config
        .devices_tls
        .as_ref()
        .map(|(cert, key)| tls::devices(cert, key))
        .transpose()?;
    let metrics = metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder()?;
    let portal = portal.with_metrics(metrics.clone());
    tasks.spawn("the upkeep of figures", keep_up(metrics, stop.clone()));
    if let Some(address) = config.status_listen {
        let listener = TcpListener::bind(address).await;
        let listener = listener.with_context(|| format!("status cannot be served on {address}"))?;
        tracing::info!(address = %listener.local_addr()?, "status is served");
        let status = api::status(portal.clone());
        tasks.spawn(
            "the status listener",
            api::serve(
                listener,
                Connections::new(MAX_STATUS_CONNECTIONS, MAX_STATUS_CONNECTIONS),
                status,
                None,
                stop.clone(),
            ),
        );
    }
    let (store, random) = (portal.store.clone(), portal.random.clone());
    let public_url = portal.settings.public_url.clone();
    let jobs_bus = bus.clone();
    let open = OpenFiles::raise().share(config);
    if let Some(people) = people {
        tracing::info!(address = %people.local_addr()?, "the portal listens");
        let portal = api::portal(portal.clone());
        let serving = api::serve(people, open.portal, portal, tls.clone(), stop.clone());
        tasks.spawn("the portal", serving);
    }
    if let Some(updates) = updates {
        tracing::info!(address = %updates.local_addr()?, "the update service listens");
        let service = api::update_service(portal);
        let serving = api::serve(updates, open.updates, service, tls, stop.clone());
        tasks.spawn("the update service", serving);
    }
    if let Some(devices) = devices {
        tracing::info!(address = %devices.local_addr()?, tls = devices_tls.is_some(), "batteries can connect");
        let gateway = Gateway {
            store: store.clone(),
            bus,
            clock: clock.clone(),
            tls: devices_tls,
            connections: open.devices,
        };
        let serving = gateway::serve(devices, gateway, stop.clone());
        tasks.spawn("the device endpoint", serving);
    }
    if config.has(Role::Jobs) {
        let jobs = Jobs {
            store: store.clone(),
            bus: jobs_bus,
            clock,
            random,
            post,
            public_url,
            keep: config.keep_samples,
            sources: Sources::new(config.sources.clone()),
        };
        tracing::info!("jobs run");
        tasks.spawn("the jobs", jobs::run(jobs, stop.clone()));
    }
    // The bus goes on until nobody can hand in anything any more.
    let last = CancellationToken::new();
    let mut moving = tokio::spawn(engine.run(last.clone()));
    let failed = tokio::select! {
        () = signal.received() => None,
        error = tasks.ended() => Some(error),
        ended = &mut moving => return Err(tasks::ended("the bus", ended.err().as_ref())),
    };
    match &failed {
        None => tracing::info!("stopping"),
        Some(error) => tracing::error!(%error, "stopping"),
    }
    stop.cancel();
    tasks.finish().await;
    last.cancel();
    moving.await?;
    store.close().await;
    failed.map_or(Ok(()), Err)
}

/// Otherwise figures that nobody reads would take more memory with each report.
async fn keep_up(metrics: PrometheusHandle, stop: CancellationToken) {
    let mut tick = tokio::time::interval(METRICS_UPKEEP_INTERVAL);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => metrics.run_upkeep(),
        }
    }
}

/// SIGTERM and Ctrl-C, heard from the moment on that this exists: one that comes before ends the process at once.
pub(crate) struct StopSignal {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignal {
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
