//! One order of a certificate: from the account to the chain.
use super::{AcmeConfig, Challenges, POLL_INTERVAL};
use anyhow::{Context as _, bail};
use domain::Random;
use instant_acme::{
    Account, AccountBuilder, AccountCredentials, AuthorizationStatus, ChallengeType, Identifier,
    NewAccount, NewOrder, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};
use std::time::Duration;
use store::Store;
use store::acme::{AcmeChallenge, AcmeSecret, AcmeSecretKind};

const RETRIES: RetryPolicy = RetryPolicy::new()
    .initial_delay(Duration::from_millis(500))
    .backoff(1.5)
    .timeout(Duration::from_secs(120));

pub(super) struct Order<'a> {
    config: &'a AcmeConfig,
    store: &'a Store,
    random: &'a Random,
    challenges: &'a Challenges,
}

/// Whether the authority was asked too often.
pub(super) fn is_rate_limited(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let Some(instant_acme::Error::Api(problem)) = cause.downcast_ref() else {
            return false;
        };
        let kind = problem.r#type.as_deref().unwrap_or_default();
        kind.ends_with(":rateLimited")
    })
}

impl<'a> Order<'a> {
    pub(super) fn new(
        config: &'a AcmeConfig,
        store: &'a Store,
        random: &'a Random,
        challenges: &'a Challenges,
    ) -> Self {
        Self {
            config,
            store,
            random,
            challenges,
        }
    }

    /// A new chain and its new key (PEM).
    pub(super) async fn certificate(&self) -> anyhow::Result<String> {
        let account = self.account().await.context("the account")?;
        let names = self.config.domains.names();
        let identifiers: Vec<_> = names.iter().cloned().map(Identifier::Dns).collect();
        let order = account.new_order(&NewOrder::new(&identifiers)).await;
        let mut order = order.context("the order")?;
        self.prove_names(&mut order).await?;
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = DistinguishedName::new();
        let request = params.serialize_request(&key)?;
        order.finalize_csr(request.der()).await?;
        let chain = order.poll_certificate(&RETRIES).await?;
        Ok(format!("{}\n{}", chain.trim_end(), key.serialize_pem()))
    }

    /// The one at this authority. The first order makes it; whoever configures ACME agrees to the authority's terms.
    async fn account(&self) -> anyhow::Result<Account> {
        let directory = &self.config.directory;
        let stored = self.store.acme_secret(AcmeSecretKind::Account).await?;
        if let Some(stored) = stored.filter(|stored| stored.subject == *directory) {
            let credentials: AccountCredentials = serde_json::from_str(&stored.text)?;
            return Ok(self.builder()?.from_credentials(credentials).await?);
        }
        let contact: Vec<&str> = self.config.contact.iter().map(String::as_str).collect();
        let new = NewAccount {
            contact: &contact,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let created = self.builder()?.create(&new, directory.clone(), None);
        let (account, credentials) = created.await?;
        let secret = AcmeSecret {
            subject: directory.clone(),
            text: serde_json::to_string(&credentials)?,
        };
        self.store.set_acme_account(&secret, self.random).await?;
        Ok(account)
    }

    fn builder(&self) -> anyhow::Result<AccountBuilder> {
        Ok(match &self.config.directory_ca {
            Some(file) => Account::builder_with_root(file)?,
            None => Account::builder()?,
        })
    }

    async fn prove_names(&self, order: &mut instant_acme::Order) -> anyhow::Result<()> {
        let kind = match self.config.by_http {
            true => ChallengeType::Http01,
            false => ChallengeType::TlsAlpn01,
        };
        let mut challenges = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if matches!(authorization.status, AuthorizationStatus::Valid) {
                continue;
            }
            let challenge = authorization.challenge(kind.clone());
            let challenge = challenge.with_context(|| format!("the authority has no {kind:?}"))?;
            challenges.push(AcmeChallenge {
                domain: challenge.identifier().to_string(),
                token: challenge.token.clone(),
                key_authorization: challenge.key_authorization().as_str().to_owned(),
            });
        }
        self.store.set_acme_challenges(&challenges).await?;
        self.challenges.set(&challenges)?;
        if self.store.db().is_shared() {
            // The authority may come to any process.
            tokio::time::sleep(POLL_INTERVAL * 2).await;
        }
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if matches!(authorization.status, AuthorizationStatus::Valid) {
                continue;
            }
            if let Some(mut challenge) = authorization.challenge(kind.clone()) {
                challenge.set_ready().await?;
            }
        }
        match order.poll_ready(&RETRIES).await? {
            OrderStatus::Ready => Ok(()),
            status => {
                let reason = reason(order).await?;
                bail!("the authority does not accept the proof ({status:?}): {reason}")
            }
        }
    }
}

/// Why the authority found no proof.
async fn reason(order: &mut instant_acme::Order) -> anyhow::Result<String> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        let state = authorization.refresh().await?;
        let mut challenges = state.challenges.iter();
        if let Some(problem) = challenges.find_map(|challenge| challenge.error.as_ref()) {
            return Ok(problem.to_string());
        }
    }
    Ok("it says nothing more".to_owned())
}
