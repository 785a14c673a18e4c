//! `suncellar check`: whether everything that a server with this configuration needs is there and in order. Changes nothing.
use crate::certificate;
use crate::config::{CertificateSource, Config};
use crate::open_files;
use crate::opening::open_mailer;
use crate::options::ProcessRole;
use crate::tls;
use anyhow::{Context as _, bail, ensure};
use clap::Args;
use db::{DatabaseFile, Db, Schema};
use domain::Clock;
use domain::clock::SECOND;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Secret, Store};
use tokio::time::timeout;

/// Batteries, people and the database need some each.
const MIN_OPEN_FILES: usize = 4_096;
const MIN_FREE_BYTES: u64 = 1 << 30;
const MAX_CLOCK_ERROR: i64 = 5 * SECOND;
const MAIL_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Do not read all rows of the database, which finds damage and takes long where there are many
    #[arg(long)]
    quick: bool,
}

impl Check {
    pub(crate) fn everything() -> Self {
        Self { quick: false }
    }
}

/// Prints a line for each part, and fails if one of them is not in order.
pub(crate) async fn run(config: &Config, check: &Check) -> anyhow::Result<()> {
    let mut report = Report::default();
    report.add("secret", secret(config));
    for (name, source) in [
        ("certificate", &config.tls),
        ("certificate for batteries", &config.devices_tls),
    ] {
        let is_same = name != "certificate" && source == &config.tls;
        match source.as_ref().filter(|_| !is_same) {
            Some(CertificateSource::Files { chain, key }) => {
                report.add(name, certificate_files(config, chain, key));
            }
            Some(CertificateSource::Acme) => report.add(name, acme(config)),
            None => {}
        }
    }
    report.add("update service", update_service(config));
    report.add("mail", mail(config).await);
    report.add("open files", files());
    report.add("disk", disk(config));
    let database = database(config, &mut report).await;
    if let Err(error) = database {
        report.add("database", Err(error));
    } else if !check.quick {
        report.add("rows", rows(config).await);
    }
    match report.problems {
        0 => Ok(()),
        1 => bail!("one problem"),
        problems => bail!("{problems} problems"),
    }
}

#[derive(Default)]
struct Report {
    problems: usize,
}

impl Report {
    fn add(&mut self, part: &str, found: anyhow::Result<String>) {
        match found {
            Ok(fine) => println!("{part}: {fine}"),
            Err(problem) => {
                self.problems += 1;
                println!("{part}: PROBLEM: {problem:#}");
            }
        }
    }
}

fn parsed_secret(config: &Config) -> anyhow::Result<Secret> {
    let secret = config.secret.as_ref();
    let secret = secret
        .context("there is none: set secret-file to a file with at least 32 random characters")?;
    Ok(Secret::parse(secret)?)
}

fn secret(config: &Config) -> anyhow::Result<String> {
    parsed_secret(config)?;
    if let Some(file) = &config.secret_file {
        ensure!(
            !crate::file_permissions::is_open_to_others(file),
            "other users of this machine can read {file}: run chmod 600 {file}",
            file = file.display()
        );
    }
    Ok("strong enough".to_owned())
}

fn certificate_files(config: &Config, chain: &Path, key: &Path) -> anyhow::Result<String> {
    let loaded = tls::load(chain, key)?;
    let first = loaded.cert.first().context("the file has no certificate")?;
    let host = config.options.public_url.as_deref().map(host);
    let said = certificate::check(first, host, Clock::system().now());
    said.with_context(|| chain.display().to_string())
}

/// Whether the certificate that the portal gets by itself is for the name that people type.
fn acme(config: &Config) -> anyhow::Result<String> {
    let acme = config.acme.as_ref().context("acme-domain is not set")?;
    if let Some(host) = config.options.public_url.as_deref().map(host) {
        ensure!(
            acme.domains.names().iter().any(|name| name == host),
            "acme-domain is not {host}, the name in public-url"
        );
    }
    if let Some(file) = &acme.directory_ca {
        std::fs::metadata(file).with_context(|| format!("acme-ca {}", file.display()))?;
    }
    let how = match config.acme_listen {
        Some(address) => format!("{address}, which people must reach at port 80"),
        None => format!("{}, which people must reach at port 443", config.listen),
    };
    Ok(format!(
        "for {} from {}, proven on {how}",
        acme.domains, acme.directory
    ))
}

/// The name in an origin, without its port.
pub(crate) fn host(url: &str) -> &str {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or(host),
    }
}

/// Batteries download firmware from there.
fn update_service(config: &Config) -> anyhow::Result<String> {
    let is_public = |url: &str| !matches!(host(url), "localhost" | "127.0.0.1" | "::1");
    let serves_public = config.options.public_url.as_deref().is_some_and(is_public);
    let url = config.settings(None, None).updates_url;
    if config.options.updates_url.is_none() && !config.database.starts_with("sqlite:") {
        return Ok("the address that the processes share".to_owned());
    }
    ensure!(
        !serves_public || is_public(&url),
        "batteries cannot reach {url}: set updates-url to the address under which they reach the update service"
    );
    Ok(format!("batteries reach it as {url}"))
}

