//! Planning: how many systems one process and two processes plan, and how many rows a forecast reads.
use super::fake_weather::FakeWeather;
use super::{role, template};
use crate::devices::{self, simulate};
use crate::figure::{Figure, median};
use crate::history::{SAMPLE_INTERVAL, samples_by_day, zone};
use crate::http;
use crate::ingest::start::append;
use crate::postgres::Cluster;
use crate::server::{Deployment, Server};
use anyhow::{Context as _, ensure};
use domain::clock::{MINUTE, Millis};
use domain::{Clock, Sample, Serial, SiteDay};
use rustix::process::Signal;
use std::time::{Duration, Instant};

const SYSTEMS: u32 = 3_000;
/// The planner reads the last 21, and today.
const DAYS: i32 = 24;
const ROUNDS: usize = 2;
const MIN_RATIO: f64 = 1.7;
const MAX_ROWS_RATIO: f64 = 0.1;
/// Four turns of the job in each process.
const MEASURED: Duration = Duration::from_secs(40);
const TIMEOUT: Duration = Duration::from_secs(90);
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// As the server does: every ten minutes the log becomes a chunk of each system.
const FOLD_INTERVAL: Millis = 10 * MINUTE;
/// Where samples are.
const SAMPLE_TABLES: &str = "relname LIKE 'sample_%' OR relname LIKE 'sealed_%'";

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let home = Homes::new().await?;
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        eprintln!("planning, round {round} of {ROUNDS}");
        one.push(home.planned_by(1).await?);
        two.push(home.planned_by(2).await?);
    }
    let per_minute = |turns: &[Turn]| {
        let all: Vec<f64> = turns.iter().map(|turn| turn.planned_per_minute).collect();
        median(&all)
    };
    let (with_one, with_two) = (per_minute(&one), per_minute(&two));
    let ratio = with_two.zip(with_one).map(|(two, one)| two / one);
    figures.push(
        Figure::new(
            "two processes with jobs: systems planned",
            "/min",
            "≥ 1.7 × one",
        )
        .measured(with_two)
        .against("one", with_one)
        .holds(ratio.map(|ratio| ratio >= MIN_RATIO)),
    );
    let turns: Vec<Turn> = one.into_iter().chain(two).collect();
    let of = |value: fn(&Turn) -> f64| median(&turns.iter().map(value).collect::<Vec<_>>());
    let (rows, raw) = (of(|turn| turn.sample_rows), Some(home.raw_samples));
    let ratio = rows.zip(raw).map(|(rows, raw)| rows / raw);
    figures.push(
        Figure::new(
            "rows of samples that PostgreSQL reads for a forecast",
            "",
            "≤ 0.1 × single samples",
        )
        .measured(rows)
        .against(
            "if each sample of the days that are not sealed were a row",
            raw,
        )
        .holds(ratio.map(|ratio| ratio <= MAX_ROWS_RATIO)),
    );
    figures.push(Figure::recorded(
        "    rows of all tables for a forecast and plan",
        "",
        of(|turn| turn.rows),
    ));
    home.cluster.stop().await
}

/// Systems with three weeks of samples, settings, prices, weather and trained models.
struct Homes {
    cluster: Cluster,
    deployment: Deployment,
    weather: FakeWeather,
    /// Samples of a system in days that are not sealed.
    raw_samples: f64,
}

struct Turn {
    planned_per_minute: f64,
    /// Per forecast.
    sample_rows: f64,
    rows: f64,
}

/// What PostgreSQL has counted since its start.
struct Counted {
    forecasts: f64,
    sample_rows: f64,
    rows: f64,
}

