//! Configuration. Options override `SUNCELLAR_…` variables, which override a TOML file, which overrides defaults.
use crate::acme::{AcmeConfig, DEFAULT_DIRECTORY};
use crate::options::{LogFormat, Options, ProcessRole};
use anyhow::{Context as _, bail, ensure};
use api::{Links, PortalConfig};
use bus::NatsServers;
use clap::{ArgMatches, FromArgMatches as _};
use gateway::Quota;
use ipnet::IpNet;
use jobs::SampleRetention;
use sources::Addresses;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::SampleStoreUrl;

/// Where a listener's certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CertificateSource {
    Files { chain: PathBuf, key: PathBuf },
    Acme,
}

/// The complete, validated configuration.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) updates_listen: SocketAddr,
    pub(crate) devices_listen: SocketAddr,
    /// Whether the address was set explicitly.
    pub(crate) devices_listen_chosen: bool,
    pub(crate) updates_listen_chosen: bool,
    pub(crate) status_listen: Option<SocketAddr>,
    /// How long connections are given to other processes before this one stops.
    pub(crate) drain: Duration,
    /// The certificate for batteries; without it the link is unencrypted.
    pub(crate) devices_tls: Option<CertificateSource>,
    pub(crate) data_dir: PathBuf,
    pub(crate) database: String,
    /// At most so many to PostgreSQL.
    pub(crate) database_connections: u32,
    pub(crate) nats: Option<NatsServers>,
    pub(crate) roles: Vec<ProcessRole>,
    pub(crate) secret: Option<String>,
    pub(crate) secret_file: Option<PathBuf>,
    pub(crate) tls: Option<CertificateSource>,
    pub(crate) acme: Option<AcmeConfig>,
    /// Where names are proven over HTTP.
    pub(crate) acme_listen: Option<SocketAddr>,
    pub(crate) smtp: Option<String>,
    pub(crate) smtp_ca: Option<PathBuf>,
    pub(crate) mail_from: String,
    pub(crate) keep_samples: SampleRetention,
    /// Where the samples of old months are; `None`: in the database.
    pub(crate) sample_store: Option<SampleStoreUrl>,
    /// What one battery may send; `None`: no limit.
    pub(crate) quota: Option<Quota>,
    /// Other addresses for external services.
    pub(crate) sources: Addresses,
    devices_a_minute: usize,
    require_totp_of_electricians: bool,
    pub(crate) log: LogFormat,
    /// Where traces are sent.
    pub(crate) otlp_endpoint: Option<String>,
    public_url: Option<String>,
    updates_url: Option<String>,
    trusted_proxies: Vec<IpNet>,
    links: Links,
    security_contact: Option<String>,
    /// What it was made from.
    pub(crate) options: Options,
}

impl Config {
    /// `arguments` are what `options` were read from: command line and variables.
    pub(crate) fn load(mut options: Options, arguments: &ArgMatches) -> anyhow::Result<Self> {
        if let Some(path) = &options.config {
            options = read_file(path)?;
            options.update_from_arg_matches(arguments)?;
        }
        Self::check(options)
    }

