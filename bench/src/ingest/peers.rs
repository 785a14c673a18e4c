//! The same samples into the time-series databases: batches of 1,000 lines over HTTP, from several connections.
use super::measured;
use crate::figure::Figure;
use crate::history;
use crate::peer::{Peer, PeerKind, lines};
use domain::clock::SECOND;
use domain::{Clock, Sample, Serial};
use hyper::body::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 8;
/// Samples of each system.
const TICKS: i64 = 400;
/// A few different homes are enough: each system sends the samples of one of them.
const HOMES: usize = 10;

/// Our rate of the same run, and what the peers reach.
pub(crate) async fn figure(serials: &[Serial], ours: Option<f64>) -> Figure {
    let batches = batches(serials);
    let samples = serials.len() * batches.len();
    let mut figure = Figure::new(
        "samples in, from 1,000 batteries one by one, acknowledged after fsync",
        "/s",
        "none, recorded",
    )
    .measured(ours);
    let mut all_measured = ours.is_some();
    for (kind, name) in [
        (
            PeerKind::Influx,
            "InfluxDB 1.6, batches of 1,000: fsync of its log per batch",
        ),
        (
            PeerKind::Victoria,
            "VictoriaMetrics 1.79, batches of 1,000: no fsync per batch, in memory for seconds",
        ),
    ] {
        eprintln!("samples into {}", kind.name());
        let seconds = measured(name, seconds_to_write(kind, &batches).await);
        all_measured &= seconds.is_some();
        figure = figure.against(name, seconds.map(|seconds| samples as f64 / seconds));
    }
    figure.holds(all_measured.then_some(true))
}

async fn seconds_to_write(kind: PeerKind, batches: &[Bytes]) -> anyhow::Result<f64> {
    let peer = Peer::start(kind).await?;
    let batches: Arc<[Bytes]> = batches.into();
    let next = Arc::new(AtomicUsize::new(0));
    let mut connections = JoinSet::new();
    let began = Instant::now();
    for _ in 0..CONNECTIONS {
        let (batches, next) = (batches.clone(), next.clone());
        let mut writer = peer.connect().await?;
        connections.spawn(async move {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                writer.write(batch.clone()).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = connections.join_next().await {
        ended??;
    }
    let seconds = began.elapsed().as_secs_f64();
    peer.stop().await?;
    Ok(seconds)
}

/// One sample of every system in each batch, the newest from now.
fn batches(serials: &[Serial]) -> Vec<Bytes> {
    let interval = 10 * SECOND;
    let now = Clock::system().now();
    let homes: Vec<Vec<Sample>> = serials[..HOMES]
        .iter()
        .map(|sn| history::samples(sn, now - TICKS * interval..now, interval))
        .collect();
    let ticks = homes.iter().map(Vec::len).min().unwrap_or(0);
    let batch = |tick: usize| {
        let samples = homes.iter().map(|home| &home[tick]).cycle();
        Bytes::from(lines(serials.iter().zip(samples)))
    };
    (0..ticks).map(batch).collect()
}
