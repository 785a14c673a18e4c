//! The keys that sign firmware.
use crate::{Error, Purpose, Result, Store};
use db::Tx;
use domain::firmware::{PublicKey, SecretKey};

impl Store {
    /// The maker's public key; `None` until the operator has set it.
    pub async fn release_key(&self) -> Result<Option<PublicKey>> {
        let text: Option<String> = on!(self, p => sqlx::query_scalar(
            "SELECT public_key FROM firmware_keys WHERE signer = 'release'")
            .fetch_optional(p).await)?;
        public_key(text)
    }

    /// The portal's own key. The first call creates it from `seed` and stores it encrypted with `nonce`; both must be random.
    pub async fn director_key(&self, seed: [u8; 32], nonce: [u8; 12]) -> Result<SecretKey> {
        if let Some(key) = self.stored_director_key().await? {
            return Ok(key);
        }
        let new = SecretKey::new(seed);
        let encrypted = self
            .keyring
            .encrypt(Purpose::DirectorKey, nonce, new.bytes());
        execute!(on self, sqlx::query(
            "INSERT INTO firmware_keys (signer, public_key, secret_key) VALUES ('director', $1, $2)
             ON CONFLICT (signer) DO NOTHING")
            .bind(new.public().to_string())
            .bind(encrypted))?;
        // Reads it back, because another process may have been faster.
        let kept = self.stored_director_key().await?;
        kept.ok_or(Error::Damaged("firmware_keys.secret_key"))
    }

    async fn stored_director_key(&self) -> Result<Option<SecretKey>> {
        let encrypted: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
            "SELECT secret_key FROM firmware_keys WHERE signer = 'director' AND secret_key IS NOT NULL")
            .fetch_optional(p).await)?;
        let open = |encrypted: Vec<u8>| {
            let clear = self.keyring.decrypt(Purpose::DirectorKey, &encrypted)?;
            Some(SecretKey::new(clear.try_into().ok()?))
        };
        let key = encrypted
            .map(|encrypted| open(encrypted).ok_or(Error::Damaged("firmware_keys.secret_key")));
        key.transpose()
    }
}

/// The maker's public key, locked until the transaction ends.
pub async fn lock_release_key(tx: &mut Tx) -> Result<Option<PublicKey>> {
    let text: Option<String> = within!(tx, c => sqlx::query_scalar(
        "UPDATE firmware_keys SET public_key = public_key WHERE signer = 'release' RETURNING public_key")
        .fetch_optional(c).await)?;
    public_key(text)
}

/// Sets the key that releases published from now on must be signed with.
pub async fn set_release_key(tx: &mut Tx, key: &PublicKey) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO firmware_keys (signer, public_key) VALUES ('release', $1)
             ON CONFLICT (signer) DO UPDATE SET public_key = excluded.public_key"
        )
        .bind(key.to_string())
    )?;
    Ok(())
}

fn public_key(text: Option<String>) -> Result<Option<PublicKey>> {
    let key = text.map(|text| text.parse());
    key.transpose()
        .map_err(|_| Error::Damaged("firmware_keys.public_key"))
}
