//! Starts the chosen roles in this process and stops them together.
use crate::config::Config;
use crate::options::Role;
use crate::tls;
use anyhow::{Context as _, bail};
use api::Portal;
use bus::{Bus, Engine};
use domain::{Clock, Random};
use gateway::Gateway;
use jobs::mail::Post;
use ring::rand::{SecureRandom as _, SystemRandom};
use store::{Keyring, Store};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

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
    let keyring = Keyring::new(secret)?;
    if config.database.starts_with("sqlite:") {
        std::fs::create_dir_all(&config.data_dir).with_context(|| {
            format!(
                "the data folder {} cannot be made",
                config.data_dir.display()
            )
        })?;
    }
    Store::open(&config.database, keyring)
        .await
        .context("the database cannot be opened")
}

pub(crate) async fn bind(config: &Config) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(config.listen).await;
    listener.with_context(|| format!("the portal cannot listen on {}", config.listen))
}

/// Where batteries connect; `None` when another process does that.
pub(crate) async fn bind_devices(config: &Config) -> anyhow::Result<Option<TcpListener>> {
    if !config.has(Role::Gateway) {
        return Ok(None);
    }
    let listener = TcpListener::bind(config.devices_listen).await;
    let listener = listener
        .with_context(|| format!("batteries cannot connect to {}", config.devices_listen))?;
    Ok(Some(listener))
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
    pub(crate) listener: TcpListener,
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
    let store = open_store(&config).await?;
    let listener = bind(&config).await?;
    let devices = bind_devices(&config).await?;
    let clock = Clock::system();
    let (bus, engine) = Bus::open(store.clone(), clock.clone(), &random()).await?;
    let portal = Portal::new(
        store,
        bus.clone(),
        clock.clone(),
        random(),
        config.settings(listener.local_addr()?),
    );
    run(
        &config,
        Parts {
            portal,
            listener,
            devices,
            bus,
            engine,
            post,
            clock,
        },
        TaskTracker::new(),
        CancellationToken::new(),
    )
    .await
}

/// Runs until SIGTERM or Ctrl-C, then lets everything finish what it has begun.
pub(crate) async fn run(
    config: &Config,
    parts: Parts,
    tasks: TaskTracker,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let Parts {
        portal,
        listener,
        devices,
        bus,
        engine,
        post,
        clock,
    } = parts;
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
    let portal = portal.with_metrics(metrics);
    let (store, random) = (portal.store.clone(), portal.random.clone());
    if config.has(Role::Portal) {
        tracing::info!(address = %listener.local_addr()?, "the portal listens");
        tasks.spawn(api::serve(listener, api::portal(portal), tls, stop.clone()));
    }
    if let Some(devices) = devices {
        tracing::info!(address = %devices.local_addr()?, tls = devices_tls.is_some(), "batteries can connect");
        let gateway = Gateway {
            store: store.clone(),
            bus,
            clock: clock.clone(),
            tls: devices_tls,
        };
        tasks.spawn(gateway::serve(devices, gateway, stop.clone()));
    }
    if config.has(Role::Jobs) {
        let keep = config.keep_samples;
        tasks.spawn(jobs::run(
            store.clone(),
            clock,
            random,
            post,
            keep,
            stop.clone(),
        ));
    }
    // The bus goes on until nobody can hand in anything any more.
    let last = CancellationToken::new();
    let moving = tokio::spawn(engine.run(last.clone()));
    asked_to_stop().await?;
    tracing::info!("stopping");
    stop.cancel();
    tasks.close();
    tasks.wait().await;
    last.cancel();
    moving.await?;
    store.close().await;
    Ok(())
}

pub(crate) async fn asked_to_stop() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}
