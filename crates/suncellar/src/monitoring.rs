//! The metrics of a process: where they are collected, and those that are taken from the log, because the code that knows them only
//! logs: how long statements wait for a connection (sqlx), and the errors of jobs.
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// How often unread metrics are compacted.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// The upper bounds of all histograms of durations, in seconds: from a read of the memory to a request that times out.
const DURATION_BUCKETS: [f64; 11] = [
    0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// The span of one run of a job, with the job's name (`crates/jobs/src/job_runs.rs`).
const TASK_SPAN: &str = "task";
const POOL_WAIT: &str = "sqlx::pool::acquire";

/// Collects metrics from now on.
pub(crate) fn install() -> anyhow::Result<PrometheusHandle> {
    Ok(recorder()?.install_recorder()?)
}

fn recorder() -> anyhow::Result<PrometheusBuilder> {
    let durations = Matcher::Suffix("_seconds".to_owned());
    Ok(PrometheusBuilder::new().set_buckets_for_metric(durations, &DURATION_BUCKETS)?)
}

/// Compacts metrics. Unread metrics would otherwise take more memory with each report.
pub(crate) async fn run_upkeep(metrics: PrometheusHandle, stop: CancellationToken) {
    let mut tick = tokio::time::interval(UPKEEP_INTERVAL);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = tick.tick() => metrics.run_upkeep(),
        }
    }
}

/// Counts what is in the log, whatever the operator wants to read of it.
pub(crate) fn log_layer<S>() -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let counted = filter_fn(is_counted).with_max_level_hint(LevelFilter::DEBUG);
    Layer::<S>::with_filter(LogMetrics, counted)
}

fn is_counted(metadata: &Metadata<'_>) -> bool {
    let wanted = match metadata.is_span() {
        true => metadata.name() == TASK_SPAN,
        false => *metadata.level() == Level::ERROR || metadata.target() == POOL_WAIT,
    };
    wanted && *metadata.level() <= Level::DEBUG
}

struct LogMetrics;

/// The job that a span belongs to.
struct Task(String);

impl<S> Layer<S> for LogMetrics
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let (Some(name), Some(span)) = (fields.name, context.span(id)) {
            span.extensions_mut().insert(Task(name));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() == POOL_WAIT {
            let mut fields = Fields::default();
            event.record(&mut fields);
            if let Some(seconds) = fields.acquired_after_secs {
                metrics::histogram!("database_connection_wait_seconds").record(seconds);
            }
            return;
        }
        let mut spans = context.event_scope(event).into_iter().flatten();
        let task =
            spans.find_map(|span| span.extensions().get::<Task>().map(|task| task.0.clone()));
        if let Some(task) = task {
            metrics::counter!("job_failures_total", "task" => task).increment(1);
        }
    }
}

/// The fields that are read.
#[derive(Default)]
struct Fields {
    name: Option<String>,
    acquired_after_secs: Option<f64>,
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "acquired_after_secs" {
            self.acquired_after_secs = Some(value);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            self.name = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[test]
    fn errors_of_a_job_and_waits_for_a_connection_are_counted_from_the_log() {
        let recorder = recorder().unwrap().build_recorder();
        let log = tracing_subscriber::registry().with(log_layer());
        metrics::with_local_recorder(&recorder, || {
            tracing::subscriber::with_default(log, || {
                tracing::error!("of no job");
                let task = tracing::info_span!("task", name = "mail");
                task.in_scope(|| {
                    tracing::warn!("no failure");
                    let within = tracing::info_span!("something within it");
                    within.in_scope(|| tracing::error!("a failure"));
                });
                tracing::debug!(target: "sqlx::pool::acquire", acquired_after_secs = 0.2, "acquired connection");
            });
        });
        let metrics = recorder.handle().render();
        for line in [
            "job_failures_total{task=\"mail\"} 1",
            "database_connection_wait_seconds_bucket{le=\"0.1\"} 0",
            "database_connection_wait_seconds_bucket{le=\"0.25\"} 1",
            "database_connection_wait_seconds_count 1",
        ] {
            assert!(metrics.lines().any(|one| one == line), "{line}: {metrics}");
        }
    }
}