impl Homes {
    async fn new() -> anyhow::Result<Self> {
        eprintln!("writing {DAYS} days of {SYSTEMS} systems");
        let serials = devices::serials(SYSTEMS);
        let first = &serials[0];
        let cluster = Cluster::start(&std::env::temp_dir()).await?;
        let deployment = Deployment::on_postgres(cluster.url(), &serials).await?;
        write_history(&deployment, first).await?;
        let server = deployment.serve_with(&["--role=portal,gateway"]).await?;
        let token = deployment.owner(&server, &serials[..1]).await?;
        let load = ["--systems=1", "--interval=2", "--for=10"];
        simulate(&deployment, &server, &load).await?;
        turn_plan_on(&server, &token, first).await?;
        server.process.stop_gracefully(Signal::TERM).await?;
        cluster.query("UPDATE systems SET planes = '8/30/0', latitude = 4810, longitude = 1160 WHERE owner_id IS NOT NULL").await?;
        cluster.query(PRICES).await?;
        let raw_samples = "SELECT sum(samples) FROM sample_chunks";
        let homes = Self {
            raw_samples: cluster.number(raw_samples).await?,
            weather: FakeWeather::start().await?,
            cluster,
            deployment,
        };
        homes.train().await?;
        template::copy_to_all(&homes.cluster, first).await?;
        homes.cluster.query(PLACES).await?;
        // No gateway runs: others would say so after 90 s.
        let left = "UPDATE presence SET online = FALSE, since = (extract(epoch FROM now()) * 1000)::BIGINT";
        homes.cluster.query(left).await?;
        homes.cluster.query(WEATHER).await?;
        homes.cluster.query("VACUUM ANALYZE cell_weather").await?;
        Ok(homes)
    }

    /// Runs a process until the first system has a plan.
    async fn train(&self) -> anyhow::Result<()> {
        let jobs = self.start_jobs().await?;
        let planned = "SELECT count(*) FROM planning WHERE plan IS NOT NULL";
        self.wait_for(planned, 1.0, "no plan is made").await?;
        let weather = "SELECT count(*) FROM cell_weather";
        self.wait_for(weather, 1.0, "the weather is not asked")
            .await?;
        jobs.process.stop_gracefully(Signal::TERM).await
    }

    async fn start_jobs(&self) -> anyhow::Result<Server> {
        let options = self.weather.options();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        role::start(&self.deployment, "jobs", &options).await
    }