    pub(crate) fn check(mut options: Options) -> anyhow::Result<Self> {
        let url = |name: &str, url: Option<String>| url.map(|url| origin(name, &url)).transpose();
        options.public_url = url("public-url", options.public_url)?;
        options.updates_url = url("updates-url", options.updates_url)?;
        options.otlp_endpoint = url("otlp-endpoint", options.otlp_endpoint)?;
        let given = options.clone();
        let acme = acme(&options)?;
        let data_dir = options.data_dir.unwrap_or_else(|| "data".into());
        let database = options
            .database
            .unwrap_or_else(|| format!("sqlite:{}", data_dir.join("suncellar.db").display()));
        let database_connections = match options.database_connections {
            None => db::DEFAULT_CONNECTIONS,
            Some(0 | 1) => bail!("database-connections must be at least 2"),
            Some(count) => count,
        };
        let roles = options.role.unwrap_or_else(|| ProcessRole::ALL.to_vec());
        if database.starts_with("sqlite:")
            && !ProcessRole::ALL.iter().all(|role| roles.contains(role))
        {
            bail!(
                "an SQLite database belongs to one process: leave --role out, or use --database postgres://…"
            );
        }
        if database.starts_with("sqlite:") && options.nats.is_some() {
            bail!(
                "an SQLite database belongs to one process: leave nats out, or use --database postgres://…"
            );
        }
        let secret_file = options.secret_file.clone();
        let secret = match (options.secret, options.secret_file) {
            (Some(_), Some(_)) => bail!("give either secret or secret-file, not both"),
            (Some(secret), None) => Some(secret),
            (None, Some(path)) => Some(read_secret(&path)?),
            (None, None) => None,
        };
        let tls = match (options.tls_cert, options.tls_key) {
            (Some(_), Some(_)) if acme.is_some() => {
                bail!("give either acme-domain or tls-cert and tls-key, not both")
            }
            (Some(chain), Some(key)) => Some(CertificateSource::Files { chain, key }),
            (None, None) => acme.is_some().then_some(CertificateSource::Acme),
            _ => bail!("tls-cert and tls-key belong together: give both or neither"),
        };
        let listen = options.listen.unwrap_or(([127, 0, 0, 1], 8080).into());
        let updates_listen = options
            .updates_listen
            .unwrap_or(([127, 0, 0, 1], 8081).into());
        let portal_plain = options.portal_plain.unwrap_or(false);
        if portal_plain && tls.is_some() {
            bail!("give either portal-plain or a certificate for the portal, not both");
        }
        let people = [
            (ProcessRole::Portal, listen, "people"),
            (ProcessRole::Updates, updates_listen, "people and batteries"),
        ];
        for (role, address, who) in people {
            let exposed = !address.ip().is_loopback() && roles.contains(&role);
            if exposed && tls.is_none() && !portal_plain {
                bail!(
                    "{who} on {address} would send passwords and secrets in clear: give tls-cert and tls-key, or acme-domain, or portal-plain behind a proxy that does TLS"
                );
            }
        }
        let devices_listen = options
            .devices_listen
            .unwrap_or(([127, 0, 0, 1], 1883).into());
        let devices_plain = options.devices_plain.unwrap_or(false);
        let devices_tls = match (options.devices_tls_cert, options.devices_tls_key) {
            (Some(_), Some(_)) if devices_plain => {
                bail!("give either devices-plain or a certificate for batteries, not both")
            }
            (Some(chain), Some(key)) => Some(CertificateSource::Files { chain, key }),
            (None, None) if devices_plain => None,
            (None, None) => tls.clone(),
            _ => {
                bail!("devices-tls-cert and devices-tls-key belong together: give both or neither")
            }
        };
        let exposed = !devices_listen.ip().is_loopback() && roles.contains(&ProcessRole::Gateway);
        if exposed && devices_tls.is_none() && !devices_plain {
            bail!(
                "batteries on {devices_listen} would send their secrets in clear: give devices-tls-cert and devices-tls-key, or devices-plain behind a proxy that does TLS"
            );
        }
        let sample_store = options.sample_store.as_deref();
        let sample_store = sample_store.map(str::parse::<SampleStoreUrl>);
        let sample_store = sample_store.transpose().context("sample-store")?;
        let keep_samples = match options.keep_samples {
            None => SampleRetention::default(),
            Some(0) => bail!("keep-samples must be at least 1 day"),
            Some(days) => SampleRetention { days },
        };
        let quota = match options.samples_a_second {
            None => Some(Quota::default()),
            Some(1_001..) => bail!("samples-a-second must be at most 1000; 0 means no limit"),
            Some(count) => Quota::of_live_samples_a_second(count),
        };
        let mut sources = Addresses::default();
        for named in options.source_url.iter().flatten() {
            sources.add_override(named).context("source-url")?;
        }
        let drain = match options.drain {
            // There is nobody to go to.
            None if database.starts_with("sqlite:") => 0,
            None => 60,
            Some(3_601..) => bail!("drain must be at most 3600 seconds"),
            Some(seconds) => seconds,
        };
        let devices_a_minute = match options.devices_a_minute {
            None => 20,
            Some(0) => bail!("devices-a-minute must be at least 1"),
            Some(count) => usize::try_from(count)?,
        };
        Ok(Self {
            listen,
            updates_listen,
            devices_listen_chosen: options.devices_listen.is_some(),
            updates_listen_chosen: options.updates_listen.is_some(),
            devices_listen,
            status_listen: options.status_listen,
            drain: Duration::from_secs(drain.into()),
            devices_tls,
            roles,
            secret,
            secret_file,
            tls,
            acme,
            acme_listen: options.acme_listen,
            smtp: options.smtp,
            smtp_ca: options.smtp_ca,
            mail_from: options
                .mail_from
                .unwrap_or_else(|| "Suncellar <noreply@localhost>".into()),
            keep_samples,
            sample_store,
            quota,
            sources,
            devices_a_minute,
            require_totp_of_electricians: options.require_totp_of_electricians.unwrap_or(false),
            log: options.log_format.unwrap_or_default(),
            otlp_endpoint: options.otlp_endpoint,
            public_url: options.public_url,
            updates_url: options.updates_url,
            trusted_proxies: networks(&options.trusted_proxy.unwrap_or_default())?,
            links: Links {
                homepage: page("homepage-url", options.homepage_url, "")?,
                contact: page("contact-url", options.contact_url, "contact")?,
                imprint: page("imprint-url", options.imprint_url, "imprint")?,
                privacy: page("privacy-url", options.privacy_url, "privacy")?,
                terms: page("terms-url", options.terms_url, "terms")?,
            },
            security_contact: options.security_contact.map(contact).transpose()?,
            data_dir,
            database,
            database_connections,
            nats: options.nats,
            options: given,
        })
    }

