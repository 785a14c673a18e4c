//! Sends what is in the outbox: by SMTP, into a folder, or into the hands of the demo.
use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::clock::Millis;
use domain::message::text;
use domain::{Clock, Email, Lang, Random};
use lettre::message::header::ContentType;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::mail::{Body, DueMail, Mail};
use tokio_util::sync::CancellationToken;

/// A mail as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub to: String,
    pub subject: String,
    pub text: String,
}

/// Where letters go.
#[derive(Clone)]
pub struct Post {
    from: String,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Folder(PathBuf),
    Hand(Arc<dyn Fn(Letter) + Send + Sync>),
}

/// For one answer of the mail server.
const SMTP_TIMEOUT: Duration = Duration::from_secs(20);
/// For a whole mail; less than its lease, so that no other process sends it meanwhile.
const SEND_LIMIT: Duration = Duration::from_secs(45);
/// What a mail that is on its way gets at a stop.
const STOP_LIMIT: Duration = Duration::from_secs(3);

impl Post {
    /// `smtp://user:password@host:587?tls=required` (STARTTLS), `smtps://…` (TLS from the start), or without TLS.
    /// With `authority` (PEM) the server's certificate must come from it instead of the system's authorities.
    pub fn smtp(url: &str, from: &str, authority: Option<&[u8]>) -> anyhow::Result<Self> {
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .context("the SMTP address is not valid")?;
        if let Some(pem) = authority {
            let wrapped = url.starts_with("smtps:");
            let tls = trusting(url, pem)
                .context("the mail server's authority is not a PEM certificate")?;
            transport = transport.tls(if wrapped {
                Tls::Wrapper(tls)
            } else {
                Tls::Required(tls)
            });
        }
        Self::new(
            from,
            Way::Smtp(transport.timeout(Some(SMTP_TIMEOUT)).build()),
        )
    }

    /// One `.eml` file per mail.
    pub fn folder(path: PathBuf, from: &str) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&path)
            .with_context(|| format!("the mail folder {} cannot be made", path.display()))?;
        Self::new(from, Way::Folder(path))
    }

    pub fn hand(take: impl Fn(Letter) + Send + Sync + 'static, from: &str) -> anyhow::Result<Self> {
        Self::new(from, Way::Hand(Arc::new(take)))
    }

    fn new(from: &str, way: Way) -> anyhow::Result<Self> {
        from.parse::<lettre::message::Mailbox>()
            .context("the sender's address is not valid")?;
        Ok(Self {
            from: from.to_owned(),
            way,
        })
    }

    async fn send(&self, letter: Letter, name: &str) -> anyhow::Result<()> {
        let message = || {
            Message::builder()
                .from(self.from.parse()?)
                .to(letter.to.parse()?)
                .subject(&letter.subject)
                .header(ContentType::TEXT_PLAIN)
                .body(letter.text.clone())
                .context("the mail cannot be built")
        };
        match &self.way {
            Way::Smtp(transport) => transport.send(message()?).await.map(drop).context("SMTP"),
            Way::Folder(path) => {
                let file = path.join(format!("{name}.eml"));
                tokio::fs::write(&file, message()?.formatted())
                    .await
                    .context("the mail folder")
            }
            Way::Hand(take) => {
                take(letter);
                Ok(())
            }
        }
    }
}

fn trusting(url: &str, pem: &[u8]) -> anyhow::Result<TlsParameters> {
    let after_user = url.rsplit('@').next().unwrap_or(url);
    let host = after_user
        .trim_start_matches("smtp://")
        .trim_start_matches("smtps://");
    let host = host.split([':', '/', '?']).next().unwrap_or_default();
    let parameters = TlsParameters::builder(host.to_owned())
        .certificate_store(CertificateStore::None)
        .add_root_certificate(Certificate::from_pem(pem)?);
    Ok(parameters.build_rustls()?)
}

/// Sends every mail that is due. One that fails stays in the outbox and is due again later.
pub async fn send_due(store: &Store, clock: &Clock, random: &Random, post: &Post) {
    send_until(store, clock, random, post, &CancellationToken::new()).await;
}

/// The same until `stop`. A mail that the server has not taken by then is sent after the next start.
pub(crate) async fn send_until(
    store: &Store,
    clock: &Clock,
    random: &Random,
    post: &Post,
    stop: &CancellationToken,
) {
    while !stop.is_cancelled() {
        match store.lease_mail(clock.now()).await {
            Ok(Some(due)) => {
                let late = async {
                    stop.cancelled().await;
                    tokio::time::sleep(STOP_LIMIT).await;
                };
                tokio::select! {
                    () = deliver(store, clock, random, post, due) => {}
                    () = late => return,
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "the outbox cannot be read; it is tried again");
                return;
            }
        }
    }
}

