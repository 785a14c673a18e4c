//! What a sample costs the disk: everything that reaches the device at 1,000 samples a second, until all of it is in its final
//! place. That includes the batteries' hellos, the write-ahead log, the fold, the last checkpoint and the file system's journal.
use super::measured;
use crate::devices::{self, simulate};
use crate::figure::Figure;
use crate::loop_device::LoopDevice;
use crate::postgres::Cluster;
use crate::server::Deployment;
use domain::Clock;
use domain::clock::{MINUTE, Millis};
use rustix::process::Signal;

const DEVICE_BYTES: u64 = 4 << 30;
const MAX_ON_SQLITE: f64 = 1_000.0;
const MAX_ON_POSTGRES: f64 = 3_000.0;
/// On PostgreSQL another process folds the log of one that was not seen for five minutes: that much later the server's log counts
/// as abandoned.
const ABANDONED_AFTER: Millis = 6 * MINUTE;

pub(crate) async fn run(figures: &mut Vec<Figure>) {
    eprintln!("bytes at the device, on SQLite and then on PostgreSQL: three minutes each");
    let sqlite = measured("bytes at the device", on_sqlite().await);
    figures.push(
        Figure::new(
            "bytes at the device per sample, 1,000/s on SQLite",
            "bytes",
            "≤ 1,000",
        )
        .measured(sqlite)
        .holds(sqlite.map(|bytes| bytes <= MAX_ON_SQLITE)),
    );
    let postgres = measured("bytes at the device, on PostgreSQL", on_postgres().await);
    figures.push(
        Figure::new(
            "bytes at the device per sample, 1,000/s on PostgreSQL",
            "bytes",
            "≤ 3,000",
        )
        .measured(postgres)
        .holds(postgres.map(|bytes| bytes <= MAX_ON_POSTGRES)),
    );
}

async fn on_sqlite() -> anyhow::Result<f64> {
    let disk = LoopDevice::create(DEVICE_BYTES)?;
    let deployment = Deployment::in_folder(&disk.path(), &devices::serials(10_000)).await?;
    bytes_per_sample(&disk, &deployment, None).await
}

async fn on_postgres() -> anyhow::Result<f64> {
    let disk = LoopDevice::create(DEVICE_BYTES)?;
    let cluster = Cluster::start(&disk.path()).await?;
    let deployment = Deployment::on_postgres(cluster.url(), &devices::serials(10_000)).await?;
    bytes_per_sample(&disk, &deployment, Some(cluster)).await
}

async fn bytes_per_sample(
    disk: &LoopDevice,
    deployment: &Deployment,
    cluster: Option<Cluster>,
) -> anyhow::Result<f64> {
    let server = deployment.serve().await?;
    server.process.settle().await?;
    if let Some(cluster) = &cluster {
        cluster.checkpoint().await?;
    }
    let before = disk.written_bytes()?;
    let load = ["--systems=10000", "--interval=10", "--for=180"];
    let summary = simulate(deployment, &server, &load).await?;
    server.process.stop_gracefully(Signal::TERM).await?;
    // A server folds every ten minutes. Folding after three makes smaller chunks, which cost more per sample, never less.
    let store = deployment.store().await?;
    let now = Clock::system().now();
    store
        .telemetry
        .fold_abandoned(now + ABANDONED_AFTER)
        .await?;
    store.db().close().await;
    if let Some(cluster) = cluster {
        cluster.stop().await?;
    }
    let written = disk.written_bytes()? - before;
    Ok(written as f64 / summary.acknowledged)
}
