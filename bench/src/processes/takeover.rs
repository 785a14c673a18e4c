//! Ten thousand batteries at one of two gateways, behind a load balancer, and the end of this gateway.
use super::{balancer, role};
use crate::devices::{self, Simulation};
use crate::figure::Figure;
use crate::postgres::Cluster;
use crate::server::{Deployment, Server};
use anyhow::ensure;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::Store;

const BATTERIES: u32 = 10_000;
const MAX_SECONDS: f64 = 60.0;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// After the last battery has connected.
const STEADY: Duration = Duration::from_secs(10);
/// Of which every sample is looked for in the database.
const EXAMINED_BATTERIES: usize = 1_000;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    eprintln!("10,000 batteries at a gateway that is killed");
    let cluster = Cluster::start(&std::env::temp_dir()).await?;
    let deployment = Deployment::on_postgres(cluster.url(), &devices::serials(BATTERIES)).await?;
    let first = role::start(&deployment, "gateway", &[]).await?;
    let second = role::start(&deployment, "gateway", &[]).await?;
    let gateways = [first.devices, second.devices];
    let mut balancers = Vec::new();
    let mut simulations = Vec::new();
    let mut acknowledged = Vec::new();
    // In two halves, because every connection is open twice in a balancer.
    for (half, secrets) in deployment.halves_of_secrets()?.iter().enumerate() {
        let (port, process) = balancer::start(gateways).await?;
        balancers.push(process);
        let file = deployment.path(&format!("acknowledged-{half}.csv"));
        let acked = format!("--acked={}", file.display());
        let load = ["--interval=10", acked.as_str()];
        simulations.push(Simulation::start(secrets, port, &load)?);
        acknowledged.push(file);
    }
    wait_for_sessions(&first).await?;
    tokio::time::sleep(STEADY).await;
    let ended = Instant::now();
    first.process.stop().await?;
    wait_for_sessions(&second).await?;
    let seconds = ended.elapsed().as_secs_f64();
    tokio::time::sleep(STEADY).await;
    let mut none_lost = true;
    for simulation in simulations {
        none_lost &= simulation.stop().await?.none_lost();
    }
    let resident = second.process.resident_mb()?;
    second.process.stop().await?;
    let store = deployment.store().await?;
    let missing = missing(&store, &acknowledged).await?;
    store.db().close().await;
    eprintln!("  back after {seconds:.1} s, acknowledged and missing: {missing}");
    figures.push(
        Figure::new(
            "10,000 batteries back at another gateway, after theirs was killed",
            "s",
            "≤ 60, none lost",
        )
        .ours(seconds)
        .holds(Some(none_lost && missing == 0 && seconds <= MAX_SECONDS)),
    );
    figures.push(Figure::recorded(
        "    largest memory of that gateway",
        "MB",
        Some(resident),
    ));
    for process in balancers {
        process.stop().await?;
    }
    cluster.stop().await
}

/// Waits until this gateway has all batteries.
async fn wait_for_sessions(gateway: &Server) -> anyhow::Result<()> {
    let began = Instant::now();
    while role::metric(gateway, "link_sessions").await? < f64::from(BATTERIES) {
        ensure!(
            began.elapsed() < CONNECT_TIMEOUT,
            "not all batteries connect"
        );
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// How many samples of the examined batteries were acknowledged but are not in the database, or are there twice.
async fn missing(store: &Store, files: &[PathBuf]) -> anyhow::Result<usize> {
    let mut of_battery: HashMap<String, HashSet<(i64, u32)>> = HashMap::new();
    for file in files {
        read_acknowledged(file, &mut of_battery)?;
    }
    ensure!(!of_battery.is_empty(), "nothing was acknowledged");
    let step = (of_battery.len() / EXAMINED_BATTERIES).max(1);
    let mut serials: Vec<&String> = of_battery.keys().collect();
    serials.sort_unstable();
    let mut missing = 0;
    for sn in serials.into_iter().step_by(step) {
        let stored = store.telemetry.unsealed_samples(&sn.parse()?).await?;
        let ids: HashSet<(i64, u32)> = stored
            .iter()
            .map(|sample| (i64::from(sample.id.boot), sample.id.seq))
            .collect();
        missing += of_battery[sn].difference(&ids).count() + (stored.len() - ids.len());
    }
    Ok(missing)
}

/// Adds the rows of a table of serial number, boot and sequence.
fn read_acknowledged(
    file: &Path,
    found: &mut HashMap<String, HashSet<(i64, u32)>>,
) -> anyhow::Result<()> {
    for line in std::fs::read_to_string(file)?.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [sn, boot, seq] = fields[..] else {
            anyhow::bail!("not a line of acknowledged samples: {line}");
        };
        let ids = found.entry(sn.to_owned()).or_default();
        ids.insert((boot.parse()?, seq.parse()?));
    }
    Ok(())
}
