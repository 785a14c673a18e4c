//! Certificates for listeners that do TLS themselves. Their files are read again every few seconds: a new certificate is used for new
//! connections, and open ones stay. Reading also finds what an exchanged symbolic link leads to, as Kubernetes and certbot have them.
use crate::certificate::valid_until;
use anyhow::{Context as _, ensure};
use api::Tls as TlsAcceptor;
use domain::Clock;
use domain::clock::DAY;
use ring::digest;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const RELOAD_INTERVAL: Duration = Duration::from_secs(2);
/// What browsers may speak.
pub(crate) const HTTP: &[&[u8]] = &[b"h2", b"http/1.1"];

/// The certificate that new connections of some listeners are served with.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// As metrics name it.
    name: &'static str,
    clock: Clock,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    pub(crate) fn new(name: &'static str, first: CertifiedKey, clock: &Clock) -> Arc<Self> {
        Arc::new(Self {
            name,
            clock: clock.clone(),
            current: RwLock::new(Arc::new(first)),
        })
    }

    /// For browsers.
    pub(crate) fn https(self: &Arc<Self>) -> TlsAcceptor {
        acceptor(Arc::<Self>::clone(self), HTTP)
    }

    /// For batteries, which negotiate no application protocol (ALPN).
    pub(crate) fn devices(self: &Arc<Self>) -> TlsAcceptor {
        acceptor(Arc::<Self>::clone(self), &[])
    }

    /// Uses this one for new connections.
    pub(crate) fn replace(&self, new: CertifiedKey) {
        if new.cert == self.current().cert {
            return;
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(new);
        drop(current);
        let days = self.days_left().unwrap_or_default().round();
        tracing::info!(
            certificate = self.name,
            days,
            "certificate_renewed: new connections use it"
        );
    }

    pub(crate) fn record_days_left(&self) {
        if let Some(days) = self.days_left() {
            metrics::gauge!("tls_certificate_days_left", "certificate" => self.name).set(days);
        }
    }

    /// Negative once it has expired.
    fn days_left(&self) -> Option<f64> {
        let until = valid_until(self.current().cert.first()?)?;
        Some((until - self.clock.now()) as f64 / DAY as f64)
    }

    pub(crate) fn current(&self) -> Arc<CertifiedKey> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

pub(crate) fn acceptor(resolver: Arc<dyn ResolvesServerCert>, protocols: &[&[u8]]) -> TlsAcceptor {
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

/// Files with a certificate, which somebody else renews.
#[derive(Debug)]
pub(crate) struct CertificateFiles {
    chain: PathBuf,
    key: PathBuf,
    certificate: Arc<Certificate>,
    /// A digest of files that cannot be used, and that the log has named.
    rejected: Option<Vec<u8>>,
}

impl CertificateFiles {
    pub(crate) fn open(
        name: &'static str,
        (chain, key): (&Path, &Path),
        clock: &Clock,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            certificate: Certificate::new(name, load(chain, key)?, clock),
            chain: chain.to_owned(),
            key: key.to_owned(),
            rejected: None,
        })
    }

    pub(crate) fn certificate(&self) -> &Arc<Certificate> {
        &self.certificate
    }

    /// Reads the files again every few seconds, until `stop`.
    pub(crate) async fn watch(mut self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(RELOAD_INTERVAL);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            self.reload();
        }
    }

    /// What cannot be used, such as a certificate whose key is not written yet, changes nothing.
    fn reload(&mut self) {
        let rejected = match self.load_usable() {
            Ok(new) => {
                self.certificate.replace(new);
                None
            }
            Err(error) => {
                let digest = self.digest();
                if self.rejected.as_ref() != Some(&digest) {
                    let certificate = self.chain.display();
                    tracing::warn!(%certificate, error = format!("{error:#}"), "certificate_not_renewed: the previous one stays");
                }
                Some(digest)
            }
        };
        let is_rejected = f64::from(u8::from(rejected.is_some()));
        let name = self.certificate.name;
        metrics::gauge!("tls_certificate_rejected", "certificate" => name).set(is_rejected);
        self.certificate.record_days_left();
        self.rejected = rejected;
    }

    fn load_usable(&self) -> anyhow::Result<CertifiedKey> {
        let new = load(&self.chain, &self.key)?;
        let until = new.cert.first().and_then(valid_until);
        let is_over = until.is_some_and(|until| until < self.certificate.clock.now());
        let is_used = new.cert == self.certificate.current().cert;
        ensure!(!is_over || is_used, "it has expired");
        Ok(new)
    }

    /// Of their contents, or of why they cannot be read.
    fn digest(&self) -> Vec<u8> {
        let mut context = digest::Context::new(&digest::SHA256);
        for file in [&self.chain, &self.key] {
            let content = std::fs::read(file);
            let content = content.unwrap_or_else(|error| error.to_string().into_bytes());
            context.update(digest::digest(&digest::SHA256, &content).as_ref());
        }
        context.finish().as_ref().to_vec()
    }
}

