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
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// The certificate of one or more listeners.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// As metrics name it.
    name: &'static str,
    chain_file: PathBuf,
    key_file: PathBuf,
    clock: Clock,
    current: RwLock<Arc<CertifiedKey>>,
    /// A digest of files that cannot be used, and that the log has named.
    rejected: Mutex<Option<Vec<u8>>>,
}

impl Certificate {
    pub(crate) fn open(
        name: &'static str,
        (chain_file, key_file): &(PathBuf, PathBuf),
        clock: &Clock,
    ) -> anyhow::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            name,
            current: RwLock::new(Arc::new(load(chain_file, key_file)?)),
            chain_file: chain_file.clone(),
            key_file: key_file.clone(),
            clock: clock.clone(),
            rejected: Mutex::default(),
        }))
    }

    /// For browsers.
    pub(crate) fn https(self: &Arc<Self>) -> TlsAcceptor {
        self.acceptor(&[b"h2", b"http/1.1"])
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

    /// Reads the files again every few seconds, until `stop`.
    pub(crate) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let mut tick = tokio::time::interval(RELOAD_INTERVAL);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            self.reload();
        }
    }

    /// What cannot be used, such as a certificate whose key is not written yet, changes nothing.
    fn reload(&self) {
        let certificate = self.chain_file.display();
        let loaded = self.load_usable();
        let rejected = loaded.is_err().then(|| self.digest_of_files());
        let mut before = self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        match loaded {
            Ok(new) if new.cert == self.current().cert => {}
            Ok(new) => {
                let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
                *current = Arc::new(new);
                tracing::info!(%certificate, "certificate_renewed: new connections use it");
            }
            Err(_) if *before == rejected => {}
            Err(error) => {
                tracing::warn!(%certificate, error = format!("{error:#}"), "certificate_not_renewed: the previous one stays");
            }
        }
        let is_rejected = f64::from(u8::from(rejected.is_some()));
        *before = rejected;
        metrics::gauge!("tls_certificate_rejected", "certificate" => self.name).set(is_rejected);
        if let Some(days) = self.days_left() {
            metrics::gauge!("tls_certificate_days_left", "certificate" => self.name).set(days);
        }
    }

    fn load_usable(&self) -> anyhow::Result<CertifiedKey> {
        let new = load(&self.chain_file, &self.key_file)?;
        let until = new.cert.first().and_then(|first| valid_until(first));
        let is_over = until.is_some_and(|until| until < self.clock.now());
        ensure!(
            !is_over || new.cert == self.current().cert,
            "it has expired"
        );
        Ok(new)
    }

    /// Of their contents, or of why they cannot be read.
    fn digest_of_files(&self) -> Vec<u8> {
        let mut context = digest::Context::new(&digest::SHA256);
        for file in [&self.chain_file, &self.key_file] {
            let content = std::fs::read(file);
            let content = content.unwrap_or_else(|error| error.to_string().into_bytes());
            context.update(digest::digest(&digest::SHA256, &content).as_ref());
        }
        context.finish().as_ref().to_vec()
    }

    /// Negative once it has expired.
    fn days_left(&self) -> Option<f64> {
        let until = valid_until(self.current().cert.first()?)?;
        Some((until - self.clock.now()) as f64 / DAY as f64)
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

        fn open(&self, clock: &Clock) -> Arc<Certificate> {
            let files = (self.path("tls.crt"), self.path("tls.key"));
            Certificate::open("portal", &files, clock).unwrap()
        }
    }

    /// The file of a certificate that new connections are served with.
    fn used(certificate: &Certificate) -> CertificateDer<'static> {
        certificate.current().cert[0].clone()
    }

    fn der(certificate: &TestCertificate) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(certificate.chain.as_bytes()).unwrap()
    }

    #[test]
    fn a_new_certificate_is_used_and_one_that_does_not_fit_changes_nothing() {
        let [first, second, third] = std::array::from_fn(|_| TestCertificate::new());
        let expired = TestCertificate::valid_until(2026, 11, 1);
        let secret = MountedSecret::new(&first);
        let certificate = secret.open(&Clock::frozen_at(NOON));
        certificate.reload();
        assert_eq!(used(&certificate), der(&first));
        secret.exchange("2", &second.chain, &second.key);
        certificate.reload();
        assert_eq!(used(&certificate), der(&second));
        for (version, chain, key) in [
            ("3", &third.chain, &second.key),
            ("4", &String::new(), &third.key),
            ("5", &expired.chain, &expired.key),
        ] {
            secret.exchange(version, chain, key);
            certificate.reload();
            assert_eq!(used(&certificate), der(&second), "{version}");
            let rejected = certificate.rejected.lock().unwrap().clone();
            assert!(rejected.is_some(), "{version}");
            // Said once.
            certificate.reload();
            assert_eq!(*certificate.rejected.lock().unwrap(), rejected, "{version}");
        }
        secret.exchange("6", &third.chain, &third.key);
        certificate.reload();
        assert_eq!(used(&certificate), der(&third));
        assert_eq!(*certificate.rejected.lock().unwrap(), None);
    }

    #[test]
    fn the_days_that_are_left_follow_the_clock() {
        let clock = Clock::frozen_at(NOON);
        let secret = MountedSecret::new(&TestCertificate::valid_until(2026, 11, 25));
        let certificate = secret.open(&clock);
        let before = certificate.days_left().unwrap();
        clock.advance(36 * HOUR);
        assert_eq!(certificate.days_left().unwrap(), before - 1.5);
        clock.advance(30 * DAY);
        assert!(certificate.days_left().unwrap() < 0.0);
        // Better than none.
        certificate.reload();
        assert_eq!(*certificate.rejected.lock().unwrap(), None);
    }
}
