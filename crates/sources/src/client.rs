//! The rules for every outside request: known hosts only, HTTPS only, no private addresses, no redirects, short timeouts, small
//! responses. Addresses that the operator sets are exempt from the first three.
use domain::Source;
use domain::clock::{Millis, SECOND};
use domain::source::SourceError;
use jiff::Timestamp;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, StatusCode, redirect};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
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

/// The address of a service. No other host is ever called.
const fn base_url(source: Source) -> &'static str {
    match source {
        Source::Tibber => "https://api.tibber.com",
        Source::Awattar => "https://api.awattar.de",
        Source::EnergyCharts => "https://api.energy-charts.info",
        Source::Entsoe => "https://web-api.tp.entsoe.eu",
        Source::OpenMeteo => "https://api.open-meteo.com",
        Source::ForecastSolar => "https://api.forecast.solar",
    }
}

/// aWATTar's separate host for Austria.
pub(crate) const AWATTAR_AT: &str = "https://api.awattar.at";

/// Addresses that the operator configured instead, for a service of their own or for tests:
/// `energy_charts=http://127.0.0.1:9000`.
#[derive(Clone, Debug, Default)]
pub struct Addresses(BTreeMap<Source, String>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAddress;

impl std::fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a source's address must look like energy_charts=https://host")
    }
}

impl std::error::Error for InvalidAddress {}

impl Addresses {
    /// Parses one `name=address`.
    pub fn add_override(&mut self, text: &str) -> Result<(), InvalidAddress> {
        let (source, address) = text.split_once('=').ok_or(InvalidAddress)?;
        let source = Source::from_str(source).map_err(|_| InvalidAddress)?;
        let parsed = reqwest::Url::parse(address).map_err(|_| InvalidAddress)?;
        let plain = matches!(parsed.scheme(), "http" | "https") && parsed.query().is_none();
        if !plain || !parsed.username().is_empty() || parsed.fragment().is_some() {
            return Err(InvalidAddress);
        }
        let address = address.trim_end_matches('/').to_owned();
        self.0.insert(source, address);
        Ok(())
    }

    /// Sets this address for every source that has none yet.
    #[must_use]
    pub fn or_all(mut self, address: &str) -> Self {
        for source in Source::ALL {
            let named = self.0.entry(*source);
            named.or_insert_with(|| address.trim_end_matches('/').to_owned());
        }
        self
    }
}

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
    outside: reqwest::Client,
    /// Client for addresses that the operator configured.
    named: reqwest::Client,
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
        let outside = reqwest::Client::builder()
            .https_only(true)
            .dns_resolver(Arc::new(PublicResolver));
        Self {
            outside: build(outside),
            named: build(reqwest::Client::builder()),
            addresses: Arc::new(addresses),
        }
    }

    /// The body of a successful response.
    pub(crate) async fn fetch(
        &self,
        source: Source,
        question: SourceRequest<'_>,
    ) -> Result<Vec<u8>, SourceFailure> {
        let (client, base) = match self.addresses.0.get(&source) {
            Some(named) => (&self.named, named.as_str()),
            None => (&self.outside, question.host.unwrap_or(base_url(source))),
        };
        let address = format!("{base}{}", question.path);
        let mut request = match question.body {
            None => client.get(address),
            Some((media, body)) => client
                .post(address)
                .header("content-type", media)
                .body(body),
        };
        if let Some((name, value)) = question.secret {
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

/// Resolves names to public addresses only. The client connects to exactly the addresses that were checked.
#[derive(Debug)]
struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            if !is_known_host(&name) {
                return Err(format!("{name} is not a known host").into());
            }
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|at| is_public(at.ip())).collect();
            if public.is_empty() {
                return Err(format!("{name} has no public address").into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

fn is_known_host(host: &str) -> bool {
    let homes = Source::ALL.iter().map(|source| base_url(*source));
    homes
        .chain([AWATTAR_AT])
        .any(|address| address.strip_prefix("https://") == Some(host))
}

/// Whether an address is on the public internet: not this machine, its network, or the provider's internal network.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let [first, second, ..] = address.segments();
            // An IPv4 address embedded in an IPv6 address leads to that IPv4 address.
            let wrapped = address.to_ipv4_mapped().or(match address.segments() {
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                    Some(Ipv4Addr::new(a, b, c, d))
                }
                _ => None,
            });
            if let Some(wrapped) = wrapped {
                return is_public_v4(wrapped);
            }
            // Global unicast begins with 001; documentation, benchmarking and Teredo are exceptions in it.
            first & 0xe000 == 0x2000 && !(first == 0x2001 && (second < 0x200 || second == 0xdb8))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)
            | (100, 64..128, _)
            | (169, 254, _)
            | (172, 16..32, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_at_large_are_public() {
        for (text, want) in [
            ("8.8.8.8", true),
            ("100.63.0.1", true),
            ("172.32.0.1", true),
            ("2a01:4f8::1", true),
            ("2001:4860:4860::8888", true),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.168.1.1", false),
            ("192.0.2.7", false),
            ("198.18.0.1", false),
            ("198.51.100.1", false),
            ("203.0.113.9", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("fc00::1", false),
            ("fd12::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("2001:db8::1", false),
            ("2001::1", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::7f00:1", false),
            ("2002:7f00:1::", false),
        ] {
            assert_eq!(is_public(text.parse().unwrap()), want, "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_that_is_not_known_or_leads_inside_is_not_looked_up() {
        for name in ["localhost", "example.com", "api.tibber.com.evil.test"] {
            let found = PublicResolver.resolve(name.parse().unwrap()).await;
            assert!(found.is_err(), "{name}");
        }
        for source in Source::ALL {
            let host = base_url(*source).strip_prefix("https://").unwrap();
            assert!(is_known_host(host), "{host}");
        }
    }

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

    #[test]
    fn the_operator_names_addresses_by_source() {
        let named = |text: &str| Addresses::default().add_override(text);
        assert_eq!(named("energy_charts=http://127.0.0.1:9000"), Ok(()));
        for wrong in [
            "energy_charts",
            "weather=http://a",
            "tibber=ftp://a",
            "tibber=a",
            "tibber=https://user@a",
            "tibber=https://a?x=1",
        ] {
            assert_eq!(named(wrong), Err(InvalidAddress), "{wrong}");
        }
    }
}
