//! Certificates that the portal gets and renews by itself (ACME, RFC 8555). What it gets is in the database. Each process with this
//! option looks there every few seconds, and one of them asks the authority when it is time.
mod challenges;
mod order;

use crate::certificate::validity;
use crate::tls::{Certificate, HTTP, acceptor};
use anyhow::Context as _;
use api::Tls;
use challenges::Challenges;
use domain::clock::{HOUR, MINUTE, Millis};
use domain::{Clock, Random};
use order::Order;
use rcgen::CertificateParams;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use serde::Deserialize;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::acme::{AcmeSchedule, AcmeSecret, AcmeSecretKind};
use tokio_util::sync::CancellationToken;

/// Let's Encrypt.
pub(crate) const DEFAULT_DIRECTORY: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// How soon a process notices what another one did.
const POLL_INTERVAL: Duration = Duration::from_secs(3);
/// An order takes half a minute; a process that dies in one leaves it to the others after this time.
const ORDER_LEASE: Millis = 10 * MINUTE;
const ORDER_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Let's Encrypt accepts five failures an hour for a name. Three orders in the first hour leave some to people who try by hand.
const FIRST_PAUSE: Millis = 15 * MINUTE;
const LONGEST_PAUSE: Millis = 24 * HOUR;
/// Where the authority says that it was asked too often.
const PAUSE_OF_LIMITS: Millis = 4 * HOUR;

/// The names of a certificate, separated by commas. The first one is its subject.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct AcmeDomains(Vec<String>);

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no name that an authority could prove, such as portal.example.com")]
pub(crate) struct InvalidDomain(String);

impl FromStr for AcmeDomains {
    type Err = InvalidDomain;

    fn from_str(text: &str) -> Result<Self, InvalidDomain> {
        let name = |name: &str| {
            let name = name.trim().to_ascii_lowercase();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
            let is_name = name.contains('.') && name.chars().all(plain);
            let is_address = name.parse::<std::net::IpAddr>().is_ok();
            match is_name && !is_address && !name.starts_with('.') && !name.ends_with('.') {
                true => Ok(name),
                false => Err(InvalidDomain(name)),
            }
        };
        Ok(Self(text.split(',').map(name).collect::<Result<_, _>>()?))
    }
}

impl TryFrom<String> for AcmeDomains {
    type Error = InvalidDomain;

    fn try_from(text: String) -> Result<Self, InvalidDomain> {
        text.parse()
    }
}

impl fmt::Display for AcmeDomains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl AcmeDomains {
    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }
}

/// How the portal gets its certificate.
#[derive(Clone, Debug)]
pub(crate) struct AcmeConfig {
    pub(crate) domains: AcmeDomains,
    /// Whom the authority writes to, such as `mailto:admin@example.com`.
    pub(crate) contact: Option<String>,
    /// The authority.
    pub(crate) directory: String,
    /// Who must have issued the authority's own certificate; `None`: one of the system's.
    pub(crate) directory_ca: Option<PathBuf>,
    /// Whether the names are proven over HTTP, and not by the portal's TLS.
    pub(crate) by_http: bool,
    /// Whether this process asks for it, as portals do. Others use what those get.
    pub(crate) asks: bool,
}

/// The certificate of this process, and what it does to have one.
pub(crate) struct Acme {
    config: AcmeConfig,
    store: Store,
    clock: Clock,
    random: Random,
    certificate: Arc<Certificate>,
    challenges: Arc<Challenges>,
}

impl Acme {
    /// Until there is a certificate, new connections get one that nobody trusts.
    pub(crate) fn new(
        config: AcmeConfig,
        store: Store,
        clock: Clock,
        random: Random,
    ) -> anyhow::Result<Self> {
        let certificate = Certificate::new(
            "portal",
            challenges::self_signed(&CertificateParams::new(config.domains.names())?)?,
            &clock,
        );
        Ok(Self {
            config,
            store,
            clock,
            random,
            certificate,
            challenges: Arc::default(),
        })
    }

    pub(crate) fn certificate(&self) -> &Arc<Certificate> {
        &self.certificate
    }

    /// For browsers, and for the authority that looks for its proof.
    pub(crate) fn https(&self) -> Tls {
        let protocols = [HTTP, &[api::ACME_TLS_ALPN]].concat();
        let resolver = challenges::Resolver::new(&self.certificate, &self.challenges);
        acceptor(Arc::new(resolver), &protocols)
    }

