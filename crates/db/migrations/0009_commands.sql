-- What a battery was told to do, kept before it is sent. The key names one intended act of one account.
CREATE TABLE commands (
    id         TEXT   NOT NULL PRIMARY KEY,
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    account_id BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    key        TEXT   NOT NULL,
    command    TEXT   NOT NULL,
    args       TEXT   NOT NULL, -- a JSON object
    state      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sent_at    BIGINT,
    ended_at   BIGINT,
    code       TEXT,            -- how the battery answered
    data       TEXT,            -- what it brought, as JSON; also while it runs
    CONSTRAINT commands_key_key UNIQUE (account_id, sn, key)
);
CREATE INDEX commands_sn ON commands (sn, created_at);
CREATE INDEX commands_open ON commands (expires_at) WHERE state IN ('queued', 'sent');
