//! `suncellar init`: the first configuration. Asks for what is not given as an option, writes the file and the secret, then checks.
use crate::check::{self, Check, host};
use crate::config::{Config, read_file};
use crate::opening::random;
use crate::options::Options;
use anyhow::{Context as _, bail, ensure};
use clap::Args;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, BufRead, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const DEFAULT_FILE: &str = "suncellar.toml";
/// Where everybody can reach a portal that has a certificate.
const PUBLIC_LISTENERS: [(&str, &str); 3] = [
    ("listen", "0.0.0.0:443"),
    ("updates-listen", "0.0.0.0:8443"),
    ("devices-listen", "0.0.0.0:8883"),
];

const URL_QUESTION: &str = "The address that people type, such as https://portal.example.com; empty: a trial on this machine";
const CERTIFICATE_QUESTION: &str = "The certificate (a PEM file with its chain); acme: the portal gets one from Let's Encrypt, and you agree to its terms; empty: a proxy on this machine has it";
/// The answer for a certificate that the portal gets by itself.
const BY_ACME: &str = "acme";
const CONTACT_QUESTION: &str =
    "A mail address for the authority that issues certificates; empty: none";
const UPDATES_QUESTION: &str = "The address under which batteries reach the update service, which the proxy finds on port 8081";
const MAIL_QUESTION: &str = "The mail server, such as smtp://user:password@mail.example.com:587?tls=required; empty: mails become files";
const DATABASE_QUESTION: &str = "The database, such as postgres://suncellar:password@localhost/suncellar; empty: a file in the data folder";

/// Of the update service, where it is public.
const UPDATES_PORT: u16 = 8443;

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Ask nothing: what is not given has its default
    #[arg(long)]
    no_questions: bool,
}

