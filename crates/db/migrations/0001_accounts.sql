-- Moments are BIGINT milliseconds since 1970 in UTC. Secrets are stored as keyed hashes only.

CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY,
    email         TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    role          TEXT    NOT NULL CHECK (role IN ('user', 'electrician')),
    phone         TEXT    NOT NULL,
    country       TEXT    NOT NULL,
    company       TEXT,
    language      TEXT    NOT NULL,
    terms_version TEXT    NOT NULL,
    terms_at      BIGINT  NOT NULL,
    created_at    BIGINT  NOT NULL,
    locked_at     BIGINT
);

-- A registration that still has to be confirmed by the mailed link; nothing else exists until then.
CREATE TABLE registrations (
    token_hash    BLOB    NOT NULL PRIMARY KEY,
    email         TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    phone         TEXT    NOT NULL,
    country       TEXT    NOT NULL,
    company       TEXT,
    language      TEXT    NOT NULL,
    terms_version TEXT    NOT NULL,
    created_at    BIGINT  NOT NULL,
    expires_at    BIGINT  NOT NULL,
    serials       TEXT    NOT NULL
);
CREATE INDEX registrations_email ON registrations (email);

-- One login; its refresh token is a MAC over (id, generation), so no token is stored.
CREATE TABLE sessions (
    id         BLOB    NOT NULL PRIMARY KEY,
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    generation BIGINT  NOT NULL,
    rotated_at BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL,
    used_at    BIGINT  NOT NULL,
    ended_at   BIGINT
);
CREATE INDEX sessions_account ON sessions (account_id);

-- Links sent by mail: a password reset, or a new address to confirm.
CREATE TABLE mail_links (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN ('reset', 'email')),
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT,
    expires_at BIGINT  NOT NULL
);
CREATE INDEX mail_links_account ON mail_links (account_id);

-- Mails waiting to be sent. The body can hold a link that opens an account, so it is sealed with the configured key.
-- A mail can go to another address than the account's (the old one, or one to be confirmed), and disappears with it.
CREATE TABLE mails (
    id         INTEGER PRIMARY KEY,
    account_id BIGINT  REFERENCES accounts (id) ON DELETE CASCADE,
    recipient  TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    due_at     BIGINT  NOT NULL,
    tries      BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_account ON mails (account_id);
