//! The key versions in the database: wrapped with the operator's secret, rotated, and reloaded by every running process.
use crate::keyring::{DataKey, LoadedKey};
use crate::secret::Secret;
use crate::{Error, Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::Random;
use domain::clock::{MINUTE, Millis};
use std::sync::Arc;

/// A new version is used this long after its creation. Every process reloads the versions every few seconds, so none receives a
/// token that it cannot verify.
pub const ACTIVATION_DELAY: Millis = MINUTE;

/// Re-encryption begins this long after that, when no process encrypts with the old version any more.
const REENCRYPT_DELAY: Millis = MINUTE;

/// Rows that are re-encrypted in one transaction.
const REENCRYPT_BATCH_ROWS: usize = 200;

#[derive(Debug, FromRow)]
struct Row {
    version: i64,
    wrapped: Vec<u8>,
    active_from: Millis,
    accepted_until: Option<Millis>,
    resealed_at: Option<Millis>,
}

const SELECT: &str = "SELECT version, wrapped, active_from, accepted_until, resealed_at FROM secret_keys \
     ORDER BY version";

impl Row {
    fn version(&self) -> Result<u16> {
        u16::try_from(self.version).map_err(|_| Error::Damaged("secret_keys.version"))
    }

    fn unwrap(&self, secret: &Secret) -> Result<Vec<u8>> {
        let key = secret.unwrap(self.version()?, &self.wrapped);
        key.ok_or(Error::WrongSecret)
    }
}

/// A version as the operator sees it.
#[derive(Debug)]
pub struct KeyVersion {
    pub version: u16,
    pub active_from: Millis,
    /// When its tokens stop being accepted; `None` if it has no successor.
    pub accepted_until: Option<Millis>,
    /// Since when all encrypted values use this version or a newer one.
    pub reencrypted_at: Option<Millis>,
    /// How many device secrets are hashed with it. Each moves to the current version at the device's next login.
    pub devices: i64,
}

#[derive(Debug, FromRow)]
struct EncryptedRow {
    id: String,
    encrypted: Vec<u8>,
}

/// All encrypted values: the query that reads them, and the one that replaces a value unless it was changed meanwhile.
const ENCRYPTED_COLUMNS: [(Purpose, &str, &str); 5] = [
    (
        Purpose::MailBody,
        "SELECT CAST(id AS TEXT) AS id, body AS encrypted FROM mails",
        "UPDATE mails SET body = $3 WHERE id = CAST($1 AS BIGINT) AND body = $2",
    ),
    (
        Purpose::ProviderToken,
        "SELECT sn AS id, provider_token AS encrypted FROM settings WHERE provider_token IS NOT NULL",
        "UPDATE settings SET provider_token = $3 WHERE sn = $1 AND provider_token = $2",
    ),
    (
        Purpose::DirectorKey,
        "SELECT signer AS id, secret_key AS encrypted FROM firmware_keys WHERE secret_key IS NOT NULL",
        "UPDATE firmware_keys SET secret_key = $3 WHERE signer = $1 AND secret_key = $2",
    ),
    (
        Purpose::TotpSecret,
        "SELECT CAST(account_id AS TEXT) AS id, secret AS encrypted FROM totp",
        "UPDATE totp SET secret = $3 WHERE account_id = CAST($1 AS BIGINT) AND secret = $2",
    ),
    (
        Purpose::AcmeSecret,
        "SELECT kind AS id, body AS encrypted FROM acme_secrets",
        "UPDATE acme_secrets SET body = $3 WHERE kind = $1 AND body = $2",
    ),
];

impl Store {
    /// Refuses a wrong secret before anything is written, migrations included.
    pub(crate) async fn check_secret(&self) -> Result<()> {
        let secret = self.keyring.secret();
        if self.db.pool().has_table("secret_keys").await? {
            let rows = self.key_rows().await?;
            for row in &rows {
                row.unwrap(secret)?;
            }
            if !rows.is_empty() {
                return Ok(());
            }
        }
        if self.db.pool().has_table("firmware_keys").await? {
            let encrypted: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
                "SELECT secret_key FROM firmware_keys WHERE secret_key IS NOT NULL")
                .fetch_optional(p).await)?;
            let first = DataKey::new(1, &secret.first_key());
            if encrypted
                .is_some_and(|encrypted| first.decrypt(Purpose::DirectorKey, &encrypted).is_none())
            {
                return Err(Error::WrongSecret);
            }
        }
        Ok(())
    }

    async fn key_rows(&self) -> Result<Vec<Row>> {
        Ok(on!(self, p => sqlx::query_as(SELECT).fetch_all(p).await)?)
    }

    /// Loads all versions and makes the first one if there is none. A new database gets a random key. An older one keeps the key
    /// that everything in it was derived from, so nothing is lost.
    pub(crate) async fn load_or_create_keys(&self, random: &Random, now: Millis) -> Result<()> {
        if self.key_rows().await?.is_empty() {
            let older: i64 = on!(self, p => sqlx::query_scalar(
                "SELECT COUNT(*) FROM (SELECT 1 AS one FROM firmware_keys UNION ALL SELECT 1 FROM device_secrets
                     UNION ALL SELECT 1 FROM codes UNION ALL SELECT 1 FROM accounts LIMIT 1) AS found")
                .fetch_one(p).await)?;
            let secret = self.keyring.secret();
            let key = match older {
                0 => random.bytes::<32>().to_vec(),
                _ => secret.first_key(),
            };
            // Another process may be faster; then its key is used.
            execute!(on self, sqlx::query(
                "INSERT INTO secret_keys (version, wrapped, created_at, active_from, resealed_at)
                 VALUES (1, $1, $2, $2, $2) ON CONFLICT (version) DO NOTHING")
                .bind(secret.wrap(1, random.bytes(), &key))
                .bind(now))?;
        }
        self.reload_keys(now).await
    }

    /// Reloads the versions: another process may have made one, or one may have become active.
    pub async fn reload_keys(&self, now: Millis) -> Result<()> {
        let mut known = Vec::new();
        for row in self.key_rows().await? {
            let version = row.version()?;
            let key = match self.keyring.find_key(version) {
                Some(key) => key,
                None => Arc::new(DataKey::new(version, &row.unwrap(self.keyring.secret())?)),
            };
            known.push(LoadedKey {
                key,
                active_from: row.active_from,
                accepted_until: row.accepted_until,
            });
        }
        self.keyring.replace(known, now);
        Ok(())
    }

    pub async fn key_versions(&self) -> Result<Vec<KeyVersion>> {
        let mut versions = Vec::new();
        for row in self.key_rows().await? {
            let version = row.version()?;
            let devices: i64 = if version == 1 {
                on!(self, p => sqlx::query_scalar(
                    "SELECT COUNT(*) FROM device_secrets WHERE length(hash) = 32").fetch_one(p).await)?
            } else {
                on!(self, p => sqlx::query_scalar(
                    "SELECT COUNT(*) FROM device_secrets WHERE length(hash) = 34 AND substr(hash, 1, 2) = $1")
                    .bind(version.to_be_bytes().to_vec()).fetch_one(p).await)?
            };
            versions.push(KeyVersion {
                version,
                active_from: row.active_from,
                accepted_until: row.accepted_until,
                reencrypted_at: row.resealed_at,
                devices,
            });
        }
        Ok(versions)
    }

    /// Encrypts everything with the current version, once after each rotation. It may be interrupted at any moment: the next call
    /// finds what is left.
    pub async fn reencrypt_all(&self, random: &Random, now: Millis) -> Result<()> {
        let rows = self.key_rows().await?;
        let Some(newest) = rows.last() else {
            return Ok(());
        };
        let version = newest.version()?;
        let is_due = newest.resealed_at.is_none()
            && now >= newest.active_from + REENCRYPT_DELAY
            && version == self.keyring.version();
        if !is_due {
            return Ok(());
        }
        let mut count = 0;
        for (purpose, select, update) in ENCRYPTED_COLUMNS {
            let kept: Vec<EncryptedRow> =
                on!(self, p => sqlx::query_as(select).fetch_all(p).await)?;
            for rows in kept.chunks(REENCRYPT_BATCH_ROWS) {
                let mut tx = self.db.begin().await?;
                for row in rows {
                    let encrypted = self
                        .keyring
                        .reencrypt(purpose, random.bytes(), &row.encrypted);
                    let Some(encrypted) = encrypted else { continue };
                    count += execute!(
                        &mut tx,
                        sqlx::query(update)
                            .bind(&row.id)
                            .bind(&row.encrypted)
                            .bind(encrypted)
                    )?;
                }
                tx.commit().await?;
            }
        }
        execute!(on self, sqlx::query("UPDATE secret_keys SET resealed_at = $2 WHERE version = $1")
            .bind(i64::from(version)).bind(now))?;
        tracing::info!(
            version,
            count,
            "reencryption_finished: everything is encrypted with the new key"
        );
        Ok(())
    }
}

