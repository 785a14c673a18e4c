//! Whether a chart gets slower with more systems in the database.
use crate::figure::{Figure, median};
use crate::load::{self, Target};
use crate::server::{Deployment, Server};
use crate::{devices, history};
use domain::Serial;

const ROUNDS: usize = 7;
const LARGE_FLEET: u32 = 10_000;
const SMALL_FLEET: u32 = 10;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let (few, few_target, _few_site) = prepared(SMALL_FLEET).await?;
    let (many, many_target, _many_site) = prepared(LARGE_FLEET).await?;
    few.process.settle().await?;
    many.process.settle().await?;
    let (mut with_few, mut with_many) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        with_few.push(load::single_client_latency(&few_target, 2).await?.p50_ms);
        with_many.push(load::single_client_latency(&many_target, 2).await?.p50_ms);
    }
    let (with_few, with_many) = (median(&with_few), median(&with_many));
    let mut figure = Figure::new(
        "Day chart with 10,000 systems in the database: median wait",
        "ms",
        "≤ 1.2 × that with 10",
    )
    .against("the same with 10 systems", with_few);
    figure.ours = with_many;
    figures.push(figure.holds(with_many.zip(with_few).map(|(many, few)| many <= 1.2 * few)));
    few.process.stop().await?;
    many.process.stop().await
}

/// A server with `count` systems of two days each, and charts of ten of them spread over all.
async fn prepared(count: u32) -> anyhow::Result<(Server, Target, Deployment)> {
    let serials = devices::serials(count);
    let deployment = Deployment::new(&serials).await?;
    let store = deployment.store().await?;
    let last = history::days().len() - 1;
    // A few different homes are enough: their days are written again for each system.
    let homes: Vec<_> = serials[..SMALL_FLEET as usize]
        .iter()
        .map(|sn| history::some_days(sn, last - 1..=last))
        .collect();
    for (sn, home) in serials.iter().zip(homes.iter().cycle()) {
        history::write(&store, sn, home.clone()).await?;
    }
    store.db().close().await;
    let server = deployment.serve().await?;
    let asked: Vec<Serial> = serials
        .iter()
        .step_by(serials.len() / SMALL_FLEET as usize)
        .cloned()
        .collect();
    let token = deployment.owner(&server, &asked).await?;
    let day = history::days()[last];
    let paths = asked
        .iter()
        .map(|sn| {
            format!("/api/auth/graph/?sn={sn}&interval=Day&resolution=quarter&from_date={day}&method=mean&series=m0,m1,m3,m6,m7")
        })
        .collect();
    let target = Target {
        port: server.port,
        paths,
        token: Some(token),
    };
    Ok((server, target, deployment))
}
