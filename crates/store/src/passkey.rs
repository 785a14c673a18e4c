//! Passkeys of accounts. A challenge is answered once and a counter only increases, whichever process receives the answer.
use crate::account::Account;
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::AccountId;
use domain::clock::Millis;
use domain::passkey::{NewPasskey, PasskeyName, PublicKey};

/// A passkey as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Passkey {
    pub id: i64,
    pub name: String,
    pub created_at: Millis,
    pub used_at: Option<Millis>,
}

/// A stored passkey with the data to verify it.
#[derive(Clone, Debug, FromRow)]
pub struct StoredPasskey {
    pub id: i64,
    account_id: i64,
    public_key: Vec<u8>,
    /// The account's random identifier on the person's devices.
    user_handle: Option<Vec<u8>>,
}

impl StoredPasskey {
    pub fn account(&self) -> AccountId {
        AccountId(self.account_id)
    }

    pub fn public_key(&self) -> Result<PublicKey> {
        PublicKey::parse(&self.public_key).map_err(|_| Error::Damaged("passkeys.public_key"))
    }

    pub fn is_of(&self, user_handle: &[u8]) -> bool {
        self.user_handle.as_deref() == Some(user_handle)
    }
}

impl Store {
    /// The passkeys of an account, oldest first.
    pub async fn passkeys(&self, account: AccountId) -> Result<Vec<Passkey>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT id, name, created_at, used_at FROM passkeys WHERE account_id = $1 ORDER BY id")
            .bind(account.0).fetch_all(p).await)?)
    }

    /// The credential IDs of an account's passkeys, so that a device does not create a second one.
    pub async fn credential_ids(&self, account: AccountId) -> Result<Vec<Vec<u8>>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT credential_id FROM passkeys WHERE account_id = $1 ORDER BY id")
            .bind(account.0).fetch_all(p).await)?)
    }

    pub async fn passkey(&self, credential_id: &[u8]) -> Result<Option<StoredPasskey>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT k.id, k.account_id, k.public_key, a.passkey_user AS user_handle
             FROM passkeys k JOIN accounts a ON a.id = k.account_id WHERE k.credential_id = $1")
            .bind(credential_id).fetch_optional(p).await)?)
    }

    /// The account that a passkey belongs to.
    pub async fn passkey_owner(&self, credential_id: &[u8]) -> Result<Option<Account>> {
        Ok(on!(self, p => sqlx::query_as(
            crate::account::select!("JOIN passkeys k ON k.account_id = a.id WHERE k.credential_id = $1"))
            .bind(credential_id).fetch_optional(p).await)?)
    }

    /// Deletes answered challenges that have expired.
    pub async fn purge_passkey_challenges(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM passkey_challenges WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}

/// The random identifier by which the account's devices know it: the stored one, or from now on `new`.
pub async fn user_handle(tx: &mut Tx, account: AccountId, new: [u8; 16]) -> Result<Vec<u8>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "UPDATE accounts SET passkey_user = COALESCE(passkey_user, $2) WHERE id = $1 RETURNING passkey_user")
        .bind(account.0).bind(new.as_slice()).fetch_one(c).await)?)
}

/// Uses up a challenge. `false` if it was answered before.
pub async fn use_challenge(tx: &mut Tx, nonce: &[u8], expires_at: Millis) -> Result<bool> {
    let used = execute!(
        tx,
        sqlx::query(
            "INSERT INTO passkey_challenges (nonce, expires_at) VALUES ($1, $2) ON CONFLICT (nonce) DO NOTHING"
        )
        .bind(nonce)
        .bind(expires_at)
    )?;
    Ok(used == 1)
}

/// Records a use. `false` if the counter did not increase, so that the passkey may have been copied. A counter of 0 means that
/// the device does not count.
pub async fn record_use(tx: &mut Tx, id: i64, sign_count: u32, now: Millis) -> Result<bool> {
    let recorded = execute!(
        tx,
        sqlx::query(
            "UPDATE passkeys SET sign_count = $2, used_at = $3
             WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))"
        )
        .bind(id)
        .bind(i64::from(sign_count))
        .bind(now)
    )?;
    Ok(recorded == 1)
}

pub async fn count(tx: &mut Tx, account: AccountId) -> Result<usize> {
    let count: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM passkeys WHERE account_id = $1")
        .bind(account.0).fetch_one(c).await)?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

pub async fn insert(
    tx: &mut Tx,
    account: AccountId,
    name: &PasskeyName,
    new: &NewPasskey,
    now: Millis,
) -> Result<Passkey> {
    Ok(within!(tx, c => sqlx::query_as(
        "INSERT INTO passkeys (account_id, name, credential_id, public_key, sign_count, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, name, created_at, used_at")
        .bind(account.0)
        .bind(name.as_str())
        .bind(new.credential_id.as_slice())
        .bind(new.public_key.as_cose())
        .bind(i64::from(new.sign_count))
        .bind(now)
        .fetch_one(c).await)?)
}

/// `false` if the account has no such passkey.
pub async fn rename(tx: &mut Tx, account: AccountId, id: i64, name: &PasskeyName) -> Result<bool> {
    let renamed = execute!(
        tx,
        sqlx::query("UPDATE passkeys SET name = $3 WHERE id = $1 AND account_id = $2")
            .bind(id)
            .bind(account.0)
            .bind(name.as_str())
    )?;
    Ok(renamed == 1)
}

/// Deletes a passkey and returns its name. `None` if the account has no such passkey.
pub async fn delete(tx: &mut Tx, account: AccountId, id: i64) -> Result<Option<String>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "DELETE FROM passkeys WHERE id = $1 AND account_id = $2 RETURNING name")
        .bind(id).bind(account.0).fetch_optional(c).await)?)
}

/// Deletes all passkeys of an account. `false` if it had none.
pub async fn delete_all(tx: &mut Tx, account: AccountId) -> Result<bool> {
    let deleted = execute!(
        tx,
        sqlx::query("DELETE FROM passkeys WHERE account_id = $1").bind(account.0)
    )?;
    Ok(deleted > 0)
}
