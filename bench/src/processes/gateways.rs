//! The closed loop on PostgreSQL: alone, with a synchronous standby, with a second gateway, and beside idle processes.
use super::role;
use crate::devices::{self, FleetSummary, Simulation};
use crate::figure::{Figure, median};
use crate::postgres::Cluster;
use crate::server::{Deployment, Server};
use std::path::PathBuf;

const ROUNDS: usize = 3;
const BATTERIES: u32 = 1_000;
const MIN_RATIO_WITH_STANDBY: f64 = 0.8;
const MAX_CPU_RATIO_WITH_IDLE: f64 = 1.1;
const IDLE_SECONDS: u64 = 30;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let temporary = std::env::temp_dir();
    let mut alone = Side::start("one gateway", Cluster::start(&temporary).await?, 1, &[]).await?;
    let standby = Cluster::start_with_standby(&temporary).await?;
    let mut standby = Side::start("with a standby", standby, 1, &[]).await?;
    let mut two = Side::start("two gateways", Cluster::start(&temporary).await?, 2, &[]).await?;
    let idle = ["portal", "portal", "jobs", "jobs"];
    let cluster = Cluster::start(&temporary).await?;
    let mut beside_idle = Side::start("two portals and two jobs", cluster, 1, &idle).await?;
    for round in 0..=ROUNDS {
        eprintln!("closed loop of several processes, round {round} of {ROUNDS}");
        for side in [&mut alone, &mut standby, &mut two, &mut beside_idle] {
            side.round().await?;
            // In the first round everybody is new: systems, connections, plans of statements.
            if round == 0 {
                side.forget();
            }
        }
    }
    let rate = median(&alone.rates);
    figures.extend([
        ratio_figure(
            "closed loop, a synchronous standby: samples acknowledged",
            "/s",
            ("≥ 0.8 × without", "without", &standby.rates, &alone.rates),
            |ratio| ratio >= MIN_RATIO_WITH_STANDBY,
        ),
        Figure::recorded(
            "closed loop, two gateways: samples acknowledged",
            "/s",
            median(&two.rates),
        )
        .against("one gateway", rate),
        ratio_figure(
            "CPU of gateway and PostgreSQL, with two idle portals and two jobs, a million samples",
            "s",
            ("≤ 1.1 × without", "without", &beside_idle.cpu, &alone.cpu),
            |ratio| ratio <= MAX_CPU_RATIO_WITH_IDLE,
        ),
    ]);
    let gateway = median(&alone.gateway_cpu);
    figures.push(Figure::recorded(
        "    of that without, the gateway",
        "s",
        gateway,
    ));
    figures.extend(beside_idle.idle_figures().await?);
    for side in [alone, standby, two, beside_idle] {
        side.stop().await?;
    }
    Ok(())
}

fn ratio_figure(
    name: &'static str,
    unit: &'static str,
    (bar, peer, ours, theirs): (&'static str, &'static str, &[f64], &[f64]),
    holds: fn(f64) -> bool,
) -> Figure {
    let (ours, theirs) = (median(ours), median(theirs));
    let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs);
    Figure::new(name, unit, bar)
        .measured(ours)
        .against(peer, theirs)
        .holds(ratio.map(holds))
}

