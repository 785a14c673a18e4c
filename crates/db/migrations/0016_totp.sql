-- The second factor of an account: what its phone and the portal share, sealed with the configured key.
CREATE TABLE totp (
    account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret     BLOB   NOT NULL,
    created_at BIGINT NOT NULL,
    since      BIGINT,          -- NULL: shown and not proven by a code yet, so that it does not count
    used_step  BIGINT NOT NULL  -- the newest step of 30 seconds whose code was used: none works twice
);

-- For a lost phone: keyed hashes, each works once.
CREATE TABLE recovery_codes (
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    hash       BLOB   NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT,
    PRIMARY KEY (account_id, hash)
);
