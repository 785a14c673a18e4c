-- Whether a battery is reachable, since when, and the newest hello it said.
CREATE TABLE presence (
    sn     TEXT    NOT NULL PRIMARY KEY REFERENCES systems (sn) ON DELETE CASCADE,
    online BOOLEAN NOT NULL,
    since  BIGINT  NOT NULL, -- when the present state began
    boot   BIGINT  NOT NULL, -- of the newest hello
    seq    BIGINT  NOT NULL
);

-- When a start of a device was, by our clock: places what it measured without a clock of its own.
CREATE TABLE boots (
    sn         TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    boot       BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    PRIMARY KEY (sn, boot)
);

-- What happened at a battery, as it reported it. Without a time it could not be placed and is never shown.
CREATE TABLE events (
    sn          TEXT    NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    boot        BIGINT  NOT NULL,
    seq         BIGINT  NOT NULL,
    at          BIGINT,
    received_at BIGINT  NOT NULL,
    code        TEXT    NOT NULL,
    begins      BOOLEAN NOT NULL,
    args        TEXT,
    PRIMARY KEY (sn, boot, seq)
);
CREATE INDEX events_sn ON events (sn, at);

-- Samples whose time nobody knows: kept, never shown.
CREATE TABLE hidden_samples (
    sn          TEXT   NOT NULL REFERENCES systems (sn) ON DELETE CASCADE,
    boot        BIGINT NOT NULL,
    seq         BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    payload     TEXT   NOT NULL,
    PRIMARY KEY (sn, boot, seq)
);

-- What a battery sent and nobody could use, with the reason; the newest of each.
CREATE TABLE rejects (
    id          INTEGER PRIMARY KEY,
    sn          TEXT   NOT NULL,
    received_at BIGINT NOT NULL,
    topic       TEXT   NOT NULL,
    reason      TEXT   NOT NULL,
    payload     BLOB   NOT NULL
);
CREATE INDEX rejects_sn ON rejects (sn, id);
