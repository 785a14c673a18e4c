//! 10,000 batteries, one sample each every 10 s, counted from the first connect on.
use crate::devices::{self, simulate};
use crate::figure::Figure;
use crate::server::Deployment;

const MAX_P99_MS: f64 = 300.0;
const MAX_MEMORY_MB: f64 = 300.0;

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    eprintln!("10,000 batteries, a sample every 10 s");
    let deployment = Deployment::new(&devices::serials(10_000)).await?;
    let server = deployment.serve().await?;
    let load = ["--systems=10000", "--interval=10", "--for=90"];
    let summary = simulate(&deployment, &server, &load).await?;
    let memory = server.process.resident_mb()?;
    let p99 = summary.ack_p99_ms;
    figures.push(
        Figure::new(
            "10,000 batteries, a sample every 10 s: p99 of the acknowledgement",
            "ms",
            "≤ 300, none lost",
        )
        .ours(p99)
        .holds(Some(summary.none_lost() && p99 <= MAX_P99_MS)),
    );
    figures.push(
        Figure::new(
            "10,000 batteries: largest memory of the server",
            "MB",
            "≤ 300",
        )
        .ours(memory)
        .holds(Some(memory <= MAX_MEMORY_MB)),
    );
    server.process.stop().await
}
