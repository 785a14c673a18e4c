//! A fleet of simulated batteries against a gateway, with a line of statistics every ten seconds.
use crate::cli::Simulate;
use anyhow::{Context as _, ensure};
use domain::{Clock, Serial};
use serde::{Deserialize, Serialize};
use simulator::fleet_stats::{FleetStats, quantile};
use simulator::model::InitialState;
use simulator::{Device, FirmwareKeys, Fleet, FleetContext, Seed};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

const STATS_INTERVAL: Duration = Duration::from_secs(10);
/// At the end, batteries have this long to deliver their samples.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);
/// Limits the connects per second, to keep the start from being a connection storm.
const CONNECTS_PER_SECOND: u32 = 2_000;

pub(crate) async fn run(options: Simulate) -> anyhow::Result<()> {
    let gateway = tokio::net::lookup_host(&options.gateway)
        .await
        .with_context(|| format!("the gateway's name {} cannot be resolved", options.gateway))?
        .next()
        .with_context(|| format!("the gateway's name {} has no address", options.gateway))?;
    let Some(file) = &options.secrets else {
        anyhow::bail!(
            "batteries log in with their secrets: register them with `suncellar admin import-devices devices.csv > secrets.csv` and give --secrets secrets.csv"
        );
    };
    let fleet = start(&options, gateway, read_secrets(file)?)?;
    if options.closed_loop {
        wait_until_connected(&fleet).await;
    }
    let stats = &fleet.context().stats;
    let (began, before) = (Instant::now(), stats.acknowledged.load(Relaxed));
    watch(&fleet, options.end_after.map(Duration::from_secs)).await?;
    let lasted = began.elapsed();
    let rate = (stats.acknowledged.load(Relaxed) - before) as f64 / lasted.as_secs_f64();
    let complete = fleet.finish(DELIVERY_TIMEOUT).await;
    if let Some(file) = &options.acked {
        write_acknowledged(&fleet, file)?;
    }
    let summary = Summary::new(stats, lasted, rate, complete);
    println!("{}", serde_json::to_string(&summary)?);
    Ok(())
}

/// One line of the output of `admin import-devices`.
#[derive(Deserialize)]
struct SecretsLine {
    sn: String,
    phase: u8,
    secret: String,
}

struct RegisteredDevice {
    sn: Serial,
    phase: u8,
    secret: String,
}

fn read_secrets(file: &Path) -> anyhow::Result<Vec<RegisteredDevice>> {
    let mut reader = csv::Reader::from_path(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let mut registered = Vec::new();
    for (number, line) in (2..).zip(reader.deserialize::<SecretsLine>()) {
        let SecretsLine { sn, phase, secret } =
            line.with_context(|| format!("line {number} of {} is not valid", file.display()))?;
        let sn = sn
            .parse()
            .map_err(|_| anyhow::anyhow!("line {number}: {sn:?} is not a serial number"))?;
        ensure!(!secret.is_empty(), "line {number} has no secret");
        registered.push(RegisteredDevice { sn, phase, secret });
    }
    Ok(registered)
}

fn start(
    options: &Simulate,
    gateway: SocketAddr,
    registered: Vec<RegisteredDevice>,
) -> anyhow::Result<Fleet> {
    let systems = options.systems.unwrap_or(registered.len());
    ensure!(
        systems <= registered.len(),
        "{systems} systems are requested, but the secrets file has only {}",
        registered.len()
    );
    let clock = Clock::system();
    let now = clock.now();
    // The fleet keeps no state between runs: the time serves as a boot counter that only grows.
    let boot = u32::try_from(now / 1_000)?;
    let devices = registered.into_iter().take(systems).map(|device| {
        let seed = Seed::of(&device.sn, options.seed);
        let start = InitialState {
            at: now,
            boot,
            charge: 200 + seed.with(9).index(600) as i64,
            readings: [0; 5],
        };
        Device::random(
            device.sn,
            device.secret.into_bytes(),
            device.phase,
            seed,
            &start,
        )
    });
    let keys = options.firmware_keys.as_deref().map(keys).transpose()?;
    // There is nobody to turn their main switches.
    let devices = devices.map(|device| Device {
        keys,
        update_needs_off: false,
        ..device
    });
    let devices: Vec<_> = devices.collect();
    let interval = Duration::from_secs_f64(options.interval);
    let mut context = FleetContext::new(gateway, interval, clock);
    context.closed_loop = options.closed_loop;
    context.record_acknowledged = options.acked.is_some();
    // Connecting over one interval spreads the reports evenly from then on; a closed loop has no interval.
    let fastest = Duration::from_secs(1) * u32::try_from(systems)? / CONNECTS_PER_SECOND;
    let even = if options.closed_loop {
        fastest
    } else {
        interval
    };
    context.ramp = fastest.max(even);
    Ok(Fleet::start(context, devices))
}

fn keys(file: &Path) -> anyhow::Result<FirmwareKeys> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("{} cannot be read", file.display()))?;
    FirmwareKeys::from_json(&text).with_context(|| {
        format!(
            "{} is not the output of `admin firmware keys`",
            file.display()
        )
    })
}

