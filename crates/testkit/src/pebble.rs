//! An authority that issues certificates by ACME: Let's Encrypt's Pebble, with a name server that leads every name to this machine.
use crate::http::Call;
use crate::{TestCertificate, free_port, wait_for_listener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

/// As Let's Encrypt.
const DAYS: i64 = 90;

/// Ends when dropped.
#[derive(Debug)]
pub struct Pebble {
    certificate: TestCertificate,
    folder: TempDir,
    port: u16,
    management: u16,
    processes: Vec<Child>,
}

impl Pebble {
    /// It looks for proofs at these ports of this machine.
    pub fn start(http: u16, tls: u16) -> Self {
        let [port, management, dns, dns_management] = std::array::from_fn(|_| free_port());
        let folder = TempDir::new().unwrap();
        let certificate = TestCertificate::new();
        certificate.write_to(folder.path());
        let config = serde_json::json!({"pebble": {
            "listenAddress": format!("127.0.0.1:{port}"),
            "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": folder.path().join("tls.crt"),
            "privateKey": folder.path().join("tls.key"),
            "httpPort": http,
            "tlsPort": tls,
            "certificateValidityPeriod": DAYS * 24 * 3_600,
        }});
        let file = folder.path().join("pebble.json");
        std::fs::write(&file, config.to_string()).unwrap();
        let local = |port: u16| format!("127.0.0.1:{port}");
        let mut names = Command::new("pebble-challtestsrv");
        names
            .args(["-dns01", &local(dns), "-management", &local(dns_management)])
            .args(["-http01", "", "-https01", "", "-tlsalpn01", ""])
            .args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""]);
        let mut authority = Command::new("pebble");
        authority
            .args(["-dnsserver", &local(dns), "-config"])
            .arg(&file)
            // It would wait for seconds before it looks, and refuse some requests to try its clients.
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_WFE_NONCEREJECT", "0");
        let processes = [(names, dns_management), (authority, port)];
        let processes = processes.map(|(mut command, port)| {
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            let started = quiet.spawn();
            let mut process =
                started.expect("pebble is missing: scripts/install-tools installs it");
            wait_for_listener(&mut process, port);
            process
        });
        Self {
            certificate,
            folder,
            port,
            management,
            processes: processes.into(),
        }
    }

    pub fn directory(&self) -> String {
        format!("https://localhost:{}/dir", self.port)
    }

    /// The file of the certificate that Pebble itself is served with.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.path().join("tls.crt")
    }

    /// What all of its certificates lead to.
    pub async fn root(&self) -> CertificateDer<'static> {
        let address = ([127, 0, 0, 1], self.management).into();
        let stream = self.certificate.connect(address, &[]).await.unwrap();
        let call = Call::new(address, "GET".parse().unwrap(), "/roots/0");
        let root = call.open_on(stream).await.read_to_end().await.expect(200);
        CertificateDer::from_pem_slice(root.text.as_bytes()).unwrap()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
