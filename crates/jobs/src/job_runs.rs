//! Counts the runs of jobs, for monitoring.
use domain::clock::{Millis, SECOND};

/// Counts a run, whether or not there was something to do, so monitoring sees a job that hangs.
pub(crate) fn record_run(job: &'static str, now: Millis) {
    metrics::counter!("job_runs_total", "job" => job).increment(1);
    metrics::gauge!("job_last_run_timestamp_seconds", "job" => job).set((now / SECOND) as f64);
}
