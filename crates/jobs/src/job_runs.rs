//! Runs of jobs, as monitoring and the log see them.
use domain::Clock;
use domain::clock::SECOND;
use std::time::Instant;
use tracing::Instrument as _;

/// Runs a job once, in a span that names it: errors in the log within it count as its failures (`crates/suncellar/src/monitoring.rs`).
/// Counted whether or not there was something to do, so monitoring sees a job that hangs.
pub(crate) async fn run_observed(task: &'static str, clock: &Clock, run: impl Future<Output = ()>) {
    let begun = Instant::now();
    run.instrument(tracing::info_span!("task", name = task))
        .await;
    let now = clock.now() / SECOND;
    metrics::histogram!("job_duration_seconds", "task" => task).record(begun.elapsed());
    metrics::counter!("job_runs_total", "task" => task).increment(1);
    metrics::gauge!("job_last_run_timestamp_seconds", "task" => task).set(now as f64);
}
