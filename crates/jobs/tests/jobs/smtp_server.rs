//! A minimal mail server: STARTTLS with its own certificate, AUTH PLAIN, and a log of what it received.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub(crate) struct SmtpServer {
    pub(crate) port: u16,
    /// The certificate to trust, PEM.
    pub(crate) authority: String,
    memory: Arc<Mutex<SmtpLog>>,
}

#[derive(Default)]
struct SmtpLog {
    mails: Vec<ReceivedMail>,
    saw_login: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ReceivedMail {
    pub(crate) recipient: String,
    pub(crate) text: String,
    pub(crate) encrypted: bool,
    pub(crate) authenticated: bool,
}

impl SmtpServer {
    pub(crate) async fn start(user: &str, password: &str) -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let chain = vec![CertificateDer::from(made.cert.der().to_vec())];
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = config
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let tls = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let memory: Arc<Mutex<SmtpLog>> = Arc::default();
        let login = BASE64_STANDARD.encode(format!("\0{user}\0{password}"));
        let (tasks_memory, authority) = (Arc::clone(&memory), made.cert.pem());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(receive(
                    stream,
                    tls.clone(),
                    login.clone(),
                    Arc::clone(&tasks_memory),
                ));
            }
        });
        Self {
            port,
            authority,
            memory,
        }
    }

    pub(crate) fn received(&self) -> Vec<ReceivedMail> {
        self.memory.lock().unwrap().mails.clone()
    }

    pub(crate) fn saw_login(&self) -> bool {
        self.memory.lock().unwrap().saw_login
    }
}

async fn receive(stream: TcpStream, tls: TlsAcceptor, login: String, memory: Arc<Mutex<SmtpLog>>) {
    let mut plain = BufReader::new(stream);
    reply(&mut plain, "220 localhost").await;
    // Without TLS it only offers STARTTLS.
    while let Some(line) = read_line_from(&mut plain).await {
        match line.to_uppercase().as_str() {
            hello if hello.starts_with("EHLO") => {
                reply(&mut plain, "250-localhost\r\n250 STARTTLS").await
            }
            "STARTTLS" => {
                reply(&mut plain, "220 go ahead").await;
                if let Ok(secured) = tls.accept(plain.into_inner()).await {
                    serve_session(BufReader::new(secured), &login, &memory).await;
                }
                return;
            }
            _ => reply(&mut plain, "530 STARTTLS first").await,
        }
    }
}

async fn serve_session<S: AsyncRead + AsyncWrite + Unpin>(
    mut link: BufReader<S>,
    login: &str,
    memory: &Mutex<SmtpLog>,
) {
    let mut mail = ReceivedMail {
        encrypted: true,
        ..ReceivedMail::default()
    };
    while let Some(line) = read_line_from(&mut link).await {
        let upper = line.to_uppercase();
        if upper.starts_with("EHLO") {
            reply(&mut link, "250-localhost\r\n250 AUTH PLAIN").await;
        } else if let Some(given) = line.strip_prefix("AUTH PLAIN ") {
            memory.lock().unwrap().saw_login = true;
            mail.authenticated = given == login;
            reply(
                &mut link,
                if mail.authenticated {
                    "235 welcome"
                } else {
                    "535 wrong"
                },
            )
            .await;
        } else if upper.starts_with("RCPT TO:<") && mail.authenticated {
            mail.recipient = line["RCPT TO:<".len()..].trim_end_matches('>').to_owned();
            reply(&mut link, "250 ok").await;
        } else if upper == "DATA" && mail.authenticated {
            reply(&mut link, "354 go on").await;
            while let Some(text) = read_line_from(&mut link).await.filter(|text| text != ".") {
                mail.text.push_str(&text);
                mail.text.push('\n');
            }
            memory.lock().unwrap().mails.push(mail.clone());
            reply(&mut link, "250 kept").await;
        } else if upper == "QUIT" {
            reply(&mut link, "221 bye").await;
        } else if mail.authenticated {
            reply(&mut link, "250 ok").await;
        } else {
            reply(&mut link, "530 log in first").await;
        }
    }
}

async fn reply<S: AsyncWrite + Unpin>(link: &mut BufReader<S>, line: &str)
where
    BufReader<S>: AsyncWrite,
{
    let _ = link.write_all(format!("{line}\r\n").as_bytes()).await;
    let _ = link.flush().await;
}

async fn read_line_from<S: AsyncRead + Unpin>(link: &mut BufReader<S>) -> Option<String> {
    let mut line = String::new();
    let read = link.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}
