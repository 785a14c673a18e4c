//! The rules for every request to a service: known hosts only, HTTPS only, no private addresses, no redirects, short timeouts, small
//! responses. Addresses that the operator sets are exempt from the first three.
use crate::address::{Addresses, base_url};
use crate::public_resolver::PublicResolver;
use domain::Source;
use domain::clock::{Millis, SECOND};
use domain::source::SourceError;
use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, StatusCode, redirect};
use std::sync::Arc;
use std::time::Duration;

/// Short: a service that does not connect by then is down.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// From the request to the last byte of the response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// Consecutive requests share a connection. It is not kept longer: a later request could use a connection that the service is
/// just closing, and fail.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(1);
/// Two days of quarter-hours in XML need a tenth of it.
const MAX_RESPONSE_BYTES: usize = 2 << 20;
const USER_AGENT: &str = concat!("Suncellar/", env!("CARGO_PKG_VERSION"));

/// Why a request failed, and how long the service asks us to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFailure {
    pub error: SourceError,
    pub retry_after: Option<Millis>,
}

impl From<SourceError> for SourceFailure {
    fn from(error: SourceError) -> Self {
        Self {
            error,
            retry_after: None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// For the services' own addresses.
    public: reqwest::Client,
    /// For addresses that the operator configured.
    configured: reqwest::Client,
    addresses: Arc<Addresses>,
}

/// A request. The secret is kept out of the address and the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceRequest<'a> {
    /// Starts with a slash. Contains only numbers and constants, no user input.
    pub(crate) path: String,
    /// Replaces the usual host of the source.
    pub(crate) host: Option<&'static str>,
    /// Sent by POST: media type and body.
    pub(crate) body: Option<(&'static str, String)>,
    pub(crate) secret: Option<(&'static str, &'a str)>,
}

impl Client {
    pub(crate) fn new(addresses: Addresses) -> Self {
        // Only the first call in a process has an effect; the binary makes it at startup.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let build = |builder: reqwest::ClientBuilder| {
            builder
                .user_agent(USER_AGENT)
                .redirect(redirect::Policy::none())
                // A proxy would resolve names itself and bypass the check of addresses.
                .no_proxy()
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(REQUEST_TIMEOUT)
                .pool_idle_timeout(POOL_IDLE_TIMEOUT)
                .build()
                .expect("an HTTP client with constant settings can be built")
        };
        let public = reqwest::Client::builder()
            .https_only(true)
            .dns_resolver(Arc::new(PublicResolver));
        Self {
            public: build(public),
            configured: build(reqwest::Client::builder()),
            addresses: Arc::new(addresses),
        }
    }

    /// The body of a successful response.
    pub(crate) async fn fetch(
        &self,
        source: Source,
        wanted: SourceRequest<'_>,
    ) -> Result<Vec<u8>, SourceFailure> {
        let (client, base) = match self.addresses.of(source) {
            Some(configured) => (&self.configured, configured),
            None => (&self.public, wanted.host.unwrap_or(base_url(source))),
        };
        let address = format!("{base}{}", wanted.path);
        let mut request = match wanted.body {
            None => client.get(address),
            Some((media, body)) => client
                .post(address)
                .header("content-type", media)
                .body(body),
        };
        if let Some((name, value)) = wanted.secret {
            request = request.headers(secret(name, value)?);
        }
        send(source, request).await
    }
}

/// Marked as sensitive, so no layer below logs it.
fn secret(name: &'static str, value: &str) -> Result<HeaderMap, SourceFailure> {
    let mut value = HeaderValue::from_str(value).map_err(|_| SourceError::TokenRefused)?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(
        HeaderName::from_static(name),
        value,
    )]))
}

async fn send(source: Source, request: RequestBuilder) -> Result<Vec<u8>, SourceFailure> {
    let mut response = request.send().await.map_err(|error| failed(&error))?;
    let status = response.status();
    if status != StatusCode::OK {
        return Err(failure_of(source, &response));
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| failed(&error))? {
        if body.len() + part.len() > MAX_RESPONSE_BYTES {
            return Err(SourceError::Unreadable.into());
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

fn failed(error: &reqwest::Error) -> SourceError {
    match error.is_timeout() {
        true => SourceError::TimedOut,
        false => SourceError::Unreachable,
    }
}

fn failure_of(source: Source, response: &Response) -> SourceFailure {
    let status = response.status();
    let error = match status.as_u16() {
        401 | 403 if source.needs_token() => SourceError::TokenRefused,
        404 => SourceError::Empty,
        429 => SourceError::RateLimited,
        500.. => SourceError::Failed,
        // This includes redirects, which are not followed.
        _ => SourceError::Rejected,
    };
    let header = response.headers().get(RETRY_AFTER);
    SourceFailure {
        error,
        retry_after: header
            .and_then(|value| value.to_str().ok())
            .and_then(|text| retry_after(text, response.headers())),
    }
}

/// Seconds, or a date that is compared with the service's own clock.
fn retry_after(text: &str, headers: &HeaderMap) -> Option<Millis> {
    if let Ok(seconds) = text.trim().parse::<u32>() {
        return Some(Millis::from(seconds) * SECOND);
    }
    let date = |text: &str| -> Option<Timestamp> {
        let parsed = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
        Some(parsed.timestamp())
    };
    let now = headers.get("date")?.to_str().ok().and_then(date)?;
    let wait = date(text)?.as_millisecond() - now.as_millisecond();
    (wait > 0).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_told_in_seconds_or_by_a_date() {
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after("120", &headers), Some(120_000));
        let at = "Mon, 16 Nov 2026 12:05:00 GMT";
        assert_eq!(retry_after(at, &headers), None);
        let now = HeaderValue::from_static("Mon, 16 Nov 2026 12:00:00 GMT");
        headers.insert("date", now);
        assert_eq!(retry_after(at, &headers), Some(300_000));
        assert_eq!(retry_after("soon", &headers), None);
        assert_eq!(retry_after("Mon, 16 Nov 2026 11:00:00 GMT", &headers), None);
    }
}