/// A cluster with its gateways, and other processes that have nothing to do.
struct Side {
    name: &'static str,
    cluster: Cluster,
    /// Its folder has the tables of secrets, one for each half of the batteries.
    _deployment: Deployment,
    halves: [PathBuf; 2],
    gateways: Vec<Server>,
    idle: Vec<(&'static str, Server)>,
    rates: Vec<f64>,
    /// Seconds a million samples: of everything, and of the gateways.
    cpu: Vec<f64>,
    gateway_cpu: Vec<f64>,
}

impl Side {
    async fn start(
        name: &'static str,
        cluster: Cluster,
        gateways: usize,
        idle: &[&'static str],
    ) -> anyhow::Result<Self> {
        let serials = devices::serials(BATTERIES);
        let deployment = Deployment::on_postgres(cluster.url(), &serials).await?;
        let halves = deployment.halves_of_secrets()?;
        let mut side = Self {
            name,
            cluster,
            halves,
            gateways: Vec::new(),
            idle: Vec::new(),
            rates: Vec::new(),
            cpu: Vec::new(),
            gateway_cpu: Vec::new(),
            _deployment: deployment,
        };
        // A real battery sends every 2 s at most: the quota would measure itself.
        let unlimited = ["--samples-a-second=0"];
        for _ in 0..gateways {
            let gateway = role::start(&side._deployment, "gateway", &unlimited).await?;
            side.gateways.push(gateway);
        }
        for role in idle {
            let process = role::start(&side._deployment, role, &unlimited).await?;
            side.idle.push((role, process));
        }
        side.settle().await?;
        Ok(side)
    }

    async fn settle(&self) -> anyhow::Result<()> {
        for server in self.servers() {
            server.process.settle().await?;
        }
        Ok(())
    }

    fn servers(&self) -> impl Iterator<Item = &Server> {
        self.gateways
            .iter()
            .chain(self.idle.iter().map(|(_, server)| server))
    }

    /// One turn: both halves of the batteries at once, from two simulators.
    async fn round(&mut self) -> anyhow::Result<()> {
        let (before, gateways_before) = (self.cpu_seconds()?, self.gateway_cpu_seconds()?);
        let load = ["--closed-loop", "--for=12"];
        let ports = self.gateways.iter().map(|gateway| gateway.devices).cycle();
        let mut simulations = Vec::new();
        for (secrets, port) in self.halves.iter().zip(ports) {
            simulations.push(Simulation::start(secrets, port, &load)?);
        }
        let mut summaries: Vec<FleetSummary> = Vec::new();
        for simulation in simulations {
            summaries.push(simulation.ended().await?);
        }
        // What is left to do counts for this side and does not disturb the next.
        self.settle().await?;
        let rate: f64 = summaries.iter().map(|summary| summary.rate).sum();
        let acknowledged: f64 = summaries.iter().map(|it| it.acknowledged).sum();
        let millions = acknowledged / 1e6;
        self.rates.push(rate);
        self.cpu.push((self.cpu_seconds()? - before) / millions);
        let gateways = self.gateway_cpu_seconds()? - gateways_before;
        self.gateway_cpu.push(gateways / millions);
        eprintln!(
            "  {}: {rate:.0} samples/s, {:.1} s of CPU a million, of it {:.1} s the gateways",
            self.name,
            self.cpu[self.cpu.len() - 1],
            gateways / millions
        );
        Ok(())
    }

    fn forget(&mut self) {
        self.rates.clear();
        self.cpu.clear();
        self.gateway_cpu.clear();
    }

    /// Of PostgreSQL and all our processes.
    fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let mut sum = self.cluster.cpu_seconds()?;
        for server in self.servers() {
            sum += server.process.cpu_seconds()?;
        }
        Ok(sum)
    }

    fn gateway_cpu_seconds(&self) -> anyhow::Result<f64> {
        let seconds = self.gateways.iter();
        seconds.map(|server| server.process.cpu_seconds()).sum()
    }

    /// What processes cost that do nothing but stay ready.
    async fn idle_figures(&self) -> anyhow::Result<Vec<Figure>> {
        let of = |role: &str| -> anyhow::Result<f64> {
            let idle = self.idle.iter().filter(|(name, _)| *name == role);
            idle.map(|(_, server)| server.process.cpu_seconds()).sum()
        };
        let used = || anyhow::Ok([of("portal")?, of("jobs")?, self.cluster.cpu_seconds()?]);
        let before = used()?;
        tokio::time::sleep(std::time::Duration::from_secs(IDLE_SECONDS)).await;
        let after = used()?;
        let percent = |n: usize, processes: f64| {
            Some(100.0 * (after[n] - before[n]) / IDLE_SECONDS as f64 / processes)
        };
        Ok(vec![
            Figure::recorded("CPU of an idle portal", "% of a core", percent(0, 2.0)),
            Figure::recorded(
                "CPU of idle jobs, a process",
                "% of a core",
                percent(1, 2.0),
            ),
            Figure::recorded(
                "CPU of PostgreSQL beside these four and a gateway",
                "% of a core",
                percent(2, 1.0),
            ),
        ])
    }

    async fn stop(self) -> anyhow::Result<()> {
        for server in self.gateways {
            server.process.stop().await?;
        }
        for (_, server) in self.idle {
            server.process.stop().await?;
        }
        self.cluster.stop().await
    }
}
