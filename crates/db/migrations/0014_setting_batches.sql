-- What an electrician changed at several systems at once, so that it can be undone.
CREATE TABLE setting_batches (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL
);
CREATE INDEX setting_batches_account ON setting_batches (account_id, created_at);

-- Systems that took it. The version is the one that it saved; acknowledged tells of the notice under §14a before it.
CREATE TABLE setting_batch_systems (
    batch_id     TEXT    NOT NULL REFERENCES setting_batches (id) ON DELETE CASCADE,
    sn           TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    version      BIGINT  NOT NULL,
    changes      TEXT    NOT NULL, -- a JSON list: field, from, to
    acknowledged BOOLEAN NOT NULL,
    undone_at    BIGINT,
    PRIMARY KEY (batch_id, sn)
);
CREATE INDEX setting_batch_systems_sn ON setting_batch_systems (sn);

-- Some fields with their values, which an electrician keeps under a name.
CREATE TABLE setting_templates (
    id         INTEGER PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT   NOT NULL,
    folded     TEXT   NOT NULL,
    fields     TEXT   NOT NULL, -- a JSON object
    created_at BIGINT NOT NULL,
    CONSTRAINT setting_templates_folded_key UNIQUE (account_id, folded)
);
