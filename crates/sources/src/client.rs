//! The rules for every call outside: known hosts only, HTTPS only, no private addresses, no redirects, little time, little to
//! read. What the operator names by hand is exempt from the first three.
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

/// A service that does not even connect is away.
const CONNECT: Duration = Duration::from_secs(5);
/// From the question to the last byte of the answer.
const WHOLE: Duration = Duration::from_secs(20);
/// Questions in a row share a connection. Later ones would meet one that the service has just closed, and be lost with it.
const IDLE: Duration = Duration::from_secs(1);
/// Two days of quarter-hours in XML are a tenth of it.
const MOST_BYTES: usize = 2 << 20;
const AGENT: &str = concat!("Suncellar/", env!("CARGO_PKG_VERSION"));

/// Where a service is. Nothing else is ever called.
const fn home(source: Source) -> &'static str {
    match source {
        Source::Tibber => "https://api.tibber.com",
        Source::Awattar => "https://api.awattar.de",
        Source::EnergyCharts => "https://api.energy-charts.info",
        Source::Entsoe => "https://web-api.tp.entsoe.eu",
        Source::OpenMeteo => "https://api.open-meteo.com",
        Source::ForecastSolar => "https://api.forecast.solar",
    }
}

/// Hosts that a source has besides its home.
pub(crate) const AWATTAR_AT: &str = "https://api.awattar.at";

/// Addresses that the operator names instead, for a service of their own or a test: `energy_charts=http://127.0.0.1:9000`.
#[derive(Clone, Debug, Default)]
pub struct Addresses(BTreeMap<Source, String>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongAddress;

impl std::fmt::Display for WrongAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a source's address looks like energy_charts=https://host")
    }
}

impl std::error::Error for WrongAddress {}

impl Addresses {
    /// One `name=address`.
    pub fn name(&mut self, text: &str) -> Result<(), WrongAddress> {
        let (source, address) = text.split_once('=').ok_or(WrongAddress)?;
        let source = Source::from_str(source).map_err(|_| WrongAddress)?;
        let parsed = reqwest::Url::parse(address).map_err(|_| WrongAddress)?;
        let plain = matches!(parsed.scheme(), "http" | "https") && parsed.query().is_none();
        if !plain || !parsed.username().is_empty() || parsed.fragment().is_some() {
            return Err(WrongAddress);
        }
        let address = address.trim_end_matches('/').to_owned();
        self.0.insert(source, address);
        Ok(())
    }

    /// The same address for every source that has none yet.
    #[must_use]
    pub fn or_all(mut self, address: &str) -> Self {
        for source in Source::ALL {
            let named = self.0.entry(*source);
            named.or_insert_with(|| address.trim_end_matches('/').to_owned());
        }
        self
    }
}

/// No answer, and how long the service wants to be left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    pub error: SourceError,
    pub retry_after: Option<Millis>,
}

impl From<SourceError> for Failure {
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
    /// For addresses that the operator has named.
    named: reqwest::Client,
    addresses: Arc<Addresses>,
}

/// What is asked, with what only the service may see kept out of address and log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question<'a> {
    /// Beginning with a slash; numbers and names of ours only.
    pub(crate) path: String,
    /// Instead of the source's home.
    pub(crate) host: Option<&'static str>,
    /// Sent by POST: media type and body.
    pub(crate) body: Option<(&'static str, String)>,
    pub(crate) secret: Option<(&'static str, &'a str)>,
}

impl Client {
    pub(crate) fn new(addresses: Addresses) -> Self {
        // Whoever is first in the process says so; the binary does at its start.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let build = |builder: reqwest::ClientBuilder| {
            builder
                .user_agent(AGENT)
                .redirect(redirect::Policy::none())
                // A proxy would look names up itself, and connect wherever they lead.
                .no_proxy()
                .connect_timeout(CONNECT)
                .timeout(WHOLE)
                .pool_idle_timeout(IDLE)
                .build()
                .expect("a client of constant settings can be built")
        };
        let outside = reqwest::Client::builder()
            .https_only(true)
            .dns_resolver(Arc::new(PublicNames));
        Self {
            outside: build(outside),
            named: build(reqwest::Client::builder()),
            addresses: Arc::new(addresses),
        }
    }

    /// The body of a good answer.
    pub(crate) async fn ask(
        &self,
        source: Source,
        question: Question<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let (client, base) = match self.addresses.0.get(&source) {
            Some(named) => (&self.named, named.as_str()),
            None => (&self.outside, question.host.unwrap_or(home(source))),
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
        answer(source, request).await
    }
}

/// Marked, so that no layer below writes it down.
fn secret(name: &'static str, value: &str) -> Result<HeaderMap, Failure> {
    let mut value = HeaderValue::from_str(value).map_err(|_| SourceError::TokenRefused)?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(
        HeaderName::from_static(name),
        value,
    )]))
}

async fn answer(source: Source, request: RequestBuilder) -> Result<Vec<u8>, Failure> {
    let mut response = request.send().await.map_err(|error| failed(&error))?;
    let status = response.status();
    if status != StatusCode::OK {
        return Err(refused(source, &response));
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| failed(&error))? {
        if body.len() + part.len() > MOST_BYTES {
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

fn refused(source: Source, response: &Response) -> Failure {
    let status = response.status();
    let error = match status.as_u16() {
        401 | 403 if source.needs_token() => SourceError::TokenRefused,
        404 => SourceError::Empty,
        429 => SourceError::RateLimited,
        500.. => SourceError::Failed,
        // Among them every redirect: it is not followed.
        _ => SourceError::Rejected,
    };
    let told = response.headers().get(RETRY_AFTER);
    Failure {
        error,
        retry_after: told
            .and_then(|value| value.to_str().ok())
            .and_then(|text| retry_after(text, response.headers())),
    }
}

/// Seconds, or a date that is held against the service's own clock.
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

/// Looks names up, and gives only addresses that are everybody's: what is connected to is what was checked.
#[derive(Debug)]
struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            if !is_known(&name) {
                return Err(format!("{name} is none of the known hosts").into());
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

fn is_known(host: &str) -> bool {
    let homes = Source::ALL.iter().map(|source| home(*source));
    homes
        .chain([AWATTAR_AT])
        .any(|address| address.strip_prefix("https://") == Some(host))
}

/// Whether an address belongs to the internet at large: not to this machine, its network, or the provider's inside.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let [first, second, ..] = address.segments();
            // What an IPv4 address is wrapped into leads to that address.
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
            // Global unicast begins with 001; documentation, benchmarking and Teredo are holes in it.
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
            let found = PublicNames.resolve(name.parse().unwrap()).await;
            assert!(found.is_err(), "{name}");
        }
        for source in Source::ALL {
            let host = home(*source).strip_prefix("https://").unwrap();
            assert!(is_known(host), "{host}");
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
        let named = |text: &str| Addresses::default().name(text);
        assert_eq!(named("energy_charts=http://127.0.0.1:9000"), Ok(()));
        for wrong in [
            "energy_charts",
            "weather=http://a",
            "tibber=ftp://a",
            "tibber=a",
            "tibber=https://user@a",
            "tibber=https://a?x=1",
        ] {
            assert_eq!(named(wrong), Err(WrongAddress), "{wrong}");
        }
    }
}
