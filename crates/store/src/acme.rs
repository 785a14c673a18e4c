//! Certificates that the portal gets by ACME: the account at the authority, the certificate, what proves the names, and when to ask next.
//! All processes on a database share them.
use crate::{Error, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::Random;
use domain::clock::Millis;

/// What the authority looks for at a name: over HTTP the key authorization, in a TLS handshake its digest.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct AcmeChallenge {
    pub domain: String,
    pub token: String,
    pub key_authorization: String,
}

/// When the certificate is to be renewed, and when an order may begin after failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct AcmeSchedule {
    pub renew_at: Millis,
    pub failures: i64,
    pub next_attempt_at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcmeSecretKind {
    /// The credentials of an account; its subject is the authority's directory.
    Account,
    /// A chain and its private key; their subject are the names.
    Certificate,
}

#[derive(Clone, PartialEq, Eq)]
pub struct AcmeSecret {
    pub subject: String,
    pub text: String,
}

#[derive(FromRow)]
struct SecretRow {
    subject: String,
    body: Vec<u8>,
}

impl AcmeSecretKind {
    fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Certificate => "certificate",
        }
    }
}

impl Store {
    pub async fn acme_schedule(&self) -> Result<AcmeSchedule> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT renew_at, failures, next_attempt_at FROM acme_schedule WHERE id = 1")
            .fetch_one(p).await)?)
    }

    /// Of the order that is under way.
    pub async fn acme_challenges(&self) -> Result<Vec<AcmeChallenge>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT domain, token, key_authorization FROM acme_challenges ORDER BY domain")
            .fetch_all(p).await)?)
    }

    pub async fn acme_secret(&self, kind: AcmeSecretKind) -> Result<Option<AcmeSecret>> {
        let row: Option<SecretRow> = on!(self, p => sqlx::query_as(
            "SELECT subject, body FROM acme_secrets WHERE kind = $1")
            .bind(kind.name()).fetch_optional(p).await)?;
        let open = |row: SecretRow| {
            let clear = self.keyring.decrypt(Purpose::AcmeSecret, &row.body)?;
            Some(AcmeSecret {
                subject: row.subject,
                text: String::from_utf8(clear).ok()?,
            })
        };
        let opened = row.map(|row| open(row).ok_or(Error::Damaged("acme_secrets.body")));
        opened.transpose()
    }

    /// Reserves an order until `until`. False if another process was faster, or a failure was too recent.
    pub async fn claim_acme_order(&self, now: Millis, until: Millis) -> Result<bool> {
        let claimed = execute!(on self, sqlx::query(
            "UPDATE acme_schedule SET next_attempt_at = $2 WHERE id = 1 AND next_attempt_at <= $1")
            .bind(now).bind(until))?;
        Ok(claimed == 1)
    }

    pub async fn set_acme_account(&self, account: &AcmeSecret, random: &Random) -> Result<()> {
        let mut tx = self.db.begin().await?;
        self.set_acme_secret(&mut tx, AcmeSecretKind::Account, account, random)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Replaces those of the order before.
    pub async fn set_acme_challenges(&self, challenges: &[AcmeChallenge]) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(&mut tx, sqlx::query("DELETE FROM acme_challenges"))?;
        for challenge in challenges {
            execute!(
                &mut tx,
                sqlx::query(
                    "INSERT INTO acme_challenges (domain, token, key_authorization) VALUES ($1, $2, $3)"
                )
                .bind(&challenge.domain)
                .bind(&challenge.token)
                .bind(&challenge.key_authorization)
            )?;
        }
        Ok(tx.commit().await?)
    }

    /// Ends an order with its certificate.
    pub async fn set_acme_certificate(
        &self,
        certificate: &AcmeSecret,
        renew_at: Millis,
        random: &Random,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        self.set_acme_secret(&mut tx, AcmeSecretKind::Certificate, certificate, random)
            .await?;
        execute!(&mut tx, sqlx::query("DELETE FROM acme_challenges"))?;
        execute!(
            &mut tx,
            sqlx::query(
                "UPDATE acme_schedule SET renew_at = $1, failures = 0, next_attempt_at = 0 WHERE id = 1"
            )
            .bind(renew_at)
        )?;
        Ok(tx.commit().await?)
    }

    /// Ends an order without one.
    pub async fn record_acme_failure(&self, next_attempt_at: Millis) -> Result<()> {
        execute!(on self, sqlx::query(
            "UPDATE acme_schedule SET failures = failures + 1, next_attempt_at = $1 WHERE id = 1")
            .bind(next_attempt_at))?;
        Ok(())
    }

    async fn set_acme_secret(
        &self,
        tx: &mut Tx,
        kind: AcmeSecretKind,
        secret: &AcmeSecret,
        random: &Random,
    ) -> Result<()> {
        let body =
            self.keyring
                .encrypt(Purpose::AcmeSecret, random.bytes(), secret.text.as_bytes());
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO acme_secrets (kind, subject, body) VALUES ($1, $2, $3)
                 ON CONFLICT (kind) DO UPDATE SET subject = excluded.subject, body = excluded.body"
            )
            .bind(kind.name())
            .bind(&secret.subject)
            .bind(body)
        )?;
        Ok(())
    }
}
