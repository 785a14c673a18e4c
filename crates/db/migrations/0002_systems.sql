-- A storage system that the operator has registered, and who owns it.
CREATE TABLE systems (
    sn              TEXT    NOT NULL PRIMARY KEY,
    phase           BIGINT  NOT NULL,
    master_version  TEXT,
    gateway_version TEXT,
    slave_version   TEXT,
    owner_id        BIGINT  REFERENCES accounts (id) ON DELETE SET NULL,
    linked_at       BIGINT,
    first_name      TEXT,
    last_name       TEXT
);
CREATE INDEX systems_owner ON systems (owner_id);

-- Keyed hashes of the device's secret; two are valid while it is being rotated.
CREATE TABLE device_secrets (
    sn         TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    hash       BLOB    NOT NULL UNIQUE,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (sn, hash)
);

-- Registration and installer codes: single use, each for the systems of one site.
CREATE TABLE codes (
    hash       BLOB    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN ('registration', 'installer')),
    created_at BIGINT  NOT NULL,
    used_at    BIGINT
);
CREATE TABLE code_systems (
-- [SQLite]
    code_hash BLOB NOT NULL REFERENCES codes (hash) ON DELETE CASCADE,
-- [PostgreSQL]
    code_hash BYTEA   NOT NULL REFERENCES codes (hash) ON DELETE CASCADE,
-- [both]
    sn        TEXT NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    PRIMARY KEY (code_hash, sn)
);
CREATE INDEX code_systems_sn ON code_systems (sn);

-- A bare serial number that waits for the battery's main switch.
CREATE TABLE claims (
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sn         TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    state      TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    PRIMARY KEY (account_id, sn)
);
CREATE INDEX claims_sn ON claims (sn);

-- What happened and who did it. Details never hold personal values: deletion only has to clear account_id.
CREATE TABLE journal (
    id         INTEGER PRIMARY KEY,
    at         BIGINT  NOT NULL,
    account_id BIGINT  REFERENCES accounts (id) ON DELETE SET NULL,
    actor      TEXT    NOT NULL,
    sn         TEXT,
    event      TEXT    NOT NULL,
    detail     TEXT    NOT NULL
);
CREATE INDEX journal_account ON journal (account_id);
CREATE INDEX journal_sn ON journal (sn, at);
