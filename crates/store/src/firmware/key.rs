//! The keys that firmware is signed with.
use crate::{Error, Purpose, Result, Store};
use domain::firmware::{PublicKey, SecretKey};

impl Store {
    /// The maker's public key; `None` until the operator has said which it is.
    pub async fn release_key(&self) -> Result<Option<PublicKey>> {
        let text: Option<String> = on!(self, p => sqlx::query_scalar(
            "SELECT public_key FROM firmware_keys WHERE signer = 'release'")
            .fetch_optional(p).await)?;
        let key = text.map(|text| text.parse());
        key.transpose()
            .map_err(|_| Error::Damaged("firmware_keys.public_key"))
    }

    /// What is published from now on has to be signed with this one.
    pub async fn trust_release_key(&self, key: &PublicKey) -> Result<()> {
        execute!(on self, sqlx::query(
            "INSERT INTO firmware_keys (signer, public_key) VALUES ('release', $1)
             ON CONFLICT (signer) DO UPDATE SET public_key = excluded.public_key")
            .bind(key.to_string()))?;
        Ok(())
    }

    /// The portal's own key; the first who asks makes it, from `seed` and sealed with `nonce`, both drawn at random.
    pub async fn director_key(&self, seed: [u8; 32], nonce: [u8; 12]) -> Result<SecretKey> {
        if let Some(key) = self.kept_director_key().await? {
            return Ok(key);
        }
        let new = SecretKey::new(seed);
        let sealed = self.keyring.seal(Purpose::DirectorKey, nonce, new.bytes());
        execute!(on self, sqlx::query(
            "INSERT INTO firmware_keys (signer, public_key, secret_key) VALUES ('director', $1, $2)
             ON CONFLICT (signer) DO NOTHING")
            .bind(new.public().to_string())
            .bind(sealed))?;
        // Another process may have been faster.
        let kept = self.kept_director_key().await?;
        kept.ok_or(Error::Damaged("firmware_keys.secret_key"))
    }

    async fn kept_director_key(&self) -> Result<Option<SecretKey>> {
        let sealed: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
            "SELECT secret_key FROM firmware_keys WHERE signer = 'director' AND secret_key IS NOT NULL")
            .fetch_optional(p).await)?;
        let open = |sealed: Vec<u8>| {
            let clear = self.keyring.open(Purpose::DirectorKey, &sealed)?;
            Some(SecretKey::new(clear.try_into().ok()?))
        };
        let key =
            sealed.map(|sealed| open(sealed).ok_or(Error::Damaged("firmware_keys.secret_key")));
        key.transpose()
    }
}