pub(crate) fn load(chain_file: &Path, key_file: &Path) -> anyhow::Result<CertifiedKey> {
    let chain = CertificateDer::pem_file_iter(chain_file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("the certificate {} cannot be read", chain_file.display()))?;
    let key = PrivateKeyDer::from_pem_file(key_file)
        .with_context(|| format!("the private key {} cannot be read", key_file.display()))?;
    CertifiedKey::from_der(chain, key, &default_provider())
        .context("certificate and private key do not fit together")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use domain::clock::HOUR;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;
    use testkit::{NOON, TestCertificate};

    /// Files as Kubernetes mounts a secret: links to a folder that is exchanged as a whole.
    struct MountedSecret(TempDir);

    impl MountedSecret {
        fn new(first: &TestCertificate) -> Self {
            let secret = Self(TempDir::new().unwrap());
            secret.exchange("1", &first.chain, &first.key);
            for name in ["tls.crt", "tls.key"] {
                symlink(Path::new("..data").join(name), secret.path(name)).unwrap();
            }
            secret
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn exchange(&self, version: &str, chain: &str, key: &str) {
            let folder = self.path(version);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("tls.crt"), chain).unwrap();
            std::fs::write(folder.join("tls.key"), key).unwrap();
            symlink(version, self.path("..new")).unwrap();
            std::fs::rename(self.path("..new"), self.path("..data")).unwrap();
        }

        fn open(&self, clock: &Clock) -> CertificateFiles {
            let [chain, key] = ["tls.crt", "tls.key"].map(|name| self.path(name));
            CertificateFiles::open("portal", (&chain, &key), clock).unwrap()
        }
    }

    /// What new connections are served with.
    fn used(files: &CertificateFiles) -> CertificateDer<'static> {
        files.certificate().current().cert[0].clone()
    }

    fn der(certificate: &TestCertificate) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(certificate.chain.as_bytes()).unwrap()
    }

    #[test]
    fn a_new_certificate_is_used_and_one_that_does_not_fit_changes_nothing() {
        let [first, second, third] = std::array::from_fn(|_| TestCertificate::new());
        let expired = TestCertificate::valid_until(2026, 11, 1);
        let secret = MountedSecret::new(&first);
        let mut files = secret.open(&Clock::frozen_at(NOON));
        files.reload();
        assert_eq!(used(&files), der(&first));
        secret.exchange("2", &second.chain, &second.key);
        files.reload();
        assert_eq!(used(&files), der(&second));
        let empty = String::new();
        for (version, chain, key) in [
            ("3", &third.chain, &second.key),
            ("4", &empty, &third.key),
            ("5", &expired.chain, &expired.key),
        ] {
            let before = files.rejected.clone();
            secret.exchange(version, chain, key);
            files.reload();
            assert_eq!(used(&files), der(&second), "{version}");
            // Said once for each change.
            let rejected = files.rejected.clone();
            assert!(rejected.is_some() && rejected != before, "{version}");
            files.reload();
            assert_eq!(files.rejected, rejected, "{version}");
        }
        secret.exchange("6", &third.chain, &third.key);
        files.reload();
        assert_eq!(used(&files), der(&third));
        assert_eq!(files.rejected, None);
    }

    #[test]
    fn the_days_that_are_left_follow_the_clock() {
        let clock = Clock::frozen_at(NOON);
        let secret = MountedSecret::new(&TestCertificate::valid_until(2026, 11, 25));
        let mut files = secret.open(&clock);
        let days_left = |files: &CertificateFiles| files.certificate.days_left().unwrap();
        let before = days_left(&files);
        clock.advance(36 * HOUR);
        assert!((days_left(&files) - (before - 1.5)).abs() < 1e-9);
        clock.advance(30 * DAY);
        assert!(days_left(&files) < 0.0);
        // Better than none.
        files.reload();
        assert_eq!(files.rejected, None);
    }
}
