//! Traces for OpenTelemetry: each request with its SQL statements, sent to a collector that the operator names. The SDK reads its usual
//! variables, such as OTEL_TRACES_SAMPLER and OTEL_EXPORTER_OTLP_HEADERS.
use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::Context as LayerContext;
use tracing_subscriber::registry::LookupSpan;

const SERVICE: &str = "suncellar";

/// Sends what is left when it is dropped, which must be after the async runtime.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    pub(crate) fn open(endpoint: &str) -> anyhow::Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .build()
            .context("otlp-endpoint")?;
        let service = Resource::builder().with_service_name(SERVICE).build();
        let provider = SdkTracerProvider::builder();
        let provider = provider.with_resource(service);
        Ok(Self(provider.with_batch_exporter(exporter).build()))
    }

    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let exported =
            dynamic_filter_fn(|metadata: &Metadata<'_>, context: &LayerContext<'_, S>| {
                match Export::of(metadata) {
                    Export::Always => true,
                    Export::WithinRequest => context.lookup_current().is_some(),
                    Export::Never => false,
                }
            });
        let exported = exported
            .with_callsite_filter(|metadata| match Export::of(metadata) {
                Export::Always => Interest::always(),
                Export::WithinRequest => Interest::sometimes(),
                Export::Never => Interest::never(),
            })
            .with_max_level_hint(LevelFilter::DEBUG);
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer(SERVICE))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(exported)
    }
}

/// Whether a span or an event becomes part of a trace.
enum Export {
    Always,
    /// Statements of other tasks, such as the commits of what batteries report, would be traces of their own.
    WithinRequest,
    Never,
}

impl Export {
    fn of(metadata: &Metadata<'_>) -> Self {
        let target = metadata.target();
        match metadata.is_span() {
            true if metadata.name() == "request" && target.starts_with("api") => Self::Always,
            true if target == "db" => Self::WithinRequest,
            // Events belong to the span that they happen in.
            false if *metadata.level() <= Level::INFO => Self::Always,
            _ => Self::Never,
        }
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "traces_not_sent: the last ones are lost");
        }
    }
}
