-- Passkeys (WebAuthn): the public halves of keys that are in people's devices.
CREATE TABLE passkeys (
    id            INTEGER PRIMARY KEY,
    account_id    BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name          TEXT   NOT NULL,
    credential_id BLOB   NOT NULL UNIQUE,
    public_key    BLOB   NOT NULL, -- COSE, as the device sent it
    sign_count    BIGINT NOT NULL, -- of the last use; 0 if the device does not count
    created_at    BIGINT NOT NULL,
    used_at       BIGINT
);
CREATE INDEX passkeys_account ON passkeys (account_id);

-- The random name by which the person's devices know the account; NULL before its first passkey.
ALTER TABLE accounts ADD COLUMN passkey_user BLOB;

-- Challenges that were answered, until they expire: none works twice. Issuing one writes nothing, it carries a MAC.
CREATE TABLE passkey_challenges (
    nonce      BLOB   NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