    pub(crate) fn trusted_proxies(&self) -> Vec<IpNet> {
        self.trusted_proxies.clone()
    }

    /// Whether the device link is unencrypted: batteries then come through a TLS proxy or from loopback.
    pub(crate) fn devices_plain(&self) -> bool {
        self.devices_tls.is_none()
    }

    pub(crate) fn has(&self, role: ProcessRole) -> bool {
        self.roles.contains(&role)
    }

    /// Whether people reach the portal through something else that speaks TLS.
    pub(crate) fn is_behind_proxy(&self) -> bool {
        let public_url = self.public_url.as_deref().unwrap_or_default();
        public_url.starts_with("https://") && self.tls.is_none()
    }

    /// The portal's configuration, once the actual addresses of this process's listeners are known.
    pub(crate) fn settings(
        &self,
        people: Option<SocketAddr>,
        updates: Option<SocketAddr>,
    ) -> PortalConfig {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let reach = |address: SocketAddr| url_of(scheme, address);
        let is_behind_unknown_proxy = self.is_behind_proxy() && self.trusted_proxies.is_empty();
        PortalConfig {
            shows_metrics: !is_behind_unknown_proxy,
            public_url: self
                .public_url
                .clone()
                .unwrap_or_else(|| reach(people.unwrap_or(self.listen))),
            updates_url: self
                .updates_url
                .clone()
                .unwrap_or_else(|| reach(updates.unwrap_or(self.updates_listen))),
            trusted_proxies: self.trusted_proxies.clone(),
            links: self.links.clone(),
            security_contact: self.security_contact.clone(),
            stream: api::StreamOptions::default(),
            devices_a_minute: self.devices_a_minute,
            require_totp_of_electricians: self.require_totp_of_electricians,
        }
    }
}

/// What a browser on this machine types to reach a listener.
fn url_of(scheme: &str, address: SocketAddr) -> String {
    let (ip, port) = (address.ip(), address.port());
    match ip.is_loopback() || ip.is_unspecified() {
        true => format!("{scheme}://localhost:{port}"),
        false => format!("{scheme}://{address}"),
    }
}

