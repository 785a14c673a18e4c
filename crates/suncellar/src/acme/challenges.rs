//! What proves to the authority that the names are ours: answers over HTTP (http-01), and certificates for handshakes in which only it
//! is interested (tls-alpn-01, RFC 8737).
use crate::tls::Certificate;
use anyhow::Context as _;
use api::ACME_TLS_ALPN;
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use ring::digest::{SHA256, digest};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use store::acme::AcmeChallenge;

/// Those of the order that is under way.
#[derive(Debug, Default)]
pub(super) struct Challenges(RwLock<State>);

#[derive(Debug, Default)]
struct State {
    known: Vec<AcmeChallenge>,
    certificates: HashMap<String, Arc<CertifiedKey>>,
}

impl Challenges {
    pub(super) fn set(&self, challenges: &[AcmeChallenge]) -> anyhow::Result<()> {
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if state.known == challenges {
            return Ok(());
        }
        let certificates = challenges.iter().map(|challenge| {
            let certificate = certificate(challenge).context("a certificate for a challenge")?;
            Ok::<_, anyhow::Error>((challenge.domain.clone(), Arc::new(certificate)))
        });
        let certificates = certificates.collect::<anyhow::Result<_>>()?;
        *state = State {
            known: challenges.to_vec(),
            certificates,
        };
        Ok(())
    }

    pub(super) fn key_authorization(&self, token: &str) -> Option<String> {
        let state = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut known = state.known.iter();
        let challenge = known.find(|challenge| challenge.token == token)?;
        Some(challenge.key_authorization.clone())
    }

    fn certificate(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let state = self.0.read().unwrap_or_else(PoisonError::into_inner);
        state.certificates.get(name).cloned()
    }
}

fn certificate(challenge: &AcmeChallenge) -> anyhow::Result<CertifiedKey> {
    let mut params = CertificateParams::new([challenge.domain.clone()])?;
    let digest = digest(&SHA256, challenge.key_authorization.as_bytes());
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest.as_ref())];
    self_signed(&params)
}

/// One that nobody trusts.
pub(super) fn self_signed(params: &CertificateParams) -> anyhow::Result<CertifiedKey> {
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let chain = vec![certificate.der().clone()];
    Ok(CertifiedKey::from_der(chain, key, &default_provider())?)
}

/// Gives the authority its proof, and everybody else the certificate.
#[derive(Debug)]
pub(super) struct Resolver {
    certificate: Arc<Certificate>,
    challenges: Arc<Challenges>,
}

impl Resolver {
    pub(super) fn new(certificate: &Arc<Certificate>, challenges: &Arc<Challenges>) -> Self {
        Self {
            certificate: Arc::clone(certificate),
            challenges: Arc::clone(challenges),
        }
    }
}

impl ResolvesServerCert for Resolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let offered = hello.alpn();
        let is_authority = offered.is_some_and(|names| names.eq([ACME_TLS_ALPN]));
        match is_authority {
            true => self.challenges.certificate(hello.server_name()?),
            false => Some(self.certificate.current()),
        }
    }
}
