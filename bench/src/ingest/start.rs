//! How long a start takes with 10,000 systems and a day of samples that is not sealed yet.
use crate::devices;
use crate::figure::Figure;
use crate::history;
use crate::http;
use crate::server::{Deployment, Server};
use anyhow::bail;
use domain::clock::{DAY, MINUTE, Millis, SECOND};
use domain::{Clock, Sample, Serial};
use std::time::{Duration, Instant};
use store::Store;

const SYSTEMS: u32 = 10_000;
/// A few different homes are enough: their samples are written again for each system.
const HOMES: usize = 10;
const SAMPLE_INTERVAL: Millis = 30 * SECOND;
/// As the server does: every ten minutes the log becomes a chunk of each system.
const FOLD_INTERVAL: Millis = 10 * MINUTE;
const SAMPLES_PER_CHUNK: usize = 20;
/// About what the server commits at once at this rate.
const SAMPLES_PER_COMMIT: usize = 20;
/// What is folded right away can be written faster.
const SYSTEMS_PER_LARGE_COMMIT: usize = 1_000;
const MAX_SECONDS: f64 = 5.0;
const READY_TIMEOUT: Duration = Duration::from_secs(120);
const READY_POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let serials = devices::serials(SYSTEMS);
    let deployment = Deployment::new(&serials).await?;
    let store = deployment.store().await?;
    fill(&store, &serials).await?;
    store.db().close().await;
    let began = Instant::now();
    let server = deployment.serve().await?;
    wait_until_ready(&server, began).await?;
    let seconds = began.elapsed().as_secs_f64();
    figures.push(
        Figure::new(
            "start with 10,000 systems and an unsealed day, until it is ready",
            "s",
            "≤ 5",
        )
        .ours(seconds)
        .holds(Some(seconds <= MAX_SECONDS)),
    );
    server.process.stop().await
}

async fn wait_until_ready(server: &Server, began: Instant) -> anyhow::Result<()> {
    while http::get(server.port, "/readyz", None).await.is_err() {
        if began.elapsed() > READY_TIMEOUT {
            bail!("the server does not get ready");
        }
        tokio::time::sleep(READY_POLL_INTERVAL).await;
    }
    Ok(())
}

/// The last 24 hours of every system: all but the last ten minutes in chunks, those in the log.
async fn fill(store: &Store, serials: &[Serial]) -> anyhow::Result<()> {
    let now = Clock::system().now();
    let homes: Vec<Vec<Sample>> = serials[..HOMES]
        .iter()
        .map(|sn| history::samples(sn, now - DAY..now, SAMPLE_INTERVAL))
        .collect();
    let systems: Vec<(&Serial, &Vec<Sample>)> = serials.iter().zip(homes.iter().cycle()).collect();
    let folds = usize::try_from(DAY / FOLD_INTERVAL)?;
    let mut folded_at = now - DAY;
    for fold in 0..folds - 1 {
        if fold % 12 == 0 {
            eprintln!("writing a day of 10,000 systems: hour {}", fold / 6);
        }
        folded_at += FOLD_INTERVAL;
        let first = fold * SAMPLES_PER_CHUNK;
        for systems in systems.chunks(SYSTEMS_PER_LARGE_COMMIT) {
            let samples: Vec<_> = systems
                .iter()
                .flat_map(|(sn, samples)| {
                    let chunk = &samples[first..first + SAMPLES_PER_CHUNK];
                    chunk.iter().map(move |sample| (*sn, sample))
                })
                .collect();
            append(store, &samples, folded_at).await?;
        }
        store.telemetry.fold(folded_at).await?;
    }
    for tick in (folds - 1) * SAMPLES_PER_CHUNK..folds * SAMPLES_PER_CHUNK {
        for systems in systems.chunks(SAMPLES_PER_COMMIT) {
            let samples: Vec<_> = systems
                .iter()
                .map(|(sn, samples)| (*sn, &samples[tick]))
                .collect();
            append(store, &samples, now).await?;
        }
    }
    Ok(())
}

/// Stores samples as the server does when they arrive.
pub(crate) async fn append(
    store: &Store,
    samples: &[(&Serial, &Sample)],
    now: Millis,
) -> anyhow::Result<()> {
    let mut tx = store.db().begin().await?;
    let appended = store.telemetry.append(&mut tx, samples, now).await?;
    tx.commit().await?;
    appended.committed();
    Ok(())
}
