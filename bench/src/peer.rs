//! The two time-series databases that we compare with, from Debian's packages.
use crate::http::{self, Connection};
use crate::load::Target;
use crate::process::{Process, folder_bytes, free_port};
use anyhow::ensure;
use domain::{Sample, Serial};
use hyper::body::Bytes;
use std::fmt::Write as _;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerKind {
    Influx,
    Victoria,
}

impl PeerKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Influx => "InfluxDB 1.6",
            Self::Victoria => "VictoriaMetrics 1.79",
        }
    }
}

pub(crate) struct Peer {
    kind: PeerKind,
    port: u16,
    folder: TempDir,
    process: Process,
}

/// The columns of a chart, as all sides call them.
const CHARTED: [&str; 5] = ["grid_power", "battery_power", "soc", "pv_power", "voltage1"];

impl Peer {
    pub(crate) async fn start(kind: PeerKind) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let port = free_port()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let process = match kind {
            PeerKind::Influx => {
                let mut command = Command::new("influxd");
                command
                    .env("INFLUXDB_REPORTING_DISABLED", "true")
                    .env(
                        "INFLUXDB_BIND_ADDRESS",
                        format!("127.0.0.1:{}", free_port()?),
                    )
                    .env("INFLUXDB_HTTP_BIND_ADDRESS", format!("127.0.0.1:{port}"))
                    .env("INFLUXDB_HTTP_LOG_ENABLED", "false")
                    .env("INFLUXDB_DATA_QUERY_LOG_ENABLED", "false")
                    .env("INFLUXDB_MONITOR_STORE_ENABLED", "false")
                    .env("INFLUXDB_META_DIR", path("meta"))
                    .env("INFLUXDB_DATA_DIR", path("data"))
                    .env("INFLUXDB_DATA_WAL_DIR", path("wal"))
                    // Its compaction, without the default delay of hours.
                    .env("INFLUXDB_DATA_CACHE_SNAPSHOT_WRITE_COLD_DURATION", "5s")
                    .env("INFLUXDB_DATA_COMPACT_FULL_WRITE_COLD_DURATION", "10s");
                Process::start(kind.name(), &mut command, port).await?
            }
            PeerKind::Victoria => {
                let mut command = Command::new("victoria-metrics");
                command
                    .arg(format!("-httpListenAddr=127.0.0.1:{port}"))
                    .arg(format!("-storageDataPath={}", path("data")))
                    .args(["-retentionPeriod=100y", "-search.disableCache"]);
                Process::start(kind.name(), &mut command, port).await?
            }
        };
        if kind == PeerKind::Influx {
            // One shard for the year: its best case for long charts.
            let create = "q=CREATE DATABASE b WITH DURATION INF SHARD DURATION 520w NAME r";
            http::post(port, "/query", create.replace(' ', "+").into_bytes()).await?;
        }
        Ok(Self {
            kind,
            port,
            folder,
            process,
        })
    }

    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.process.stop().await
    }

    /// Writes samples with every column.
    pub(crate) async fn fill(&self, sn: &Serial, samples: &[Sample]) -> anyhow::Result<()> {
        let mut writer = self.connect().await?;
        for part in samples.chunks(20_000) {
            let body = lines(part.iter().map(|sample| (sn, sample)));
            writer.write(body.into()).await?;
        }
        Ok(())
    }

    pub(crate) async fn connect(&self) -> anyhow::Result<PeerWriter> {
        Ok(PeerWriter {
            kind: self.kind,
            connection: Connection::open(self.port).await?,
        })
    }

    /// Waits until everything is in its final files: until the size has not changed for a while.
    pub(crate) async fn settle(&self) -> anyhow::Result<u64> {
        if self.kind == PeerKind::Victoria {
            http::get(self.port, "/internal/force_flush", None).await?;
        }
        let data = self.folder.path().to_owned();
        let mut seen = Vec::new();
        loop {
            seen.push(folder_bytes(&data));
            if let [.., a, b, c, d] = seen.as_slice()
                && a == b
                && b == c
                && c == d
                && seen.len() > 8
            {
                return Ok(*d);
            }
            tokio::time::sleep(Duration::from_secs(4)).await;
        }
    }

    /// The same chart as ours: mean per step of five series, from `start` to `end` in seconds.
    pub(crate) fn chart(&self, requests: &[(Serial, i64, i64, i64)]) -> Target {
        let paths = requests
            .iter()
            .map(|(sn, start, end, step)| match self.kind {
                PeerKind::Influx => {
                    let means: Vec<_> = CHARTED.iter().map(|c| format!("mean({c})")).collect();
                    let query = format!(
                        "SELECT {} FROM b WHERE sn='{sn}' AND time>={start}s AND time<{end}s GROUP BY time({step}s)",
                        means.join(",")
                    );
                    format!("/query?db=b&epoch=ms&q={}", encode(&query))
                }
                PeerKind::Victoria => {
                    let names: Vec<_> = CHARTED.iter().map(|c| format!("b_{c}")).collect();
                    let query = format!(
                        "avg_over_time({{__name__=~\"{}\",sn=\"{sn}\"}}[{step}s])",
                        names.join("|")
                    );
                    let first = start + step;
                    format!(
                        "/api/v1/query_range?start={first}&end={end}&step={step}&query={}",
                        encode(&query)
                    )
                }
            })
            .collect();
        Target {
            port: self.port,
            paths,
            token: None,
        }
    }
}

