//! Certificates for a listener that serves HTTPS itself.
use anyhow::Context as _;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn load(certificate: &Path, key: &Path) -> anyhow::Result<api::Tls> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("the certificate {} cannot be read", certificate.display()))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("the private key {} cannot be read", key.display()))?;
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("certificate and private key do not fit together")?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(api::Tls::from(Arc::new(config)))
}
