-- Partner apps (OAuth 2 code with PKCE) and what owners let them see.
CREATE TABLE partners (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    created_at BIGINT  NOT NULL
);
CREATE TABLE partner_redirects (
    partner_id TEXT NOT NULL REFERENCES partners (id) ON DELETE CASCADE,
    uri        TEXT NOT NULL,
    PRIMARY KEY (partner_id, uri)
);
CREATE TABLE partner_consents (
    id         INTEGER PRIMARY KEY,
    partner_id TEXT    NOT NULL REFERENCES partners (id) ON DELETE CASCADE,
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    scopes     TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    UNIQUE (partner_id, account_id)
);
CREATE INDEX partner_consents_account ON partner_consents (account_id);
CREATE TABLE partner_codes (
    hash         BLOB    NOT NULL PRIMARY KEY,
    consent_id   BIGINT  NOT NULL REFERENCES partner_consents (id) ON DELETE CASCADE,
    redirect_uri TEXT    NOT NULL,
    challenge    TEXT    NOT NULL,
    expires_at   BIGINT  NOT NULL
);
CREATE TABLE partner_tokens (
    hash       BLOB    NOT NULL PRIMARY KEY,
    consent_id BIGINT  NOT NULL REFERENCES partner_consents (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('access', 'refresh')),
    expires_at BIGINT  NOT NULL
);
CREATE INDEX partner_tokens_consent ON partner_tokens (consent_id);
