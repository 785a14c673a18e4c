//! Sends the mails in the outbox.

mod mailer;

pub use mailer::{Mailer, RenderedMail};

use anyhow::Context as _;
use domain::clock::Millis;
use domain::message::{text, text_with};
use domain::site_time::utc_text;
use domain::{Clock, Email, Lang};
use service::Service;
use std::time::Duration;
use store::Store;
use store::mail::{DueMail, Mail, MailBody};
use tokio_util::sync::CancellationToken;

/// For a whole mail; shorter than its lease, so no other process sends it meanwhile.
const SEND_TIMEOUT: Duration = Duration::from_secs(45);
/// The time that a mail being sent has at shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// Sends every mail that is due. A mail that fails stays in the outbox and is retried later.
pub async fn send_due(store: &Store, clock: &Clock, service: &Service, mailer: &Mailer) {
    send_until(store, clock, service, mailer, &CancellationToken::new()).await;
}

/// The same until `stop`. A mail that the server has not accepted by then is sent after the next start.
pub(crate) async fn send_until(
    store: &Store,
    clock: &Clock,
    service: &Service,
    mailer: &Mailer,
    stop: &CancellationToken,
) {
    while !stop.is_cancelled() {
        match store.lease_mail(clock.now()).await {
            Ok(Some(due)) => {
                let late = async {
                    stop.cancelled().await;
                    tokio::time::sleep(SHUTDOWN_GRACE).await;
                };
                tokio::select! {
                    () = deliver(store, service, mailer, due, clock.now()) => {}
                    () = late => return,
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "outbox_read_failed: retrying at the next tick");
                return;
            }
        }
    }
}

/// Reports how many mails wait and how old the oldest is.
pub(crate) async fn measure_queue(store: &Store, now: Millis) {
    match store.mail_queue().await {
        Ok((waiting, oldest)) => {
            let age = oldest.map_or(0, |oldest| (now - oldest).max(0));
            metrics::gauge!("mails_waiting").set(waiting as f64);
            metrics::gauge!("mails_oldest_seconds").set(age as f64 / 1_000.0);
        }
        Err(error) => tracing::warn!(%error, "outbox_count_failed"),
    }
}

async fn deliver(store: &Store, service: &Service, mailer: &Mailer, due: DueMail, now: Millis) {
    let sent = async {
        if let Some(mail) = compose(service, &due).await? {
            let at = utc_text(now).replace(':', "-");
            let name = format!("{at}-{:06}-{}", due.id, mail.text);
            let sending = mailer.send(render(&due.recipient, &mail), &name);
            let sent = tokio::time::timeout(SEND_TIMEOUT, sending).await;
            sent.context("the mail server took too long")??;
        }
        let finished = store.finish_mail(due.id).await;
        finished.context("cannot remove the sent mail from the outbox")
    };
    let sent = sent.await;
    let result = if sent.is_ok() { "sent" } else { "failed" };
    metrics::counter!("mails_total", "result" => result).increment(1);
    // The recipient stays out of the log; the mail's id finds it in the database.
    if let Err(error) = sent {
        let error = format!("{error:#}");
        tracing::warn!(
            error,
            mail = due.id,
            tries = due.tries,
            "mail_not_sent: it stays in the outbox"
        );
    }
}

/// The mail to send. `None`: a password reset for an address without an account.
async fn compose(service: &Service, due: &DueMail) -> anyhow::Result<Option<Mail>> {
    match &due.body {
        MailBody::Mail(mail) => Ok(Some(mail.clone())),
        MailBody::Reset { page } => {
            let address = due.recipient.parse::<Email>()?;
            Ok(service.create_reset_link(&address, page).await?)
        }
    }
}

/// Mails to an address that somebody typed in and that may belong to somebody else: they say that they can be ignored. All other
/// mails report something that has happened; those about risky changes say what to do.
const UNVERIFIED_ADDRESS_MAILS: [&str; 4] = ["confirm", "exists", "reset", "email_change"];

fn render(to: &str, mail: &Mail) -> RenderedMail {
    let lang: Lang = mail.language.parse().unwrap_or_default();
    let say = |name: &str| text(lang, "mail", name);
    let fill = |name: &str| {
        let values = mail.values.iter();
        let values = values.map(|(name, value)| (name.as_str(), value.as_str()));
        text_with(lang, "mail", &format!("{}_{name}", mail.text), values)
    };
    let lines = mail.lines.iter().map(|line| format!("\n- {line}"));
    let lines: String = lines.collect();
    let body = match lines.is_empty() {
        true => fill("text"),
        false => format!("{}\n{lines}", fill("text")),
    };
    // A mail about something that has happened, perhaps caused by somebody else, must not say that there is nothing to do.
    let ignore = match UNVERIFIED_ADDRESS_MAILS.contains(&mail.text.as_str()) {
        true => format!("{}\n\n", say("ignore")),
        false => String::new(),
    };
    RenderedMail {
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
        assert!(
            UNVERIFIED_ADDRESS_MAILS
                .iter()
                .all(|name| names.contains(name))
        );
        for name in names {
            for lang in Lang::ALL {
                let mail = Mail::new(name, lang, "https://example.com/#t".into());
                let mail = [
                    "sn",
                    "old",
                    "scope",
                    "until",
                    "who",
                    "code",
                    "what",
                    "next",
                    "since",
                    "count",
                    "left",
                    "lost",
                    "record",
                    "changes",
                    "owner",
                    "system",
                    "message",
                    "scope_before",
                    "until_before",
                    "name",
                    "role",
                    "company",
                    "number",
                    "subject",
                    "text",
                ]
                .into_iter()
                .fold(mail, |mail, value| mail.with(value, "Ä\r\nBcc: b"));
                let rendered = render("a@example.com", &mail);
                assert!(!rendered.subject.is_empty(), "{name} {lang:?}");
                assert!(
                    !rendered.text.contains("{{"),
                    "{name} {lang:?}: {}",
                    rendered.text
                );
                assert!(!rendered.text.contains("\nBcc"), "{name} {lang:?}");
                // Only mails to an unverified address say that they can be ignored.
                let ignores = rendered.text.contains(text(lang, "mail", "ignore"));
                assert_eq!(
                    ignores,
                    UNVERIFIED_ADDRESS_MAILS.contains(&name),
                    "{name} {lang:?}"
                );
                assert!(
                    rendered.text.lines().any(|line| line == mail.link),
                    "{name} {lang:?}"
                );
            }
        }
    }
}