    /// What is answered over HTTP.
    pub(crate) fn answers(&self) -> impl Fn(&str) -> Option<String> + Send + Sync + 'static {
        let challenges = Arc::clone(&self.challenges);
        move |token| challenges.key_authorization(token)
    }

    /// Until `stop`.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(POLL_INTERVAL);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            if stop.run_until_cancelled(self.tick()).await.is_none() {
                return;
            }
        }
    }

    async fn tick(&self) {
        if let Err(error) = self.try_tick().await {
            tracing::warn!(error = format!("{error:#}"), "acme_not_read: retrying");
        }
    }

    async fn try_tick(&self) -> anyhow::Result<()> {
        let stored = self.store.acme_secret(AcmeSecretKind::Certificate).await?;
        match &stored {
            Some(stored) => {
                self.certificate.replace(parse(&stored.text)?);
                self.certificate.record_days_left();
            }
            None => {
                metrics::gauge!("tls_certificate_days_left", "certificate" => "portal").set(0.0)
            }
        }
        self.challenges.set(&self.store.acme_challenges().await?)?;
        let schedule = self.store.acme_schedule().await?;
        let now = self.clock.now();
        let names = self.config.domains.to_string();
        let is_right = stored.is_some_and(|stored| stored.subject == names);
        let is_due = (!is_right || now >= schedule.renew_at) && now >= schedule.next_attempt_at;
        if self.config.asks && is_due && self.store.claim_acme_order(now, now + ORDER_LEASE).await?
        {
            self.order(names, schedule).await?;
        }
        Ok(())
    }

    async fn order(&self, names: String, schedule: AcmeSchedule) -> anyhow::Result<()> {
        tracing::info!(names, "acme_order_begun");
        let order = Order::new(&self.config, &self.store, &self.random, &self.challenges);
        let ordered = tokio::time::timeout(ORDER_TIMEOUT, order.certificate()).await;
        let ordered = ordered.unwrap_or_else(|_| Err(anyhow::anyhow!("no end within 5 minutes")));
        match ordered.and_then(|pem| Ok((self.renew_at(&pem)?, pem))) {
            Ok((renew_at, text)) => {
                metrics::counter!("acme_orders_total", "result" => "success").increment(1);
                let certificate = AcmeSecret {
                    subject: names,
                    text,
                };
                self.store_certificate(&certificate, renew_at).await;
                self.certificate.replace(parse(&certificate.text)?);
                Ok(())
            }
            Err(error) => {
                metrics::counter!("acme_orders_total", "result" => "failure").increment(1);
                let pause = pause(&schedule, order::is_rate_limited(&error), &self.random);
                let next = self.clock.now() + pause;
                self.store.record_acme_failure(next).await?;
                let minutes = pause / MINUTE;
                tracing::warn!(
                    names,
                    error = format!("{error:#}"),
                    minutes,
                    "acme_order_failed: the next one begins in so many minutes"
                );
                Ok(())
            }
        }
    }

    /// After two thirds of its life, and some of the rest, so that portals that began together do not ask together. A wrong clock
    /// does not ask again at once.
    fn renew_at(&self, pem: &str) -> anyhow::Result<Millis> {
        let pair = parse(pem)?;
        let valid = pair.cert.first().and_then(|first| validity(first));
        let valid = valid.context("the certificate has no validity that can be read")?;
        let life = valid.end() - valid.start();
        let jitter = up_to(life / 24, &self.random);
        Ok((valid.start() + life / 3 * 2 + jitter).max(self.clock.now() + life / 3))
    }

    /// The authority counts certificates, so none is thrown away because the database was away.
    async fn store_certificate(&self, certificate: &AcmeSecret, renew_at: Millis) {
        loop {
            let stored = self
                .store
                .set_acme_certificate(certificate, renew_at, &self.random);
            let Err(error) = stored.await else { return };
            tracing::warn!(%error, "acme_certificate_not_stored: retrying");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// Twice as long after each failure.
fn pause(schedule: &AcmeSchedule, is_rate_limited: bool, random: &Random) -> Millis {
    let doublings = schedule.failures.clamp(0, 10);
    let pause = (FIRST_PAUSE << doublings).min(LONGEST_PAUSE);
    let least = if is_rate_limited { PAUSE_OF_LIMITS } else { 0 };
    pause.max(least) + up_to(pause / 4, random)
}

fn up_to(most: Millis, random: &Random) -> Millis {
    let share = f64::from(u32::from_le_bytes(random.bytes())) / f64::from(u32::MAX);
    (most as f64 * share) as Millis
}

/// A chain and its key, as they are stored.
fn parse(pem: &str) -> anyhow::Result<CertifiedKey> {
    let chain = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<Vec<_>, _>>();
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes());
    let (chain, key) = (chain.context("the chain")?, key.context("the key")?);
    CertifiedKey::from_der(chain, key, &default_provider())
        .context("certificate and private key do not fit together")
}

#[cfg(test)]
mod tests;
