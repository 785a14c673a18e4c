//! The device endpoint without what lies behind it: every report is acknowledged at once and stored nowhere. What it can do is the
//! most that the server could do if a commit cost nothing.
use crate::process::{Process, free_port};
use crate::server::{Deployment, Server};
use anyhow::Context as _;
use bus::{Bus, BusOptions, Uplink};
use domain::connections::Connections;
use domain::{Clock, Random};
use gateway::Gateway;
use store::report::ReportOutcome;
use store::{Secret, Store};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Started with this argument, the benchmark is such an endpoint.
pub(crate) const ARGUMENT: &str = "endpoint-without-commit";
const PORT: &str = "BENCH_PORT";
/// More than any part of the benchmark opens.
const MAX_CONNECTIONS: usize = 100_000;

/// Starts it as a process of its own, as the server is one.
pub(crate) async fn start(deployment: &Deployment) -> anyhow::Result<Server> {
    let port = free_port()?;
    let mut command = deployment.environment_for(std::env::current_exe()?);
    command.arg(ARGUMENT).env(PORT, port.to_string());
    let process = Process::start("the endpoint without a commit", &mut command, port).await?;
    Ok(Server {
        port,
        devices: port,
        updates: port,
        process,
    })
}

/// Serves batteries until it is killed.
pub(crate) async fn run() -> anyhow::Result<()> {
    let of = |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
    let (clock, random) = (Clock::system(), Random::new(|bytes| bytes.fill(0)));
    let secret = Secret::parse(&of("SUNCELLAR_SECRET")?)?;
    let store = Store::open(&of("SUNCELLAR_DATABASE")?, &secret, &random, clock.now()).await?;
    let opened = Bus::open(store.clone(), clock.clone(), &random, BusOptions::default());
    let (mut bus, engine) = opened.await?;
    tokio::spawn(engine.run(CancellationToken::new()));
    let (uplink, mut reports) = Uplink::channel();
    bus.uplink = uplink;
    tokio::spawn(async move {
        while let Some(report) = reports.recv().await {
            report.acknowledge(ReportOutcome::default());
        }
    });
    let gateway = Gateway {
        store,
        bus,
        clock,
        tls: None,
        connections: Connections::new(MAX_CONNECTIONS, MAX_CONNECTIONS),
        quota: None,
    };
    let listener = TcpListener::bind(format!("127.0.0.1:{}", of(PORT)?)).await?;
    gateway::serve(listener, gateway, CancellationToken::new()).await;
    Ok(())
}
