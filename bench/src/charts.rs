//! Charts over HTTP: ours, the peers' and a static file, alternating.
use crate::figure::{Figure, median};
use crate::load::{self, Target};
use crate::peer::{Peer, PeerKind};
use crate::server::{Deployment, Server};
use crate::{devices, history, http};
use domain::series::{Interval, Resolution};
use domain::{Serial, SiteDay};
use std::collections::BTreeMap;

const ROUNDS: usize = 5;
const ROUND_SECONDS: u32 = 3;
/// Systems with a full year of samples every 30 s.
const SYSTEMS: u32 = 4;
const SERIES: &str = "m0,m1,m3,m6,m7";

/// A chart of the portal, with its resolution.
#[derive(Clone, Copy, Debug)]
struct Chart {
    interval: Interval,
    resolution: Resolution,
    step: i64,
}

const DAY: Chart = Chart {
    interval: Interval::Day,
    resolution: Resolution::Quarter,
    step: 900,
};
const MONTH: Chart = Chart {
    interval: Interval::Month,
    resolution: Resolution::Day,
    step: 86_400,
};
const YEAR: Chart = Chart {
    interval: Interval::Year,
    resolution: Resolution::Month,
    // A twelfth of a year: the peers have no calendar months.
    step: 2_628_000,
};

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let serials = devices::serials(SYSTEMS);
    let deployment = Deployment::new(&serials).await?;
    let mut peers = Vec::new();
    for kind in [PeerKind::Influx, PeerKind::Victoria] {
        match Peer::start(kind).await {
            Ok(peer) => peers.push((kind, peer)),
            Err(error) => eprintln!("{}: not measured: {error:#}", kind.name()),
        }
    }
    let samples = fill(&deployment, &serials, &peers).await?;
    storage(figures, &deployment, &peers, samples).await?;

    let server = deployment.serve().await?;
    let token = deployment.owner(&server, &serials).await?;
    let p50 = charts(figures, &server, &token, &serials, &peers).await?;
    let day = p50.get("Day").copied();
    for (name, figure) in [
        ("Month", "Month chart over HTTP: median wait of one request"),
        ("Year", "Year chart over HTTP: median wait of one request"),
    ] {
        let ours = p50.get(name).copied();
        let mut against =
            Figure::new(figure, "ms", "≤ 3 × the Day chart's").against("our Day chart", day);
        against.ours = ours;
        figures.push(against.holds(ours.zip(day).map(|(ours, day)| ours <= 3.0 * day)));
    }
    live(figures, &server).await?;
    for (_, peer) in peers {
        peer.stop().await?;
    }
    server.process.stop().await
}

/// Writes the same samples to every side; returns how many.
async fn fill(
    deployment: &Deployment,
    serials: &[Serial],
    peers: &[(PeerKind, Peer)],
) -> anyhow::Result<u64> {
    let store = deployment.store().await?;
    let mut written = 0;
    for sn in serials {
        eprintln!("writing a year of {sn}");
        let days = history::year(sn);
        for (_, peer) in peers {
            for month in days.chunks(30) {
                peer.fill(sn, &month.concat()).await?;
            }
        }
        written += days.iter().map(|day| day.len() as u64).sum::<u64>();
        history::write(&store, sn, days).await?;
    }
    store.db().close().await;
    Ok(written)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "file sizes and counts are far below 2^52"
)]
async fn storage(
    figures: &mut Vec<Figure>,
    deployment: &Deployment,
    peers: &[(PeerKind, Peer)],
    samples: u64,
) -> anyhow::Result<()> {
    let each = |bytes: u64| bytes as f64 / samples as f64;
    let ours = each(std::fs::metadata(deployment.database())?.len());
    let mut figure = Figure::new(
        "bytes per sample of 30 s, whole database",
        "bytes",
        "≤ 4.2 and ≤ ¼ of InfluxDB",
    )
    .ours(ours);
    let mut influx = None;
    for (kind, peer) in peers {
        let theirs = each(peer.settle().await?);
        if *kind == PeerKind::Influx {
            influx = Some(theirs);
        }
        figure = figure.against(kind.name(), Some(theirs));
    }
    figures.push(figure.holds(influx.map(|influx| ours <= 4.2 && ours <= influx / 4.0)));
    Ok(())
}

/// Requests per second of every side, and our median latencies by chart name.
async fn charts(
    figures: &mut Vec<Figure>,
    server: &Server,
    token: &str,
    serials: &[Serial],
    peers: &[(PeerKind, Peer)],
) -> anyhow::Result<BTreeMap<&'static str, f64>> {
    let mut waits = BTreeMap::new();
    for chart in [DAY, MONTH, YEAR] {
        let days = seeded_days(chart, serials);
        let ours = target(server, token, chart, &days);
        let size = http::get(server.port, &ours.paths[0], Some(token))
            .await?
            .body
            .len();
        let (file, file_size) = server.static_file(size).await?;
        eprintln!(
            "{}: {size} bytes, beside {file} of {file_size}",
            chart.interval.as_str()
        );
        let mut sides = vec![("ours", ours.clone())];
        for (kind, peer) in peers {
            // A year of raw data takes InfluxDB seconds, and there is no bar for it.
            if chart.interval == Interval::Day || *kind == PeerKind::Victoria {
                sides.push((kind.name(), peer.chart(&peer_requests(chart, &days))));
            }
        }
        if chart.interval == Interval::Day {
            let paths = vec![file];
            sides.push((
                "a static file of that size",
                Target {
                    port: server.port,
                    paths,
                    token: None,
                },
            ));
        }
        let rates = interleave(&sides).await?;
        let mut alone = Vec::new();
        for _ in 0..ROUNDS {
            alone.push(load::single_client_latency(&ours, 2).await?.p50_ms);
        }
        waits.extend(median(&alone).map(|wait| (chart.interval.as_str(), wait)));
        figures.push(rate_figure(chart, &rates));
    }
    Ok(waits)
}

