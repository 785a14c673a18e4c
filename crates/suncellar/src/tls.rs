//! Certificates for listeners that do TLS themselves.
use anyhow::Context as _;
use api::Tls as TlsAcceptor;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;

/// For browsers.
pub(crate) fn https(certificate: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
    load(certificate, key, &[b"http/1.1"])
}

/// For batteries, which negotiate no application protocol (ALPN).
pub(crate) fn devices(certificate: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
    load(certificate, key, &[])
}

fn load(certificate: &Path, key: &Path, protocols: &[&[u8]]) -> anyhow::Result<TlsAcceptor> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("the certificate {} cannot be read", certificate.display()))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("the private key {} cannot be read", key.display()))?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("certificate and private key do not fit together")?;
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}
