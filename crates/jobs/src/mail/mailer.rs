//! Where mails go: to an SMTP server, into a folder, or to a callback of the demo.
use anyhow::Context as _;
use lettre::message::header::ContentType;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// A mail as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedMail {
    pub to: String,
    pub subject: String,
    pub text: String,
}

/// The sender and the transport of mails.
#[derive(Clone)]
pub struct Mailer {
    from: String,
    transport: Transport,
}

#[derive(Clone)]
enum Transport {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Folder(PathBuf),
    Callback(Arc<dyn Fn(RenderedMail) + Send + Sync>),
}

/// For one reply of the mail server.
const SMTP_TIMEOUT: Duration = Duration::from_secs(20);

impl Mailer {
    /// `smtp://user:password@host:587?tls=required` (STARTTLS), `smtps://…` (TLS from the start), or without TLS. With
    /// `authority` (PEM) the server's certificate must be issued by it, not by one of the system's authorities.
    pub fn smtp(url: &str, from: &str, authority: Option<&[u8]>) -> anyhow::Result<Self> {
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .context("the SMTP address is not valid")?;
        if let Some(pem) = authority {
            let wrapped = url.starts_with("smtps:");
            let tls = tls_trusting(url, pem)
                .context("the mail server's authority is not a PEM certificate")?;
            transport = transport.tls(if wrapped {
                Tls::Wrapper(tls)
            } else {
                Tls::Required(tls)
            });
        }
        Self::new(
            from,
            Transport::Smtp(transport.timeout(Some(SMTP_TIMEOUT)).build()),
        )
    }

    /// One `.eml` file per mail.
    pub fn folder(path: PathBuf, from: &str) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot create the mail folder {}", path.display()))?;
        Self::new(from, Transport::Folder(path))
    }

    pub fn callback(
        take: impl Fn(RenderedMail) + Send + Sync + 'static,
        from: &str,
    ) -> anyhow::Result<Self> {
        Self::new(from, Transport::Callback(Arc::new(take)))
    }

    fn new(from: &str, transport: Transport) -> anyhow::Result<Self> {
        from.parse::<lettre::message::Mailbox>()
            .context("the sender's address is not valid")?;
        Ok(Self {
            from: from.to_owned(),
            transport,
        })
    }

    /// Logs in to the mail server and sends nothing.
    pub async fn check(&self) -> anyhow::Result<()> {
        if let Transport::Smtp(transport) = &self.transport {
            let accepted = transport.test_connection().await;
            let accepted = accepted.context("the mail server cannot be used")?;
            anyhow::ensure!(accepted, "the mail server refused the connection");
        }
        Ok(())
    }

    pub(super) async fn send(&self, rendered: RenderedMail, name: &str) -> anyhow::Result<()> {
        let message = || {
            Message::builder()
                .from(self.from.parse()?)
                .to(rendered.to.parse()?)
                .subject(&rendered.subject)
                .header(ContentType::TEXT_PLAIN)
                .body(rendered.text.clone())
                .context("cannot build the mail")
        };
        match &self.transport {
            Transport::Smtp(transport) => {
                let sent = transport.send(message()?).await;
                sent.map(drop).context("SMTP delivery failed")
            }
            Transport::Folder(path) => write_new(path, name, &message()?.formatted())
                .await
                .context("cannot write the mail to its folder"),
            Transport::Callback(take) => {
                take(rendered);
                Ok(())
            }
        }
    }
}

/// Writes a file that did not exist before: the database may give the number of a sent mail to another one.
async fn write_new(folder: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    for copy in 1.. {
        let file = match copy {
            1 => format!("{name}.eml"),
            copy => format!("{name}-{copy}.eml"),
        };
        let created = tokio::fs::File::create_new(folder.join(file)).await;
        match created {
            Ok(mut file) => {
                file.write_all(content).await?;
                return file.flush().await;
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn tls_trusting(url: &str, pem: &[u8]) -> anyhow::Result<TlsParameters> {
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