async fn mail(config: &Config) -> anyhow::Result<String> {
    if !config.has(ProcessRole::Jobs) {
        return Ok("sent by the processes with the role jobs".to_owned());
    }
    if config.smtp.is_none() {
        let folder = config.data_dir.join("mail");
        return Ok(format!(
            "each becomes a file in {}, as smtp is not set",
            folder.display()
        ));
    }
    let mailer = open_mailer(config)?;
    let answer = timeout(MAIL_TIMEOUT, mailer.check()).await;
    answer.context("the mail server does not answer within 10 seconds")??;
    Ok("the mail server accepts us".to_owned())
}

fn files() -> anyhow::Result<String> {
    let limit = open_files::possible_limit();
    ensure!(
        limit >= MIN_OPEN_FILES,
        "only {limit} are allowed, three quarters of them for batteries: raise the limit (LimitNOFILE in systemd) to 65,536"
    );
    Ok(format!(
        "{limit} allowed, {} batteries at once",
        limit / 4 * 3
    ))
}

fn disk(config: &Config) -> anyhow::Result<String> {
    let file = DatabaseFile::of(&config.database)?;
    let folder = file.as_ref().and_then(|file| file.path().parent());
    let folder = folder.unwrap_or(&config.data_dir);
    let existing: PathBuf = folder
        .ancestors()
        .find(|folder| folder.exists())
        .unwrap_or(Path::new("."))
        .to_owned();
    let found = rustix::fs::statvfs(&existing).with_context(|| existing.display().to_string())?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let text = format!("{} MB are free at {}", free / 1_000_000, existing.display());
    ensure!(free >= MIN_FREE_BYTES, "only {text}");
    Ok(text)
}

/// Whether it can be used by this program with this secret.
async fn database(config: &Config, report: &mut Report) -> anyhow::Result<()> {
    if let Some(file) = DatabaseFile::of(&config.database)?
        && !file.path().exists()
    {
        report.add(
            "database",
            Ok(format!("the first start creates {}", file.path().display())),
        );
        return Ok(());
    }
    let db = Db::open_with_connections(&config.database, 2)
        .await
        .context("it cannot be opened")?;
    let schema = db.schema().await?;
    report.add("database", schema_text(schema, db.is_shared()));
    if schema.version.is_some()
        && let Ok(secret) = parsed_secret(config)
    {
        let belongs = Store::check_secret_of(&db, &secret).await;
        report.add(
            "secret of the database",
            belongs
                .map(|()| "it is this one".to_owned())
                .map_err(Into::into),
        );
    }
    let durable = match db.unsafe_setting().await? {
        None => Ok("a commit is on the disk when it returns".to_owned()),
        Some(setting) => Err(anyhow::anyhow!(
            "{setting}: an acknowledged message may be lost; set it in postgresql.conf"
        )),
    };
    report.add("durability", durable);
    if let Some(ahead) = db.clock_ahead(|| Clock::system().now()).await? {
        let text = format!(
            "{} s {} the database's",
            ahead.abs() / SECOND,
            if ahead > 0 { "ahead of" } else { "behind" }
        );
        report.add(
            "clock",
            match ahead.abs() <= MAX_CLOCK_ERROR {
                true => Ok("that of the database is the same".to_owned()),
                false => Err(anyhow::anyhow!("it is {text}: keep both right by NTP")),
            },
        );
    }
    db.close().await;
    Ok(())
}

fn schema_text(schema: Schema, is_shared: bool) -> anyhow::Result<String> {
    let Schema {
        version, program, ..
    } = schema;
    let Some(version) = version else {
        return Ok("empty: the first start creates the tables".to_owned());
    };
    schema.check()?;
    Ok(match (version < program, is_shared) {
        (true, true) => format!(
            "schema step {version}, and this release has {program}: run `suncellar migrate` before its first start"
        ),
        (true, false) => format!(
            "schema step {version}, and this release has {program}: its first start migrates"
        ),
        (false, _) => format!("schema step {version}"),
    })
}

/// Reads everything.
async fn rows(config: &Config) -> anyhow::Result<String> {
    if DatabaseFile::of(&config.database)?.is_some_and(|file| !file.path().exists()) {
        return Ok("none yet".to_owned());
    }
    let damage = db::check(&config.database).await?;
    for line in &damage {
        println!("{line}");
    }
    let name = crate::backup::name(&config.database)?;
    ensure!(
        damage.is_empty(),
        "{name} is damaged: put the last backup back with `suncellar restore FILE`"
    );
    Ok(format!("{name} is sound"))
}