fn rate_figure(chart: Chart, rates: &BTreeMap<&'static str, f64>) -> Figure {
    let rate = |name: &str| rates.get(name).copied();
    let (name, bar) = match chart.interval {
        Interval::Day => (
            "Day chart over HTTP",
            "≥ 10 × InfluxDB, ≥ 2 × VictoriaMetrics, ≥ 5 % of static",
        ),
        Interval::Month => ("Month chart over HTTP", "≥ 20 × VictoriaMetrics"),
        _ => ("Year chart over HTTP", "≥ 20 × VictoriaMetrics"),
    };
    let mut figure = Figure::new(name, "/s", bar);
    figure.ours = rate("ours");
    for (peer, value) in rates.iter().filter(|(peer, _)| **peer != "ours") {
        figure = figure.against(peer, Some(*value));
    }
    let at_least = |factor: f64, peer: &str| Some(rate("ours")? >= factor * rate(peer)?);
    let holds = if chart.interval == Interval::Day {
        [
            at_least(10.0, PeerKind::Influx.name()),
            at_least(2.0, PeerKind::Victoria.name()),
            at_least(0.05, "a static file of that size"),
        ]
        .into_iter()
        .try_fold(true, |all, one| one.map(|one| all && one))
    } else {
        at_least(20.0, PeerKind::Victoria.name())
    };
    figure.holds(holds)
}

/// All sides in turn, several rounds, so a disturbance affects all of them.
async fn interleave(
    sides: &[(&'static str, Target)],
) -> anyhow::Result<BTreeMap<&'static str, f64>> {
    let mut rounds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for (name, target) in sides {
            let rate = load::run(target, ROUND_SECONDS).await?.per_second;
            rounds.entry(name).or_default().push(rate);
        }
    }
    Ok(rounds
        .into_iter()
        .filter_map(|(name, rates)| Some((name, median(&rates)?)))
        .collect())
}

/// Live data of one owner with as many systems as the charts.
async fn live(figures: &mut Vec<Figure>, server: &Server) -> anyhow::Result<()> {
    let token = server.log_in().await?;
    let path = "/api/auth/data/".to_owned();
    let size = http::get(server.port, &path, Some(&token))
        .await?
        .body
        .len();
    let (file, file_size) = server.static_file(size).await?;
    eprintln!("live data: {size} bytes, beside {file} of {file_size}");
    let ours = Target {
        port: server.port,
        paths: vec![path],
        token: Some(token),
    };
    let beside = Target {
        port: server.port,
        paths: vec![file],
        token: None,
    };
    let rates = interleave(&[("ours", ours), ("a static file of that size", beside)]).await?;
    let (ours, beside) = (
        rates.get("ours").copied(),
        rates.get("a static file of that size").copied(),
    );
    let mut figure = Figure::new("live data of one owner", "/s", "≥ 30 % of static")
        .against("a static file of that size", beside);
    figure.ours = ours;
    figures.push(figure.holds(ours.zip(beside).map(|(ours, beside)| ours >= 0.3 * beside)));
    Ok(())
}

fn target(server: &Server, token: &str, chart: Chart, days: &[(Serial, SiteDay)]) -> Target {
    let path = |(sn, day): &(Serial, SiteDay)| {
        format!(
            "/api/auth/graph/?sn={sn}&interval={}&resolution={}&from_date={day}&method=mean&series={SERIES}",
            chart.interval.as_str(),
            chart.resolution.as_str()
        )
    };
    Target {
        port: server.port,
        paths: days.iter().map(path).collect(),
        token: Some(token.to_owned()),
    }
}

fn peer_requests(chart: Chart, days: &[(Serial, SiteDay)]) -> Vec<(Serial, i64, i64, i64)> {
    let zone = history::zone();
    days.iter()
        .map(|(sn, day)| {
            let around = day.around(chart.interval);
            let (start, end) = (zone.start_of(around.start), zone.start_of(around.end));
            (sn.clone(), start / 1_000, end / 1_000, chart.step)
        })
        .collect()
}

/// Systems and days in an order unrelated to the order of writing.
fn seeded_days(chart: Chart, serials: &[Serial]) -> Vec<(Serial, SiteDay)> {
    let days = history::days();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let count = if chart.interval == Interval::Year {
        16
    } else {
        1_000
    };
    (0..count)
        .map(|_| (serials[draw(serials.len())].clone(), days[draw(days.len())]))
        .collect()
}