/// Creates a new version, which is used after [`ACTIVATION_DELAY`]. Tokens of older versions are accepted for `grace` after that.
/// `None` if the last rotation is not finished.
pub async fn rotate(
    tx: &mut Tx,
    keyring: &Keyring,
    grace: Millis,
    random: &Random,
    now: Millis,
) -> Result<Option<KeyVersion>> {
    let rows = lock(tx).await?;
    let newest = rows.last().ok_or(Error::Damaged("secret_keys"))?;
    if newest.resealed_at.is_none() {
        return Ok(None);
    }
    // The secret may have been changed since this process read it.
    newest.unwrap(keyring.secret())?;
    let version = newest.version()? + 1;
    let active_from = now + ACTIVATION_DELAY;
    let key = random.bytes::<32>();
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE secret_keys SET accepted_until = $1 WHERE accepted_until IS NULL OR accepted_until > $1"
        )
        .bind(active_from + grace)
    )?;
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO secret_keys (version, wrapped, created_at, active_from) VALUES ($1, $2, $3, $4)"
        )
        .bind(i64::from(version))
        .bind(keyring.secret().wrap(version, random.bytes(), &key))
        .bind(now)
        .bind(active_from)
    )?;
    Ok(Some(KeyVersion {
        version,
        active_from,
        accepted_until: Some(active_from + grace),
        reencrypted_at: None,
        devices: 0,
    }))
}

/// Wraps every version with another secret. Hashed and encrypted values stay as they are.
pub async fn wrap_with(
    tx: &mut Tx,
    keyring: &Keyring,
    new: &Secret,
    random: &Random,
) -> Result<()> {
    for row in lock(tx).await? {
        let key = row.unwrap(keyring.secret())?;
        let wrapped = new.wrap(row.version()?, random.bytes(), &key);
        execute!(
            &mut *tx,
            sqlx::query("UPDATE secret_keys SET wrapped = $2 WHERE version = $1")
                .bind(row.version)
                .bind(wrapped)
        )?;
    }
    Ok(())
}

/// All versions, locked until the transaction ends.
async fn lock(tx: &mut Tx) -> Result<Vec<Row>> {
    execute!(
        &mut *tx,
        sqlx::query("UPDATE secret_keys SET version = version WHERE version = 1")
    )?;
    Ok(within!(tx, c => sqlx::query_as(SELECT).fetch_all(c).await)?)
}
