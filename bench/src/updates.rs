//! A thousand batteries that load and install new firmware at once, from the process that also serves the portal.
use crate::devices;
use crate::figure::Figure;
use crate::load::{Target, wait_of_one};
use crate::server::{Server, Site};
use crate::{history, http};
use anyhow::{Context as _, ensure};
use domain::Serial;
use domain::clock::{DAY, Millis};
use domain::firmware::{JobState, Manifest, Part, SecretKey, digest_of};
use std::process::Stdio;
use std::time::{Duration, Instant};
use store::Store;
use store::firmware::{NewRelease, Notes};

const BATTERIES: u32 = 1_000;
const HARDWARE: [&str; 4] = ["SC5", "SC8", "SC10", "SC12"];
/// Of an image, in bytes.
const SIZE: usize = 512 * 1024;
/// All of them have to be through by then.
const PATIENCE: Duration = Duration::from_secs(300);
const MEASURED: u32 = 15;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    // One more, which belongs to somebody who has nothing to do with it and looks at a chart.
    let all = devices::serials(BATTERIES + 1);
    let (serials, neighbour) = all.split_at(BATTERIES as usize);
    let site = Site::new(&all).await?;
    let store = site.store().await?;
    publish(&site, &store).await?;
    let server = site.serve_with(&["--devices-a-minute=100000"]).await?;
    let token = site.owner(&server, serials).await?;
    let looks = site.person(&server, "neighbour@example.com", neighbour);
    let looks = looks.await?;
    let mut batteries = site
        .elsewhere()?
        .arg("simulate")
        .arg(format!("--gateway=127.0.0.1:{}", server.devices))
        .arg("--secrets")
        .arg(site.secrets())
        .arg("--firmware-keys")
        .arg(site.path("keys.json"))
        .arg("--interval=10")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    offered(&server, &token).await?;
    let target = Target {
        port: server.port,
        paths: vec![format!(
            "/api/auth/graph/?interval=Day&sn={}&from_date={}",
            neighbour[0],
            history::zone().day_of(now())
        )],
        token: Some(looks),
    };
    let idle = wait_of_one(&target, MEASURED).await?;
    let memory_before = server.process.resident_mb()?;
    start_all(&server, &token, serials).await?;
    let busy = wait_of_one(&target, MEASURED).await?;
    let done = finished(&store).await?;
    let memory = server.process.resident_mb()?;
    batteries.kill().await?;
    server.process.stop().await?;
    figures.push(
        Figure::new(
            "1,000 batteries update at once: p95 of a chart on the portal",
            "ms",
            "≤ 2 × idle, all updated",
        )
        .ours(busy.p95_ms)
        .against("the same, idle", Some(idle.p95_ms))
        .holds(Some(
            done == BATTERIES as usize && busy.p95_ms <= 2.0 * idle.p95_ms,
        )),
    );
    figures.push(
        Figure::new(
            "1,000 batteries update at once: memory of the server",
            "MB",
            "≤ 1.3 × before",
        )
        .ours(memory)
        .against("before", Some(memory_before))
        .holds(Some(memory <= 1.3 * memory_before)),
    );
    Ok(())
}

fn now() -> Millis {
    domain::Clock::system().now()
}

/// A newer master for every hardware, offered to all, and the keys that batteries trust.
async fn publish(site: &Site, store: &Store) -> anyhow::Result<()> {
    let release = SecretKey::new([11; 32]);
    store.trust_release_key(&release.public()).await?;
    let director = store.director_key([12; 32], [13; 12]).await?;
    let keys = serde_json::json!({
        "release": release.public().to_string(), "director": director.public().to_string(),
    });
    std::fs::write(site.path("keys.json"), keys.to_string())?;
    for (number, hardware) in (1_u8..).zip(HARDWARE) {
        let image = vec![number; SIZE];
        let manifest = Manifest {
            part: Part::Master,
            hardware: hardware.to_owned(),
            version: "2.7".parse()?,
            seq: 1,
            size: image.len() as u64,
            sha256: digest_of(&image),
            min_from: None,
            expires_at: now() + DAY,
        };
        let new = NewRelease {
            sealed: &manifest.sign(&release),
            image: &image,
            notes: &Notes::default(),
            soak: 0,
        };
        let id = store.publish_firmware(new, now()).await??;
        store.offer_to_all(id, now()).await?;
    }
    Ok(())
}

/// Waits until every battery has connected and is offered its update.
async fn offered(server: &Server, token: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let data = http::get(server.port, "/api/auth/data/", Some(token)).await?;
        let text = String::from_utf8_lossy(&data.body);
        if text.matches("\"updatable\":true").count() >= BATTERIES as usize {
            return Ok(());
        }
        ensure!(
            begun.elapsed() < PATIENCE,
            "not all batteries are offered the update"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn start_all(server: &Server, token: &str, serials: &[Serial]) -> anyhow::Result<()> {
    for sn in serials {
        let fields = [("sn", sn.as_str()), ("update", "1")];
        let answer = http::post_multipart(server.updates, "/api/v1/update/", token, &fields);
        let answer = answer.await?;
        ensure!(
            answer.status == 200,
            "{sn} was not started: {}",
            answer.status
        );
    }
    Ok(())
}

/// How many have reported the new version when all have, or nobody waits any longer.
async fn finished(store: &Store) -> anyhow::Result<usize> {
    let begun = Instant::now();
    loop {
        let updates = store.newest_updates(0).await.context("the updates")?;
        let done = updates
            .iter()
            .filter(|job| job.state == JobState::Done)
            .count();
        if done == BATTERIES as usize || begun.elapsed() > PATIENCE {
            return Ok(done);
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}