pub(crate) fn read_file(path: &Path) -> anyhow::Result<Options> {
    let text = read_text(path).context("the configuration file cannot be read")?;
    toml::from_str(&text)
        .with_context(|| format!("the configuration file {} is not valid", path.display()))
}

pub(crate) fn read_secret(path: &Path) -> anyhow::Result<String> {
    let text = read_text(path).context("the secret file cannot be read")?;
    Ok(text.trim().to_owned())
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Validates an origin, `https://host:port` without a path, as links and the security policy need it.
fn origin(name: &str, url: &str) -> anyhow::Result<String> {
    let url = url.trim_end_matches('/');
    let host = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
        .unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    ensure!(
        !host.is_empty() && host.chars().all(plain),
        "{name} must look like https://portal.example.com, not {url:?}"
    );
    Ok(url.to_owned())
}

fn has_role(options: &Options, role: ProcessRole) -> bool {
    let roles = options.role.as_ref();
    roles.is_none_or(|roles| roles.contains(&role))
}

fn acme(options: &Options) -> anyhow::Result<Option<AcmeConfig>> {
    let Some(domains) = options.acme_domain.clone() else {
        ensure!(
            options.acme_listen.is_none(),
            "acme-listen needs acme-domain, the name for which there is to be a certificate"
        );
        return Ok(None);
    };
    let contact = options.acme_contact.clone();
    let is_mail = |contact: &String| contact.starts_with("mailto:") && contact.contains('@');
    ensure!(
        contact.as_ref().is_none_or(is_mail),
        "acme-contact must look like mailto:admin@example.com"
    );
    let directory = options.acme_directory.clone();
    let directory = directory.unwrap_or_else(|| DEFAULT_DIRECTORY.to_owned());
    ensure!(
        directory.starts_with("https://"),
        "acme-directory must be the address of an authority, such as {DEFAULT_DIRECTORY}"
    );
    Ok(Some(AcmeConfig {
        domains,
        contact,
        directory,
        directory_ca: options.acme_ca.clone(),
        by_http: options.acme_listen.is_some(),
        asks: has_role(options, ProcessRole::Portal),
    }))
}

/// Validates the contact in `security.txt`: one line of it, in which a mail address is written as `mailto:`.
/// An external page that the app links to.
fn page(name: &str, address: Option<String>, example: &str) -> anyhow::Result<String> {
    let Some(address) = address else {
        return Ok(format!("https://example.com/{example}"));
    };
    let is_web = ["https://", "http://"]
        .iter()
        .any(|scheme| address.starts_with(scheme));
    let is_mail = name == "contact-url" && address.starts_with("mailto:");
    ensure!(
        (is_web || is_mail) && address.chars().all(|c| c.is_ascii_graphic()),
        "{name} must be the address of a page such as https://example.com/{example}, not {address:?}"
    );
    Ok(address)
}

fn contact(address: String) -> anyhow::Result<String> {
    let mail = address.strip_prefix("mailto:");
    let known = address.starts_with("https://") || mail.is_some_and(|mail| mail.contains('@'));
    ensure!(
        known && address.chars().all(|c| c.is_ascii_graphic()),
        "security-contact must look like mailto:security@example.com or https://example.com/security, not {address:?}"
    );
    Ok(address)
}

fn networks(texts: &[String]) -> anyhow::Result<Vec<IpNet>> {
    let parse = |text: &String| {
        let one = text.parse::<std::net::IpAddr>().ok();
        let one = one.map(|address| IpNet::from(address.to_canonical()));
        one.or_else(|| text.parse().ok()).with_context(|| {
            format!(
                "trusted-proxy must be an address or a network such as 10.0.0.0/8, not {text:?}"
            )
        })
    };
    texts.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_has_an_address_that_a_browser_understands() {
        for (address, url) in [
            ("127.0.0.1:8080", "http://localhost:8080"),
            ("[::]:8080", "http://localhost:8080"),
            ("192.0.2.7:8080", "http://192.0.2.7:8080"),
            ("[2001:db8::7]:8080", "http://[2001:db8::7]:8080"),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(url_of("http", address), url);
        }
    }
}
