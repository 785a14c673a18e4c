//! Certificates made on the spot, servers that present them, and clients that trust one alone.
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// A self-signed certificate for `localhost`.
#[derive(Clone, Debug)]
pub struct TestCertificate {
    der: CertificateDer<'static>,
    key_der: Vec<u8>,
    /// As files have it.
    pub chain: String,
    pub key: String,
}

impl TestCertificate {
    /// One that is valid for this century.
    pub fn new() -> Self {
        Self::valid_until(2099, 12, 31)
    }

    pub fn valid_until(year: i32, month: u8, day: u8) -> Self {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(year, month, day);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            der: certificate.der().clone(),
            key_der: key.serialize_der(),
            chain: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    /// Writes `tls.crt` and `tls.key`. Nobody sees half a file.
    pub fn write_to(&self, folder: &Path) {
        exchange(folder, "tls.crt", &self.chain);
        self.write_key_to(folder);
    }

    pub fn write_key_to(&self, folder: &Path) {
        exchange(folder, "tls.key", &self.key);
    }

    /// A server with this certificate that offers these application protocols (ALPN).
    pub fn acceptor(&self, protocols: &[&str]) -> TlsAcceptor {
        let key = PrivateKeyDer::try_from(self.key_der.clone()).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.der.clone()], key)
            .unwrap();
        config.alpn_protocols = names(protocols);
        TlsAcceptor::from(Arc::new(config))
    }

    /// A connection to a server that presents this certificate and no other; with any other it is an error.
    pub async fn connect(
        &self,
        address: SocketAddr,
        protocols: &[&str],
    ) -> io::Result<TlsStream<TcpStream>> {
        connect("localhost", &self.der, address, protocols).await
    }
}

/// A connection to a server that presents a certificate for `host` by this authority.
pub async fn connect(
    host: &str,
    authority: &CertificateDer<'static>,
    address: SocketAddr,
    protocols: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = names(protocols);
    let stream = TcpStream::connect(address).await?;
    let host = host.to_owned().try_into().unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(host, stream).await
}

impl Default for TestCertificate {
    fn default() -> Self {
        Self::new()
    }
}

fn exchange(folder: &Path, name: &str, text: &str) {
    let new = folder.join(format!("{name}.new"));
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, folder.join(name)).unwrap();
}

/// What client and server agreed on.
pub fn protocol(stream: &TlsStream<TcpStream>) -> Option<&str> {
    let name = stream.get_ref().1.alpn_protocol();
    name.map(|name| std::str::from_utf8(name).unwrap())
}

fn names(protocols: &[&str]) -> Vec<Vec<u8>> {
    protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect()
}