/// Keys of the configuration with their values in TOML, in the order of the file.
#[derive(Default)]
struct Draft(Vec<(&'static str, String)>);

impl Draft {
    fn text(&mut self, name: &'static str, value: &str) {
        // A JSON string is a TOML string.
        self.0
            .push((name, serde_json::Value::from(value).to_string()));
    }

    fn path(&mut self, name: &'static str, value: &Path) -> anyhow::Result<()> {
        let absolute = std::path::absolute(value)?;
        let text = absolute.to_str().context("a path is not valid UTF-8")?;
        self.text(name, text);
        Ok(())
    }

    fn toml(&self) -> String {
        let mut text = "# Made by `suncellar init`; `suncellar serve --help` lists all options, `suncellar check` checks them.\n".to_owned();
        for (name, value) in &self.0 {
            let _ = writeln!(text, "{name} = {value}");
        }
        text
    }
}

pub(crate) async fn run(options: Options, init: &Init) -> anyhow::Result<()> {
    let file = options
        .config
        .clone()
        .unwrap_or_else(|| DEFAULT_FILE.into());
    ensure!(
        !file.exists(),
        "{} is there already: change it with an editor, then run `suncellar check`",
        file.display()
    );
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let asks = !init.no_questions && io::stdin().is_terminal();
    let secret = options
        .secret_file
        .clone()
        .unwrap_or_else(|| folder.join("secret"));
    ensure!(
        options.secret.is_none(),
        "a secret in the configuration is readable by whoever reads it: give secret-file, or nothing"
    );
    let draft = draft(
        &options,
        &secret,
        &mut Questions {
            asks,
            input: io::stdin().lock(),
        },
    )?;
    // Refused before anything is written.
    let parsed: Options =
        toml::from_str(&draft.toml()).context("these answers make no valid configuration")?;
    Config::check(Options {
        secret_file: None,
        ..parsed
    })?;
    if secret.exists() {
        println!("kept the secret {}", secret.display());
    } else {
        let bytes: [u8; 32] = random().bytes();
        let text = bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        write_new(&secret, &format!("{text}\n"))?;
        println!(
            "wrote the secret {}: keep a copy in another place than backups",
            secret.display()
        );
    }
    write_new(&file, &draft.toml())?;
    println!("wrote {}", file.display());
    let mut options = read_file(&file)?;
    options.config = Some(file.clone());
    let checked = check::run(&Config::check(options)?, &Check::everything()).await;
    let shown = file.display();
    if checked.is_err() {
        bail!("solve the problems above, then check again: suncellar check --config {shown}");
    }
    println!("start it: suncellar serve --config {shown}");
    Ok(())
}

fn draft(
    options: &Options,
    secret: &Path,
    ask: &mut Questions<impl BufRead>,
) -> anyhow::Result<Draft> {
    let mut draft = Draft::default();
    let data = options.data_dir.clone().unwrap_or_else(|| "data".into());
    draft.path("data-dir", &data)?;
    draft.path("secret-file", secret)?;
    let url = ask.answer(options.public_url.as_deref(), URL_QUESTION)?;
    let is_public = url
        .as_deref()
        .is_some_and(|url| url.starts_with("https://"));
    if let Some(url) = &url {
        draft.text("public-url", url);
    }
    let asks_for_certificate = is_public && options.acme_domain.is_none();
    let answer = match (&options.tls_cert, asks_for_certificate) {
        (Some(file), _) => Some(file.clone()),
        (None, true) => ask.answer(None, CERTIFICATE_QUESTION)?.map(PathBuf::from),
        (None, false) => None,
    };
    let by_acme = options.tls_cert.is_none() && answer.as_deref() == Some(Path::new(BY_ACME));
    let domains = match &options.acme_domain {
        Some(domains) => Some(domains.to_string()),
        None => url.as_deref().map(|url| host(url).to_owned()),
    };
    let domains = domains.filter(|_| by_acme || options.acme_domain.is_some());
    if let Some(domains) = &domains {
        draft.text("acme-domain", domains);
        acme(options, ask, &mut draft)?;
    }
    let certificate = answer.filter(|_| !by_acme);
    let has_certificate = certificate.is_some() || domains.is_some();
    match &certificate {
        Some(file) => {
            let key = options.tls_key.as_ref().and_then(|key| key.to_str());
            let key = ask.answer(key, "Its private key (a PEM file)")?;
            let key = key.context("tls-cert and tls-key belong together: give both or neither")?;
            draft.path("tls-cert", file)?;
            draft.path("tls-key", Path::new(&key))?;
        }
        None if is_public && !has_certificate && options.trusted_proxy.is_none() => {
            draft
                .0
                .push(("trusted-proxy", r#"["127.0.0.1", "::1"]"#.to_owned()));
        }
        None => {}
    }
    if let Some(url) = url.as_deref().filter(|_| is_public) {
        let own_port = options.updates_listen.filter(|_| has_certificate);
        let port = own_port.map_or(UPDATES_PORT, |address| address.port());
        let usual = format!("https://{}:{port}", host(url));
        let given = options.updates_url.clone();
        let updates = match has_certificate {
            true => given,
            false => ask.answer(
                given.as_deref(),
                &format!("{UPDATES_QUESTION}; empty: {usual}"),
            )?,
        };
        draft.text("updates-url", &updates.unwrap_or(usual));
    }
    listeners(options, has_certificate, &mut draft);
    if let Some(proxies) = &options.trusted_proxy {
        draft.0.push((
            "trusted-proxy",
            serde_json::Value::from(proxies.clone()).to_string(),
        ));
    }
    let mail = ask.answer(options.smtp.as_deref(), MAIL_QUESTION)?;
    if let Some(server) = mail {
        let host = url.as_deref().map_or("localhost", host);
        draft.text("smtp", &server);
        let sender = format!("Suncellar <noreply@{host}>");
        let from = ask.answer(
            options.mail_from.as_deref(),
            &format!("The sender of mails; empty: {sender}"),
        )?;
        draft.text("mail-from", from.as_deref().unwrap_or(&sender));
    }
    if let Some(authority) = &options.smtp_ca {
        draft.path("smtp-ca", authority)?;
    }
    let database = ask.answer(options.database.as_deref(), DATABASE_QUESTION)?;
    if let Some(database) = database {
        draft.text("database", &database);
    }
    Ok(draft)
}

/// What else is to be known about the authority.
fn acme(
    options: &Options,
    ask: &mut Questions<impl BufRead>,
    draft: &mut Draft,
) -> anyhow::Result<()> {
    let contact = ask.answer(options.acme_contact.as_deref(), CONTACT_QUESTION)?;
    if let Some(contact) = contact {
        let address = contact.strip_prefix("mailto:").unwrap_or(&contact);
        draft.text("acme-contact", &format!("mailto:{address}"));
    }
    if let Some(directory) = &options.acme_directory {
        draft.text("acme-directory", directory);
    }
    if let Some(file) = &options.acme_ca {
        draft.path("acme-ca", file)?;
    }
    if let Some(address) = options.acme_listen {
        draft.text("acme-listen", &address.to_string());
    }
    Ok(())
}

fn listeners(options: &Options, has_certificate: bool, draft: &mut Draft) {
    let given = [
        options.listen,
        options.updates_listen,
        options.devices_listen,
    ];
    for ((name, public), given) in PUBLIC_LISTENERS.into_iter().zip(given) {
        match given {
            Some(address) => draft.text(name, &address.to_string()),
            None if has_certificate => draft.text(name, public),
            None => {}
        }
    }
    for (name, given) in [
        ("portal-plain", options.portal_plain),
        ("devices-plain", options.devices_plain),
    ] {
        if let Some(yes) = given {
            draft.0.push((name, yes.to_string()));
        }
    }
}

struct Questions<R> {
    asks: bool,
    input: R,
}

impl<R: BufRead> Questions<R> {
    /// What was given as an option, or the answer; `None`: the default.
    fn answer(&mut self, given: Option<&str>, question: &str) -> anyhow::Result<Option<String>> {
        if given.is_some() || !self.asks {
            return Ok(given.map(ToOwned::to_owned));
        }
        print!("{question}\n> ");
        io::stdout().flush()?;
        let mut line = String::new();
        ensure!(
            self.input.read_line(&mut line)? > 0,
            "no answer: nothing was written"
        );
        let answer = line.trim();
        Ok((!answer.is_empty()).then(|| answer.to_owned()))
    }
}

/// Only this user may read it.
fn write_new(file: &Path, text: &str) -> anyhow::Result<()> {
    let open = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file);
    let written = open.and_then(|mut open| {
        open.write_all(text.as_bytes())
            .and_then(|()| open.sync_all())
    });
    written.with_context(|| format!("{} cannot be written", file.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn written(options: &Options, answers: &str) -> String {
        let mut questions = Questions {
            asks: true,
            input: answers.as_bytes(),
        };
        let draft = draft(options, Path::new("/etc/s/secret"), &mut questions).unwrap();
        let text = draft.toml();
        let options: Options = toml::from_str(&text).unwrap();
        Config::check(Options {
            secret_file: None,
            ..options
        })
        .unwrap();
        text
    }

    #[test]
    fn answers_become_a_configuration_that_serves_whoever_is_meant() {
        let trial = written(&Options::default(), "\n\n\n");
        assert!(
            !trial.contains("listen") && !trial.contains("proxy"),
            "{trial}"
        );
        let behind_proxy = written(&Options::default(), "https://p.example.com\n\n\n\n\n");
        let updates = "updates-url = \"https://p.example.com:8443\"";
        assert!(behind_proxy.contains(updates), "{behind_proxy}");
        assert!(
            behind_proxy.contains(r#"trusted-proxy = ["127.0.0.1", "::1"]"#),
            "{behind_proxy}"
        );
        let own = written(
            &Options::default(),
            "https://p.example.com\nc.pem\nk.pem\nsmtp://a:b\"c@m\n\npostgres://h/n\n",
        );
        let by_acme = written(
            &Options::default(),
            "https://p.example.com\nacme\nadmin@example.com\n\n\n",
        );
        for line in [
            "acme-domain = \"p.example.com\"",
            "acme-contact = \"mailto:admin@example.com\"",
            "listen = \"0.0.0.0:443\"",
            "devices-listen = \"0.0.0.0:8883\"",
        ] {
            assert!(by_acme.contains(line), "{line} in {by_acme}");
        }
        for line in [
            "listen = \"0.0.0.0:443\"",
            "devices-listen = \"0.0.0.0:8883\"",
            "mail-from = \"Suncellar <noreply@p.example.com>\"",
            r#"smtp = "smtp://a:b\"c@m""#,
            "database = \"postgres://h/n\"",
            "secret-file = \"/etc/s/secret\"",
        ] {
            assert!(own.contains(line), "{line} in {own}");
        }
    }
}
