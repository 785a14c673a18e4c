//! Certificates for listeners that do TLS themselves. Their files are read again every minute: a renewed certificate is used for new
//! connections, and open ones stay.
use anyhow::Context as _;
use api::Tls as TlsAcceptor;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const RELOAD_INTERVAL: Duration = Duration::from_secs(60);

/// The certificate of a listener.
#[derive(Debug)]
pub(crate) struct Certificate {
    chain_file: PathBuf,
    key_file: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    pub(crate) fn open(chain_file: &Path, key_file: &Path) -> anyhow::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            current: RwLock::new(Arc::new(load(chain_file, key_file)?)),
            chain_file: chain_file.to_owned(),
            key_file: key_file.to_owned(),
        }))
    }

    /// For browsers.
    pub(crate) fn https(self: &Arc<Self>) -> TlsAcceptor {
        self.acceptor(&[b"http/1.1"])
    }

    /// For batteries, which negotiate no application protocol (ALPN).
    pub(crate) fn devices(self: &Arc<Self>) -> TlsAcceptor {
        self.acceptor(&[])
    }

    fn acceptor(self: &Arc<Self>, protocols: &[&[u8]]) -> TlsAcceptor {
        let resolver: Arc<dyn ResolvesServerCert> = Arc::<Self>::clone(self);
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    /// Reads the files again every minute, until `stop`.
    pub(crate) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let mut tick = tokio::time::interval(RELOAD_INTERVAL);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            self.reload();
        }
    }

    /// What cannot be used, such as a certificate whose key is not written yet, changes nothing.
    fn reload(&self) {
        let certificate = self.chain_file.display();
        match load(&self.chain_file, &self.key_file) {
            Ok(new) if new.cert == self.current().cert => {}
            Ok(new) => {
                let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
                *current = Arc::new(new);
                tracing::info!(%certificate, "certificate_renewed: new connections use it");
            }
            Err(error) => {
                tracing::warn!(%certificate, error = format!("{error:#}"), "certificate_not_renewed: the previous one stays");
            }
        }
    }

    fn current(&self) -> Arc<CertifiedKey> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

pub(crate) fn load(chain_file: &Path, key_file: &Path) -> anyhow::Result<CertifiedKey> {
    let chain = CertificateDer::pem_file_iter(chain_file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("the certificate {} cannot be read", chain_file.display()))?;
    let key = PrivateKeyDer::from_pem_file(key_file)
        .with_context(|| format!("the private key {} cannot be read", key_file.display()))?;
    CertifiedKey::from_der(chain, key, &ring::default_provider())
        .context("certificate and private key do not fit together")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_renewed_certificate_is_used_and_one_that_does_not_fit_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [chain, key] = ["chain.pem", "key.pem"].map(|name| folder.path().join(name));
        let issue = || {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
            (made.cert.pem(), made.signing_key.serialize_pem())
        };
        let [first, second, third] = [issue(), issue(), issue()];
        let write = |certificate: &str, private: &str| {
            std::fs::write(&chain, certificate).unwrap();
            std::fs::write(&key, private).unwrap();
        };
        write(&first.0, &first.1);
        let certificate = Certificate::open(&chain, &key).unwrap();
        let used = || certificate.current().cert.clone();
        let before = used();
        certificate.reload();
        assert_eq!(used(), before);
        write(&second.0, &second.1);
        certificate.reload();
        let renewed = used();
        assert_ne!(renewed, before);
        for (chain, key) in [
            (third.0.as_str(), second.1.as_str()),
            ("", second.1.as_str()),
            (&third.0, ""),
        ] {
            write(chain, key);
            certificate.reload();
            assert_eq!(used(), renewed);
        }
    }
}
