//! All configuration options, each as option, `SUNCELLAR_…` variable and TOML key; [`crate::config`] validates them.
use crate::acme::AcmeDomains;
use bus::NatsServers;
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

/// All options, each as option, variable and TOML key of the same name.
#[derive(Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Configuration, also as SUNCELLAR_… and in the file")]
pub(crate) struct Options {
    /// TOML file with any of these options (names without the dashes in front)
    #[arg(long, global = true, env = "SUNCELLAR_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,
    /// Where the portal listens [default: 127.0.0.1:8080]
    #[arg(long, global = true, env = "SUNCELLAR_LISTEN", value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Where the update service listens [default: 127.0.0.1:8081]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_UPDATES_LISTEN",
        value_name = "ADDRESS"
    )]
    pub(crate) updates_listen: Option<SocketAddr>,
    /// Where batteries connect [default: 127.0.0.1:1883]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DEVICES_LISTEN",
        value_name = "ADDRESS"
    )]
    pub(crate) devices_listen: Option<SocketAddr>,
    /// Where health, readiness and metrics of this process are served, whatever its roles [default: only on the portal]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_STATUS_LISTEN",
        value_name = "ADDRESS"
    )]
    pub(crate) status_listen: Option<SocketAddr>,
    /// How many seconds a process that is to end may take to give batteries and open pages to others, before it stops. 0: it stops at
    /// once [default: 60; 0 on SQLite, where there are no others]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DRAIN",
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u32).range(0..=3_600)
    )]
    pub(crate) drain: Option<u32>,
    /// Folder for the embedded database and, without a mail server, for mails [default: data]
    #[arg(long, global = true, env = "SUNCELLAR_DATA_DIR", value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,
    /// sqlite:PATH or postgres://… [default: suncellar.db in the data folder]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    pub(crate) database: Option<String>,
    /// Connections of this process to PostgreSQL at most, beside one that listens for notifications [default: 10]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DATABASE_CONNECTIONS",
        value_name = "COUNT",
        value_parser = clap::value_parser!(u32).range(2..=1_000)
    )]
    pub(crate) database_connections: Option<u32>,
    /// NATS servers by which processes on PostgreSQL inform each other, such as tls://user:password@host:4222; several with commas
    /// [default: by the database]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_NATS",
        value_name = "URL",
        hide_env_values = true
    )]
    pub(crate) nats: Option<NatsServers>,
    /// Run only these roles in this process; give it once for each [default: all]
    #[arg(
        long = "role",
        global = true,
        env = "SUNCELLAR_ROLE",
        value_delimiter = ',',
        value_name = "ROLE"
    )]
    pub(crate) role: Option<Vec<ProcessRole>>,
    /// Signing secret of at least 32 random characters; a file is safer, as other users can see the options of a process
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SECRET",
        value_name = "TEXT",
        hide_env_values = true
    )]
    pub(crate) secret: Option<String>,
    /// File that holds the signing secret
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SECRET_FILE",
        value_name = "FILE"
    )]
    pub(crate) secret_file: Option<PathBuf>,
    /// Address that people type, for links in mails [default: http:// and the portal's listener]
    #[arg(long, global = true, env = "SUNCELLAR_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Address of the update service as browsers reach it [default: http:// and its listener]
    #[arg(long, global = true, env = "SUNCELLAR_UPDATES_URL", value_name = "URL")]
    pub(crate) updates_url: Option<String>,
    /// Proxy (address or network) whose X-Forwarded-For is trusted; give it once for each
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_TRUSTED_PROXY",
        value_delimiter = ',',
        value_name = "ADDRESS"
    )]
    pub(crate) trusted_proxy: Option<Vec<String>>,
    /// Certificate chain (PEM) to serve HTTPS without a proxy
    #[arg(long, global = true, env = "SUNCELLAR_TLS_CERT", value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate
    #[arg(long, global = true, env = "SUNCELLAR_TLS_KEY", value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Name for which the portal gets its certificate by itself (ACME), such as portal.example.com; several with commas. You agree to
    /// the terms of the authority
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_ACME_DOMAIN",
        value_name = "NAME"
    )]
    pub(crate) acme_domain: Option<AcmeDomains>,
    /// Whom the authority may write to, such as mailto:admin@example.com
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_ACME_CONTACT",
        value_name = "ADDRESS"
    )]
    pub(crate) acme_contact: Option<String>,
    /// The authority that issues the certificate [default: Let's Encrypt]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_ACME_DIRECTORY",
        value_name = "URL"
    )]
    pub(crate) acme_directory: Option<String>,
    /// Certificate (PEM) that must have issued the authority's own one, instead of the system's authorities
    #[arg(long, global = true, env = "SUNCELLAR_ACME_CA", value_name = "FILE")]
    pub(crate) acme_ca: Option<PathBuf>,
    /// Where the name is proven over HTTP, such as 0.0.0.0:80, and everybody else is led to HTTPS [default: it is proven by the
    /// portal's TLS, which people must reach at port 443]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_ACME_LISTEN",
        value_name = "ADDRESS"
    )]
    pub(crate) acme_listen: Option<SocketAddr>,
    /// People and the update service come through a proxy that terminates TLS: serve them plain, also on an address that is not
    /// loopback
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_PORTAL_PLAIN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub(crate) portal_plain: Option<bool>,
    /// Certificate chain (PEM) for batteries [default: the portal's]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DEVICES_TLS_CERT",
        value_name = "FILE"
    )]
    pub(crate) devices_tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate for batteries
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DEVICES_TLS_KEY",
        value_name = "FILE"
    )]
    pub(crate) devices_tls_key: Option<PathBuf>,
    /// Batteries come through a proxy that terminates TLS: serve them plain, also on an address that is not loopback
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DEVICES_PLAIN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub(crate) devices_plain: Option<bool>,
    /// Mail server, such as smtp://user:password@host:587?tls=required; without it mails go to a folder
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SMTP",
        value_name = "URL",
        hide_env_values = true
    )]
    pub(crate) smtp: Option<String>,
    /// Certificate (PEM) of the authority for the mail server, instead of the system's authorities
    #[arg(long, global = true, env = "SUNCELLAR_SMTP_CA", value_name = "FILE")]
    pub(crate) smtp_ca: Option<PathBuf>,
    /// Sender of mails [default: Suncellar <noreply@localhost>]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_MAIL_FROM",
        value_name = "MAILBOX"
    )]
    pub(crate) mail_from: Option<String>,
    /// Days for which every sample is kept at least, and at most a month longer, as whole months are deleted; day totals are kept for good
    /// [default: 730]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_KEEP_SAMPLES",
        value_name = "DAYS",
        value_parser = clap::value_parser!(u32).range(1..=36_500)
    )]
    pub(crate) keep_samples: Option<u32>,
    /// Where the samples of old months are moved: s3://BUCKET/PREFIX, with keys, region and endpoint in the usual AWS_… variables, or
    /// file:///FOLDER [default: they stay in the database]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SAMPLE_STORE",
        value_name = "URL"
    )]
    pub(crate) sample_store: Option<String>,
    /// Other address for a source of prices or weather, such as energy_charts=http://127.0.0.1:9000, for a service of your own
    /// or a test. It may be private and without TLS; give it once for each source
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SOURCE_URL",
        value_delimiter = ',',
        value_name = "SOURCE=URL"
    )]
    pub(crate) source_url: Option<Vec<String>>,
    /// How many devices one account may change or command per minute [default: 20]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_DEVICES_A_MINUTE",
        value_name = "COUNT",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) devices_a_minute: Option<u32>,
    /// How many live samples one battery may send per second in the long run; back-fill may be 24 times as much. Beyond that it
    /// is read more slowly, and nothing is lost. 0: no limit [default: 5]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SAMPLES_A_SECOND",
        value_name = "COUNT",
        value_parser = clap::value_parser!(u32).range(0..=1_000)
    )]
    pub(crate) samples_a_second: Option<u32>,
    /// Electricians have to set up a second factor (TOTP) before they can do anything else
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_REQUIRE_TOTP_OF_ELECTRICIANS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub(crate) require_totp_of_electricians: Option<bool>,
    /// Log format [default: text]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_LOG_FORMAT",
        value_name = "FORMAT"
    )]
    pub(crate) log_format: Option<LogFormat>,
    /// OpenTelemetry collector to which traces of requests are sent by OTLP over HTTP, such as http://127.0.0.1:4318 [default: none]
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_OTLP_ENDPOINT",
        value_name = "URL"
    )]
    pub(crate) otlp_endpoint: Option<String>,
    /// External page: the maker's homepage
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_HOMEPAGE_URL",
        value_name = "URL"
    )]
    pub(crate) homepage_url: Option<String>,
    /// External page: contact
    #[arg(long, global = true, env = "SUNCELLAR_CONTACT_URL", value_name = "URL")]
    pub(crate) contact_url: Option<String>,
    /// External page: imprint
    #[arg(long, global = true, env = "SUNCELLAR_IMPRINT_URL", value_name = "URL")]
    pub(crate) imprint_url: Option<String>,
    /// External page: privacy policy
    #[arg(long, global = true, env = "SUNCELLAR_PRIVACY_URL", value_name = "URL")]
    pub(crate) privacy_url: Option<String>,
    /// External page: terms of use
    #[arg(long, global = true, env = "SUNCELLAR_TERMS_URL", value_name = "URL")]
    pub(crate) terms_url: Option<String>,
    /// Where to report a vulnerability, mailto:… or https://…; without it there is no /.well-known/security.txt
    #[arg(
        long,
        global = true,
        env = "SUNCELLAR_SECURITY_CONTACT",
        value_name = "ADDRESS"
    )]
    pub(crate) security_contact: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProcessRole {
    Portal,
    Updates,
    Gateway,
    Jobs,
}

impl ProcessRole {
    pub(crate) const ALL: [Self; 4] = [Self::Portal, Self::Updates, Self::Gateway, Self::Jobs];
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}