/// A closed loop is measured with everybody in it. Batteries that are refused are not waited for.
async fn wait_until_connected(fleet: &Fleet) {
    let batteries = fleet.size() as i64;
    let connected = &fleet.context().stats.connected;
    let all = async {
        while connected.load(Relaxed) < batteries {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let _ = tokio::time::timeout(CONNECT_TIMEOUT, all).await;
}

/// Prints statistics until Ctrl-C, SIGTERM or `end_after`.
async fn watch(fleet: &Fleet, end_after: Option<Duration>) -> anyhow::Result<()> {
    let stats = &fleet.context().stats;
    let end = async {
        match end_after {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(end);
    let mut signal = crate::stop_signal::StopSignal::listen()?;
    let mut tick =
        tokio::time::interval_at(tokio::time::Instant::now() + STATS_INTERVAL, STATS_INTERVAL);
    let mut delays = stats.delays.counts();
    loop {
        tokio::select! {
            () = &mut end => return Ok(()),
            () = signal.received() => return Ok(()),
            _ = tick.tick() => {}
        }
        let now = stats.delays.counts();
        let since: Vec<u64> = now
            .iter()
            .zip(&delays)
            .map(|(now, then)| now - then)
            .collect();
        delays = now;
        eprintln!(
            "connected {}  sent {}  acknowledged {}  reconnects {}  refused {}  ack p50 {:.1} ms  p99 {:.1} ms",
            stats.connected.load(Relaxed),
            stats.sent.load(Relaxed),
            stats.acknowledged.load(Relaxed),
            stats.reconnects.load(Relaxed),
            stats.refused.load(Relaxed),
            millis(quantile(&since, 0.5)),
            millis(quantile(&since, 0.99)),
        );
    }
}

fn millis(delay: Duration) -> f64 {
    delay.as_secs_f64() * 1_000.0
}

/// The result of a run, for benchmarks.
#[derive(Serialize)]
struct Summary {
    seconds: f64,
    sent: u64,
    acknowledged: u64,
    /// Acknowledged samples per second; of a closed loop while all were connected.
    rate: f64,
    reconnects: u64,
    refused: u64,
    /// Samples that a full buffer dropped.
    forgotten: u64,
    ack_p50_ms: f64,
    ack_p99_ms: f64,
    /// Whether every sample was acknowledged.
    complete: bool,
}

impl Summary {
    fn new(stats: &FleetStats, lasted: Duration, rate: f64, complete: bool) -> Self {
        let delays = stats.delays.counts();
        Self {
            seconds: lasted.as_secs_f64(),
            sent: stats.sent.load(Relaxed),
            acknowledged: stats.acknowledged.load(Relaxed),
            rate,
            reconnects: stats.reconnects.load(Relaxed),
            refused: stats.refused.load(Relaxed),
            forgotten: stats.forgotten.load(Relaxed),
            ack_p50_ms: millis(quantile(&delays, 0.5)),
            ack_p99_ms: millis(quantile(&delays, 0.99)),
            complete,
        }
    }
}

/// Writes the acknowledged samples: `sn,b,s`.
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
