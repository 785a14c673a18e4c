//! A fleet of simulated batteries against a device endpoint, with a line of numbers every ten seconds.
use crate::cli::Simulate;
use anyhow::{Context as _, ensure};
use domain::{Clock, Serial};
use serde::{Deserialize, Serialize};
use simulator::model::Start;
use simulator::tally::{Tally, quantile};
use simulator::{Device, FirmwareKeys, Fleet, Seed, World};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(10);
/// At the end, batteries have so long to deliver what they have measured.
const LAST_DELIVERIES: Duration = Duration::from_secs(30);
/// Batteries that connect in a second at most, so that a start is not a storm.
const CONNECTS_PER_SECOND: u32 = 2_000;

pub(crate) async fn run(options: Simulate) -> anyhow::Result<()> {
    let gateway = tokio::net::lookup_host(&options.gateway)
        .await
        .with_context(|| format!("the gateway {} has no address", options.gateway))?
        .next()
        .with_context(|| format!("the gateway {} has no address", options.gateway))?;
    let Some(file) = &options.secrets else {
        anyhow::bail!(
            "batteries log in with their secrets: register them with `suncellar admin import-devices devices.csv > secrets.csv` and give --secrets secrets.csv"
        );
    };
    let fleet = start(&options, gateway, read_secrets(file)?)?;
    let began = Instant::now();
    watch(&fleet, options.end_after.map(Duration::from_secs)).await?;
    let lasted = began.elapsed();
    let complete = fleet.finish(LAST_DELIVERIES).await;
    if let Some(file) = &options.acked {
        write_acknowledged(&fleet, file)?;
    }
    let summary = Summary::new(&fleet.world().tally, lasted, complete);
    println!("{}", serde_json::to_string(&summary)?);
    Ok(())
}

/// One line of what `admin import-devices` prints.
#[derive(Deserialize)]
struct Line {
    sn: String,
    phase: u8,
    secret: String,
}

struct Registered {
    sn: Serial,
    phase: u8,
    secret: String,
}

fn read_secrets(file: &Path) -> anyhow::Result<Vec<Registered>> {
    let mut reader = csv::Reader::from_path(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let mut registered = Vec::new();
    for (number, line) in (2..).zip(reader.deserialize::<Line>()) {
        let Line { sn, phase, secret } =
            line.with_context(|| format!("line {number} of {} is not valid", file.display()))?;
        let sn = sn
            .parse()
            .map_err(|_| anyhow::anyhow!("line {number}: {sn:?} is not a serial number"))?;
        ensure!(!secret.is_empty(), "line {number} has no secret");
        registered.push(Registered { sn, phase, secret });
    }
    Ok(registered)
}

fn start(
    options: &Simulate,
    gateway: SocketAddr,
    registered: Vec<Registered>,
) -> anyhow::Result<Fleet> {
    let systems = options.systems.unwrap_or(registered.len());
    ensure!(
        systems <= registered.len(),
        "{systems} systems are asked for, but the secrets are those of {}",
        registered.len()
    );
    let clock = Clock::system();
    let now = clock.now();
    // The fleet has no memory between two runs: the time is a boot counter that only grows.
    let boot = u32::try_from(now / 1_000)?;
    let devices = registered.into_iter().take(systems).map(|device| {
        let seed = Seed::of(&device.sn, options.seed);
        let start = Start {
            at: now,
            boot,
            charge: 200 + seed.with(9).place(600) as i64,
            readings: [0; 5],
        };
        Device::drawn(
            device.sn,
            device.secret.into_bytes(),
            device.phase,
            seed,
            &start,
        )
    });
    let keys = options.firmware_keys.as_deref().map(keys).transpose()?;
    // Nobody stands in front of them to turn a switch.
    let devices = devices.map(|device| Device {
        keys,
        update_needs_off: false,
        ..device
    });
    let devices: Vec<_> = devices.collect();
    let interval = Duration::from_secs_f64(options.interval);
    let mut world = World::new(gateway, interval, clock);
    world.closed_loop = options.closed_loop;
    world.keep_acknowledged = options.acked.is_some();
    // Over one interval, so that they report evenly ever after; who sends without pause has none.
    let fastest = Duration::from_secs(1) * u32::try_from(systems)? / CONNECTS_PER_SECOND;
    let even = if options.closed_loop {
        fastest
    } else {
        interval
    };
    world.ramp = fastest.max(even);
    Ok(Fleet::start(world, devices))
}

fn keys(file: &Path) -> anyhow::Result<FirmwareKeys> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
    FirmwareKeys::from_json(&text).with_context(|| format!("{} holds no keys", file.display()))
}

