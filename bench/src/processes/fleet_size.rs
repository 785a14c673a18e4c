//! What the number of systems costs an installation that nobody uses: a portal's start and memory, and transactions.
use super::fake_weather::FakeWeather;
use super::{role, template};
use crate::figure::{Figure, median};
use crate::postgres::Cluster;
use crate::server::{Deployment, Server};
use crate::{devices, history, http};
use anyhow::ensure;
use domain::Serial;
use domain::clock::MINUTE;
use std::time::{Duration, Instant};

const SMALL_FLEET: u32 = 10;
const LARGE_FLEET: u32 = 10_000;
const PORTAL_ROUNDS: usize = 5;
const MAX_PORTAL_RATIO: f64 = 1.3;
const MAX_TRANSACTION_RATIO: f64 = 1.5;
const IDLE_TIME: Duration = Duration::from_secs(60);
const POLLS_TIMEOUT: Duration = Duration::from_secs(60);
/// With a sample every 30 s the year of 10,000 systems would be 47 GB.
const SAMPLE_INTERVAL: i64 = 15 * MINUTE;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let mut small = Installation::new(SMALL_FLEET).await?;
    let mut large = Installation::new(LARGE_FLEET).await?;
    for round in 1..=PORTAL_ROUNDS {
        eprintln!("start of a portal, round {round} of {PORTAL_ROUNDS}");
        small.portal_round().await?;
        large.portal_round().await?;
    }
    for (name, unit, ours, theirs) in [
        (
            "portal with 10,000 systems of a year: start until ready",
            "ms",
            &large.start_ms,
            &small.start_ms,
        ),
        (
            "portal with 10,000 systems of a year: memory when ten were looked at",
            "MB",
            &large.memory_mb,
            &small.memory_mb,
        ),
    ] {
        let (ours, theirs) = (median(ours), median(theirs));
        let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs);
        figures.push(
            Figure::new(name, unit, "≤ 1.3 × with 10")
                .measured(ours)
                .against("with 10 systems", theirs)
                .holds(ratio.map(|ratio| ratio <= MAX_PORTAL_RATIO)),
        );
    }
    let (few, many) = tokio::try_join!(small.idle_transactions(), large.idle_transactions())?;
    figures.push(
        Figure::new(
            "idle installation with 10,000 systems: transactions of the database",
            "/s",
            "≤ 1.5 × with 10",
        )
        .ours(many)
        .against("with 10 systems", Some(few))
        .holds(Some(many <= MAX_TRANSACTION_RATIO * few)),
    );
    small.cluster.stop().await?;
    large.cluster.stop().await
}

/// A cluster with systems that have a year of history, and owners, and report nothing.
struct Installation {
    systems: u32,
    cluster: Cluster,
    deployment: Deployment,
    looked_at: Vec<Serial>,
    start_ms: Vec<f64>,
    memory_mb: Vec<f64>,
}

impl Installation {
    async fn new(systems: u32) -> anyhow::Result<Self> {
        eprintln!("writing a year of {systems} systems");
        let serials = devices::serials(systems);
        let cluster = Cluster::start(&std::env::temp_dir()).await?;
        let deployment = Deployment::on_postgres(cluster.url(), &serials).await?;
        let portal = role::start(&deployment, "portal", &[]).await?;
        deployment.owner(&portal, &serials[..1]).await?;
        portal.process.stop().await?;
        let store = deployment.store().await?;
        let year = history::year_with_interval(&serials[0], SAMPLE_INTERVAL);
        history::write(&store, &serials[0], year).await?;
        store.db().close().await;
        cluster
            .query(
                "UPDATE systems SET capacity = 9600, planes = '8/30/0' WHERE owner_id IS NOT NULL",
            )
            .await?;
        template::copy_to_all(&cluster, &serials[0]).await?;
        // The owner who will look has ten of them.
        let step = serials.len() / SMALL_FLEET as usize;
        let looked_at: Vec<Serial> = serials.iter().step_by(step).cloned().collect();
        let names: Vec<&str> = looked_at.iter().map(Serial::as_str).collect();
        let give = format!(
            "UPDATE systems SET owner_id = (SELECT owner_id FROM systems WHERE sn = '{}') WHERE sn = ANY ('{{{}}}')",
            serials[0],
            names.join(",")
        );
        cluster.query(&give).await?;
        Ok(Self {
            systems,
            cluster,
            deployment,
            looked_at,
            start_ms: Vec::new(),
            memory_mb: Vec::new(),
        })
    }

    /// Starts a portal, looks at ten systems, and stops it.
    async fn portal_round(&mut self) -> anyhow::Result<()> {
        let began = Instant::now();
        let portal = role::start(&self.deployment, "portal", &[]).await?;
        self.start_ms.push(began.elapsed().as_secs_f64() * 1_000.0);
        let token = portal.log_in().await?;
        let data = http::get(portal.port, "/api/auth/data/", Some(&token)).await?;
        let data = String::from_utf8_lossy(&data.body).into_owned();
        let day = history::days()[180];
        for sn in &self.looked_at {
            ensure!(data.contains(sn.as_str()), "{sn} is not its owner's");
            let chart = format!(
                "/api/auth/graph/?sn={sn}&interval=Day&resolution=quarter&from_date={day}&method=mean&series=m0,m1,m3"
            );
            http::get(portal.port, &chart, Some(&token)).await?;
        }
        portal.process.settle().await?;
        self.memory_mb.push(portal.process.resident_mb()?);
        portal.process.stop().await
    }

    /// Transactions per second while one process of each role has nothing to do.
    async fn idle_transactions(&self) -> anyhow::Result<f64> {
        let weather = FakeWeather::start().await?;
        let options = weather.options();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let mut servers: Vec<Server> = Vec::new();
        for role in ["gateway", "portal", "updates", "jobs"] {
            servers.push(role::start(&self.deployment, role, &options).await?);
        }
        self.spread_polls().await?;
        for server in &servers {
            server.process.settle().await?;
        }
        let before = self.transactions().await?;
        tokio::time::sleep(IDLE_TIME).await;
        let transactions = self.transactions().await? - before;
        for server in servers {
            server.process.stop().await?;
        }
        Ok(transactions / IDLE_TIME.as_secs_f64())
    }

    /// Every cell of the weather was asked within the last hour, and is due again within the next one.
    async fn spread_polls(&self) -> anyhow::Result<()> {
        let began = Instant::now();
        let places = "SELECT count(DISTINCT (latitude + 5) / 10 * 100000 + (longitude + 5) / 10) FROM systems";
        let cells = self.cluster.number(places).await?;
        let polls = "SELECT count(*) FROM source_states WHERE source = 'open_meteo'";
        while self.cluster.number(polls).await? < cells {
            ensure!(began.elapsed() < POLLS_TIMEOUT, "the weather is not asked");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let spread =
            "UPDATE source_states SET success_at = (extract(epoch FROM now()) * 1000)::BIGINT,
                next_at = ((extract(epoch FROM now()) + random() * 3600) * 1000)::BIGINT";
        self.cluster.query(spread).await?;
        eprintln!("  {} systems in {cells} cells of the weather", self.systems);
        Ok(())
    }

    async fn transactions(&self) -> anyhow::Result<f64> {
        let committed = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'";
        self.cluster.number(committed).await
    }
}
