//! A thousand batteries that send again as soon as they are acknowledged: on SQLite, without a commit, and on PostgreSQL in turns,
//! then the peers.
use super::{measured, peers, without_commit};
use crate::devices::{self, simulate};
use crate::figure::{Figure, median};
use crate::postgres::Cluster;
use crate::server::{Deployment, Server};

const ROUNDS: usize = 3;
const MIN_RATE: f64 = 20_000.0;
const MIN_SHARE_OF_UNCOMMITTED: f64 = 0.5;
const MIN_POSTGRES_RATIO: f64 = 0.6;
const MAX_CPU_SECONDS_PER_MILLION: f64 = 45.0;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let serials = devices::serials(1_000);
    let mut sqlite = Side::start("SQLite", Deployment::new(&serials).await?).await?;
    let deployment = Deployment::new(&serials).await?;
    let server = without_commit::start(&deployment).await?;
    let mut uncommitted = Side::of("without a commit", deployment, server).await?;
    let cluster = Cluster::start(&std::env::temp_dir()).await;
    let cluster = measured("closed loop on PostgreSQL", cluster);
    let mut postgres = match &cluster {
        Some(cluster) => {
            let deployment = Deployment::on_postgres(cluster.url(), &serials).await?;
            Some(Side::start("PostgreSQL", deployment).await?)
        }
        None => None,
    };
    for round in 1..=ROUNDS {
        eprintln!("closed loop, round {round} of {ROUNDS}");
        sqlite.round().await?;
        uncommitted.round().await?;
        if let Some(postgres) = &mut postgres {
            postgres.round().await?;
        }
    }
    let (rate, cpu) = (median(&sqlite.rates), sqlite.cpu_seconds_per_million()?);
    let on_postgres = postgres.as_ref().and_then(|side| median(&side.rates));
    figures.extend([
        Figure::new(
            "closed loop, 1,000 batteries: samples acknowledged after fsync",
            "/s",
            "≥ 20,000",
        )
        .measured(rate)
        .holds(rate.map(|rate| rate >= MIN_RATE)),
        share_of_uncommitted(rate, median(&uncommitted.rates)),
        Figure::new(
            "closed loop: processor time of the server, a million samples",
            "s",
            "≤ 45",
        )
        .ours(cpu)
        .holds(Some(cpu <= MAX_CPU_SECONDS_PER_MILLION)),
        Figure::new(
            "closed loop on PostgreSQL: samples acknowledged after fsync",
            "/s",
            "≥ 0.6 × SQLite",
        )
        .measured(on_postgres)
        .against("SQLite", rate)
        .holds(
            on_postgres
                .zip(rate)
                .map(|(postgres, sqlite)| postgres >= MIN_POSTGRES_RATIO * sqlite),
        ),
    ]);
    sqlite.stop().await?;
    uncommitted.stop().await?;
    if let Some(side) = postgres {
        side.stop().await?;
    }
    if let Some(cluster) = cluster {
        cluster.stop().await?;
    }
    figures.push(peers::figure(&serials, rate).await);
    Ok(())
}

/// What the commits cost the endpoint.
fn share_of_uncommitted(rate: Option<f64>, uncommitted: Option<f64>) -> Figure {
    let rates = rate.zip(uncommitted);
    Figure::new(
        "closed loop: samples acknowledged after fsync, beside the same endpoint without a commit",
        "/s",
        "≥ 0.5 ×",
    )
    .measured(rate)
    .against("without a commit", uncommitted)
    .holds(rates.map(|(rate, uncommitted)| rate >= MIN_SHARE_OF_UNCOMMITTED * uncommitted))
}

/// A server that is measured in turns with others.
struct Side {
    name: &'static str,
    deployment: Deployment,
    server: Server,
    cpu_seconds_at_start: f64,
    rates: Vec<f64>,
    acknowledged: f64,
}

impl Side {
    async fn start(name: &'static str, deployment: Deployment) -> anyhow::Result<Self> {
        // A real battery sends every 2 s at most: the quota would measure itself.
        let server = deployment.serve_with(&["--samples-a-second=0"]).await?;
        Self::of(name, deployment, server).await
    }

    async fn of(
        name: &'static str,
        deployment: Deployment,
        server: Server,
    ) -> anyhow::Result<Self> {
        server.process.settle().await?;
        Ok(Self {
            name,
            cpu_seconds_at_start: server.process.cpu_seconds()?,
            deployment,
            server,
            rates: Vec::new(),
            acknowledged: 0.0,
        })
    }

    async fn round(&mut self) -> anyhow::Result<()> {
        let load = ["--systems=1000", "--closed-loop", "--for=20"];
        let summary = simulate(&self.deployment, &self.server, &load).await?;
        eprintln!("  {}: {:.0} samples/s", self.name, summary.rate);
        self.rates.push(summary.rate);
        self.acknowledged += summary.acknowledged;
        // What it still has to do counts for its own processor time and does not disturb the other side.
        self.server.process.settle().await
    }

    fn cpu_seconds_per_million(&self) -> anyhow::Result<f64> {
        let used = self.server.process.cpu_seconds()? - self.cpu_seconds_at_start;
        Ok(used / self.acknowledged * 1e6)
    }

    async fn stop(self) -> anyhow::Result<()> {
        self.server.process.stop().await
    }
}
