-- What an account calls some of its systems together. `folded` is the name as names are compared, without its case.
CREATE TABLE groups (
    id         INTEGER PRIMARY KEY,
    account_id BIGINT  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    UNIQUE (account_id, id),
    CONSTRAINT groups_folded_key UNIQUE (account_id, folded)
);
-- A system is in one group of an account at most, and only in a group of that account.
CREATE TABLE group_systems (
    account_id BIGINT NOT NULL,
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    group_id   BIGINT NOT NULL,
    PRIMARY KEY (account_id, sn),
    FOREIGN KEY (account_id, group_id) REFERENCES groups (account_id, id) ON DELETE CASCADE
);
CREATE INDEX group_systems_group ON group_systems (account_id, group_id);
CREATE INDEX group_systems_sn ON group_systems (sn);

-- What a kWh costs and earns at a system from a day on (20261115; 0 is the beginning), in hundredths of a cent.
-- The next owner of the system has prices of their own.
CREATE TABLE tariffs (
    account_id    BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    sn            TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    from_day      BIGINT NOT NULL,
    import_price  BIGINT NOT NULL,
    feed_in_price BIGINT NOT NULL,
    PRIMARY KEY (account_id, sn, from_day)
);
CREATE INDEX tariffs_sn ON tariffs (sn);