/// Prints what happens until Ctrl-C, SIGTERM or the end.
async fn watch(fleet: &Fleet, end_after: Option<Duration>) -> anyhow::Result<()> {
    let tally = &fleet.world().tally;
    let end = async {
        match end_after {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(end);
    let mut signal = crate::roles::StopSignal::listen()?;
    let mut tick = tokio::time::interval_at(tokio::time::Instant::now() + EVERY, EVERY);
    let mut delays = tally.delays.counts();
    loop {
        tokio::select! {
            () = &mut end => return Ok(()),
            () = signal.received() => return Ok(()),
            _ = tick.tick() => {}
        }
        let now = tally.delays.counts();
        let since: Vec<u64> = now
            .iter()
            .zip(&delays)
            .map(|(now, then)| now - then)
            .collect();
        delays = now;
        eprintln!(
            "connected {}  sent {}  acknowledged {}  reconnects {}  refused {}  ack p50 {:.1} ms  p99 {:.1} ms",
            tally.connected.load(Relaxed),
            tally.sent.load(Relaxed),
            tally.acknowledged.load(Relaxed),
            tally.reconnects.load(Relaxed),
            tally.refused.load(Relaxed),
            millis(quantile(&since, 0.5)),
            millis(quantile(&since, 0.99)),
        );
    }
}

fn millis(delay: Duration) -> f64 {
    delay.as_secs_f64() * 1_000.0
}

/// What the run came to, for whoever measures.
#[derive(Serialize)]
struct Summary {
    seconds: f64,
    sent: u64,
    acknowledged: u64,
    /// Samples acknowledged in a second.
    rate: f64,
    reconnects: u64,
    refused: u64,
    /// Samples that a full buffer had to forget.
    forgotten: u64,
    ack_p50_ms: f64,
    ack_p99_ms: f64,
    /// Whether everything that was measured was also acknowledged.
    complete: bool,
}

impl Summary {
    fn new(tally: &Tally, lasted: Duration, complete: bool) -> Self {
        let acknowledged = tally.acknowledged.load(Relaxed);
        let delays = tally.delays.counts();
        Self {
            seconds: lasted.as_secs_f64(),
            sent: tally.sent.load(Relaxed),
            acknowledged,
            rate: acknowledged as f64 / lasted.as_secs_f64(),
            reconnects: tally.reconnects.load(Relaxed),
            refused: tally.refused.load(Relaxed),
            forgotten: tally.forgotten.load(Relaxed),
            ack_p50_ms: millis(quantile(&delays, 0.5)),
            ack_p99_ms: millis(quantile(&delays, 0.99)),
            complete,
        }
    }
}

/// The samples that the endpoint says it has stored: `sn,b,s`.
fn write_acknowledged(fleet: &Fleet, file: &Path) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_path(file)
        .with_context(|| format!("{} cannot be written", file.display()))?;
    writer.write_record(["sn", "b", "s"])?;
    for (sn, ids) in fleet.acknowledged() {
        for id in ids {
            writer.write_record([sn.as_str(), &id.boot.to_string(), &id.seq.to_string()])?;
        }
    }
    writer.flush()?;
    Ok(())
}