/// Says how many mails wait, and for how long the oldest has.
pub(crate) async fn measure_queue(store: &Store, now: Millis) {
    match store.mail_queue().await {
        Ok((waiting, oldest)) => {
            let age = oldest.map_or(0, |oldest| (now - oldest).max(0));
            metrics::gauge!("mails_waiting").set(waiting as f64);
            metrics::gauge!("mails_oldest_seconds").set(age as f64 / 1_000.0);
        }
        Err(error) => tracing::warn!(%error, "the outbox cannot be counted"),
    }
}

async fn deliver(store: &Store, clock: &Clock, random: &Random, post: &Post, due: DueMail) {
    let sent = async {
        if let Some(mail) = write(store, clock, random, &due).await? {
            let name = format!("{:06}-{}", due.id, mail.text);
            let sending = post.send(letter(&due.recipient, &mail), &name);
            let sent = tokio::time::timeout(SEND_LIMIT, sending).await;
            sent.context("the mail server takes too long")??;
        }
        store.finish_mail(due.id).await.context("the outbox")
    };
    let sent = sent.await;
    let result = if sent.is_ok() { "sent" } else { "failed" };
    metrics::counter!("mails_total", "result" => result).increment(1);
    // The recipient stays out of the log: the number finds it in the database.
    if let Err(error) = sent {
        let error = format!("{error:#}");
        tracing::warn!(error, mail = due.id, tries = due.tries, "mail not sent");
    }
}

/// The mail as it goes out. `None`: a reset for an address that nobody has, or not any more.
async fn write(
    store: &Store,
    clock: &Clock,
    random: &Random,
    due: &DueMail,
) -> anyhow::Result<Option<Mail>> {
    match &due.body {
        Body::Mail(mail) => Ok(Some(mail.clone())),
        Body::Reset { page } => {
            let address = due.recipient.parse::<Email>()?;
            let token = random.bytes::<32>();
            let language = store.open_reset(&address, &token, clock.now()).await?;
            let link = format!("{page}{}", BASE64.encode(token));
            Ok(language.map(|language| Mail::new("reset", language, link)))
        }
    }
}

/// Mails to an address that somebody typed in: perhaps not the one who reads them. All others tell what has happened; those that
/// can be dangerous say themselves what to do.
const ASKED_FOR: [&str; 4] = ["confirm", "exists", "reset", "email_change"];

fn letter(to: &str, mail: &Mail) -> Letter {
    let lang: Lang = mail.language.parse().unwrap_or_default();
    let say = |name: &str| text(lang, "mail", name);
    let fill = |name: &str| {
        let text = say(&format!("{}_{name}", mail.text)).to_owned();
        mail.values.iter().fold(text, |text, (name, value)| {
            text.replace(&format!("{{{{{name}}}}}"), value)
        })
    };
    let lines = mail.lines.iter().map(|line| format!("\n- {line}"));
    let lines: String = lines.collect();
    let body = match lines.is_empty() {
        true => fill("text"),
        false => format!("{}\n{lines}", fill("text")),
    };
    // Who hears what has happened, perhaps by somebody else, must not read that there is nothing to do.
    let ignore = match ASKED_FOR.contains(&mail.text.as_str()) {
        true => format!("{}\n\n", say("ignore")),
        false => String::new(),
    };
    Letter {
        to: to.to_owned(),
        subject: fill("subject"),
        text: format!(
            "{}\n\n{body}\n\n{}\n\n{ignore}{}\n",
            say("greeting"),
            mail.link,
            say("closing")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mail_has_its_words_and_its_link_in_every_language() {
        let subjects = domain::message::names_in("mail");
        let names: Vec<&str> = subjects
            .filter_map(|name| name.strip_suffix("_subject"))
            .collect();
        assert!(ASKED_FOR.iter().all(|name| names.contains(name)));
        for name in names {
            for lang in Lang::ALL {
                let mail = Mail::new(name, lang, "https://example.com/#t".into());
                let mail = [
                    "sn", "old", "scope", "until", "who", "code", "what", "next", "since", "count",
                    "left", "lost", "record", "changes",
                ]
                .into_iter()
                .fold(mail, |mail, value| mail.with(value, "Ä\r\nBcc: b"));
                let letter = letter("a@example.com", &mail);
                assert!(!letter.subject.is_empty(), "{name} {lang:?}");
                assert!(
                    !letter.text.contains("{{"),
                    "{name} {lang:?}: {}",
                    letter.text
                );
                assert!(!letter.text.contains("\nBcc"), "{name} {lang:?}");
                // Only who may not have asked for it is told to ignore it.
                let ignores = letter.text.contains(text(lang, "mail", "ignore"));
                assert_eq!(ignores, ASKED_FOR.contains(&name), "{name} {lang:?}");
                assert!(
                    letter.text.lines().any(|line| line == mail.link),
                    "{name} {lang:?}"
                );
            }
        }
    }
}
