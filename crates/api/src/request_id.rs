//! The id of a request: in the answer's header, and in every line of the log that the request causes, its SQL statements included. A
//! proxy that is trusted may choose it, and may name the trace that the request belongs to (W3C Trace Context).
use crate::Portal;
use crate::client::is_from_proxy;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use domain::Random;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
const MAX_ID_LENGTH: usize = 64;

/// An extension of each request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId {
    pub(crate) id: String,
    /// The proxy's span.
    trace: Option<SpanContext>,
}

/// Gives each request its id, and each answer the id of its request.
pub(crate) async fn assign(
    State(portal): State<Portal>,
    mut request: Request,
    next: Next,
) -> Response {
    let trusted = is_from_proxy(request.extensions(), &portal.config.trusted_proxies);
    let id = match trusted {
        true => RequestId::given(request.headers(), &portal.random),
        false => RequestId::random(&portal.random),
    };
    let header = HeaderValue::try_from(&id.id);
    request.extensions_mut().insert(id);
    let mut response = next.run(request).await;
    if let Ok(header) = header {
        response.headers_mut().insert(REQUEST_ID, header);
    }
    response
}

impl RequestId {
    /// The span of the request, as a part of the proxy's trace.
    pub(crate) fn span(&self, request: &Request) -> Span {
        let (id, trace) = (self.id.as_str(), self.trace.as_ref());
        let trace_id = trace.map(|trace| trace.trace_id().to_string());
        let span = tracing::info_span!(
            "request", id, trace = trace_id, method = %request.method(), path = ?request.uri().path(),
            status = tracing::field::Empty
        );
        if let Some(trace) = trace {
            let parent = opentelemetry::Context::new().with_remote_span_context(trace.clone());
            // It fails if no traces are exported.
            let _ = span.set_parent(parent);
        }
        span
    }

    fn random(random: &Random) -> Self {
        Self {
            id: format!("{:016x}", u64::from_le_bytes(random.bytes())),
            trace: None,
        }
    }

    /// As the headers say. What is not well-formed is ignored: it would be copied into the log.
    fn given(headers: &HeaderMap, random: &Random) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let id = text(REQUEST_ID).filter(|id| is_id(id));
        Self {
            id: id.map_or_else(|| Self::random(random).id, str::to_owned),
            trace: text(TRACE_PARENT).and_then(trace_of),
        }
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    (1..=MAX_ID_LENGTH).contains(&text.len()) && text.chars().all(allowed)
}

/// Of `version-trace-parent-flags`, all in lower-case hex.
fn trace_of(parent: &str) -> Option<SpanContext> {
    let parts: Vec<&str> = parent.split('-').collect();
    let [_version, trace, parent, flags] = parts[..] else {
        return None;
    };
    let hex = |text: &&str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let lengths = parts.iter().map(|part| part.len()).eq([2, 32, 16, 2]);
    if !lengths || !parts.iter().all(hex) {
        return None;
    }
    let context = SpanContext::new(
        TraceId::from_hex(trace).ok()?,
        SpanId::from_hex(parent).ok()?,
        TraceFlags::new(u8::from_str_radix(flags, 16).ok()?),
        true,
        TraceState::default(),
    );
    context.is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_well_formed_trace_is_taken() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let parent = |trace: &str| format!("00-{trace}-00f067aa0ba902b7-01");
        let taken = trace_of(&parent(trace)).unwrap();
        assert_eq!(taken.trace_id().to_string(), trace);
        assert!(taken.is_sampled() && taken.is_remote());
        for wrong in [
            parent("00000000000000000000000000000000"),
            parent("4BF92F3577B34DA6A3CE929D0E0E4736"),
            parent("4bf92f3577b34da6"),
            parent(trace) + "-more",
            trace.to_owned(),
            String::new(),
        ] {
            assert!(trace_of(&wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn an_id_is_short_and_harmless() {
        for id in ["a", "01HF-9.x_7:3", &"a".repeat(64)] {
            assert!(is_id(id), "{id}");
        }
        for wrong in ["", "a b", "a\"b", "ä", "a=b", &"a".repeat(65)] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
