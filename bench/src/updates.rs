//! A thousand batteries that download and install new firmware at once, from the process that also serves the portal.
use crate::devices;
use crate::figure::Figure;
use crate::load::{Target, single_client_latency};
use crate::server::{Deployment, Server};
use crate::{history, http};
use anyhow::{Context as _, ensure};
use domain::clock::{DAY, Millis};
use domain::firmware::{JobState, Manifest, Part, SecretKey, digest_of};
use domain::{Clock, Random, Serial};
use service::{Service, ServiceConfig};
use std::process::Stdio;
use std::time::{Duration, Instant};
use store::Store;
use store::firmware::{NewRelease, ReleaseNotes};

const BATTERIES: u32 = 1_000;
const HARDWARE: [&str; 4] = ["SC5", "SC8", "SC10", "SC12"];
const IMAGE_BYTES: usize = 512 * 1024;
/// All updates have to be finished by then.
const UPDATE_TIMEOUT: Duration = Duration::from_secs(300);
const MAX_BUSY_RATIO: f64 = 1.5;
const MEASURED_SECONDS: u32 = 15;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    // One more battery, of an owner without an update who looks at a chart.
    let all = devices::serials(BATTERIES + 1);
    let (serials, neighbour) = all.split_at(BATTERIES as usize);
    let deployment = Deployment::new(&all).await?;
    let store = deployment.store().await?;
    publish(&deployment, &store).await?;
    let server = deployment
        .serve_with(&["--devices-a-minute=100000"])
        .await?;
    let token = deployment.owner(&server, serials).await?;
    let neighbour_token = deployment.person(&server, "neighbour@example.com", neighbour);
    let neighbour_token = neighbour_token.await?;
    let mut batteries = deployment
        .low_priority_command()?
        .arg("simulate")
        .arg(format!("--gateway=127.0.0.1:{}", server.devices))
        .arg("--secrets")
        .arg(deployment.secrets())
        .arg("--firmware-keys")
        .arg(deployment.path("keys.json"))
        .arg("--interval=10")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    wait_until_offered(&server, &token).await?;
    let target = Target {
        port: server.port,
        paths: vec![format!(
            "/api/auth/graph/?interval=Day&sn={}&from_date={}",
            neighbour[0],
            history::zone().day_of(now())
        )],
        token: Some(neighbour_token),
    };
    let idle = single_client_latency(&target, MEASURED_SECONDS).await?;
    let memory_before = server.process.resident_mb()?;
    start_all(&server, &token, serials).await?;
    let busy = single_client_latency(&target, MEASURED_SECONDS).await?;
    let done = wait_until_updated(&store).await?;
    let memory = server.process.resident_mb()?;
    batteries.kill().await?;
    server.process.stop().await?;
    figures.push(
        Figure::new(
            "1,000 batteries update at once: p95 of a chart on the portal",
            "ms",
            "≤ 1.5 × idle, all updated",
        )
        .ours(busy.p95_ms)
        .against("the same, idle", Some(idle.p95_ms))
        .holds(Some(
            done == BATTERIES as usize && busy.p95_ms <= MAX_BUSY_RATIO * idle.p95_ms,
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
    Clock::system().now()
}

/// Publishing needs neither randomness nor addresses.
fn service(store: &Store) -> Service {
    let config = ServiceConfig {
        public_url: String::new(),
        devices_a_minute: 0,
    };
    let random = Random::new(|bytes| bytes.fill(0));
    Service::new(store.clone(), None, Clock::system(), random, config)
}

/// Publishes newer master firmware for every hardware, offered to all, and the keys that batteries trust.
async fn publish(deployment: &Deployment, store: &Store) -> anyhow::Result<()> {
    let release = SecretKey::new([11; 32]);
    let service = service(store);
    service.trust_release_key(&release.public(), true).await?;
    let director = store.director_key([12; 32], [13; 12]).await?;
    let keys = serde_json::json!({
        "release": release.public().to_string(), "director": director.public().to_string(),
    });
    std::fs::write(deployment.path("keys.json"), keys.to_string())?;
    for (number, hardware) in (1_u8..).zip(HARDWARE) {
        let image = vec![number; IMAGE_BYTES];
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
            signed_manifest: &manifest.sign(&release),
            image: &image,
            notes: &ReleaseNotes::default(),
            soak: 0,
        };
        let id = service.publish_firmware(new).await??;
        store.offer_to_all(id, now()).await?;
    }
    Ok(())
}

/// Waits until every battery has connected and is offered its update.
async fn wait_until_offered(server: &Server, token: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let data = http::get(server.port, "/api/auth/data/", Some(token)).await?;
        let text = String::from_utf8_lossy(&data.body);
        if text.matches("\"updatable\":true").count() >= BATTERIES as usize {
            return Ok(());
        }
        ensure!(
            begun.elapsed() < UPDATE_TIMEOUT,
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

/// Waits until all have reported the new version or the time is up; returns how many have.
async fn wait_until_updated(store: &Store) -> anyhow::Result<usize> {
    let begun = Instant::now();
    let systems = store.serials().await?;
    loop {
        let updates = store
            .newest_updates_of(&systems, 0)
            .await
            .context("cannot read the updates")?;
        let done = updates
            .iter()
            .filter(|job| job.state == JobState::Done)
            .count();
        if done == BATTERIES as usize || begun.elapsed() > UPDATE_TIMEOUT {
            return Ok(done);
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}