    async fn wait_for(&self, sql: &str, value: f64, otherwise: &str) -> anyhow::Result<()> {
        let began = Instant::now();
        while self.cluster.number(sql).await? != value {
            ensure!(began.elapsed() < TIMEOUT, "{otherwise}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Starts so many processes, makes every system due once they have divided the shards, and counts for a while.
    async fn planned_by(&self, processes: usize) -> anyhow::Result<Turn> {
        // Nothing else is due meanwhile.
        self.cluster
            .query("UPDATE systems SET plan_due_at = 4102444800000")
            .await?;
        self.cluster
            .query("UPDATE source_states SET next_at = 4102444800000")
            .await?;
        let mut jobs = Vec::new();
        for _ in 0..processes {
            jobs.push(self.start_jobs().await?);
        }
        let divided = "SELECT count(*) FROM (SELECT holder FROM job_leases WHERE holder IS NOT NULL GROUP BY holder
                HAVING count(*) = 32 / (SELECT count(*) FROM job_workers)) h";
        self.wait_for(divided, processes as f64, "the shards are not divided")
            .await?;
        for server in &jobs {
            server.process.settle().await?;
        }
        // The last forecast of each is of an earlier quarter-hour.
        self.cluster.query("UPDATE planning SET forecast_at = forecast_at - 1800000, planned_at = planned_at - 1800000").await?;
        let before = self.counted().await?;
        let began = Clock::system().now();
        let cpu_before = self.cluster.cpu_seconds()?;
        self.cluster
            .query("UPDATE systems SET plan_due_at = 0")
            .await?;
        tokio::time::sleep(MEASURED).await;
        let planned = format!("SELECT count(*) FROM planning WHERE planned_at >= {began}");
        let planned = self.cluster.number(&planned).await?;
        ensure!(
            planned < f64::from(SYSTEMS),
            "all systems are planned too soon"
        );
        let database = self.cluster.cpu_seconds()? - cpu_before;
        let mut used = 0.0;
        for server in jobs {
            used += server.process.cpu_seconds()?;
            server.process.stop_gracefully(Signal::TERM).await?;
        }
        let after = self.counted().await?;
        let forecasts = after.forecasts - before.forecasts;
        let turn = Turn {
            planned_per_minute: planned / MEASURED.as_secs_f64() * 60.0,
            sample_rows: (after.sample_rows - before.sample_rows) / forecasts,
            rows: (after.rows - before.rows) / forecasts,
        };
        eprintln!(
            "  {processes} with jobs: {:.0} systems planned a minute; {:.0} rows a forecast, {:.0} of them samples; CPU {used:.1} s of the processes, {database:.1} s of PostgreSQL",
            turn.planned_per_minute, turn.rows, turn.sample_rows
        );
        Ok(turn)
    }

    async fn counted(&self) -> anyhow::Result<Counted> {
        let rows = "SELECT COALESCE(sum(seq_tup_read + COALESCE(idx_tup_fetch, 0)), 0) FROM pg_stat_user_tables";
        let of_samples = format!("{rows} WHERE {SAMPLE_TABLES}");
        let forecasts = "SELECT count(*) FROM forecasts";
        let forecasts = self.cluster.number(forecasts).await?;
        Ok(Counted {
            forecasts,
            sample_rows: self.cluster.number(&of_samples).await?,
            rows: self.cluster.number(rows).await?,
        })
    }
}

/// Sealed days, and the days that are not sealed as chunks of ten minutes.
async fn write_history(deployment: &Deployment, sn: &Serial) -> anyhow::Result<()> {
    let store = deployment.store().await?;
    let now = Clock::system().now();
    let today = zone().day_of(now);
    let days: Vec<SiteDay> = SiteDay::each(today.plus(-DAYS)..today.next()).collect();
    let samples = samples_by_day(sn, &days, SAMPLE_INTERVAL);
    let over = |day: &&SiteDay| zone().bounds(**day).end + telemetry::SEAL_AFTER <= now;
    let sealed = days.iter().filter(over).count();
    store
        .telemetry
        .write_history(sn, &zone(), samples[..sealed].iter().cloned(), now)
        .await?;
    let open: Vec<&Sample> = samples[sealed..]
        .iter()
        .flatten()
        .filter(|sample| sample.at < now)
        .collect();
    for chunk in open.chunk_by(|one, next| one.at / FOLD_INTERVAL == next.at / FOLD_INTERVAL) {
        let newest = chunk.last().context("a chunk has samples")?.at;
        let samples: Vec<(&Serial, &Sample)> = chunk.iter().map(|sample| (sn, *sample)).collect();
        append(&store, &samples, newest).await?;
        store.telemetry.fold(newest).await?;
    }
    store.db().close().await;
    Ok(())
}

/// Prices of the exchange, and a plan.
async fn turn_plan_on(server: &Server, token: &str, sn: &Serial) -> anyhow::Result<()> {
    let path = format!("/api/auth/settings/?sn={sn}");
    let seen = http::get(server.port, &path, Some(token)).await?;
    let seen: serde_json::Value = serde_json::from_slice(&seen.body)?;
    let form = format!(
        "sn={sn}&version={}&provider=energy_charts&dynamic_tariff=plan",
        seen["version"]
    );
    let saved = http::post_as(server.port, &path, token, form.into_bytes()).await?;
    ensure!(
        saved.status == 200,
        "the settings were not saved: {}",
        String::from_utf8_lossy(&saved.body)
    );
    Ok(())
}

/// Quarter-hours of the last 15 days and the next day.
const PRICES: &str = "INSERT INTO prices (source, area, starts_at, ends_at, price, fetched_at)
    SELECT 'energy_charts', 'DE-LU', at, at + 900000, 9000 + (at / 900000 * 7919) % 9000, at
    FROM generate_series(((extract(epoch FROM date_trunc('day', now())) - 15 * 86400) * 1000)::BIGINT,
        ((extract(epoch FROM date_trunc('day', now())) + 2 * 86400) * 1000)::BIGINT, 900000) AS at";

/// A hundred cells.
const PLACES: &str = "UPDATE systems SET latitude = 4800 + site_id % 10 * 10, longitude = 1100 + site_id / 10 % 10 * 10";

/// What the jobs have after two days in which each cell was asked hourly: in each the same as in the first.
const WEATHER: &str = "INSERT INTO cell_weather (cell, issued_at, starts_at, direct, diffuse)
    SELECT s.cell, w.issued_at - h * 3600000, w.starts_at - h / 24 * 86400000, w.direct, w.diffuse
    FROM (SELECT DISTINCT round(latitude / 100.0, 1) || ',' || round(longitude / 100.0, 1) AS cell FROM systems) AS s,
        (SELECT * FROM cell_weather ORDER BY issued_at DESC LIMIT 1) AS w, generate_series(0, 47) AS h
    ON CONFLICT DO NOTHING";