/// A connection for writing.
pub(crate) struct PeerWriter {
    kind: PeerKind,
    connection: Connection,
}

impl PeerWriter {
    /// Writes samples in the line protocol; they are acknowledged when this returns.
    pub(crate) async fn write(&mut self, lines: Bytes) -> anyhow::Result<()> {
        let path = match self.kind {
            PeerKind::Influx => "/write?db=b&precision=ms",
            PeerKind::Victoria => "/write?precision=ms",
        };
        let answer = self.connection.post(path, lines).await?;
        ensure!(
            answer.status == 204,
            "{} refused samples: {}",
            self.kind.name(),
            String::from_utf8_lossy(&answer.body)
        );
        Ok(())
    }
}

/// Samples in the line protocol that both understand.
pub(crate) fn lines<'a>(samples: impl Iterator<Item = (&'a Serial, &'a Sample)>) -> String {
    let mut body = String::new();
    for (sn, sample) in samples {
        line(&mut body, sn, sample);
    }
    body
}

fn line(body: &mut String, sn: &Serial, sample: &Sample) {
    let tenths = |value: Option<i32>| value.map(|value| f64::from(value) / 10.0);
    let whole = |value: Option<i32>| value.map(f64::from);
    let _ = write!(body, "b,sn={sn} status={}", sample.status as u8);
    let mut field = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            let _ = write!(body, ",{name}={value}");
        }
    };
    for (place, name) in ["voltage1", "voltage2", "voltage3"].into_iter().enumerate() {
        field(name, tenths(sample.voltage[place]));
    }
    for (place, name) in ["meter1", "meter2", "meter3"].into_iter().enumerate() {
        field(name, whole(sample.meter_power[place]));
    }
    field("frequency", sample.frequency.map(|f| f64::from(f) / 100.0));
    field("grid_power", whole(sample.grid_power));
    field("pv_power", whole(sample.pv_power));
    field("battery_power", whole(sample.battery_power));
    field("soc", tenths(sample.soc));
    let counters = ["import", "feed_in", "pv", "charge", "discharge"];
    for (place, name) in counters.into_iter().enumerate() {
        #[expect(
            clippy::cast_precision_loss,
            reason = "counters of homes are far below 2^52"
        )]
        field(name, sample.counters[place].map(|wh| wh as f64));
    }
    field("boot", Some(f64::from(sample.id.boot)));
    field("seq", Some(f64::from(sample.id.seq)));
    let flags = sample.flags;
    for (name, bits) in [
        ("message1", flags.message1),
        ("message2", flags.message2),
        ("message3", flags.message3),
        ("message5", flags.message5),
        ("message6", flags.message6),
    ] {
        field(name, Some(f64::from(bits)));
    }
    let _ = writeln!(body, " {}", sample.at);
}

fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
